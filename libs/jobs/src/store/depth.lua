#!lua flags=no-writes
-- How many jobs of a type are in each status, and how many ends are still to be told, counted from the structures themselves.
-- KEYS   1 clock, 2 scheduled, 3 retrying, 4 running, 5 succeeded, 6 failed, 7 cancelled, 8 expired, 9 ghosts, 10 parked,
--        11 suspects, 12-21 ready 0-9, 22 outgoing
-- reply  {oldest queued job's age in ms or -1, queued, scheduled, retrying, processing, succeeded, failed, cancelled, expired,
--        events}
--#include clock
--#include record

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local now = now_ms(KEYS[1])
local queued, oldest = redis.call('ZCARD', KEYS[10]) - redis.call('SCARD', KEYS[9]), -1

local function look(entry)
  if not entry then return end
  local head = header_at(base .. 'job:' .. string.sub(entry, 1, 26))
  if head ~= '' then oldest = math.max(oldest, now - read_state(head).due_at) end
end

look(redis.call('ZRANGE', KEYS[10], 0, 0)[1])
for i = 11, 21 do
  local length = redis.call('LLEN', KEYS[i])
  if length > 0 then
    queued = queued + length
    look(redis.call('LINDEX', KEYS[i], 0))
  end
end
local reply = { oldest, math.max(queued, 0) }
for i = 2, 8 do reply[#reply + 1] = redis.call('ZCARD', KEYS[i]) end
reply[#reply + 1] = redis.call('LLEN', KEYS[22])
return reply
