#!lua flags=allow-oom
-- A worker's call for one type: finished jobs go in, jobs to run come out. Answered once per call number of a lane: the
-- same number again gets the same jobs without effect, a smaller one is refused.
-- KEYS   1 clock, 2 lanes, 3 leases, 4 workers, 5 running, 6 idle, 7 scheduled, 8 retrying, 9 succeeded, 10 failed,
--        11 ghosts, 12-21 ready 0-9
-- ARGV   1 worker number, 2 token of this call, 3 lane, 4 call number, 5 lease in ms, 6 jobs wanted, of which a call gives
--        250 at most and about 1 MiB of them (0: none now, -1: none, and another worker may be woken in this one's place,
--        -2: likewise, and this worker leaves), 7 who the worker is, 8 keep succeeded jobs (1/0), 9 keep failed jobs (1/0); then per settle: ulid, its token, event,
--        outcome, delay in ms, result or error as JSON
-- reply  {ms until the next waiting job is due or -1, whether the worker waits to be woken now (1/0), a letter per settle,
--        then per claim: ulid, record}; the letter is the job's new status, `!` when the token was stale, `?` when the call was answered before
--#include clock
--#include record
--#include wake
--#include trail
--#include dedupe

local MAX_REPLY_BYTES, MAX_ENTRIES = 1048576, 250
local SETTLE_ARGS, FIRST_SETTLE = 6, 10

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local worker, token, lane, call = ARGV[1], ARGV[2], ARGV[1] .. ':' .. ARGV[3], tonumber(ARGV[4])
local want = tonumber(ARGV[6])
local now = now_ms(KEYS[1])
local settle_count = (#ARGV - FIRST_SETTLE + 1) / SETTLE_ARGS

local function record_key(ulid) return base .. 'job:' .. ulid end
local function extra_key(ulid) return base .. 'extra:' .. ulid end

local function next_due_in()
  local scheduled = tonumber(redis.call('ZRANGE', KEYS[7], 0, 0, 'WITHSCORES')[2])
  local retrying = tonumber(redis.call('ZRANGE', KEYS[8], 0, 0, 'WITHSCORES')[2])
  local next_due = math.min(scheduled or retrying or -1, retrying or scheduled or -1)
  return next_due < 0 and -1 or math.max(next_due - now, 0)
end

local last_call = tonumber(redis.call('HGET', KEYS[2], lane) or 0)
if call < last_call then return redis.error_reply('STALE call ' .. ARGV[4] .. ' of lane ' .. lane .. ' comes late') end
if call == last_call then
  local reply = { next_due_in(), 0, string.rep('?', settle_count) }
  for _, ulid in ipairs(redis.call('ZRANGEBYSCORE', KEYS[5], worker, worker)) do
    local header = redis.call('GETRANGE', record_key(ulid), 0, HEADER_BYTES - 1)
    if header ~= '' and read_state(header).token == token then
      reply[#reply + 1] = ulid
      reply[#reply + 1] = redis.call('GET', record_key(ulid))
    end
  end
  return reply
end

-- First all reads: whatever can fail fails here, before anything is written.

local settles, touched = {}, {}
for i = FIRST_SETTLE, #ARGV, SETTLE_ARGS do
  local settle = { ulid = ARGV[i], event = ARGV[i + 2], outcome = ARGV[i + 3], delay = tonumber(ARGV[i + 4]), text = ARGV[i + 5] }
  settle.header = redis.call('GETRANGE', record_key(settle.ulid), 0, HEADER_BYTES - 1)
  if settle.header ~= '' then
    settle.state = read_state(settle.header)
    if settle.state.status == 'p' and settle.state.token == ARGV[i + 1] then
      settle.live = true
      settle.dedupe_key = held_dedupe_key(base, settle.ulid, settle.header)
      touched[#touched + 1] = extra_key(settle.ulid)
    end
  end
  settles[#settles + 1] = settle
end
if #touched > 0 then redis.call('TOUCH', unpack(touched)) end

-- Takes from the head of a list what is wanted and fits the call; notes how many entries are used up. A call that is full
-- leaves all else to the next one, lower priorities included.
local claims, ghosts, pops, reply_bytes, full = {}, {}, {}, 0, false
local function peek(list)
  local from = 0
  while #claims < want and not full do
    local entries = redis.call('LRANGE', list, from, from + math.min(want - #claims, 16) - 1)
    if #entries == 0 then return end
    local keys = {}
    for i, entry in ipairs(entries) do keys[i] = record_key(string.sub(entry, 1, 26)) end
    local records = redis.call('MGET', unpack(keys))
    for i, entry in ipairs(entries) do
      local record, ulid = records[i], string.sub(entry, 1, 26)
      local state = record and read_state(record)
      local too_large = state and reply_bytes > 0 and reply_bytes + #record > MAX_REPLY_BYTES
      full = too_large or #claims + #ghosts >= MAX_ENTRIES
      if full then return end
      from = from + 1
      pops[list] = from
      if state and state.status == 'q' and entry_of(ulid, state.generation) == entry then
        reply_bytes = reply_bytes + #record
        claims[#claims + 1] = { ulid = ulid, record = record, state = state }
      else
        ghosts[#ghosts + 1] = entry
      end
    end
  end
end
-- Every tenth call looks at the lowest priorities first, so that they are never starved.
local first, last, step = 21, 12, -1
if call % 10 == 0 then first, last, step = 12, 21, 1 end
for i = first, last, step do peek(KEYS[i]) end

-- Then all writes.

redis.call('HSET', KEYS[2], lane, ARGV[4])
-- Before a settle puts a job in front of the entries that were looked at.
for list, count in pairs(pops) do redis.call('LPOP', list, count) end
if #ghosts > 0 then redis.call('SREM', KEYS[11], unpack(ghosts)) end

local letters, left, kept, removed = {}, {}, { [9] = {}, [10] = {} }, {}

local function save(settle)
  redis.call('SETRANGE', record_key(settle.ulid), 1, pack_state(settle.state))
end

-- Ends a job for good: kept in the index of its status, or removed at once where nothing is to be kept.
local function finish(settle, status, index, keep)
  local state = settle.state
  state.status, state.finished_at = status, now
  free_dedupe(settle.dedupe_key, settle.header, status, keep)
  if not keep then
    removed[#removed + 1] = record_key(settle.ulid)
    removed[#removed + 1] = extra_key(settle.ulid)
    return
  end
  save(settle)
  table.insert(kept[index], now)
  table.insert(kept[index], settle.ulid)
end

local function bury(settle)
  note_run(extra_key(settle.ulid), settle.state, now, settle.outcome, 0, settle.text)
  finish(settle, 'F', 10, ARGV[9] == '1')
end

-- Lets a job wait for its next run in the sorted set of its status.
local function postpone(settle, status, set)
  local state = settle.state
  state.due_at = now + settle.delay
  note_run(extra_key(settle.ulid), state, now, settle.outcome, state.due_at, settle.text)
  state.status = status
  save(settle)
  redis.call('ZADD', set, state.due_at, settle.ulid)
end

local events = {
  succeed = function(settle)
    local keep = ARGV[8] == '1'
    if keep and settle.text ~= '' then redis.call('HSET', extra_key(settle.ulid), 'result', settle.text) end
    finish(settle, 'S', 9, keep)
  end,
  retry = function(settle)
    local max_attempts = struct.unpack('<H', settle.header, 66)
    if settle.state.attempt >= max_attempts then bury(settle) else postpone(settle, 'r', KEYS[8]) end
  end,
  bury = bury,
  snooze = function(settle)
    settle.state.attempt = settle.state.attempt - 1
    settle.state.snoozes = settle.state.snoozes + 1
    postpone(settle, 's', KEYS[7])
  end,
  hand_back = function(settle)
    local state = settle.state
    state.attempt = state.attempt - 1
    if settle.delay > 0 then return postpone(settle, 's', KEYS[7]) end
    note_run(extra_key(settle.ulid), state, now, settle.outcome, now, '')
    state.status = 'q'
    save(settle)
    redis.call('LPUSH', KEYS[12 + priority_of(settle.header)], entry_of(settle.ulid, state.generation))
  end,
}

for _, settle in ipairs(settles) do
  if settle.live then
    left[#left + 1] = settle.ulid
    events[settle.event](settle)
    letters[#letters + 1] = settle.state.status
  else
    letters[#letters + 1] = '!'
  end
end
if #left > 0 then redis.call('ZREM', KEYS[5], unpack(left)) end
for index, members in pairs(kept) do
  if #members > 0 then redis.call('ZADD', KEYS[index], unpack(members)) end
end
if #removed > 0 then redis.call('UNLINK', unpack(removed)) end

local reply, running = { -1, 0, table.concat(letters) }, {}
for _, claim in ipairs(claims) do
  local state = claim.state
  state.status, state.attempt, state.runs = 'p', state.attempt + 1, math.min(state.runs + 1, 65535)
  state.started_at, state.token = now, token
  local packed = pack_state(state)
  redis.call('SETRANGE', record_key(claim.ulid), 1, packed)
  running[#running + 1] = worker
  running[#running + 1] = claim.ulid
  reply[#reply + 1] = claim.ulid
  reply[#reply + 1] = string.sub(claim.record, 1, 1) .. packed .. string.sub(claim.record, 52)
end
if #claims > 0 then
  redis.call('ZADD', KEYS[5], unpack(running))
  redis.call('HSET', KEYS[4], worker, ARGV[7])
end

if redis.call('ZCOUNT', KEYS[5], worker, worker) > 0 then
  redis.call('ZADD', KEYS[3], now + tonumber(ARGV[5]), worker)
else
  redis.call('ZREM', KEYS[3], worker)
end

-- A worker that got less than it wanted waits to be woken; one that is full leaves the rest to another.
if #claims < want and not full then
  redis.call('ZADD', KEYS[6], now, worker)
  reply[2] = 1
elseif want ~= 0 then
  redis.call('ZREM', KEYS[6], worker)
  if redis.call('EXISTS', unpack(KEYS, 12, 21)) > 0 then wake_one(KEYS[6], base) end
end
if want == -2 and redis.call('ZCOUNT', KEYS[5], worker, worker) == 0 then
  redis.call('HDEL', KEYS[2], worker .. ':0', worker .. ':1')
  redis.call('HDEL', KEYS[4], worker)
end
reply[1] = next_due_in()
return reply
