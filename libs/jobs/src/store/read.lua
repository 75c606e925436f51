#!lua flags=no-writes
-- Everything about one job at one moment.
-- KEYS   1 clock, 2-11 ready 0-9
-- ARGV   1 ulid
-- reply  {now, record, side hash as field, value, ...; sequence of the first in the same line or 0}; {now} when there is no such job
--#include clock
--#include record

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local now = now_ms(KEYS[1])
local record = redis.call('GET', base .. 'job:' .. ARGV[1])
if not record then return { now } end

local head_seq = 0
if read_state(record).status == 'q' then
  local head = redis.call('LINDEX', KEYS[2 + priority_of(record)], 0)
  local head_record = head and redis.call('GETRANGE', base .. 'job:' .. string.sub(head, 1, 26), 0, HEADER_BYTES - 1)
  if head_record and head_record ~= '' then head_seq = struct.unpack('<I6', head_record, 52) end
end
return { now, record, redis.call('HGETALL', base .. 'extra:' .. ARGV[1]), head_seq }
