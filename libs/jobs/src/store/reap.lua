#!lua flags=allow-oom
-- Takes the jobs of one worker whose lease is over: back to the front of their line, or buried after too many crashes. Runs
-- that were past their hard limit when the worker was last heard of did not crash: they are left to be settled as timed out.
-- KEYS   1 clock, 2 leases, 3 lanes, 4 running, 5 idle, 6 failed, 7 workers, 8 suspects, 9 cancelled, 10 cancels, 11 expiring,
--        12-21 ready 0-9
-- ARGV   1 how many jobs at most, 2 crashes that bury, 3 keep finished jobs (1/0), 4 keep failed jobs (1/0), 5 grace after
--        the timeout in ms, 6 the error of a crash as JSON, 7 the error of a burial as JSON
-- reply  {ms until the next lease ends or -1, 1 when a worker was woken else 0, the worker whose jobs these were or ``, how many
--        are left to be settled, these as ulid, its record without the payload, then per job that was taken likewise}
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
local limit, grace = tonumber(ARGV[1]), tonumber(ARGV[5])

local function next_end()
  local ends_at = tonumber(redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2])
  return ends_at and math.max(ends_at - now, 0) or -1
end

local worker, score = unpack(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'WITHSCORES', 'LIMIT', 0, 1))
if not worker then return { next_end(), 0, '', 0 } end
local ended_at = math.abs(tonumber(score))
-- Nobody knows when a worker without a registration was last heard of: its runs crashed.
local lease = tonumber(string.match(redis.call('HGET', KEYS[7], worker) or '', '^%d+ (%d+)')) or math.huge

local ulids = redis.call('ZRANGEBYSCORE', KEYS[4], worker, worker, 'LIMIT', 0, limit)
local jobs = read_held(base, ulids)

local call = { now = now, ending = new_ending(base, now), crash_json = ARGV[6], poison_json = ARGV[7],
  max_crashes = tonumber(ARGV[2]), keep_finished = ARGV[3] == '1', keep_failed = ARGV[4] == '1', failed = KEYS[6],
  suspects = KEYS[8], cancelled = KEYS[9], cancels = KEYS[10], expiring = KEYS[11], ready = { unpack(KEYS, 12, 21) } }
local timed_out, taken, left = {}, {}, {}

-- From the newest to the oldest, so that pushing to the front leaves the oldest first.
for i = #jobs, 1, -1 do
  local job = jobs[i]
  local runs = is_run_of(worker, job)
  if runs and hard_limit_of(job.header, job.state, grace) <= ended_at - lease then
    timed_out[#timed_out + 1] = job.ulid
    timed_out[#timed_out + 1] = job.text
  else
    left[#left + 1] = job.ulid
    if runs then
      crash(call, job)
      taken[#taken + 1] = job.ulid
      taken[#taken + 1] = with_state(job.text, pack_state(job.state))
    end
  end
end
if #left > 0 then redis.call('ZREM', KEYS[4], unpack(left)) end
write_ending(call.ending)

if #left == #ulids and #ulids < limit then
  redis.call('ZREM', KEYS[2], worker)
  redis.call('HDEL', KEYS[3], worker .. ':0', worker .. ':1', worker .. ':2', worker .. ':3')
  redis.call('HDEL', KEYS[7], worker)
  redis.call('ZREM', KEYS[5], worker)
else
  -- The rest follows; until then no heartbeat revives the lease.
  redis.call('ZADD', KEYS[2], -ended_at, worker)
end
-- A worker takes one suspect at a time, so what came back may want several.
local woke = false
for _ = 1, math.min(#left, 8) do woke = wake_one(KEYS[5], base) or woke end

local reply = { next_end(), woke and 1 or 0, worker, #timed_out / 2 }
for _, part in ipairs(timed_out) do reply[#reply + 1] = part end
for _, part in ipairs(taken) do reply[#reply + 1] = part end
return reply
