-- A dedupe key holds `deadline ulid`: who took it and until when (ms; 0: as long as the job's state says).
local DEDUPE_TTL, DEDUPE_UNTIL_STARTED, DEDUPE_UNTIL_FINISHED, DEDUPE_UNTIL_RESULT_EXPIRES = 1, 2, 3, 4

local function dedupe_policy_of(record)
  return string.byte(record, 71)
end

local function dedupe_length_of(record)
  return (struct.unpack('<H', record, 109))
end

-- The dedupe key that a job holds now, nil when it has none or another job took it. Read before anything is written.
local function held_dedupe_key(base, ulid, header)
  local length = dedupe_length_of(header)
  if length == 0 then return nil end
  local key = base .. 'dedupe:' .. redis.call('GETRANGE', base .. 'job:' .. ulid, HEADER_BYTES, HEADER_BYTES + length - 1)
  local held = redis.call('GET', key)
  if held and string.match(held, '%w+$') == ulid then return key end
end

-- Frees the key of a job that ends in `status`, if its policy says so. A result that is not kept holds nothing.
local function free_dedupe(key, header, status, kept)
  if not key then return end
  local policy = dedupe_policy_of(header)
  if policy == DEDUPE_TTL and status ~= 'C' then return end
  if policy == DEDUPE_UNTIL_RESULT_EXPIRES and status == 'S' and kept then return end
  redis.call('DEL', key)
end

-- Whether a job in this state keeps the dedupe key it took. For the policy ttl the deadline decides, and it is not over.
local function still_holds(policy, s)
  if policy == DEDUPE_TTL then return s.status ~= 'C' end
  if policy == DEDUPE_UNTIL_STARTED then return s.started_at == 0 and s.finished_at == 0 end
  if s.finished_at == 0 then return true end
  return policy == DEDUPE_UNTIL_RESULT_EXPIRES and s.status == 'S'
end

-- The ulid and header of the job that holds a dedupe key, nil when it is free. A ttl key outlives its job's record.
local function holder_of(base, dedupe_key, now)
  local held = redis.call('GET', dedupe_key)
  if not held then return nil end
  local deadline, ulid = string.match(held, '^(%d+) (%w+)$')
  deadline = tonumber(deadline)
  if deadline ~= 0 and deadline <= now then return nil end
  local header = header_at(base .. 'job:' .. ulid)
  if header == '' then
    if deadline == 0 then return nil end
    return ulid, ''
  end
  if still_holds(dedupe_policy_of(header), read_state(header)) then return ulid, header end
end

-- `ttl` in ms, 0 when the job's state alone says how long the key is held.
local function take_dedupe(key, ulid, now, ttl)
  if ttl > 0 then
    redis.call('SET', key, string.format('%.0f %s', now + ttl, ulid), 'PX', ttl)
  else
    redis.call('SET', key, '0 ' .. ulid)
  end
end
