#!lua flags=allow-oom
-- Cancels jobs: one that waits ends at once, and is kept until the next sweep at least; one that runs is asked to stop.
-- KEYS   1 clock, 2 scheduled, 3 retrying, 4 parked, 5 ghosts, 6 cancels, 7 cancelled, 8 expiring, 9 idle, 10 leases
-- ARGV   ulids
-- reply  per job: `+` (changed now) or `=` (had ended, or had been asked to stop), since when the running job is asked to
--        stop (6, 0: it is not), and its record without the payload in the state it has now; `` when there is no such job
--#include clock
--#include record
--#include wake
--#include dedupe
--#include finish

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local now = now_ms(KEYS[1])

local jobs, touched = {}, {}
for _, ulid in ipairs(ARGV) do
  local job = { ulid = ulid, key = base .. 'job:' .. ulid }
  job.header = header_at(job.key)
  if job.header ~= '' then
    job.state = read_state(job.header)
    job.text = without_payload(job.key, job.header)
    job.dedupe_key = held_dedupe_key(base, job.ulid, job.header)
    add_end_keys(touched, base, job)
    touched[#touched + 1] = base .. 'extra:' .. job.ulid
    job.asked_at = job.state.status == 'p' and tonumber(redis.call('HGET', base .. 'extra:' .. job.ulid, 'cancel') or now) or 0
  end
  jobs[#jobs + 1] = job
end
if #touched > 0 then redis.call('TOUCH', unpack(touched)) end

local reply, ending = {}, new_ending(base, now)

local function ask_to_stop(job)
  set_flag(job.state, FLAG_CANCEL + FLAG_EXTRA)
  redis.call('HSETNX', base .. 'extra:' .. job.ulid, 'cancel', string.format('%.0f', job.asked_at))
  write_state(job.key, job.state)
  redis.call('SADD', KEYS[6], job.ulid)
  redis.call('SPUBLISH', base .. 'wake:' .. string.format('%.0f', (struct.unpack('<I7', job.state.token))), job.ulid)
end

local function end_waiting(job)
  local state = job.state
  if state.status == 'q' then
    if redis.call('ZREM', KEYS[4], job.ulid) == 0 then redis.call('SADD', KEYS[5], entry_of(job.ulid, state.generation)) end
  else
    redis.call('ZREM', state.status == 's' and KEYS[2] or KEYS[3], job.ulid)
  end
  if expires_at_of(job.header) > 0 then redis.call('ZREM', KEYS[8], job.ulid) end
  end_job(ending, job, 'C', KEYS[7], true)
end

local seen = {}
for _, job in ipairs(jobs) do
  local state, changed = job.state, false
  if state and not seen[job.ulid] then
    seen[job.ulid] = job
    if state.status == 'p' then
      changed = not has_flag(state, FLAG_CANCEL)
      if changed then ask_to_stop(job) end
    elseif state.status == 's' or state.status == 'q' or state.status == 'r' then
      changed = true
      end_waiting(job)
    end
    local asked_at = struct.pack('<I6', job.asked_at)
    job.reply = changed and '+' .. asked_at .. with_state(job.text, pack_state(state)) or '=' .. asked_at .. job.text
  end
  reply[#reply + 1] = state and seen[job.ulid].reply or ''
end
write_ending(ending)
-- Who cancels need not be a worker, which would see to it itself.
if #ending.outgoing > 0 then tell_of_events(KEYS[9], KEYS[10], base) end
return reply
