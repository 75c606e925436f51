#!lua flags=allow-oom
-- Extends a worker's lease on the jobs of one type, whatever their number; also one that expired and was not reaped yet.
-- KEYS   1 clock, 2 leases, 3 running, 4 cancels
-- ARGV   1 worker number, 2 lease in ms
-- reply  {how many jobs the worker holds, -1 when it has no lease (any more); then ulids, 100 at most, of running jobs of the
--        type, of any worker, that are to stop}
--#include clock

-- A score of 0 or less marks a worker whose jobs are being taken away.
local ends_at = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or 0)
if ends_at <= 0 then return { -1 } end
redis.call('ZADD', KEYS[2], now_ms(KEYS[1]) + tonumber(ARGV[2]), ARGV[1])
return { redis.call('ZCOUNT', KEYS[3], ARGV[1], ARGV[1]), unpack(redis.call('SRANDMEMBER', KEYS[4], 100)) }
