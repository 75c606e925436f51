-- Wakes one idle worker, the one that came last (its registration is the likeliest to be true). A worker that nobody
-- hears for is gone, and forgotten, unless jobs are still to be taken back from it: the next is tried, a bounded number of times.
local function wake_one(idle_key, workers_key, leases_key, base)
  for _ = 1, 50 do
    local idle = redis.call('ZPOPMAX', idle_key)[1]
    if not idle or redis.call('SPUBLISH', base .. 'wake:' .. idle, '') > 0 then return end
    if not redis.call('ZSCORE', leases_key, idle) then redis.call('HDEL', workers_key, idle) end
  end
end

-- Wakes one idle worker that reads payloads of `version`, among the latest 50.
local function wake_version(idle_key, workers_key, base, version)
  for _, idle in ipairs(redis.call('ZREVRANGE', idle_key, 0, 49)) do
    local reads = tonumber(string.match(redis.call('HGET', workers_key, idle) or '', '^%d+'))
    if reads and reads >= version and redis.call('SPUBLISH', base .. 'wake:' .. idle, '') > 0 then
      redis.call('ZREM', idle_key, idle)
      return
    end
  end
end
