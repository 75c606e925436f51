#!lua flags=allow-oom
-- Removes finished jobs with all that belongs to them, before their retention is over.
-- KEYS   1 clock, 2 succeeded, 3 failed, 4 cancelled, 5 expired
-- ARGV   ulids
-- reply  per job the letter of the status it had, `-` when there is no such job; only one that had ended is removed
--#include record
--#include dedupe

local base = string.sub(KEYS[1], 1, -#'clock' - 1)
local INDEX_OF = { S = KEYS[2], F = KEYS[3], C = KEYS[4], E = KEYS[5] }

local letters, jobs, removed = {}, {}, {}
for i, ulid in ipairs(ARGV) do
  local header = header_at(base .. 'job:' .. ulid)
  letters[i] = header ~= '' and read_state(header).status or '-'
  if INDEX_OF[letters[i]] then
    jobs[#jobs + 1] = { ulid = ulid, index = INDEX_OF[letters[i]], dedupe_key = held_dedupe_key(base, ulid, header) }
    for _, part in ipairs({ 'job:', 'extra:', 'log:' }) do removed[#removed + 1] = base .. part .. ulid end
  end
end
if #removed > 0 then redis.call('TOUCH', unpack(removed)) end

for _, job in ipairs(jobs) do
  redis.call('ZREM', job.index, job.ulid)
  if job.dedupe_key then redis.call('DEL', job.dedupe_key) end
end
if #removed > 0 then redis.call('UNLINK', unpack(removed)) end
return table.concat(letters)
