#!lua flags=allow-oom
-- Removes finished jobs whose retention is over or that are too many, oldest first: record, side hash, log, dedupe key and
-- index entry together. And forgets workers that ended and told nobody, a few at a time.
-- KEYS   1 clock, 2 succeeded, 3 failed, 4 cancelled, 5 expired, 6 idle, 7 workers, 8 lanes, 9 leases
-- ARGV   1 retention in ms, 2 retention of failed jobs in ms, 3 how many at most, 4 how many failed jobs are kept
-- reply  {how many were removed, ms until the next is due or -1}
--#include clock
--#include record
--#include dedupe

-- A living worker that is idle says so again every 30 s.
local GONE_AFTER_MS, MOST_GONE, MOST_LOOKED_AT = 600000, 10, 3

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

-- One that is heard for lives, whatever the clock says, and is woken to say so.
local gone = {}
local function look_for_gone(from, to)
  for _, worker in ipairs(redis.call('ZRANGEBYSCORE', KEYS[6], from, to, 'LIMIT', 0, MOST_GONE)) do
    local lives = redis.call('ZSCORE', KEYS[9], worker) or redis.call('SPUBLISH', base .. 'wake:' .. worker, '') > 0
    if not lives then gone[#gone + 1] = worker end
  end
end
look_for_gone('(0', string.format('%.0f', now - GONE_AFTER_MS))
look_for_gone(string.format('%.0f', GONE_AFTER_MS - now), '(0')

-- Some of all that have called. One that runs nothing, does not wait since a known time and is not heard for may be gone: it
-- stands from now on among those that nobody heard, to be forgotten in ten minutes unless it calls before.
local unheard = {}
for _, lane in ipairs(redis.call('HRANDFIELD', KEYS[8], MOST_LOOKED_AT)) do
  local worker = string.match(lane, '^%d+')
  local since = tonumber(redis.call('ZSCORE', KEYS[6], worker) or 0)
  if since == 0 and not redis.call('ZSCORE', KEYS[9], worker) and redis.call('SPUBLISH', base .. 'wake:' .. worker, '') == 0 then
    unheard[#unheard + 1] = worker
  end
end

for _, job in ipairs(jobs) do
  -- Retention is over, so a key held until then is free; a ttl key has a life of its own.
  free_dedupe(job.dedupe_key, job.header, 'S', false)
  redis.call('ZREM', job.index, job.ulid)
end
if #jobs > 0 then redis.call('UNLINK', unpack(removed)) end

-- The lanes go too. They tell a call that comes late, or again, from a new one. One that has been on its way for ten minutes,
-- with no other behind it, could claim jobs that are taken back when their lease is over, and settle none: nothing runs under
-- the worker.
for _, worker in ipairs(gone) do
  redis.call('ZREM', KEYS[6], worker)
  redis.call('HDEL', KEYS[7], worker)
  redis.call('HDEL', KEYS[8], worker .. ':0', worker .. ':1', worker .. ':2', worker .. ':3')
end

for _, worker in ipairs(unheard) do redis.call('ZADD', KEYS[6], string.format('%.0f', -now), worker) end

local next_in = -1
for i = 2, 5 do
  local oldest = tonumber(redis.call('ZRANGE', KEYS[i], 0, 0, 'WITHSCORES')[2])
  if oldest then
    local due_in = math.max(oldest + retention_of(KEYS[i]) - now, 0)
    if next_in < 0 or due_in < next_in then next_in = due_in end
  end
end
return { #jobs, next_in }
