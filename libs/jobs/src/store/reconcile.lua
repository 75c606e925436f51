#!lua flags=allow-oom
-- Which jobs stand under a worker, on a lane of its own count: calls of the lane that are still on their way come late from
-- now on. Entries whose job does not run under the worker are dropped.
-- KEYS   1 clock, 2 lanes, 3 running, 4 leases, 5 workers
-- ARGV   1 worker number, 2 lane, 3 call number, 4 the ulid that the page before ended with or ``, 5 how many at most,
--        6 lease in ms
-- reply  {the ulid that this page ends with, `` when there are no more, then per job: ulid, its token}
--#include clock
--#include record

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local lane = ARGV[1] .. ':' .. ARGV[2]
if tonumber(ARGV[3]) < tonumber(redis.call('HGET', KEYS[2], lane) or 0) then
  return redis.error_reply('STALE reconcile ' .. ARGV[3] .. ' of lane ' .. lane .. ' comes late')
end

-- Entries of one worker stand in the order of their ulids. Any of them may be taken away between two pages, the last one seen
-- too, so its place is searched for by halves. Answers with the rank of the first entry behind it, and of the first beyond all.
local function rest_behind(last)
  local first = redis.call('ZRANGEBYSCORE', KEYS[3], ARGV[1], ARGV[1], 'LIMIT', '0', '1')[1]
  if not first then return 0, 0 end
  local low = redis.call('ZRANK', KEYS[3], first)
  local beyond = low + redis.call('ZCOUNT', KEYS[3], ARGV[1], ARGV[1])
  local high = beyond
  while low < high do
    local middle = math.floor((low + high) / 2)
    if redis.call('ZRANGE', KEYS[3], middle, middle)[1] <= last then low = middle + 1 else high = middle end
  end
  return low, beyond
end

local from, beyond = rest_behind(ARGV[4])
local to = math.min(from + tonumber(ARGV[5]), beyond)
local ulids = to > from and redis.call('ZRANGE', KEYS[3], from, to - 1) or {}
local reply, strays = { to < beyond and ulids[#ulids] or '' }, {}
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
if #reply > 1 then
  -- Jobs without a lease would never be taken back, and its length tells when their worker was last heard of. What payloads the
  -- worker reads (0: none) it says itself before it waits to be woken.
  redis.call('ZADD', KEYS[4], 'NX', now_ms(KEYS[1]) + tonumber(ARGV[6]), ARGV[1])
  redis.call('HSETNX', KEYS[5], ARGV[1], '0 ' .. ARGV[6] .. ' ')
end
return reply
