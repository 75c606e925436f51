#!lua flags=no-writes
-- Who holds a dedupe key.
-- KEYS   1 clock, 2 the key
-- reply  the ulid, or `` when the key is free
--#include clock
--#include record
--#include dedupe

return holder_of(string.sub(KEYS[1], 1, -#'clock' - 1), KEYS[2], now_ms(KEYS[1])) or ''
