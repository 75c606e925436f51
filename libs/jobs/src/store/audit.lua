#!lua flags=allow-oom
-- Lists jobs again that stand in no structure, which only a Redis that lost some of its writes leaves behind. A queued job is
-- looked for in lines of 5,000 at most; a longer one is for a later round.
-- KEYS   1 clock, 2 scheduled, 3 retrying, 4 running, 5 leases, 6 succeeded, 7 failed, 8 cancelled, 9 expired, 10 parked,
--        11 suspects, 12 expiring, 13 idle, 14-23 ready 0-9
-- ARGV   ulids, 10 at most
-- reply  {1 when a worker was woken else 0, how many were listed again, the ulids of these, then those whose record is none}
--#include record
--#include wake

local LONGEST_LINE = 5000

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local SET_OF = { s = KEYS[2], r = KEYS[3], S = KEYS[6], F = KEYS[7], C = KEYS[8], E = KEYS[9] }

local lost = {}

local function is_queued(job)
  if redis.call('ZSCORE', KEYS[10], job.ulid) then return true end
  job.line = has_flag(job.state, FLAG_SUSPECT) and KEYS[11] or KEYS[14 + priority_of(job.header)]
  if redis.call('LLEN', job.line) > LONGEST_LINE then return true end
  return redis.call('LPOS', job.line, entry_of(job.ulid, job.state.generation))
end

local function is_listed(job)
  local state = job.state
  if state.status == 'q' then return is_queued(job) end
  if state.status == 'p' then
    job.worker = string.format('%.0f', (struct.unpack('<I7', state.token)))
    return redis.call('ZSCORE', KEYS[4], job.ulid) and redis.call('ZSCORE', KEYS[5], job.worker) and true
  end
  return not SET_OF[state.status] or redis.call('ZSCORE', SET_OF[state.status], job.ulid)
end

local deadlines, spoilt = {}, {}
for _, ulid in ipairs(ARGV) do
  local header = header_at(base .. 'job:' .. ulid)
  if header == '' then
    if redis.call('EXISTS', base .. 'job:' .. ulid) == 1 then spoilt[#spoilt + 1] = ulid end
  else
    local job = { ulid = ulid, header = header, state = read_state(header) }
    local status = job.state.status
    if not is_listed(job) then lost[#lost + 1] = job end
    job.expires_at = expires_at_of(header)
    local waits = status == 's' or status == 'q' or status == 'r'
    if waits and job.expires_at > 0 and not redis.call('ZSCORE', KEYS[12], ulid) then deadlines[#deadlines + 1] = job end
  end
end

local reply, queued = { 0, #lost }, false
for _, job in ipairs(lost) do
  local state = job.state
  if state.status == 'q' then
    redis.call('RPUSH', job.line, entry_of(job.ulid, state.generation))
    queued = true
  elseif state.status == 'p' then
    -- Under its worker again. If that is gone, its lease has been over for as long as can be: nobody knows when it was last
    -- heard of, so no run of it is taken for one that had timed out by then.
    redis.call('ZADD', KEYS[4], job.worker, job.ulid)
    redis.call('ZADD', KEYS[5], 'NX', '1', job.worker)
  else
    redis.call('ZADD', SET_OF[state.status], state.finished_at > 0 and state.finished_at or state.due_at, job.ulid)
  end
  reply[#reply + 1] = job.ulid
end
for _, job in ipairs(deadlines) do redis.call('ZADD', KEYS[12], job.expires_at, job.ulid) end
for _, ulid in ipairs(spoilt) do reply[#reply + 1] = ulid end
if queued and wake_one(KEYS[13], base) then reply[1] = 1 end
return reply
