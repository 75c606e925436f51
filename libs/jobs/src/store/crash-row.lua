-- So many it outlives, if it gets on in between.
local MOST_CRASHES = 10

-- Crashes count in a row until work went on: a run ended by itself, or came to another checkpoint. A job that crashes its worker
-- every now and then all the same is stopped by the crashes in all.
local function end_row(state)
  state.crashes = 0
  if state.all_crashes < MOST_CRASHES then clear_flag(state, FLAG_SUSPECT) end
end
