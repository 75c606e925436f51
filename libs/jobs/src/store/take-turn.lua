#!lua flags=allow-oom
-- Takes a turn at what any process does, but one is enough to do, once in a while.
-- KEYS   1 clock, 2 turn: when it was taken last
-- ARGV   1 ms from one turn to the next
-- reply  0 when the caller has it, else the ms until there is one
--#include clock

local now, every = now_ms(KEYS[1]), tonumber(ARGV[1])
local wait = tonumber(redis.call('GET', KEYS[2]) or 0) + every - now
-- A longer one: the clock went back.
if wait > 0 and wait <= every then return wait end
redis.call('SET', KEYS[2], string.format('%.0f', now))
return 0
