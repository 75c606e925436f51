#!lua flags=allow-oom
-- Does nothing, as a script that writes: whatever keeps Redis from taking a heartbeat or a settle keeps it from taking this.
-- KEYS   1 clock, 2 leases (see ScriptKeys)
redis.call('ZREM', KEYS[2], '')
