#!lua flags=allow-oom
-- Takes the jobs of one worker whose lease is over: back to the front of their line, or buried after too many crashes.
-- KEYS   1 clock, 2 leases, 3 lanes, 4 running, 5 idle, 6 failed, 7 workers, 8-17 ready 0-9
-- ARGV   1 how many jobs at most, 2 crashes that bury, 3 keep failed jobs (1/0), 4 the error of a crash as JSON, 5 the error of a burial as JSON
-- reply  {ms until the next lease ends or -1, the worker whose jobs these were or ``, then per job: ulid, its record without the payload}
--#include clock
--#include record
--#include wake
--#include trail
--#include dedupe

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local now = now_ms(KEYS[1])

local function next_end()
  local ends_at = tonumber(redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2])
  return ends_at and math.max(ends_at - now, 0) or -1
end

local worker = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 1)[1]
if not worker then return { next_end(), '' } end

local ulids = redis.call('ZRANGEBYSCORE', KEYS[4], worker, worker, 'LIMIT', 0, tonumber(ARGV[1]))
local jobs = {}
for _, ulid in ipairs(ulids) do
  local job = { ulid = ulid, key = base .. 'job:' .. ulid, extra = base .. 'extra:' .. ulid }
  job.header = redis.call('GETRANGE', job.key, 0, HEADER_BYTES - 1)
  job.dedupe_key = job.header ~= '' and held_dedupe_key(base, ulid, job.header) or nil
  redis.call('TOUCH', job.extra)
  jobs[#jobs + 1] = job
end

local function bury(job, state)
  note_run(job.extra, state, now, 'crashed', 0, ARGV[5])
  free_dedupe(job.dedupe_key, job.header, 'F', true)
  state.status, state.finished_at = 'F', now
  if ARGV[3] ~= '1' then
    redis.call('UNLINK', job.key, job.extra)
    return
  end
  redis.call('SETRANGE', job.key, 1, pack_state(state))
  redis.call('ZADD', KEYS[6], now, job.ulid)
end

-- A crash gives the attempt back, and the job goes ahead of the fresh ones of its priority.
local function requeue(job, state)
  note_run(job.extra, state, now, 'crashed', now, ARGV[4])
  state.status, state.attempt = 'q', state.attempt - 1
  redis.call('SETRANGE', job.key, 1, pack_state(state))
  redis.call('LPUSH', KEYS[8 + priority_of(job.header)], entry_of(job.ulid, state.generation))
end

local reply = { 0, worker }
-- From the newest to the oldest, so that pushing to the front leaves the oldest first.
for i = #jobs, 1, -1 do
  local job = jobs[i]
  redis.call('ZREM', KEYS[4], job.ulid)
  local state = job.header ~= '' and read_state(job.header)
  if state and state.status == 'p' then
    state.crashes, state.all_crashes = state.crashes + 1, math.min(state.all_crashes + 1, 255)
    local tail = string.sub(without_payload(job.key, job.header), 52)
    if state.crashes >= tonumber(ARGV[2]) then bury(job, state) else requeue(job, state) end
    reply[#reply + 1] = job.ulid
    reply[#reply + 1] = string.sub(job.header, 1, 1) .. pack_state(state) .. tail
  end
end
if #ulids < tonumber(ARGV[1]) then
  redis.call('ZREM', KEYS[2], worker)
  redis.call('HDEL', KEYS[3], worker .. ':0', worker .. ':1')
  redis.call('HDEL', KEYS[7], worker)
else
  -- The rest follows; until then no heartbeat revives the lease.
  redis.call('ZADD', KEYS[2], 0, worker)
end
if #jobs > 0 then wake_one(KEYS[5], base) end
reply[1] = next_end()
return reply
