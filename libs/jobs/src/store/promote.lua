#!lua flags=allow-oom
-- Moves jobs whose time has come from waiting to the back of their line.
-- KEYS   1 clock, 2 scheduled, 3 retrying, 4 idle, 5-14 ready 0-9
-- ARGV   1 how many at most
-- reply  {how many were moved, the next due time or 0, now}
--#include clock
--#include record
--#include wake

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local now = now_ms(KEYS[1])
local limit = tonumber(ARGV[1])

local due = {}
for _, set in ipairs({ KEYS[2], KEYS[3] }) do
  for _, ulid in ipairs(redis.call('ZRANGEBYSCORE', set, '-inf', now, 'LIMIT', 0, limit - #due)) do
    due[#due + 1] = { set = set, ulid = ulid, key = base .. 'job:' .. ulid }
    due[#due].header = redis.call('GETRANGE', due[#due].key, 0, HEADER_BYTES - 1)
  end
end

local moved, ready = 0, {}
for _, job in ipairs(due) do
  redis.call('ZREM', job.set, job.ulid)
  local state = job.header ~= '' and read_state(job.header)
  if state and (state.status == 's' or state.status == 'r') then
    state.status = 'q'
    redis.call('SETRANGE', job.key, 1, pack_state(state))
    local list = KEYS[5 + priority_of(job.header)]
    ready[list] = ready[list] or {}
    table.insert(ready[list], entry_of(job.ulid, state.generation))
    moved = moved + 1
  end
end
for list, entries in pairs(ready) do redis.call('RPUSH', list, unpack(entries)) end
if moved > 0 then wake_one(KEYS[4], base) end

local scheduled = tonumber(redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2])
local retrying = tonumber(redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2])
return { moved, math.min(scheduled or retrying or 0, retrying or scheduled or 0), now }
