-- What the player wants this tick, from the input actions. As long as nobody
-- has touched them a bot plays, so that a headless client is not idle.

local Bot = require("arena.bots")

local Controls = {}
Controls.__index = Controls

local turn_speed = 3 -- radians per second

function Controls.new()
  return setmetatable({aim = 0, manual = false, bot = Bot.new(1)}, Controls)
end

-- seed gives every player of a session a bot of its own that is the same in
-- every run with the session's seed.
function Controls:seed(seed, sender_id)
  for i = 1, #sender_id do
    seed = (seed * 31 + sender_id:byte(i)) % 2147483646
  end
  self.bot = Bot.new(seed + 1)
end

-- held reports whether a button is down.
local function held(action)
  return Input.action_value(action) >= 0.5
end

-- read returns {move_x, move_y, aim, fire, carry, guard}; the way is at most 1
-- long, aim is an angle.
function Controls:read(view, dt)
  local x, y = Input.action_value("move_x"), Input.action_value("move_y")
  local turn = Input.action_value("aim")
  local fire, carry, guard = held("fire"), held("carry"), held("guard")
  if x ~= 0 or y ~= 0 or turn ~= 0 or fire or carry or guard then
    self.manual = true
  end
  if not self.manual then
    return self.bot:think(view, dt)
  end
  local length = math.sqrt(x * x + y * y)
  if length > 1 then
    x, y = x / length, y / length
  end
  if turn ~= 0 then
    self.aim = (self.aim + turn * turn_speed * dt) % (2 * math.pi)
  elseif length > 0.1 then
    self.aim = Bot.angle(x, y)
  end
  return {move_x = x, move_y = y, aim = self.aim, fire = fire, carry = carry, guard = guard}
end

return Controls
