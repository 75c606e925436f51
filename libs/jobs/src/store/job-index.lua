#!lua flags=no-writes
-- One page of the jobs of a type in one status, by time, those of one moment by ulid. Found by rank: however many there are of
-- one moment, what stands before the page is not read.
-- KEYS   1 clock, 2 the index: scheduled, retrying, succeeded, failed, cancelled or expired
-- ARGV   1 from, 2 to (ms, both included), 3 `backwards` for the last of these, else the first, 4 how many;
--        5 time, 6 ulid: only those behind this entry, be it still there or not (both left out: all)
-- reply  {ulid, time, ulid, time, ...}, the earliest first whichever was asked for

local index, backwards, limit = KEYS[2], ARGV[3] == 'backwards', tonumber(ARGV[4])

-- As Redis sorts members, byte by byte. Lua's own order is that of the server's locale.
local function is_before(a, b)
  for i = 1, math.min(#a, #b) do
    local mine, other = string.byte(a, i), string.byte(b, i)
    if mine ~= other then return mine < other end
  end
  return #a < #b
end

-- How many stand before the first that does not pass. Those of the moment that pass come first.
local function count_passing(time, passes)
  local low = redis.call('ZCOUNT', index, '-inf', '(' .. time)
  local high = redis.call('ZCOUNT', index, '-inf', time)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if passes(redis.call('ZRANGE', index, middle, middle)[1]) then low = middle + 1 else high = middle end
  end
  return low
end

local first = redis.call('ZCOUNT', index, '-inf', '(' .. ARGV[1])
local last = redis.call('ZCOUNT', index, '-inf', ARGV[2]) - 1
local time, ulid = ARGV[5], ARGV[6]
if backwards then
  if time then last = math.min(last, count_passing(time, function(entry) return is_before(entry, ulid) end) - 1) end
  first = math.max(first, last - limit + 1)
else
  if time then first = math.max(first, count_passing(time, function(entry) return not is_before(ulid, entry) end)) end
  last = math.min(last, first + limit - 1)
end
if last < first then return {} end
return redis.call('ZRANGE', index, first, last, 'WITHSCORES')
