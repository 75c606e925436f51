-- A job's record is one string, read and written by position; record.ts states the whole layout.
local STATE = '<c1BHHBBHHHI4I6I6I6c14I6'
local HEADER_BYTES, LAST_OF_HEADER = 114, '113'
local FLAG_CANCEL, FLAG_EXTRA, FLAG_LOG, FLAG_SUSPECT, FLAG_AWAITED, FLAG_WEBHOOK, FLAG_RAN = 1, 2, 4, 8, 16, 32, 64
local NO_TOKEN = string.rep('\0', 14)

-- The fixed part of the record at a key, '' when there is none. What stands there may be no record, spoilt by a hand from outside:
-- it counts as none, so that one does not fail the calls for all others, and the audit tells of it. Numbers go to Redis as text:
-- it would format each anew.
local function header_at(key)
  local head = redis.pcall('GETRANGE', key, '0', LAST_OF_HEADER)
  if #head == HEADER_BYTES then return head end
  -- Only that it is no string says something of the record; whatever else Redis refuses, it refuses of all.
  if type(head) == 'table' and not string.find(head.err, '^WRONGTYPE') then error(head) end
  return ''
end

-- One constructor of the final size; a table that grows field by field is laid out anew five times.
local function read_state(record)
  local status, flags, attempt, runs, crashes, all_crashes, snoozes, replays, generation, revision, due_at, started_at,
    finished_at, token, seq = struct.unpack(STATE, record, 2)
  return { status = status, flags = flags, attempt = attempt, runs = runs, crashes = crashes, all_crashes = all_crashes,
    snoozes = snoozes, replays = replays, generation = generation, revision = revision, due_at = due_at,
    started_at = started_at, finished_at = finished_at, token = token, seq = seq }
end

-- Every change of a state is a new revision.
local function pack_state(s)
  return struct.pack(STATE, s.status, s.flags, s.attempt, s.runs, s.crashes, s.all_crashes, s.snoozes, s.replays,
    s.generation, s.revision + 1, s.due_at, s.started_at, s.finished_at, s.token, s.seq)
end

local function write_state(key, s)
  redis.call('SETRANGE', key, '1', pack_state(s))
end

local function has_flag(s, flag)
  return bit.band(s.flags, flag) ~= 0
end

local function set_flag(s, flag)
  s.flags = bit.bor(s.flags, flag)
end

local function clear_flag(s, flag)
  s.flags = bit.band(s.flags, bit.bnot(flag))
end

-- Until when the job may wait, in ms; 0 when it may for ever.
local function expires_at_of(record)
  return (struct.unpack('<I6', record, 64))
end

local function priority_of(record)
  return string.byte(record, 70)
end

local function payload_version_of(record)
  return (struct.unpack('<H', record, 78))
end

-- When the run of the job must be over, whatever its handler does.
local function hard_limit_of(record, s, grace)
  return s.started_at + struct.unpack('<I4', record, 74) + grace
end

-- What a job's entry in a ready list looks like; a job that was moved has a higher generation than its old entry.
local function entry_of(ulid, generation)
  if generation == 0 then return ulid end
  return ulid .. '#' .. generation
end

-- A record without its payload: enough to say in a log which job it is.
local function without_payload(key, header)
  local dedupe, group, facts = struct.unpack('<HHH', header, 109)
  return redis.call('GETRANGE', key, '0', HEADER_BYTES + dedupe + group + facts - 1)
end

-- A record whose state has changed.
local function with_state(record, packed)
  return string.sub(record, 1, 1) .. packed .. string.sub(record, 58)
end
