-- Some of the jobs under a worker, with all that a crash of theirs reads; what it may write is touched.
local function read_held(base, ulids)
  local jobs, touched = {}, {}
  for _, ulid in ipairs(ulids) do
    local job = { ulid = ulid, key = base .. 'job:' .. ulid, extra = base .. 'extra:' .. ulid }
    job.header = header_at(job.key)
    if job.header ~= '' then
      job.state = read_state(job.header)
      job.text = without_payload(job.key, job.header)
      job.dedupe_key = held_dedupe_key(base, ulid, job.header)
      add_end_keys(touched, base, job)
    end
    touched[#touched + 1] = job.extra
    jobs[#jobs + 1] = job
  end
  if #touched > 0 then redis.call('TOUCH', unpack(touched)) end
  return jobs
end

local function is_run_of(worker, job)
  return job.state and job.state.status == 'p' and string.format('%.0f', (struct.unpack('<I7', job.state.token))) == worker
end

local function note_crash(call, job, outcome, next_at, error_json)
  note_run(job.extra, job.state, call.now, outcome, next_at, error_json)
  -- Nothing that the worker still says of a run that was taken from it counts, also not when it says it twice.
  job.state.token = NO_TOKEN
end

-- A crash gives the attempt back, and the job goes ahead of the fresh ones of its priority; one crash short of its burial it
-- waits where a worker takes one at a time.
local function requeue_crashed(call, job)
  local state = job.state
  note_crash(call, job, 'crashed', call.now, call.crash_json)
  state.status, state.attempt = 'q', state.attempt - 1
  state.due_at = call.now
  if state.crashes > 0 and state.crashes == call.max_crashes - 1 or state.all_crashes == MOST_CRASHES then
    set_flag(state, FLAG_SUSPECT)
  end
  write_state(job.key, state)
  local line = has_flag(state, FLAG_SUSPECT) and call.suspects or call.ready[1 + priority_of(job.header)]
  redis.call('LPUSH', line, entry_of(job.ulid, state.generation))
  local expires_at = expires_at_of(job.header)
  if expires_at > 0 then redis.call('ZADD', call.expiring, expires_at, job.ulid) end
end

-- Takes a run from its worker and counts it as a crash; where it is as likely another's doing (`blame_shared`), among all
-- crashes of the job only, and not among those in a row. `call` has further the time `now`, the `ending` to add to, `crash_json`
-- for the trail, `max_crashes` and `poison_json` for a burial, `keep_finished` and `keep_failed`, and the keys
-- `suspects`, `cancelled`, `cancels`, `failed`, `expiring` and `ready`. To leave `running` is the caller's to see to.
local function crash(call, job)
  local state = job.state
  state.all_crashes = math.min(state.all_crashes + 1, 255)
  if not call.blame_shared then state.crashes = math.min(state.crashes + 1, 255) end
  if has_flag(state, FLAG_CANCEL) then
    redis.call('SREM', call.cancels, job.ulid)
    note_crash(call, job, 'cancelled', 0, call.crash_json)
    end_job(call.ending, job, 'C', call.cancelled, call.keep_finished)
  elseif state.crashes >= call.max_crashes or state.all_crashes > MOST_CRASHES then
    note_crash(call, job, 'crashed', 0, call.poison_json)
    end_job(call.ending, job, 'F', call.failed, call.keep_failed)
  else
    requeue_crashed(call, job)
  end
end
