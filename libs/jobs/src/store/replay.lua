#!lua flags=allow-oom
-- Lets finished jobs run again, at the back of their line: counters start anew, priority, options and history stay.
-- KEYS   1 clock, 2 seq, 3 idle, 4 succeeded, 5 failed, 6 cancelled, 7 expired, 8-17 ready 0-9
-- ARGV   per job: ulid, how long its dedupe key is held by policy ttl in ms, the record after its deadline if that is to be
--        another than before, else ``
-- reply  {1 when a worker was woken else 0, per job: `R` and its record without the payload in its new state; `N` and the same
--        in its old state, it has not ended; `D`, a ulid and perhaps a header, that job holds its dedupe key; `` there is no
--        such job}
--#include clock
--#include record
--#include wake
--#include dedupe
--#include trail

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local now = now_ms(KEYS[1])
local seq = tonumber(redis.call('GET', KEYS[2]) or 0)
local INDEX_OF = { S = KEYS[4], F = KEYS[5], C = KEYS[6], E = KEYS[7] }

local seen, taken, touched = {}, {}, {}

-- The key that a job is to hold again, and who holds it now if that is another.
local function dedupe_of(ulid, key, record)
  local length = dedupe_length_of(record)
  if length == 0 then return nil end
  local dedupe_key = base .. 'dedupe:' .. redis.call('GETRANGE', key, HEADER_BYTES, HEADER_BYTES + length - 1)
  local holder, holder_header = taken[dedupe_key], ''
  if not holder then holder, holder_header = holder_of(base, dedupe_key, now) end
  return dedupe_key, holder and holder ~= ulid and holder .. holder_header or nil
end

local function look(ulid, dedupe_ttl, rest)
  local job = { ulid = ulid, key = base .. 'job:' .. ulid, dedupe_ttl = tonumber(dedupe_ttl), rest = rest }
  local header = header_at(job.key)
  if header == '' then
    job.reply = ''
    return job
  end
  job.header, job.state, job.text = header, read_state(header), without_payload(job.key, header)
  job.index = INDEX_OF[job.state.status]
  if not job.index or seen[ulid] then
    job.reply = 'N' .. job.text
    return job
  end
  seen[ulid] = true
  job.dedupe_key, job.holder = dedupe_of(ulid, job.key, header)
  if job.holder then
    job.reply = 'D' .. job.holder
    return job
  end
  if job.dedupe_key then taken[job.dedupe_key] = ulid end
  touched[#touched + 1] = base .. 'extra:' .. ulid
  return job
end

local jobs = {}
for i = 1, #ARGV, 3 do jobs[#jobs + 1] = look(ARGV[i], ARGV[i + 1], ARGV[i + 2]) end
if #touched > 0 then redis.call('TOUCH', unpack(touched)) end

-- A job that succeeded, or whose payload is another now, begins anew; any other goes on from its checkpoint.
local function forget(job)
  local extra = base .. 'extra:' .. job.ulid
  redis.call('HDEL', extra, 'result', 'cancel', 'progress')
  if job.state.status ~= 'S' and job.rest == '' then return end
  for _, field in ipairs(redis.call('HKEYS', extra)) do
    if field == 'checkpoint' or string.sub(field, 1, 5) == 'step:' then redis.call('HDEL', extra, field) end
  end
end

local reply, ready, moved = { 0 }, {}, 0
for _, job in ipairs(jobs) do
  if not job.reply then
    moved = moved + 1
    redis.call('ZREM', job.index, job.ulid)
    if has_flag(job.state, FLAG_EXTRA) then forget(job) end
    local state = job.state
    if state.status == 'S' then
      -- The record told of the run that succeeded; from now on it tells of the next.
      note_run(base .. 'extra:' .. job.ulid, state, state.finished_at, 'succeeded', 0, '')
    end
    clear_flag(state, FLAG_CANCEL + FLAG_SUSPECT + FLAG_RAN)
    state.status, state.attempt, state.crashes, state.all_crashes, state.snoozes = 'q', 0, 0, 0, 0
    state.replays, state.generation = math.min(state.replays + 1, 65535), (state.generation + 1) % 65536
    state.due_at, state.started_at, state.finished_at, state.seq = now, 0, 0, seq + moved
    local packed = pack_state(state)
    local created = string.sub(job.header, 58, 63)
    if job.rest ~= '' then
      redis.call('SET', job.key, string.sub(job.header, 1, 1) .. packed .. created .. string.rep('\0', 6) .. job.rest)
    else
      -- The deadline was for the first time.
      redis.call('SETRANGE', job.key, 1, packed .. created .. string.rep('\0', 6))
    end
    if job.dedupe_key then take_dedupe(job.dedupe_key, job.ulid, now, job.dedupe_ttl) end
    local list = KEYS[8 + priority_of(job.header)]
    ready[list] = ready[list] or {}
    table.insert(ready[list], entry_of(job.ulid, state.generation))
    job.reply = 'R' .. with_state(job.text, packed)
  end
  reply[#reply + 1] = job.reply
end
if moved > 0 then redis.call('INCRBY', KEYS[2], moved) end
for list, entries in pairs(ready) do redis.call('RPUSH', list, unpack(entries)) end
if moved > 0 and wake_one(KEYS[3], base) then reply[1] = 1 end
return reply
