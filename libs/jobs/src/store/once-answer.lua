#!lua flags=no-writes
-- What a submit under a once key is to be answered again.
-- KEYS   1 clock, 2 the once key
-- ARGV   1 the hash of the submit (32 hex digits)
-- reply  `` when the key is new; else `O` and the once record, or `M` and a ulid, when it was used for another body
--#include clock
--#include once

local before = live_once(KEYS[2], now_ms(KEYS[1]))
return before and once_again(before, ARGV[1]) or ''
