#!lua flags=allow-oom
-- Removes the mark of a mail that was certainly not taken, if it is this run's. A mark that took over from a run of
-- unknown fate stays: that run's mail may still have been taken.
-- KEYS   1 the mail's entry, see begin.lua
-- ARGV   1 run
-- reply  1 removed, 0 not
local state, run, unknown = unpack(redis.call('HMGET', KEYS[1], 'state', 'run', 'unknown'))
if state ~= 'sending' or run ~= ARGV[1] or unknown then return 0 end
return redis.call('UNLINK', KEYS[1])
