#!lua flags=allow-oom
-- Moves jobs whose time has come from waiting to the back of their line.
-- KEYS   1 clock, 2 scheduled, 3 retrying, 4 idle, 5-14 ready 0-9
-- ARGV   1 how many at most
-- reply  {ms until the next is due or -1, then per moved job: ulid, its record without the payload}
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

local reply, ready = { -1 }, {}
for _, job in ipairs(due) do
  redis.call('ZREM', job.set, job.ulid)
  local state = job.header ~= '' and read_state(job.header)
  if state and (state.status == 's' or state.status == 'r') then
    state.status = 'q'
    redis.call('SETRANGE', job.key, 1, pack_state(state))
    reply[#reply + 1] = job.ulid
    reply[#reply + 1] = without_payload(job.key, job.header)
    local list = KEYS[5 + priority_of(job.header)]
    ready[list] = ready[list] or {}
    table.insert(ready[list], entry_of(job.ulid, state.generation))
  end
end
for list, entries in pairs(ready) do redis.call('RPUSH', list, unpack(entries)) end
if #reply > 1 then wake_one(KEYS[4], base) end

for _, set in ipairs({ KEYS[2], KEYS[3] }) do
  local next_due = tonumber(redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')[2])
  if next_due and (reply[1] < 0 or next_due - now < reply[1]) then reply[1] = math.max(next_due - now, 0) end
end
return reply
