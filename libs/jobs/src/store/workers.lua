#!lua flags=no-writes
-- The workers that are there.
-- KEYS   1 clock, 2 presence
-- reply  per worker: its number, what it runs as JSON
--#include clock

local now = now_ms(KEYS[1])
local all, reply = redis.call('HGETALL', KEYS[2]), {}
for i = 1, #all, 2 do
  local deadline, about = string.match(all[i + 1], '^(%d+) (.*)$')
  if deadline and tonumber(deadline) > now then
    reply[#reply + 1] = all[i]
    reply[#reply + 1] = about
  end
end
return reply
