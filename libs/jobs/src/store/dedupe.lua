-- A dedupe key holds `deadline ulid`: who took it and until when (ms; 0: as long as the job's state says).
local DEDUPE_TTL, DEDUPE_UNTIL_STARTED, DEDUPE_UNTIL_FINISHED, DEDUPE_UNTIL_RESULT_EXPIRES = 1, 2, 3, 4

local function dedupe_policy_of(record)
  return string.byte(record, 65)
end

local function dedupe_length_of(record)
  return (struct.unpack('<H', record, 103))
end

-- Frees the dedupe key of a job that ends in `status`, if its policy says so and it still is the holder.
local function free_dedupe(base, ulid, header, status)
  local length = dedupe_length_of(header)
  if length == 0 then return end
  local policy = dedupe_policy_of(header)
  if policy == DEDUPE_TTL and status ~= 'C' then return end
  if policy == DEDUPE_UNTIL_RESULT_EXPIRES and status == 'S' then return end
  local key = base .. 'dedupe:' .. redis.call('GETRANGE', base .. 'job:' .. ulid, 108, 107 + length)
  local held = redis.call('GET', key)
  if held and string.match(held, '%w+$') == ulid then redis.call('DEL', key) end
end
