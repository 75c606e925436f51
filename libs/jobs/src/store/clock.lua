-- Redis' own time in ms, the only clock there is; tests move it by the offset in the clock key.
local function now_ms(clock_key)
  local time = redis.call('TIME')
  local offset = redis.call('GET', clock_key)
  return time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(offset or 0)
end
