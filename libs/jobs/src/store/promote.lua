#!lua flags=allow-oom
-- What time alone brings about: jobs whose time has come move from waiting to the back of their line, and jobs that waited
-- beyond their deadline expire.
-- KEYS   1 clock, 2 seq, 3 scheduled, 4 retrying, 5 idle, 6 expiring, 7 expired, 8 parked, 9 ghosts, 10 suspects,
--        11-20 ready 0-9, 21 pace
-- ARGV   1 how many at most, 2 keep finished jobs (1/0), 3 how many may queue within a window, whoever moves them,
--        4 length of a window in ms
-- reply  {ms until the next is due or -1, 1 when more is due than the pace allows, until the next window then, plus 2 when a
--        worker was woken, then per job: ulid, its record without the payload, in its new state}
--#include clock
--#include record
--#include wake
--#include dedupe
--#include finish

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local now = now_ms(KEYS[1])
local limit, pace, window_ms = tonumber(ARGV[1]), tonumber(ARGV[3]), tonumber(ARGV[4])
local window, spent = math.floor(now / window_ms), 0
local noted, count = string.match(redis.call('GET', KEYS[21]) or '', '^(%d+) (%d+)$')
if tonumber(noted) == window then spent = tonumber(count) end

local found = {}
-- The earliest of the sets together: retries are not to wait for all of a burst of scheduled jobs.
local function look(sets, room)
  local entries, jobs = {}, {}
  for _, set in ipairs(sets) do
    local members = redis.call('ZRANGEBYSCORE', set, '-inf', now, 'WITHSCORES', 'LIMIT', 0, room)
    for i = 1, #members, 2 do entries[#entries + 1] = { ulid = members[i], at = tonumber(members[i + 1]), set = set } end
  end
  table.sort(entries, function(a, b) return a.at < b.at or a.at == b.at and a.ulid < b.ulid end)
  for i = 1, math.min(#entries, room) do
    local ulid = entries[i].ulid
    if not found[ulid] then
      local job = { ulid = ulid, set = entries[i].set, key = base .. 'job:' .. ulid }
      job.header = header_at(job.key)
      if job.header ~= '' then
        job.state = read_state(job.header)
        job.text = without_payload(job.key, job.header)
      end
      found[ulid] = true
      jobs[#jobs + 1] = job
    end
  end
  return jobs
end

-- Those that expire first: a job must not queue past its deadline.
local expiries, touched = look({ KEYS[6] }, limit), {}
for _, job in ipairs(expiries) do
  if job.state then
    job.dedupe_key = held_dedupe_key(base, job.ulid, job.header)
    touched[#touched + 1] = base .. 'extra:' .. job.ulid
    add_end_keys(touched, base, job)
  end
end
if #touched > 0 then redis.call('TOUCH', unpack(touched)) end
local room = math.min(limit - #expiries, math.max(pace - spent, 0))
local due = look({ KEYS[3], KEYS[4] }, room)
local seq = tonumber(redis.call('GET', KEYS[2]) or 0)

local reply, ready, ending = { -1, 0 }, {}, new_ending(base, now)

local function tell(job)
  reply[#reply + 1] = job.ulid
  reply[#reply + 1] = with_state(job.text, pack_state(job.state))
end

for _, job in ipairs(expiries) do
  redis.call('ZREM', KEYS[6], job.ulid)
  local state = job.state
  if state and (state.status == 's' or state.status == 'r' or state.status == 'q') then
    redis.call('ZREM', KEYS[3], job.ulid)
    redis.call('ZREM', KEYS[4], job.ulid)
    if state.status == 'q' and redis.call('ZREM', KEYS[8], job.ulid) == 0 then
      redis.call('SADD', KEYS[9], entry_of(job.ulid, state.generation))
    end
    end_job(ending, job, 'E', KEYS[7], ARGV[2] == '1')
    tell(job)
  end
end
write_ending(ending)

local moved = 0
for _, job in ipairs(due) do
  redis.call('ZREM', job.set, job.ulid)
  local state = job.state
  if state and (state.status == 's' or state.status == 'r') then
    moved = moved + 1
    state.status, state.seq = 'q', seq + moved
    write_state(job.key, state)
    local list = has_flag(state, FLAG_SUSPECT) and KEYS[10] or KEYS[11 + priority_of(job.header)]
    ready[list] = ready[list] or {}
    table.insert(ready[list], entry_of(job.ulid, state.generation))
    tell(job)
  end
end
if moved > 0 then
  redis.call('INCRBY', KEYS[2], moved)
  redis.call('SET', KEYS[21], string.format('%.0f %.0f', window, spent + moved), 'PX', math.max(window_ms * 2, 1000))
end
for list, entries in pairs(ready) do redis.call('RPUSH', list, unpack(entries)) end
if moved > 0 and wake_one(KEYS[5], base) then reply[2] = 2 end

for _, set in ipairs({ KEYS[3], KEYS[4], KEYS[6] }) do
  local next_due = tonumber(redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')[2])
  if next_due and (reply[1] < 0 or next_due - now < reply[1]) then reply[1] = math.max(next_due - now, 0) end
end
if reply[1] == 0 and spent + moved >= pace then reply[1], reply[2] = (window + 1) * window_ms - now, reply[2] + 1 end
return reply
