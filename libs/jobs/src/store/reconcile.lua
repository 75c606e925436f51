#!lua flags=allow-oom
-- Which jobs stand under a worker, on a lane of its own count: calls of the lane that are still on their way come late from
-- now on. Entries whose job does not run under the worker are dropped.
-- KEYS   1 clock, 2 lanes, 3 running, 4 leases
-- ARGV   1 worker number, 2 lane, 3 call number, 4 how many to pass over, 5 how many at most, 6 lease in ms
-- reply  {how many entries were looked at, then per job: ulid, its token}
--#include clock
--#include record

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local lane = ARGV[1] .. ':' .. ARGV[2]
if tonumber(ARGV[3]) < tonumber(redis.call('HGET', KEYS[2], lane) or 0) then
  return redis.error_reply('STALE reconcile ' .. ARGV[3] .. ' of lane ' .. lane .. ' comes late')
end

local ulids = redis.call('ZRANGEBYSCORE', KEYS[3], ARGV[1], ARGV[1], 'LIMIT', ARGV[4], ARGV[5])
local reply, strays = { #ulids }, {}
for _, ulid in ipairs(ulids) do
  local header = header_at(base .. 'job:' .. ulid)
  local state = header ~= '' and read_state(header)
  if state and state.status == 'p' and string.format('%.0f', (struct.unpack('<I7', state.token))) == ARGV[1] then
    reply[#reply + 1] = ulid
    reply[#reply + 1] = state.token
  else
    strays[#strays + 1] = ulid
  end
end

redis.call('HSET', KEYS[2], lane, ARGV[3])
if #strays > 0 then redis.call('ZREM', KEYS[3], unpack(strays)) end
-- Jobs without a lease would never be taken back.
if #reply > 1 and not redis.call('ZSCORE', KEYS[4], ARGV[1]) then
  redis.call('ZADD', KEYS[4], now_ms(KEYS[1]) + tonumber(ARGV[6]), ARGV[1])
end
return reply
