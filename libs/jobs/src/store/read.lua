#!lua flags=no-writes
-- Everything about one job at one moment.
-- KEYS   1 clock, 2 parked, 3-12 ready 0-9
-- ARGV   1 ulid
-- reply  {now, record, side hash as field, value, ...; sequence of the first in the same line or 0; whether it is parked (1/0)};
--        {now} when there is no such job. A record that is none is for the caller to refuse.
--#include clock
--#include record

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local now = now_ms(KEYS[1])
local record = redis.call('GET', base .. 'job:' .. ARGV[1])
if not record then return { now } end

local head_seq, parked = 0, 0
if #record >= HEADER_BYTES and read_state(record).status == 'q' then
  if redis.call('ZSCORE', KEYS[2], ARGV[1]) then parked = 1 end
  local head = redis.call('LINDEX', KEYS[3 + priority_of(record)], 0)
  local head_record = head and header_at(base .. 'job:' .. string.sub(head, 1, 26))
  if head_record and head_record ~= '' then head_seq = read_state(head_record).seq end
end
return { now, record, redis.call('HGETALL', base .. 'extra:' .. ARGV[1]), head_seq, parked }
