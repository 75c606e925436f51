#!lua flags=allow-oom
-- Writes what running handlers tell of their jobs; each write counts only under the token of the run. Progress and log
-- lines are kept with the time before them, in ms.
-- KEYS   1 clock, 2 running (see ScriptKeys)
-- ARGV   per note: ulid, token, kind (`progress`, `checkpoint`, `step:<name>`, `log`), JSON
-- reply  a letter per note: `+` written, `!` the token was stale
--#include clock
--#include record
--#include crash-row

local MOST_LINES = 200

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local now = now_ms(KEYS[1])

local jobs, by_ulid, notes, keys = {}, {}, {}, {}
for i = 1, #ARGV, 4 do
  local ulid = ARGV[i]
  local job = by_ulid[ulid]
  if not job then
    job = { key = base .. 'job:' .. ulid, extra = base .. 'extra:' .. ulid, log = base .. 'log:' .. ulid, lines = {},
      fields = {} }
    local header = header_at(job.key)
    job.state = header ~= '' and read_state(header)
    job.checkpoint = redis.call('HGET', job.extra, 'checkpoint')
    redis.call('LLEN', job.log)
    by_ulid[ulid] = job
    jobs[#jobs + 1] = job
    for _, key in ipairs({ job.extra, job.log }) do keys[#keys + 1] = key end
  end
  notes[#notes + 1] = { job = job, live = job.state and job.state.status == 'p' and job.state.token == ARGV[i + 1],
    kind = ARGV[i + 2], json = ARGV[i + 3] }
end
if #keys > 0 then redis.call('TOUCH', unpack(keys)) end

local letters = {}
for _, note in ipairs(notes) do
  letters[#letters + 1] = note.live and '+' or '!'
  if note.live then
    local job = note.job
    if note.kind == 'log' then
      job.lines[#job.lines + 1] = string.format('%.0f %s', now, note.json)
    else
      job.fields[#job.fields + 1] = note.kind
      job.fields[#job.fields + 1] = note.kind == 'progress' and string.format('%.0f %s', now, note.json) or note.json
      if note.kind == 'checkpoint' and note.json ~= job.checkpoint then
        end_row(job.state)
        job.checkpoint = note.json
      end
    end
  end
end

for _, job in ipairs(jobs) do
  if #job.fields > 0 then
    set_flag(job.state, FLAG_EXTRA)
    redis.call('HSET', job.extra, unpack(job.fields))
  end
  if #job.lines > 0 then
    set_flag(job.state, FLAG_LOG)
    redis.call('RPUSH', job.log, unpack(job.lines))
    redis.call('LTRIM', job.log, -MOST_LINES, -1)
  end
  if #job.fields + #job.lines > 0 then write_state(job.key, job.state) end
end
return table.concat(letters)
