-- A bot: a pure function of what it sees, its seed and time. It walks between
-- waypoints, fetches props to its pad, shoots at whom it can see, and guards
-- itself while it has nothing to shoot with.

local Config = require("arena.config")

local Bot = {}
Bot.__index = Bot

local atan2 = math.atan2 or math.atan

-- angle of a direction, 0 … 2π.
function Bot.angle(x, y)
  return atan2(y, x) % (2 * math.pi)
end

function Bot.new(seed)
  local self = setmetatable({
    state = seed % 2147483646 + 1,
    aim = 0,
    stuck = 0, -- seconds without having moved
    detour = 0, -- seconds until an errand is taken up again
    patience = 0, -- seconds left for the present goal
    carried = 0, -- seconds that something has been carried
    rest = 0, -- seconds until the next thing is fetched
  }, Bot)
  return self
end

-- random returns a number in [0, 1) of the bot's own sequence (Park and
-- Miller's): every product stays below 2^53, so it is the same everywhere.
function Bot:random()
  self.state = self.state * 16807 % 2147483647
  return self.state / 2147483647
end

function Bot:think(view, dt)
  local wish = {move_x = 0, move_y = 0, aim = self.aim, fire = false, carry = false, guard = view.ammo == 0}
  self:choose(view, dt)
  self:fetch(view, wish, dt)
  self:walk(view, wish)
  self:fight(view, wish)
  self.aim = wish.aim
  return wish
end

-- choose looks for another waypoint when this one is reached or takes too
-- long. When something is in the way it makes a detour over another one.
function Bot:choose(view, dt)
  local moved = Config.distance(view.x, view.y, self.last_x or view.x + 1, self.last_y or view.y)
  self.last_x, self.last_y = view.x, view.y
  self.stuck = moved < 0.01 and self.stuck + dt or 0
  self.patience = self.patience - dt
  self.detour = math.max(0, self.detour - dt)
  if self.stuck > 0.4 then
    self.detour, self.stuck, self.goal = 1.5, 0, nil
  end
  local there = self.goal and Config.distance(view.x, view.y, self.goal[1], self.goal[2]) < 0.7
  if not self.goal or there or self.patience <= 0 then
    self.goal = Config.waypoints[1 + math.floor(self:random() * #Config.waypoints)]
    self.patience = 4 + 4 * self:random()
  end
end

-- fetch goes for the nearest prop, and home with it. After some seconds the
-- bot lets go wherever it is: others want to play too.
function Bot:fetch(view, wish, dt)
  self.errand = nil
  if view.carrying then
    self.carried = self.carried + dt
    self.errand = {view.pad_x, view.pad_y}
    local home = Config.distance(view.x, view.y, view.pad_x, view.pad_y) < 0.8
    if home or self.carried > 8 then
      wish.carry, self.rest = true, 3 + 4 * self:random()
    end
    return
  end
  self.carried = 0
  self.rest = math.max(0, self.rest - dt)
  if self.rest > 0 then
    return
  end
  local nearest = 7
  for _, prop in ipairs(view.props) do
    local distance = Config.distance(view.x, view.y, prop.x, prop.y)
    if distance < nearest then
      nearest, self.errand = distance, {prop.x, prop.y}
    end
  end
  wish.carry = nearest < Config.fighter.reach * 0.8
end

function Bot:walk(view, wish)
  local goal = self.detour == 0 and self.errand or self.goal
  local dx, dy = goal[1] - view.x, goal[2] - view.y
  local length = math.sqrt(dx * dx + dy * dy)
  if length > 0.2 then
    wish.move_x, wish.move_y = dx / length, dy / length
    wish.aim = Bot.angle(dx, dy)
  end
end

-- fight aims at the nearest enemy that no wall hides, a little beside it.
function Bot:fight(view, wish)
  local best, nearest = nil, Config.fighter.range
  for _, enemy in ipairs(view.enemies) do
    local distance = Config.distance(view.x, view.y, enemy.x, enemy.y)
    if distance < nearest and distance > 0.1 then
      local wall = Physics2D.raycast(view.x, view.y, enemy.x - view.x, enemy.y - view.y, distance, "wall", view.entity)
      if not wall then
        best, nearest = enemy, distance
      end
    end
  end
  if best then
    wish.aim = (Bot.angle(best.x - view.x, best.y - view.y) + (self:random() - 0.5) * 0.15) % (2 * math.pi)
    wish.fire = view.ammo > 0
  end
end

return Bot
