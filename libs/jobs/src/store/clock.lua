-- Redis' own time in ms, the only clock there is; tests move it by the offset in the clock key.
local function ms_with(offset)
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(offset or 0)
end

local function now_ms(clock_key)
  return ms_with(redis.call('GET', clock_key))
end
