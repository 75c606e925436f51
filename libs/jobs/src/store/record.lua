-- A job's record is one string, read and written by position; record.ts states the whole layout.
local STATE = '<c1BHHBBHHHI4I6I6I6c14'
local HEADER_BYTES = 108

local function read_state(record)
  local s = {}
  s.status, s.flags, s.attempt, s.runs, s.crashes, s.all_crashes, s.snoozes, s.replays, s.generation, s.revision,
    s.due_at, s.started_at, s.finished_at, s.token = struct.unpack(STATE, record, 2)
  return s
end

-- Every change of a state is a new revision.
local function pack_state(s)
  return struct.pack(STATE, s.status, s.flags, s.attempt, s.runs, s.crashes, s.all_crashes, s.snoozes, s.replays,
    s.generation, s.revision + 1, s.due_at, s.started_at, s.finished_at, s.token)
end

local function priority_of(record)
  return string.byte(record, 64)
end

-- What a job's entry in a ready list looks like; a job that was moved has a higher generation than its old entry.
local function entry_of(ulid, generation)
  if generation == 0 then return ulid end
  return ulid .. '#' .. generation
end

-- A record without its payload: enough to say in a log which job it is.
local function without_payload(key, header)
  local dedupe, group, facts = struct.unpack('<HHH', header, 103)
  return redis.call('GETRANGE', key, 0, HEADER_BYTES + dedupe + group + facts - 1)
end
