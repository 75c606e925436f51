#!lua flags=allow-oom
-- Sees to it that the end of a job is told on its channel.
-- KEYS   1 clock, 2 running (see ScriptKeys)
-- ARGV   1 ulid
-- reply  1 when it will be told, 0 when the job has ended or there is none
--#include record

local FLAGS_AT = '2'

local key = string.sub(KEYS[1], 1, -#'clock' - 1) .. 'job:' .. ARGV[1]
local header = header_at(key)
if header == '' then return 0 end
local state = read_state(header)
if state.finished_at > 0 then return 0 end
if not has_flag(state, FLAG_AWAITED) then
  set_flag(state, FLAG_AWAITED)
  -- The flag alone: the job is what it was, so this is no new revision.
  redis.call('SETRANGE', key, FLAGS_AT, string.char(state.flags))
end
return 1
