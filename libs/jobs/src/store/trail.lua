-- Notes how a run ended in the job's side hash: `started finished outcome worker next error`, times in ms, `next` 0 when
-- the job is not to run again, `error` the worker's JSON or nothing. Only the latest 50 runs are kept. The state is the
-- caller's to write.
local function note_run(extra_key, s, now, outcome, next_at, error_json)
  set_flag(s, FLAG_EXTRA + FLAG_RAN)
  local worker = struct.unpack('<I7', s.token)
  redis.call('HSET', extra_key, 'run:' .. s.runs,
    string.format('%.0f %.0f %s %.0f %.0f %s', s.started_at, now, outcome, worker, next_at, error_json))
  if s.runs > 50 then redis.call('HDEL', extra_key, 'run:' .. (s.runs - 50)) end
end

-- When the run before this one started; 0 when there was none since the job was submitted or replayed.
local function start_before(extra_key, s)
  if not has_flag(s, FLAG_RAN) then return 0 end
  return tonumber(string.match(redis.call('HGET', extra_key, 'run:' .. (s.runs - 1)) or '', '^%d+')) or s.started_at
end
