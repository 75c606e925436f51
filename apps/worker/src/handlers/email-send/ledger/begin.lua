#!lua flags=allow-oom
-- Marks a mail as being sent, unless the ledger says otherwise.
-- KEYS   1 the mail's entry: a hash of state (sending, sent), run, job_id, message_id, at (ms), unknown ('1': an
--          earlier run may have sent it)
-- ARGV   1 run, 2 job id, 3 message id, 4 what to do about an unknown fate (resend, fail),
--        5 how long the mark of another job counts as live, in ms, 6 how long the entry is kept, in ms
-- reply  {'begun'} | {'begun_after_unknown'} | {'already_sent', message id, at} | {'in_progress', job id, at} |
--        {'unknown', job id, message id, at}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local state, run, unknown, job_id, message_id, at =
  unpack(redis.call('HMGET', KEYS[1], 'state', 'run', 'unknown', 'job_id', 'message_id', 'at'))

if state == 'sent' then return { 'already_sent', message_id, at } end
if state == 'sending' then
  -- A run whose first call was not answered asks again.
  if run == ARGV[1] then return { unknown and 'begun_after_unknown' or 'begun' } end
  -- The engine runs a job once at a time, so a mark of the same job is always left over. Of another job only its age is known.
  if job_id ~= ARGV[2] and now - tonumber(at) < tonumber(ARGV[5]) then return { 'in_progress', job_id, at } end
  if ARGV[4] == 'fail' then return { 'unknown', job_id, message_id, at } end
  redis.call('HSET', KEYS[1], 'unknown', '1')
end
redis.call('HSET', KEYS[1], 'state', 'sending', 'run', ARGV[1], 'job_id', ARGV[2], 'message_id', ARGV[3],
  'at', string.format('%d', now))
redis.call('PEXPIRE', KEYS[1], ARGV[6])
return { state == 'sending' and 'begun_after_unknown' or 'begun' }
