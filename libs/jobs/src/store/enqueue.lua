#!lua
-- Accepts jobs of one type: record, queue entry, dedupe key and once record of each, in one go. Safe to send again by the
-- job's id.
-- KEYS   1 clock, 2 seq, 3 scheduled, 4 idle, 5 expiring, 6 leases, 7 ghosts, 8-17 ready 0-9
-- ARGV   1 the jobs, one behind the other: ulid (26), flags (1), length of extras (2), length of the rest (4), the extras: `` or
--        `when expires dedupe-ttl once-ttl once-hash once-key`, and the rest: the record after its deadline. `when` is `+ms` from
--        now, `@ms` absolute or `-` now; the next three are ms, 0 for none; the hash is 32 hex digits or `-`, 2 how many ends may
--        wait to be told
-- reply  {now, 1 when a worker was woken else 0, per job: `` accepted; `L` it would run or expire more than a year from now; `X`
--        it expires before it runs; `W` its end is to be told, and as many as may be wait for that; `K` and its header, it was
--        accepted before; `D`, a ulid and perhaps a header, that job holds its dedupe key; `O` and a once record, its once key
--        was used before; `M` and a ulid, its once key was used for another body}
--#include clock
--#include record
--#include wake
--#include dedupe
--#include once

local MAX_DELAY_MS = 31536000000
local JOB = '<c26BHI4'

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local offset, last_seq = unpack(redis.call('MGET', KEYS[1], KEYS[2]))
local now, seq = ms_with(offset), tonumber(last_seq or 0)

local function due_at(when)
  local mark, ms = string.sub(when, 1, 1), tonumber(string.sub(when, 2))
  if mark == '+' then return now + ms end
  if mark == '@' then return math.max(ms, now) end
  return now
end

local function parse(ulid, flags, extras, rest)
  local job = { ulid = ulid, flags = flags, rest = rest, key = base .. 'job:' .. ulid, due_at = now, expires_at = 0,
    dedupe_ttl = 0 }
  if extras == '' then return job end
  local when, expires, dedupe_ttl, once_ttl, once_hash, once_key = string.match(extras, '^(%S+) (%d+) (%d+) (%d+) (%S+) (.*)$')
  job.due_at, job.dedupe_ttl = due_at(when), tonumber(dedupe_ttl)
  if expires ~= '0' then job.expires_at = now + tonumber(expires) end
  if once_ttl ~= '0' then job.once = { key = base .. 'once:' .. once_key, ttl = tonumber(once_ttl), hash = once_hash } end
  return job
end

local jobs, known_keys = {}, { KEYS[7] }
local at = 1
while at <= #ARGV[1] do
  local ulid, flags, extras_length, rest_length
  ulid, flags, extras_length, rest_length, at = struct.unpack(JOB, ARGV[1], at)
  local rest_at = at + extras_length
  local extras, rest = string.sub(ARGV[1], at, rest_at - 1), string.sub(ARGV[1], rest_at, rest_at + rest_length - 1)
  jobs[#jobs + 1] = parse(ulid, flags, extras, rest)
  known_keys[#known_keys + 1] = jobs[#jobs].key
  at = rest_at + rest_length
end
local any_known = redis.call('EXISTS', unpack(known_keys)) > 0

-- A job that was cancelled and removed, and is submitted again, must not take up the place of its ghost.
local function generation_of(ulid)
  return any_known and redis.call('SISMEMBER', KEYS[7], ulid) == 1 and 1 + seq % 65535 or 0
end

-- Nobody may be there to tell of ends for days, and each that was promised is kept: while there are many, no more are promised.
local events_full
local function promises_too_much(job)
  if not has_flag(job, FLAG_WEBHOOK) then return false end
  if events_full == nil then events_full = redis.call('LLEN', base .. 'outgoing') >= tonumber(ARGV[2]) end
  return events_full
end

-- What stands against a job, as the answer to it; nil when nothing does.
local taken, used = {}, {}
local function refusal_of(job)
  if job.once then
    local before = used[job.once.key] or live_once(job.once.key, now)
    if before then return once_again(before, job.once.hash) end
  end
  if any_known then
    local known = header_at(job.key)
    if known ~= '' then return 'K' .. known end
  end
  if job.due_at > now + MAX_DELAY_MS or job.expires_at > now + MAX_DELAY_MS then return 'L' end
  if job.expires_at > 0 and job.expires_at <= job.due_at then return 'X' end
  job.status, job.generation = job.due_at > now and 's' or 'q', generation_of(job.ulid)
  local state = pack_state({ status = job.status, flags = job.flags, attempt = 0, runs = 0, crashes = 0, all_crashes = 0,
    snoozes = 0, replays = 0, generation = job.generation, revision = 0, due_at = job.due_at, started_at = 0, finished_at = 0,
    token = NO_TOKEN, seq = seq + 1 })
  job.record = '\1' .. state .. struct.pack('<I6I6', now, job.expires_at) .. job.rest
  local length = dedupe_length_of(job.record)
  if length > 0 then
    job.dedupe_key = base .. 'dedupe:' .. string.sub(job.record, HEADER_BYTES + 1, HEADER_BYTES + length)
    local mine = taken[job.dedupe_key]
    if mine then return 'D' .. mine.ulid .. string.sub(mine.record, 1, HEADER_BYTES) end
    local holder, header = holder_of(base, job.dedupe_key, now)
    if holder then return 'D' .. holder .. header end
  end
  -- Last: whoever is answered with another job is promised nothing.
  if promises_too_much(job) then return 'W' end
  return nil
end

local reply, fresh, once_records = { now, 0 }, {}, {}
for _, job in ipairs(jobs) do
  local refusal = refusal_of(job)
  reply[#reply + 1] = refusal or ''
  if not refusal then
    seq = seq + 1
    if job.dedupe_key then taken[job.dedupe_key] = job end
    fresh[#fresh + 1] = job
  end
  local answered = not refusal or string.sub(refusal, 1, 1) == 'D'
  if job.once and answered then
    local record = once_record(now, job, refusal)
    used[job.once.key] = record
    once_records[#once_records + 1] = { key = job.once.key, record = record, ttl = job.once.ttl }
  end
end

local records, ready, scheduled, expiring, queued, due, deadline = {}, {}, {}, {}, false, math.huge, math.huge
for _, job in ipairs(fresh) do
  records[#records + 1] = job.key
  records[#records + 1] = job.record
  if job.status == 'q' then
    local list = KEYS[8 + priority_of(job.record)]
    ready[list] = ready[list] or {}
    table.insert(ready[list], entry_of(job.ulid, job.generation))
    queued = true
  else
    scheduled[#scheduled + 1] = job.due_at
    scheduled[#scheduled + 1] = job.ulid
    due = math.min(due, job.due_at)
  end
  if job.expires_at > 0 then
    expiring[#expiring + 1] = job.expires_at
    expiring[#expiring + 1] = job.ulid
    deadline = math.min(deadline, job.expires_at)
  end
end

local function is_before_all(time, set)
  if time == math.huge then return false end
  local earliest = tonumber(redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')[2])
  return not earliest or time < earliest
end

-- Workers sleep until the earliest time that they know of.
local is_earliest = is_before_all(due, KEYS[3]) or is_before_all(deadline, KEYS[5])
if #fresh > 0 then redis.call('MSET', KEYS[2], string.format('%.0f', seq), unpack(records)) end
for _, job in ipairs(fresh) do
  if job.dedupe_key then take_dedupe(job.dedupe_key, job.ulid, now, job.dedupe_ttl) end
end
for list, entries in pairs(ready) do redis.call('RPUSH', list, unpack(entries)) end
if #scheduled > 0 then redis.call('ZADD', KEYS[3], unpack(scheduled)) end
if #expiring > 0 then redis.call('ZADD', KEYS[5], unpack(expiring)) end
for _, once in ipairs(once_records) do redis.call('SET', once.key, once.record, 'PX', once.ttl) end
if (queued or is_earliest) and wake_one(KEYS[4], base) then
  reply[2] = 1
  -- Whoever looks whether it came looks long before the time has come: one that cannot come is not to be alone in knowing it.
  if is_earliest then wake_one(KEYS[4], base) end
elseif is_earliest then
  -- Nobody is idle. Those that are full learn the time too, with the call by which they pass a wake-up on.
  for _, worker in ipairs(redis.call('ZREVRANGE', KEYS[6], 0, 9)) do redis.call('SPUBLISH', base .. 'wake:' .. worker, '') end
end
return reply
