#!lua flags=no-writes
-- Runs of a worker that are past their hard limit.
-- KEYS   1 clock, 2 running
-- ARGV   1 worker number, 2 grace after the timeout in ms, 3 how many to pass over, 4 how many to look at
-- reply  {how many were looked at, then per overdue run: ulid, its record without the payload}
--#include clock
--#include record

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local now = now_ms(KEYS[1])
local ulids = redis.call('ZRANGEBYSCORE', KEYS[2], ARGV[1], ARGV[1], 'LIMIT', ARGV[3], ARGV[4])
local reply = { #ulids }
for _, ulid in ipairs(ulids) do
  local key = base .. 'job:' .. ulid
  local header = header_at(key)
  local state = header ~= '' and read_state(header)
  if state and state.status == 'p' and hard_limit_of(header, state, tonumber(ARGV[2])) <= now then
    reply[#reply + 1] = ulid
    reply[#reply + 1] = without_payload(key, header)
  end
end
return reply
