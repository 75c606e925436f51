-- A once record holds the first answer under a once key: deadline (6), hash of the body (16), letter (1: `a` accepted, `d`
-- duplicate), then of the job in the answer: ulid (26), status letter (1, `-` when its record was gone), created at (6) and
-- trace id (16).
local ONCE_SHAPE = '<I6c16c1c26c1I6c16'

local function from_hex(text)
  return (string.gsub(text, '%x%x', function(pair) return string.char(tonumber(pair, 16)) end))
end

local function to_hex(bytes)
  return (string.gsub(bytes, '.', function(byte) return string.format('%02x', string.byte(byte)) end))
end

-- The record under a once key, nil when there is none that still counts.
local function live_once(key, now)
  local record = redis.call('GET', key)
  if record and struct.unpack('<I6', record) > now then return record end
end

local function once_hash_of(record)
  return to_hex(string.sub(record, 7, 22))
end

local function once_ulid_of(record)
  return string.sub(record, 24, 49)
end

-- The answer to a submit whose once key has this record: `O` and the record, or `M` and a ulid when it was used for another body.
local function once_again(record, hash)
  return once_hash_of(record) == hash and 'O' .. record or 'M' .. once_ulid_of(record)
end

-- The record of a job's first answer; `refusal` nil when it was accepted, else that of a duplicate.
local function once_record(now, job, refusal)
  local letter, ulid, header = 'a', job.ulid, job.record
  if refusal then
    letter, ulid, header = 'd', string.sub(refusal, 2, 27), string.sub(refusal, 28)
  end
  local status, created_at, trace_id = '-', 0, string.rep('\0', 16)
  if header ~= '' then
    status, created_at, trace_id = string.sub(header, 2, 2), struct.unpack('<I6', header, 58), string.sub(header, 84, 99)
  end
  return struct.pack(ONCE_SHAPE, now + job.once.ttl, from_hex(job.once.hash), letter, ulid, status, created_at, trace_id)
end
