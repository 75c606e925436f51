-- The final statuses that one call brings about, written together at its end.
local function new_ending(base, now)
  return { base = base, now = now, indexes = {}, removed = {}, awaited = {}, outgoing = {} }
end

-- Adds what the end of a job may change beside its record and side hash: to be touched before anything is written.
local function add_end_keys(keys, base, job)
  if has_flag(job.state, FLAG_LOG) then keys[#keys + 1] = base .. 'log:' .. job.ulid end
  if has_flag(job.state, FLAG_WEBHOOK) then keys[#keys + 1] = base .. 'outgoing' end
end

-- Whether somebody asked to be told of this end. Which ends a webhook asks for stands in the facts as storedWebhook writes
-- them; texts of users hold no quote there that is not escaped, so none of them reads like it.
local function is_asked_for(job, record)
  local dedupe, group = struct.unpack('<HH', job.header, 109)
  local ends = string.match(record, '"webhook":{"ends":"(%a*)"', HEADER_BYTES + dedupe + group + 1)
  return ends and string.find(ends, job.state.status, 1, true)
end

local MOST_RUNS_TOLD = 10

-- What is told of the end of a job, in whole: by the time it is handed on the job may run again, or be gone. `text` of a job that
-- succeeded is its result. The form: ulid (26), length of (4) and the record without the payload, and then fields as in the side
-- hash, each as length of the name (2), length of the value (4), name, value.
local function outgoing_event(base, job, before)
  local state = job.state
  local record = with_state(before, pack_state(state))
  local parts = { struct.pack('<c26I4', job.ulid, #record), record }
  local function add(name, value)
    parts[#parts + 1] = struct.pack('<HI4', #name, #value) .. name .. value
  end
  if state.status == 'S' and job.text ~= '' then add('result', job.text) end
  if has_flag(state, FLAG_EXTRA) then
    local names = { 'progress', 'cancel' }
    for run = math.max(state.runs - MOST_RUNS_TOLD + 1, 1), state.runs do names[#names + 1] = 'run:' .. run end
    for i, value in ipairs(redis.call('HMGET', base .. 'extra:' .. job.ulid, unpack(names))) do
      if value then add(names[i], value) end
    end
  end
  return table.concat(parts)
end

local function tell(ending, job)
  local record = without_payload(job.key, job.header)
  if is_asked_for(job, record) then table.insert(ending.outgoing, outgoing_event(ending.base, job, record)) end
end

-- Ends a job for good: kept in the index of its status, or removed where nothing is to be kept. Its structures are the
-- caller's to mend; `job` has ulid, key, header, state and the dedupe key it holds.
local function end_job(ending, job, status, index, keep)
  local state = job.state
  state.status, state.finished_at = status, ending.now
  free_dedupe(job.dedupe_key, job.header, status, keep)
  if has_flag(state, FLAG_AWAITED) then table.insert(ending.awaited, job.ulid) end
  if has_flag(state, FLAG_WEBHOOK) then tell(ending, job) end
  if not keep then
    table.insert(ending.removed, job.key)
    if has_flag(state, FLAG_EXTRA) then table.insert(ending.removed, ending.base .. 'extra:' .. job.ulid) end
    if has_flag(state, FLAG_LOG) then table.insert(ending.removed, ending.base .. 'log:' .. job.ulid) end
    return
  end
  write_state(job.key, state)
  local members = ending.indexes[index] or {}
  ending.indexes[index] = members
  table.insert(members, ending.now)
  table.insert(members, job.ulid)
end

local function write_ending(ending)
  if #ending.outgoing > 0 then redis.call('RPUSH', ending.base .. 'outgoing', unpack(ending.outgoing)) end
  for index, members in pairs(ending.indexes) do redis.call('ZADD', index, unpack(members)) end
  if #ending.removed > 0 then redis.call('UNLINK', unpack(ending.removed)) end
  for _, ulid in ipairs(ending.awaited) do redis.call('SPUBLISH', ending.base .. 'ended:' .. ulid, '') end
end
