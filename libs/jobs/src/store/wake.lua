-- Wakes one idle worker, the one that came last (its registration is the likeliest to be true). A worker that nobody
-- hears for is gone: the next is tried, a bounded number of times.
local function wake_one(idle_key, base)
  for _ = 1, 8 do
    local idle = redis.call('ZPOPMAX', idle_key)[1]
    if not idle or redis.call('SPUBLISH', base .. 'wake:' .. idle, '') > 0 then return end
  end
end
