#!lua flags=allow-oom
-- A worker says that it is there, and what it runs; workers not heard of for ten minutes are forgotten, a few at a time.
-- KEYS   1 clock, 2 presence
-- ARGV   1 worker number, 2 for how long this holds in ms, 0 when it leaves, 3 what it runs, as JSON
--#include clock

local FORGET_AFTER_MS = 600000

local now = now_ms(KEYS[1])
if ARGV[2] == '0' then
  redis.call('HDEL', KEYS[2], ARGV[1])
else
  redis.call('HSET', KEYS[2], ARGV[1], string.format('%.0f %s', now + tonumber(ARGV[2]), ARGV[3]))
end
local some = redis.call('HRANDFIELD', KEYS[2], 3, 'WITHVALUES')
for i = 1, #some, 2 do
  if tonumber(string.match(some[i + 1], '^%d+') or 0) + FORGET_AFTER_MS < now then redis.call('HDEL', KEYS[2], some[i]) end
end
