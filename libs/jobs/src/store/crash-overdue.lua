#!lua flags=allow-oom
-- Takes the runs that are past their hard limit from a worker whose event loop is blocked, as crashed ones: one of its runs
-- blocks it and keeps the others from ending, and nobody knows which.
-- KEYS   1 clock, 2 running, 3 idle, 4 failed, 5 suspects, 6 cancelled, 7 cancels, 8 expiring, 9-18 ready 0-9
-- ARGV   1 worker number, 2 grace after the timeout in ms, 3 how many to pass over, 4 how many to look at, 5 crashes that bury,
--        6 keep finished jobs (1/0), 7 keep failed jobs (1/0), 8 the error of such a crash as JSON, 9 the error of a burial
--        as JSON, 10 it may as well be a handler that blocks whose time is not over, or whose run was taken before (1/0)
-- reply  {how many were looked at, then per run that was taken: ulid, its record without the payload in its new state}
--#include clock
--#include record
--#include wake
--#include trail
--#include dedupe
--#include finish
--#include crash-row
--#include crash

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local now = now_ms(KEYS[1])
local worker, grace = ARGV[1], tonumber(ARGV[2])
local ulids = redis.call('ZRANGEBYSCORE', KEYS[2], worker, worker, 'LIMIT', ARGV[3], ARGV[4])
local jobs = read_held(base, ulids)

local call = { now = now, ending = new_ending(base, now), crash_json = ARGV[8], poison_json = ARGV[9],
  max_crashes = tonumber(ARGV[5]), keep_finished = ARGV[6] == '1', keep_failed = ARGV[7] == '1', failed = KEYS[4],
  suspects = KEYS[5], cancelled = KEYS[6], cancels = KEYS[7], expiring = KEYS[8], ready = { unpack(KEYS, 9, 18) },
  blame_shared = ARGV[10] == '1' }
local taken, reply = {}, { #ulids }

-- From the newest to the oldest, so that pushing to the front leaves the oldest first.
for i = #jobs, 1, -1 do
  local job = jobs[i]
  if is_run_of(worker, job) and hard_limit_of(job.header, job.state, grace) <= now then
    crash(call, job)
    taken[#taken + 1] = job.ulid
    reply[#reply + 1] = job.ulid
    reply[#reply + 1] = with_state(job.text, pack_state(job.state))
  end
end
if #taken == 0 then return reply end
redis.call('ZREM', KEYS[2], unpack(taken))
write_ending(call.ending)

-- A blocked worker would not come. It asks by itself as soon as it learns which runs were taken from it.
redis.call('ZREM', KEYS[3], worker)
-- A worker takes one suspect at a time, so what came back may want several.
for _ = 1, math.min(#taken, 8) do wake_one(KEYS[3], base) end
return reply
