#!lua flags=allow-oom
-- Takes the jobs of one worker whose lease is over: back to the front of their line, or buried after too many crashes. Runs
-- that were past their hard limit when the worker was last heard of did not crash: they are left to be settled as timed out.
-- KEYS   1 clock, 2 leases, 3 lanes, 4 running, 5 idle, 6 failed, 7 workers, 8 suspects, 9 cancelled, 10 cancels, 11 expiring,
--        12-21 ready 0-9
-- ARGV   1 how many jobs at most, 2 crashes that bury, 3 keep finished jobs (1/0), 4 keep failed jobs (1/0), 5 grace after
--        the timeout in ms, 6 the error of a crash as JSON, 7 the error of a burial as JSON
-- reply  {ms until the next lease ends or -1, the worker whose jobs these were or ``, how many are left to be settled, these as
--        ulid, its record without the payload, then per job that was taken likewise}
--#include clock
--#include record
--#include wake
--#include trail
--#include dedupe
--#include finish

local MOST_CRASHES = 10

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local now = now_ms(KEYS[1])
local limit, max_crashes, grace = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[5])

local function next_end()
  local ends_at = tonumber(redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2])
  return ends_at and math.max(ends_at - now, 0) or -1
end

local worker, score = unpack(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'WITHSCORES', 'LIMIT', 0, 1))
if not worker then return { next_end(), '', 0 } end
local ended_at = math.abs(tonumber(score))
-- Nobody knows when a worker without a registration was last heard of: its runs crashed.
local lease = tonumber(string.match(redis.call('HGET', KEYS[7], worker) or '', '^%d+ (%d+)')) or math.huge

local ulids = redis.call('ZRANGEBYSCORE', KEYS[4], worker, worker, 'LIMIT', 0, limit)
local jobs, touched = {}, {}
for _, ulid in ipairs(ulids) do
  local job = { ulid = ulid, key = base .. 'job:' .. ulid, extra = base .. 'extra:' .. ulid }
  job.header = header_at(job.key)
  if job.header ~= '' then
    job.state = read_state(job.header)
    job.text = without_payload(job.key, job.header)
    job.dedupe_key = held_dedupe_key(base, ulid, job.header)
    add_log_key(touched, base, job)
  end
  touched[#touched + 1] = job.extra
  jobs[#jobs + 1] = job
end
if #touched > 0 then redis.call('TOUCH', unpack(touched)) end

local ending, timed_out, taken, left = new_ending(base, now), {}, {}, {}

local function note(job, outcome, next_at, error_json)
  set_flag(job.state, FLAG_EXTRA)
  note_run(job.extra, job.state, now, outcome, next_at, error_json)
end

-- Nothing that the lost worker still says of a run that was taken from it counts, also not when it says it twice.
-- A crash gives the attempt back, and the job goes ahead of the fresh ones of its priority; one crash short of its burial it
-- waits where a worker takes one at a time.
local function requeue(job)
  local state = job.state
  note(job, 'crashed', now, ARGV[6])
  state.status, state.attempt, state.token = 'q', state.attempt - 1, NO_TOKEN
  if state.crashes == max_crashes - 1 or state.all_crashes == MOST_CRASHES - 1 then set_flag(state, FLAG_SUSPECT) end
  write_state(job.key, state)
  local line = has_flag(state, FLAG_SUSPECT) and KEYS[8] or KEYS[12 + priority_of(job.header)]
  redis.call('LPUSH', line, entry_of(job.ulid, state.generation))
  local expires_at = expires_at_of(job.header)
  if expires_at > 0 then redis.call('ZADD', KEYS[11], expires_at, job.ulid) end
end

local function take(job)
  local state = job.state
  state.crashes, state.all_crashes = math.min(state.crashes + 1, 255), math.min(state.all_crashes + 1, 255)
  if has_flag(state, FLAG_CANCEL) then
    redis.call('SREM', KEYS[10], job.ulid)
    note(job, 'cancelled', 0, ARGV[6])
    state.token = NO_TOKEN
    end_job(ending, job, 'C', KEYS[9], ARGV[3] == '1')
  elseif state.crashes >= max_crashes or state.all_crashes >= MOST_CRASHES then
    note(job, 'crashed', 0, ARGV[7])
    state.token = NO_TOKEN
    end_job(ending, job, 'F', KEYS[6], ARGV[4] == '1')
  else
    requeue(job)
  end
  taken[#taken + 1] = job.ulid
  taken[#taken + 1] = with_state(job.text, pack_state(state))
end

-- From the newest to the oldest, so that pushing to the front leaves the oldest first.
for i = #jobs, 1, -1 do
  local job = jobs[i]
  local runs = job.state and job.state.status == 'p' and string.format('%.0f', (struct.unpack('<I7', job.state.token))) == worker
  if runs and hard_limit_of(job.header, job.state, grace) <= ended_at - lease then
    timed_out[#timed_out + 1] = job.ulid
    timed_out[#timed_out + 1] = job.text
  else
    left[#left + 1] = job.ulid
    if runs then take(job) end
  end
end
if #left > 0 then redis.call('ZREM', KEYS[4], unpack(left)) end
write_ending(ending)

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
for _ = 1, math.min(#left, 8) do wake_one(KEYS[5], KEYS[7], KEYS[2], base) end

local reply = { next_end(), worker, #timed_out / 2 }
for _, part in ipairs(timed_out) do reply[#reply + 1] = part end
for _, part in ipairs(taken) do reply[#reply + 1] = part end
return reply
