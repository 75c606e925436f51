-- Wakes one idle worker, the one that came last (its registration is the likeliest to be true), and says whether it did. A
-- worker that nobody hears for is gone, and forgotten, unless jobs are still to be taken back from it: the next is tried, a
-- bounded number of times. One that is heard for may be unable to answer all the same: rouse.lua looks after it.
local function wake_one(idle_key, workers_key, leases_key, base)
  for _ = 1, 50 do
    local idle = redis.call('ZPOPMAX', idle_key)[1]
    if not idle then return false end
    if redis.call('SPUBLISH', base .. 'wake:' .. idle, '') > 0 then return true end
    if not redis.call('ZSCORE', leases_key, idle) then redis.call('HDEL', workers_key, idle) end
  end
  return false
end

-- Wakes one idle worker that reads payloads of `version`, among the latest 50, and says whether it did.
local function wake_version(idle_key, workers_key, base, version)
  for _, idle in ipairs(redis.call('ZREVRANGE', idle_key, 0, 49)) do
    local reads = tonumber(string.match(redis.call('HGET', workers_key, idle) or '', '^%d+'))
    if reads and reads >= version and redis.call('SPUBLISH', base .. 'wake:' .. idle, '') > 0 then
      redis.call('ZREM', idle_key, idle)
      return true
    end
  end
  return false
end
