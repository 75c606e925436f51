-- The final statuses that one call brings about, written together at its end.
local function new_ending(base, now)
  return { base = base, now = now, indexes = {}, removed = {}, awaited = {} }
end

-- Adds what the end of a job may remove beside its record and side hash: to be touched before anything is written.
local function add_log_key(keys, base, job)
  if has_flag(job.state, FLAG_LOG) then keys[#keys + 1] = base .. 'log:' .. job.ulid end
end

-- Ends a job for good: kept in the index of its status, or removed where nothing is to be kept. Its structures are the
-- caller's to mend; `job` has ulid, key, header, state and the dedupe key it holds.
local function end_job(ending, job, status, index, keep)
  local state = job.state
  state.status, state.finished_at = status, ending.now
  free_dedupe(job.dedupe_key, job.header, status, keep)
  if has_flag(state, FLAG_AWAITED) then table.insert(ending.awaited, job.ulid) end
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
  for index, members in pairs(ending.indexes) do redis.call('ZADD', index, unpack(members)) end
  if #ending.removed > 0 then redis.call('UNLINK', unpack(ending.removed)) end
  for _, ulid in ipairs(ending.awaited) do redis.call('SPUBLISH', ending.base .. 'ended:' .. ulid, '') end
end
