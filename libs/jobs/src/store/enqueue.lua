#!lua
-- Accepts jobs of one type: record, queue entry and dedupe key of each, in one go. Safe to send again by the job's id.
-- KEYS   1 clock, 2 seq, 3 scheduled, 4 idle, 5-14 ready 0-9
-- ARGV   per job: ulid, when (`+ms` from now, `@ms` absolute, `` now), dedupe ttl in ms (0: none), the record after its creation time
-- reply  {now, per job: `` accepted, `late` when it would run more than a year from now, or the ulid of the job in its place followed by that job's header if it still exists}
--#include clock
--#include record
--#include wake
--#include dedupe

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local now = now_ms(KEYS[1])
local seq = tonumber(redis.call('GET', KEYS[2]) or 0)
local earliest = tonumber(redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2])

local MAX_DELAY_MS = 31536000000

local jobs, record_keys = {}, {}
for i = 1, #ARGV, 4 do
  local job = { ulid = ARGV[i], when = ARGV[i + 1], dedupe_ttl = tonumber(ARGV[i + 2]), rest = ARGV[i + 3] }
  jobs[#jobs + 1] = job
  record_keys[#jobs] = base .. 'job:' .. job.ulid
end
local any_known = redis.call('TOUCH', unpack(record_keys)) > 0

local function due_at(when)
  local mark, ms = string.sub(when, 1, 1), tonumber(string.sub(when, 2))
  if mark == '+' then return now + ms end
  if mark == '@' then return math.max(ms, now) end
  return now
end

local taken = {}

local reply, fresh = { now }, {}
for i, job in ipairs(jobs) do
  local known = any_known and redis.call('GETRANGE', record_keys[i], 0, HEADER_BYTES - 1) or ''
  local holder, header
  if known ~= '' then
    holder, header = job.ulid, known
  else
    job.due_at = due_at(job.when)
    job.status = job.due_at > now and 's' or 'q'
    local state = pack_state({ status = job.status, flags = 0, attempt = 0, runs = 0, crashes = 0, all_crashes = 0,
      snoozes = 0, replays = 0, generation = 0, revision = 0, due_at = job.due_at, started_at = 0, finished_at = 0,
      token = string.rep('\0', 14) })
    job.record = '\1' .. state .. struct.pack('<I6I6', seq + 1, now) .. job.rest
    local length = dedupe_length_of(job.record)
    if length > 0 then
      job.dedupe_key = base .. 'dedupe:' .. string.sub(job.record, HEADER_BYTES + 1, HEADER_BYTES + length)
      local mine = taken[job.dedupe_key]
      if mine then
        holder, header = mine.ulid, string.sub(mine.record, 1, HEADER_BYTES)
      else
        holder, header = holder_of(base, job.dedupe_key, now)
      end
    end
  end
  if holder then
    reply[#reply + 1] = holder .. header
  elseif job.due_at > now + MAX_DELAY_MS then
    reply[#reply + 1] = 'late'
  else
    seq = seq + 1
    job.key = record_keys[i]
    if job.dedupe_key then taken[job.dedupe_key] = job end
    fresh[#fresh + 1] = job
    reply[#reply + 1] = ''
  end
end
if #fresh == 0 then return reply end

local records, ready, scheduled, wake = {}, {}, {}, false
for _, job in ipairs(fresh) do
  records[#records + 1] = job.key
  records[#records + 1] = job.record
  if job.status == 'q' then
    local list = KEYS[5 + priority_of(job.record)]
    ready[list] = ready[list] or {}
    table.insert(ready[list], job.ulid)
    wake = true
  else
    scheduled[#scheduled + 1] = job.due_at
    scheduled[#scheduled + 1] = job.ulid
    wake = wake or not earliest or job.due_at < earliest
  end
end

redis.call('INCRBY', KEYS[2], #fresh)
redis.call('MSET', unpack(records))
for _, job in ipairs(fresh) do
  if job.dedupe_key and job.dedupe_ttl > 0 then
    redis.call('SET', job.dedupe_key, string.format('%.0f %s', now + job.dedupe_ttl, job.ulid), 'PX', job.dedupe_ttl)
  elseif job.dedupe_key then
    redis.call('SET', job.dedupe_key, '0 ' .. job.ulid)
  end
end
for list, entries in pairs(ready) do redis.call('RPUSH', list, unpack(entries)) end
if #scheduled > 0 then redis.call('ZADD', KEYS[3], unpack(scheduled)) end
if wake then wake_one(KEYS[4], base) end
return reply
