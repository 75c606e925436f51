#!lua flags=allow-oom
-- A worker's call for one type: finished jobs go in, jobs to run come out. Answered once per call number of a lane: the
-- same number again gets the same jobs without effect, a smaller one is refused.
-- KEYS   1 clock, 2 lanes, 3 leases, 4 workers, 5 running, 6 idle, 7 scheduled, 8 retrying, 9 succeeded, 10 failed,
--        11 cancelled, 12 expired, 13 ghosts, 14 suspects, 15 parked, 16 expiring, 17 cancels, 18-27 ready 0-9
-- ARGV   1 worker number, 2 token of this call, 3 lane, 4 call number, 5 lease in ms, 6 jobs wanted, of which a call gives
--        64 at most and about 1 MiB of them, fewer where settles free dedupe keys (0: none now, -1: none, and another worker may be woken in this one's place,
--        -2: likewise, and this worker leaves), 7 suspects wanted (1/0), 8 version of the payloads that the worker reads,
--        9 who the worker is, 10 keep finished jobs (1/0), 11 keep failed jobs (1/0), 12 the settles, one behind the other:
--        ulid (26), its token (14), letter of the event (1), letter of the outcome (1; `-` when the run never began), delay in
--        ms (6), length of (4) and result or error as JSON
-- reply  {ms until the next waiting job is due or -1, 1 when the worker waits to be woken now plus 2 when it wanted jobs but no
--        suspects and there are some plus 4 when another worker was woken plus 8 when `outgoing` got something (answered again:
--        when there is something), a letter per settle,
--        the claims, one behind the other: ulid (26), length of the record (4), its state now (56), the record with its state
--        before}; the letter is the job's new status, `!` when the token was stale, `?` when it is not known any more what
--        became of a call answered before
--#include clock
--#include record
--#include wake
--#include trail
--#include dedupe
--#include finish
--#include crash-row

local MAX_REPLY_BYTES, MAX_ENTRIES, MOST_PASSED_OVER = 1048576, 64, 16
local SETTLE, CLAIM = '<c26c14c1c1I6I4', '<c26I4c56'
local OUTCOMES = { S = 'succeeded', f = 'failed', t = 'timed_out', s = 'snoozed', h = 'handed_back' }
local LOWEST_READY, HIGHEST_READY = 18, 27
-- Redis keeps a small sorted set as a list, and goes through it for each member that is added: with many, that is a fifth of a call.
-- A member too long for a list makes it a tree, which it stays when that member is gone.
local MANY, TOO_LONG_FOR_A_LIST = 16, string.rep('-', 65)

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local worker, token, lane, call = ARGV[1], ARGV[2], ARGV[1] .. ':' .. ARGV[3], tonumber(ARGV[4])
local want, version = tonumber(ARGV[6]), tonumber(ARGV[8])
local now = now_ms(KEYS[1])

-- Whether any job waits for its time, its deadline or a special worker. Most queues have none most of the time, and then
-- nothing more is asked about them: a command that comes alone costs as much as all that is done for a job.
local any_waiting = redis.call('EXISTS', KEYS[7], KEYS[8], KEYS[14], KEYS[15], KEYS[16]) > 0

local function record_key(ulid) return base .. 'job:' .. ulid end

local function next_due_in()
  if not any_waiting then return -1 end
  local next_due = -1
  for _, set in ipairs({ KEYS[7], KEYS[8], KEYS[16] }) do
    local due = tonumber(redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')[2])
    if due and (next_due < 0 or due < next_due) then next_due = due end
  end
  return next_due < 0 and -1 or math.max(next_due - now, 0)
end

-- What became of a settle whose answer was lost.
local function letter_again(settle)
  local header = header_at(settle.key)
  if header == '' then return '?' end
  local state = read_state(header)
  return state.token == settle.token and state.status ~= 'p' and state.status or '?'
end

local settles, at, puts_off = {}, 1, false
while at <= #ARGV[12] do
  local ulid, settle_token, event, outcome, delay, length, text_at = struct.unpack(SETTLE, ARGV[12], at)
  at = text_at + length
  settles[#settles + 1] = { ulid = ulid, key = record_key(ulid), token = settle_token, event = event,
    outcome = OUTCOMES[outcome], delay = delay, text = string.sub(ARGV[12], text_at, at - 1), header = '', state = false,
    live = false, dedupe_key = nil, start_before = nil }
  puts_off = puts_off or event ~= 'S' and event ~= 'F'
end

local last_call = tonumber(redis.call('HGET', KEYS[2], lane) or 0)
if call < last_call then return redis.error_reply('STALE call ' .. ARGV[4] .. ' of lane ' .. lane .. ' comes late') end
if call == last_call then
  local letters = {}
  for _, settle in ipairs(settles) do letters[#letters + 1] = letter_again(settle) end
  local claims = {}
  for _, ulid in ipairs(redis.call('ZRANGEBYSCORE', KEYS[5], worker, worker)) do
    local header = header_at(record_key(ulid))
    if header ~= '' and read_state(header).token == token then
      local record = redis.call('GET', record_key(ulid))
      claims[#claims + 1] = struct.pack(CLAIM, ulid, #record, string.sub(record, 2, 57)) .. record
    end
  end
  return { next_due_in(), redis.call('EXISTS', base .. 'outgoing') * 8, table.concat(letters), table.concat(claims) }
end

-- First all reads: whatever can fail fails here, before anything is written.

-- A settle that frees a dedupe key costs more than a claim: two take the place of one, so that no call holds Redis up for long.
local touched, room = {}, MAX_ENTRIES
for _, settle in ipairs(settles) do
  settle.header = header_at(settle.key)
  if settle.header ~= '' then
    settle.state = read_state(settle.header)
    if settle.state.status == 'p' and settle.state.token == settle.token then
      settle.live = true
      if not settle.outcome then settle.start_before = start_before(base .. 'extra:' .. settle.ulid, settle.state) end
      settle.dedupe_key = held_dedupe_key(base, settle.ulid, settle.header)
      if settle.dedupe_key then room = room - 0.5 end
      -- A success without a result, of a job without a side hash, writes none.
      if settle.event ~= 'S' or settle.text ~= '' or has_flag(settle.state, FLAG_EXTRA) then
        touched[#touched + 1] = base .. 'extra:' .. settle.ulid
      end
      add_end_keys(touched, base, settle)
    end
  end
end

local claims, ghosts, parks, expiries, unparked, pops = {}, {}, {}, {}, {}, {}
local reply_bytes, full = 0, false

-- The state of a job when it is claimed now, packed, and what decides whether it may be.
local function claimed_state(record)
  local status, flags, attempt, runs, crashes, all_crashes, snoozes, replays, generation, revision, due_at, _, finished_at,
    _, seq = struct.unpack(STATE, record, 2)
  return status, generation, struct.pack(STATE, 'p', flags, attempt + 1, math.min(runs + 1, 65535), crashes, all_crashes,
    snoozes, replays, generation, revision + 1, due_at, now, finished_at, token, seq)
end

-- Decides about one entry; false when the call is full, and leaves all else to the next one, lower priorities included.
local function consider(entry, ulid, key, record, from_park)
  local fits = #claims + #ghosts + #parks + #expiries < room
    and (not record or reply_bytes == 0 or reply_bytes + #record <= MAX_REPLY_BYTES)
  if not fits then
    full = true
    return false
  end
  local status, generation, claimed
  if record and #record >= HEADER_BYTES then status, generation, claimed = claimed_state(record) end
  if status ~= 'q' or not (from_park or entry_of(ulid, generation) == entry) then
    ghosts[#ghosts + 1] = entry
    return true
  end
  local expires_at = expires_at_of(record)
  if expires_at > 0 and expires_at <= now then
    expiries[#expiries + 1] = { ulid = ulid, key = key, header = record, state = read_state(record),
      dedupe_key = held_dedupe_key(base, ulid, record) }
    touched[#touched + 1] = base .. 'extra:' .. ulid
    add_end_keys(touched, base, expiries[#expiries])
  elseif payload_version_of(record) > version then
    parks[#parks + 1] = { ulid = ulid, version = payload_version_of(record) }
  else
    reply_bytes = reply_bytes + #record
    claims[#claims + 1] = { ulid = ulid, key = key, record = record, state = claimed, expires = expires_at > 0 }
  end
  return true
end

local function records_of(entries)
  local keys = {}
  for i, entry in ipairs(entries) do keys[i] = record_key(string.sub(entry, 1, 26)) end
  return redis.call('MGET', unpack(keys)), keys
end

-- Takes from the head of a list what is wanted and fits the call; notes how many entries are used up.
local function peek(list, most)
  local from, wanted = 0, math.min(want, #claims + most)
  while #claims < wanted and not full do
    local entries = redis.call('LRANGE', list, from, from + math.min(wanted - #claims, 16) - 1)
    if #entries == 0 then return end
    local records, keys = records_of(entries)
    for i, entry in ipairs(entries) do
      if not consider(entry, string.sub(entry, 1, 26), keys[i], records[i]) then return end
      from = from + 1
      pops[list] = from
    end
  end
end

-- Drops entries at the head of a list that stand for no job any more, for one that may take none from there and is to know whether
-- any waits.
local function pass_over_ghosts(list)
  for i, entry in ipairs(redis.call('LRANGE', list, 0, MOST_PASSED_OVER - 1)) do
    local ulid = string.sub(entry, 1, 26)
    local header = header_at(record_key(ulid))
    local state = header ~= '' and read_state(header)
    if state and state.status == 'q' and entry_of(ulid, state.generation) == entry then return end
    ghosts[#ghosts + 1] = entry
    pops[list] = i
  end
end

-- Takes parked jobs that this worker reads; a suspect among them only where one may still be given.
local function unpark(suspect_allowed)
  local from = 0
  while #claims < want and not full and from < MAX_ENTRIES do
    local entries = redis.call('ZRANGEBYSCORE', KEYS[15], '-inf', version, 'LIMIT', from, math.min(want - #claims, 16))
    if #entries == 0 then return end
    local records, keys = records_of(entries)
    for i, ulid in ipairs(entries) do
      local is_record, claimed = records[i] and #records[i] >= HEADER_BYTES, #claims
      local suspect = is_record and has_flag(read_state(records[i]), FLAG_SUSPECT)
      if not suspect or suspect_allowed then
        if not consider(ulid, ulid, keys[i], records[i], true) then return end
        unparked[#unparked + 1] = ulid
        if suspect and #claims > claimed then suspect_allowed = false end
      end
    end
    from = from + #entries
  end
end

if want > 0 then
  if any_waiting then
    if ARGV[7] == '1' then peek(KEYS[14], 1) else pass_over_ghosts(KEYS[14]) end
    unpark(ARGV[7] == '1' and #claims == 0)
  end
  -- A call whose number ends in 0, which the lane gives to every tenth claim, looks at the lowest priorities first: none starves.
  local first, last, step = HIGHEST_READY, LOWEST_READY, -1
  if call % 10 == 0 then first, last, step = LOWEST_READY, HIGHEST_READY, 1 end
  for i = first, last, step do peek(KEYS[i], want) end
end

local due_before = puts_off and next_due_in() or -1
if #touched > 0 then redis.call('TOUCH', unpack(touched)) end

-- Then all writes.

redis.call('HSET', KEYS[2], lane, ARGV[4])
-- Before a settle puts a job in front of the entries that were looked at.
for list, count in pairs(pops) do redis.call('LPOP', list, count) end
if #unparked > 0 then redis.call('ZREM', KEYS[15], unpack(unparked)) end
if #ghosts > 0 then redis.call('SREM', KEYS[13], unpack(ghosts)) end

local letters, left, rejoined, sent_on = {}, {}, false, false
local ending = new_ending(base, now)

-- A run that never began is none.
local function note(settle, outcome, next_at, text)
  if not outcome then
    settle.state.runs, settle.state.started_at = settle.state.runs - 1, settle.start_before
    return
  end
  note_run(base .. 'extra:' .. settle.ulid, settle.state, now, outcome, next_at, text)
end

local function finish(settle, status, index, keep)
  end_job(ending, settle, status, KEYS[index], keep)
end

local function bury(settle)
  note(settle, settle.outcome, 0, settle.text)
  finish(settle, 'F', 10, ARGV[11] == '1')
end

local function wait_again(settle)
  local expires_at = expires_at_of(settle.header)
  if expires_at > 0 then redis.call('ZADD', KEYS[16], expires_at, settle.ulid) end
  any_waiting = true
end

-- Lets a job wait for its next run in the sorted set of its status.
local function postpone(settle, status, set)
  local state = settle.state
  state.due_at = now + settle.delay
  note(settle, settle.outcome, state.due_at, settle.text)
  state.status = status
  write_state(settle.key, settle.state)
  redis.call('ZADD', set, state.due_at, settle.ulid)
  wait_again(settle)
end

-- By the letter of the event.
local events = {
  S = function(settle)
    local keep = ARGV[10] == '1'
    if keep and settle.text ~= '' then
      set_flag(settle.state, FLAG_EXTRA)
      redis.call('HSET', base .. 'extra:' .. settle.ulid, 'result', settle.text)
    end
    finish(settle, 'S', 9, keep)
  end,
  r = function(settle)
    local max_attempts = struct.unpack('<H', settle.header, 72)
    end_row(settle.state)
    if settle.state.attempt >= max_attempts then bury(settle) else postpone(settle, 'r', KEYS[8]) end
  end,
  F = bury,
  s = function(settle)
    settle.state.attempt = settle.state.attempt - 1
    settle.state.snoozes = math.min(settle.state.snoozes + 1, 65535)
    end_row(settle.state)
    postpone(settle, 's', KEYS[7])
  end,
  q = function(settle)
    local state = settle.state
    state.attempt = state.attempt - 1
    if settle.delay > 0 then
      sent_on = true
      postpone(settle, 's', KEYS[7])
      return
    end
    note(settle, settle.outcome, now, '')
    -- It waits from now on, unless it has waited all the time.
    if settle.outcome then state.due_at = now end
    rejoined = true
    state.status = 'q'
    write_state(settle.key, settle.state)
    local line = has_flag(state, FLAG_SUSPECT) and KEYS[14] or KEYS[LOWEST_READY + priority_of(settle.header)]
    redis.call('LPUSH', line, entry_of(settle.ulid, state.generation))
    wait_again(settle)
  end,
  -- The end of a run that was asked to stop, unless it succeeded all the same.
  C = function(settle)
    note(settle, 'cancelled', 0, settle.text)
    finish(settle, 'C', 11, ARGV[10] == '1')
  end,
}

for _, settle in ipairs(settles) do
  if settle.live and not left[settle.ulid] then
    left[settle.ulid] = true
    left[#left + 1] = settle.ulid
    local asked_to_stop = has_flag(settle.state, FLAG_CANCEL)
    if asked_to_stop then redis.call('SREM', KEYS[17], settle.ulid) end
    events[asked_to_stop and settle.event ~= 'S' and 'C' or settle.event](settle)
    letters[#letters + 1] = settle.state.status
  else
    letters[#letters + 1] = '!'
  end
end
if #left > 0 then redis.call('ZREM', KEYS[5], unpack(left)) end
for _, job in ipairs(expiries) do
  end_job(ending, job, 'E', KEYS[12], ARGV[10] == '1')
  redis.call('ZREM', KEYS[16], job.ulid)
end
write_ending(ending)

for _, job in ipairs(parks) do redis.call('ZADD', KEYS[15], job.version, job.ulid) end

local given, running, started = {}, #claims < MANY and {} or { worker, TOO_LONG_FOR_A_LIST }, {}
for _, claim in ipairs(claims) do
  redis.call('SETRANGE', claim.key, '1', claim.state)
  running[#running + 1] = worker
  running[#running + 1] = claim.ulid
  if claim.expires then started[#started + 1] = claim.ulid end
  given[#given + 1] = struct.pack(CLAIM, claim.ulid, #claim.record, claim.state)
  given[#given + 1] = claim.record
end
if #claims > 0 then redis.call('ZADD', KEYS[5], unpack(running)) end
if #claims >= MANY then redis.call('ZREM', KEYS[5], TOO_LONG_FOR_A_LIST) end
if #started > 0 then redis.call('ZREM', KEYS[16], unpack(started)) end

local holds, newcomer = #claims > 0 or redis.call('ZCOUNT', KEYS[5], worker, worker) > 0, false
if holds then
  newcomer = redis.call('ZADD', KEYS[3], now + tonumber(ARGV[5]), worker) > 0
else
  redis.call('ZREM', KEYS[3], worker)
end

-- A worker that got less than it wanted waits to be woken, unless it handed a job back that it could have; one that is full
-- leaves the rest to another.
local idle, woke = #claims < want and not full and not rejoined, false
if idle then
  -- A worker that sent a job on, because an earlier run of it goes on there, is woken after all others: it would do so again.
  newcomer = redis.call('ZADD', KEYS[6], sent_on and 0 or now, worker) > 0 or newcomer
elseif (want ~= 0 or rejoined) and redis.call('EXISTS', KEYS[6]) > 0 then
  if want ~= 0 then redis.call('ZREM', KEYS[6], worker) end
  if redis.call('EXISTS', KEYS[14], unpack(KEYS, LOWEST_READY, HIGHEST_READY)) > 0 then woke = wake_one(KEYS[6], base) end
end
-- Whoever has a lease or waits to be woken is registered.
if newcomer then redis.call('HSET', KEYS[4], worker, ARGV[8] .. ' ' .. ARGV[5] .. ' ' .. ARGV[9]) end
local oldest_parked = (any_waiting or #parks > 0) and tonumber(redis.call('ZRANGE', KEYS[15], 0, 0, 'WITHSCORES')[2])
if oldest_parked and (#parks > 0 or oldest_parked <= version and not idle) then
  woke = wake_version(KEYS[6], KEYS[4], base, oldest_parked) or woke
end
if want == -2 and not holds then
  redis.call('HDEL', KEYS[2], worker .. ':0', worker .. ':1', worker .. ':2', worker .. ':3')
  redis.call('HDEL', KEYS[4], worker)
end
local due_in = next_due_in()
local is_first = puts_off and due_in >= 0 and (due_before < 0 or due_in < due_before)
-- Who knows a time alone, or takes it along, is not to be the only one that looks when it has come.
if is_first or want == -2 and due_in >= 0 then wake_another(KEYS[6], base, worker) end
local suspects_wait = any_waiting and want > 0 and ARGV[7] ~= '1' and redis.call('EXISTS', KEYS[14]) > 0
local signs = (idle and 1 or 0) + (suspects_wait and 2 or 0) + (woke and 4 or 0)
  + (#ending.outgoing > 0 and 8 or 0)
return { due_in, signs, table.concat(letters), table.concat(given) }
