#!lua flags=allow-oom
-- Removes finished jobs whose retention is over: record, side hash, dedupe key and index entry together.
-- KEYS   1 clock, 2 the index of one final status
-- ARGV   1 retention in ms, 2 how many at most
-- reply  how many index entries were removed
--#include clock
--#include record
--#include dedupe

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local ulids = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now_ms(KEYS[1]) - tonumber(ARGV[1]), 'LIMIT', 0, tonumber(ARGV[2]))
if #ulids == 0 then return 0 end

local headers, removed = {}, {}
for i, ulid in ipairs(ulids) do
  headers[i] = redis.call('GETRANGE', base .. 'job:' .. ulid, 0, HEADER_BYTES - 1)
  removed[#removed + 1] = base .. 'job:' .. ulid
  removed[#removed + 1] = base .. 'extra:' .. ulid
end
redis.call('TOUCH', unpack(removed))
for i, ulid in ipairs(ulids) do
  -- Retention is over, so a key held until then is free; a ttl key has a life of its own.
  if headers[i] ~= '' then free_dedupe(base, ulid, headers[i], 'F') end
end
redis.call('ZREM', KEYS[2], unpack(ulids))
redis.call('UNLINK', unpack(removed))
return #ulids
