-- Wakes one idle worker, the one that came last (its registration is the likeliest to be true), and says whether it did. Where
-- nobody hears, the next is tried, a bounded number of times. A worker that nobody hears for may live and only have lost that
-- connection: it stays known, behind all others, until it says itself that it is idle, or the sweep forgets it. One that is
-- heard for may be unable to answer all the same: rouse.lua looks after it.
local function wake_one(idle_key, base)
  for _ = 1, 50 do
    local idle, score = unpack(redis.call('ZPOPMAX', idle_key))
    if not idle then return false end
    local since = tonumber(score)
    if since >= 0 and redis.call('SPUBLISH', base .. 'wake:' .. idle, '') > 0 then return true end
    if since ~= 0 then redis.call('ZADD', idle_key, string.format('%.0f', -math.abs(since)), idle) end
    if since < 0 then return false end
  end
  return false
end

-- As wake_one, but for one worker, which stays where it is in the set.
local function wake_another(idle_key, base, worker)
  local since = redis.call('ZSCORE', idle_key, worker)
  if since then redis.call('ZREM', idle_key, worker) end
  wake_one(idle_key, base)
  if since then redis.call('ZADD', idle_key, since, worker) end
end

-- Tells one worker, idle or not, that there are events to be handed on; any of the type can.
local function tell_of_events(idle_key, leases_key, base)
  for _, set in ipairs({ idle_key, leases_key }) do
    for _, worker in ipairs(redis.call('ZREVRANGE', set, '0', '9')) do
      if redis.call('SPUBLISH', base .. 'wake:' .. worker, 'outgoing') > 0 then return end
    end
  end
end

-- Wakes one idle worker that reads payloads of `version`, among the latest 50, and says whether it did.
local function wake_version(idle_key, workers_key, base, version)
  for _, idle in ipairs(redis.call('ZREVRANGEBYSCORE', idle_key, '+inf', '0', 'LIMIT', '0', '50')) do
    local reads = tonumber(string.match(redis.call('HGET', workers_key, idle) or '', '^%d+'))
    if reads and reads >= version and redis.call('SPUBLISH', base .. 'wake:' .. idle, '') > 0 then
      redis.call('ZREM', idle_key, idle)
      return true
    end
  end
  return false
end
