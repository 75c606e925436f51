#!lua flags=allow-oom
-- Records a mail as sent. A second record of the same mail changes nothing.
-- KEYS   1 the mail's entry, see begin.lua
-- ARGV   1 job id, 2 message id, 3 how long the entry is kept, in ms
-- reply  1
if redis.call('HGET', KEYS[1], 'state') == 'sent' then return 1 end
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], 'state', 'sent', 'job_id', ARGV[1], 'message_id', ARGV[2],
  'at', string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000)))
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
