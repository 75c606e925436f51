#!lua flags=allow-oom
-- Removes finished jobs whose retention is over or that are too many, oldest first: record, side hash, log, dedupe key and
-- index entry together.
-- KEYS   1 clock, 2 succeeded, 3 failed, 4 cancelled, 5 expired
-- ARGV   1 retention in ms, 2 retention of failed jobs in ms, 3 how many at most, 4 how many failed jobs are kept
-- reply  {how many were removed, ms until the next is due or -1}
--#include clock
--#include record
--#include dedupe

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local now = now_ms(KEYS[1])
local limit = tonumber(ARGV[3])

local function retention_of(index)
  return tonumber(index == KEYS[3] and ARGV[2] or ARGV[1])
end

local jobs, removed = {}, {}
local function look(index, ulids)
  for _, ulid in ipairs(ulids) do
    local header = header_at(base .. 'job:' .. ulid)
    local dedupe_key = header ~= '' and held_dedupe_key(base, ulid, header) or nil
    jobs[#jobs + 1] = { ulid = ulid, index = index, header = header, dedupe_key = dedupe_key }
    for _, part in ipairs({ 'job:', 'extra:', 'log:' }) do removed[#removed + 1] = base .. part .. ulid end
  end
end

local surplus = math.min(redis.call('ZCARD', KEYS[3]) - tonumber(ARGV[4]), limit)
if surplus > 0 then look(KEYS[3], redis.call('ZRANGE', KEYS[3], 0, surplus - 1)) end
for i = 2, 5 do
  if not (i == 3 and surplus > 0) then
    look(KEYS[i], redis.call('ZRANGEBYSCORE', KEYS[i], '-inf', now - retention_of(KEYS[i]), 'LIMIT', 0, limit - #jobs))
  end
end
if #jobs > 0 then redis.call('TOUCH', unpack(removed)) end

for _, job in ipairs(jobs) do
  -- Retention is over, so a key held until then is free; a ttl key has a life of its own.
  free_dedupe(job.dedupe_key, job.header, 'S', false)
  redis.call('ZREM', job.index, job.ulid)
end
if #jobs > 0 then redis.call('UNLINK', unpack(removed)) end

local next_in = -1
for i = 2, 5 do
  local oldest = tonumber(redis.call('ZRANGE', KEYS[i], 0, 0, 'WITHSCORES')[2])
  if oldest then
    local due_in = math.max(oldest + retention_of(KEYS[i]) - now, 0)
    if next_in < 0 or due_in < next_in then next_in = due_in end
  end
end
return { #jobs, next_in }
