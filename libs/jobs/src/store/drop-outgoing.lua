#!lua flags=allow-oom
-- Drops events that were handed on. Another worker may have read the same ones and dropped them before, so only what still stands
-- at the head goes, and never what came behind.
-- KEYS   1 outgoing, 2 clock (see ScriptKeys)
-- ARGV   the heads of the events, in the order in which they were read
-- reply  how many were dropped

local events, count = redis.call('LRANGE', KEYS[1], 0, #ARGV - 1), 0
for _, head in ipairs(ARGV) do
  local event = events[count + 1]
  if event and string.sub(event, 1, #head) == head then count = count + 1 end
end
if count > 0 then redis.call('LPOP', KEYS[1], count) end
return count
