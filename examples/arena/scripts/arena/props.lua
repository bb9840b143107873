-- Things that lie about, on the host: crates and the flag, which players take
-- and carry, and medkits, which are used where they lie.
--
-- A prop belongs to the host until a player asks for it and is near enough.
-- Then it is transferred: from that moment the player's client moves it, and
-- its ownership generation has grown, so that nothing the host said before
-- about the prop counts any more. Dropping it goes the same way back.

local Session = require("demi.network.session")
local Config = require("arena.config")

local Props = {}
Props.__index = Props

function Props.new(combat)
  local self = setmetatable({combat = combat, props = {}, by_id = {}, medkits = {}, clock = 0}, Props)
  for i, home in ipairs(Config.crates) do
    self:add("crate", "crate_" .. i, home)
  end
  self:add("flag", "flag", Config.flag)
  for i, home in ipairs(Config.medkits) do
    self.medkits[i] = {number = i, home = home, made = 0, wait = 0}
  end
  return self
end

-- place makes a prop of the host's at a point; nil when the session refuses.
local function place(kind, entity, x, y)
  if not Prefab.instantiate("prefab://arena/" .. kind, {id = entity, position = {x, y}}) then
    return nil
  end
  local id = Session.spawn(kind, entity, "server")
  if not id then
    Entity.destroy(entity)
    Debug.log("arena: no " .. kind .. ": " .. Session.diagnostics().last_error)
  end
  return id
end

function Props:add(kind, entity, home)
  local id = place(kind, entity, home[1], home[2])
  if not id then
    return
  end
  local prop = {
    kind = kind, id = id, entity = entity, home = home,
    worth = Entity.get_config(entity, "Prop", "worth") or 1,
  }
  self.props[#self.props + 1] = prop
  self.by_id[id] = prop
end

-- carried returns what a player carries, or nil.
function Props:carried(owner)
  for _, prop in ipairs(self.props) do
    if prop.carrier == owner then
      return prop
    end
  end
  return nil
end

function Props:grab(owner, id)
  local prop, fighter = self.by_id[id], self.combat.by_owner[owner]
  if not prop or not fighter or prop.carrier or self:carried(owner) then
    return
  end
  local x, y = Transform.get_position(prop.entity)
  local fx, fy = Transform.get_position(fighter.entity)
  if Config.distance(x, y, fx, fy) > Config.fighter.reach * 1.5 then
    return -- too far away, also for a player with a slow line
  end
  if Session.transfer(id, owner) then
    prop.carrier = owner
  end
end

-- drop takes a prop back. On the carrier's own pad it counts as delivered.
function Props:drop(owner, id)
  local prop, fighter = self.by_id[id], self.combat.by_owner[owner]
  if not prop or prop.carrier ~= owner or not self:reclaim(prop) or not fighter then
    return
  end
  local x, y = Transform.get_position(prop.entity)
  local px, py = Config.pad(fighter.number)
  if Config.distance(x, y, px, py) <= Config.pad_radius then
    self:send_home(prop)
    Events.emit("arena.delivered", {by = owner, kind = prop.kind, worth = prop.worth})
  end
end

-- reclaim makes a prop the host's again.
function Props:reclaim(prop)
  prop.carrier = nil
  if Session.owner(prop.id) == "server" then
    return true
  end
  return Session.transfer(prop.id, "server")
end

function Props:send_home(prop)
  Transform.set_position(prop.entity, prop.home[1], prop.home[2])
end

-- release takes from a player what it carries; it stays where it is.
function Props:release(owner)
  local prop = self:carried(owner)
  if prop then
    self:reclaim(prop)
  end
end

-- forget is release for a player who has left. The contract has returned the
-- crate; the flag's policy is this game's: it goes home.
function Props:forget(owner)
  local prop = self:carried(owner)
  if not prop then
    return
  end
  self:reclaim(prop)
  if prop.kind == "flag" then
    self:send_home(prop)
  end
end

function Props:step(dt)
  self.clock = self.clock + dt
  for i, prop in ipairs(self.props) do
    if not prop.carrier then
      if prop.kind == "crate" then
        self:drift(prop, i)
      end
      Session.update_entity(prop.id, dt)
    end
  end
  for _, medkit in ipairs(self.medkits) do
    self:tend(medkit, dt)
  end
end

-- drift moves a free crate slowly round its home, from wherever it was left.
function Props:drift(prop, i)
  local angle = self.clock * 0.5 + i * math.pi
  local x, y = Transform.get_position(prop.entity)
  local dx = prop.home[1] + 1.2 * math.cos(angle) - x
  local dy = prop.home[2] + 1.2 * math.sin(angle) - y
  local length = math.max(1, math.sqrt(dx * dx + dy * dy))
  Rigidbody2D.set_velocity(prop.entity, dx / length, dy / length)
  Transform.set_rotation(prop.entity, angle % (2 * math.pi))
end

-- tend moves a medkit, gives it to whoever touches it, and brings another one
-- some seconds later.
function Props:tend(medkit, dt)
  if not medkit.id then
    medkit.wait = medkit.wait - dt
    if medkit.wait <= 0 then
      medkit.made = medkit.made + 1
      medkit.entity = "medkit_" .. medkit.number .. "_" .. medkit.made
      medkit.id = place("medkit", medkit.entity, medkit.home[1], medkit.home[2])
      medkit.wait = Config.medkit.again_after
    end
    return
  end
  local x = medkit.home[1] + Config.medkit.orbit * math.cos(self.clock)
  local y = medkit.home[2] + Config.medkit.orbit * math.sin(self.clock)
  local size = 1 + 0.2 * math.sin(self.clock * 3)
  Transform.set_position(medkit.entity, x, y)
  Transform.set_scale(medkit.entity, size, size)
  Session.update_entity(medkit.id, dt)
  for _, fighter in ipairs(self.combat.fighters) do
    local fx, fy = Transform.get_position(fighter.entity)
    if fighter.health < Config.fighter.health and Config.distance(x, y, fx, fy) < 0.8 then
      self.combat:heal(fighter, Config.medkit.heal)
      Session.despawn(medkit.id)
      Entity.destroy(medkit.entity)
      medkit.id = nil
      return
    end
  end
end

return Props
