#!lua flags=allow-oom
-- Looks whether work still waits though a worker was woken for it, and if so wakes one more.
-- KEYS   1 clock, 2 idle, 3 workers, 4 parked, 5 suspects, 6-15 ready 0-9
-- reply  1 when a worker was woken, else 0
--#include wake

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local in_line = redis.call('EXISTS', unpack(KEYS, 5, 15)) > 0
local oldest_parked = tonumber(redis.call('ZRANGE', KEYS[4], 0, 0, 'WITHSCORES')[2])
local woke = in_line and wake_one(KEYS[2], base)
  or oldest_parked and wake_version(KEYS[2], KEYS[3], base, oldest_parked)
return woke and 1 or 0
