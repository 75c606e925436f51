#!lua flags=allow-oom
-- Which of some jobs of a type are there, whatever their status, and of which origin Redis' data is: one that was emptied, or
-- another one, has another.
-- KEYS   1 clock, 2 origin
-- ARGV   1 the origin from now on, if there is none, 2... ulids
-- reply  {now, origin, per job 1 or 0}
--#include clock

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local reply = { now_ms(KEYS[1]), redis.call('GET', KEYS[2]) or ARGV[1] }
for i = 2, #ARGV do reply[#reply + 1] = redis.call('EXISTS', base .. 'job:' .. ARGV[i]) end
redis.call('SET', KEYS[2], ARGV[1], 'NX')
return reply
