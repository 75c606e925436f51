#!lua flags=no-writes
-- How many jobs of a type failed within a time, and what time it is where they are.
-- KEYS   1 clock, 2 failed
-- ARGV   1 from, 2 to; in ms, both included
-- reply  {now, how many}
--#include clock

return { now_ms(KEYS[1]), redis.call('ZCOUNT', KEYS[2], ARGV[1], ARGV[2]) }
