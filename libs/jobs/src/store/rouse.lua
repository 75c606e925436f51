#!lua flags=allow-oom
-- Looks whether work still waits though a worker was woken for it, and if so wakes one more.
-- KEYS   1 clock, 2 idle, 3 workers, 4 parked, 5 scheduled, 6 retrying, 7 expiring, 8 suspects, 9-18 ready 0-9
-- reply  1 when a worker was woken, else 0
--#include clock
--#include wake

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local now = now_ms(KEYS[1])

local function least_of(set)
  return tonumber(redis.call('ZRANGE', set, '0', '0', 'WITHSCORES')[2])
end

local function is_due(set)
  local time = least_of(set)
  return time and time <= now
end

local waits = redis.call('EXISTS', unpack(KEYS, 8, 18)) > 0 or is_due(KEYS[5]) or is_due(KEYS[6]) or is_due(KEYS[7])
local oldest_parked = least_of(KEYS[4])
local woke = waits and wake_one(KEYS[2], base)
  or oldest_parked and wake_version(KEYS[2], KEYS[3], base, oldest_parked)
return woke and 1 or 0
