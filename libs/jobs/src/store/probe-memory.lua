#!lua
-- Writes a key that is gone again after ten seconds, in the way that jobs are brought in: refused while Redis has no room.
-- KEYS   1 clock, 2 probe (see ScriptKeys)
redis.call('SET', KEYS[2], '1', 'PX', 10000)
