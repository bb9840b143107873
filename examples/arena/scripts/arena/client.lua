-- A client's side: it moves its own fighter and what that carries, asks the
-- host for everything else, and shows what it is told.

local Session = require("demi.network.session")
local Config = require("arena.config")
local Controls = require("arena.controls")

local Client = {}
Client.__index = Client

local rules = Config.fighter

function Client.new()
  return setmetatable({
    entities = {}, -- everything replicated, in the order of appearance
    by_id = {},
    me = nil, -- my fighter, one of entities
    carrying = nil, -- my prop, one of entities
    controls = Controls.new(),
    cooldown = 0,
    asked = 0, -- seconds until I may ask for a prop again
    tampered = 0,
    scores = {},
    match = nil,
  }, Client)
end

local on = {}

function on.entity_spawned(self, event)
  local spawn = event.data
  local entity = {id = spawn.network_id, prefab = spawn.prefab, owner = spawn.owner, entity = spawn.entity_id}
  self.entities[#self.entities + 1] = entity
  self.by_id[entity.id] = entity
  self:own(entity)
end

function on.ownership_changed(self, event)
  local entity = self.by_id[event.data.network_id]
  if entity then
    entity.owner = event.data.owner
    self:own(entity)
  end
end

function on.entity_despawned(self, event)
  local gone = self.by_id[event.data.network_id]
  if not gone then
    return
  end
  self.by_id[gone.id] = nil
  for i, entity in ipairs(self.entities) do
    if entity == gone then
      table.remove(self.entities, i)
      break
    end
  end
  if self.me == gone then
    self.me = nil
  end
  if self.carrying == gone then
    self.carrying = nil
  end
end

function on.respawn(self, event)
  if self.me and event.target == self.me.id then
    Rigidbody2D.set_velocity(self.me.entity, 0, 0)
    Transform.set_position(self.me.entity, event.data.x, event.data.y)
  end
end

function on.combat_state(self, event)
  self.scores = event.data.players
end

function on.match_state(self, event)
  self.match = event.data
end

function on.shot(_, event)
  local shot = event.data
  Debug.line(shot.x, shot.y, shot.x + shot.dx * rules.range, shot.y + shot.dy * rules.range)
end

function Client:on_event(event)
  local handle = on[event.name]
  if handle then
    handle(self, event)
  end
end

-- own takes an entity in hand that has become this player's, and lets go of
-- one that no longer is. Binding it is what allows publishing its fields.
function Client:own(entity)
  local mine = entity.owner == Session.sender_id()
  if not mine then
    if self.carrying == entity then
      self.carrying = nil
    end
    return
  end
  if not Session.bind_local_entity(entity.id, entity.entity) then
    Debug.log("arena: cannot bind " .. entity.id .. ": " .. Session.diagnostics().last_error)
    return
  end
  if entity.prefab ~= "player" then
    self.carrying = entity
    return
  end
  self.me = entity
  self:appear()
end

-- appear starts at this player's pad and says which colour it would like.
function Client:appear()
  self.pad_x, self.pad_y = Transform.get_position(self.me.entity)
  local seed = (Session.current_session() or {}).seed or 1
  self.controls:seed(seed, Session.sender_id())
  local hue = self.controls.bot:random()
  Session.send("player_join", nil, {color = {hue, 1 - hue, 0.6, 1}})
  Debug.log("arena: playing as " .. Session.sender_id())
end

function Client:step(dt)
  self:tamper(dt)
  if not self.me then
    return
  end
  local x, y = Transform.get_position(self.me.entity)
  local wish = self.controls:read(self:view(x, y), dt)
  local speed = wish.guard and rules.speed * rules.guarded or rules.speed
  Rigidbody2D.set_velocity(self.me.entity, wish.move_x * speed, wish.move_y * speed)
  Transform.set_rotation(self.me.entity, wish.aim)
  Entity.set_field(self.me.entity, "Fighter", "guard", wish.guard)
  if self.carrying then
    Transform.set_position(self.carrying.entity, x, y)
    Session.update_entity(self.carrying.id, dt)
  end
  Session.update_entity(self.me.id, dt)
  self:shoot(wish, x, y, dt)
  self:carry(wish, x, y, dt)
end

-- view is what a player can see: the bot plays by nothing else.
function Client:view(x, y)
  local view = {
    x = x, y = y, entity = self.me.entity,
    ammo = Entity.get_config(self.me.entity, "Fighter", "ammo") or 0,
    carrying = self.carrying ~= nil,
    pad_x = self.pad_x, pad_y = self.pad_y,
    enemies = {}, props = {},
  }
  for _, entity in ipairs(self.entities) do
    if entity ~= self.me then
      local ex, ey = Transform.get_position(entity.entity)
      if ex and entity.prefab == "player" then
        view.enemies[#view.enemies + 1] = {x = ex, y = ey}
      elseif ex and entity.owner == "server" and entity.prefab ~= "medkit" then
        view.props[#view.props + 1] = {x = ex, y = ey, id = entity.id}
      end
    end
  end
  return view
end

function Client:shoot(wish, x, y, dt)
  self.cooldown = math.max(0, self.cooldown - dt)
  if not wish.fire or self.cooldown > 0 then
    return
  end
  self.cooldown = rules.cooldown
  Session.send("shot", self.me.id, {x = x, y = y, dx = math.cos(wish.aim), dy = math.sin(wish.aim)})
end

-- carry asks for the nearest prop in reach, or puts down what is carried.
function Client:carry(wish, x, y, dt)
  self.asked = math.max(0, self.asked - dt)
  if not wish.carry or self.asked > 0 then
    return
  end
  self.asked = 0.5
  if self.carrying then
    Session.send("drop", self.carrying.id, {})
    return
  end
  local best, nearest = nil, rules.reach
  for _, prop in ipairs(self:view(x, y).props) do
    local distance = Config.distance(x, y, prop.x, prop.y)
    if distance < nearest then
      best, nearest = prop, distance
    end
  end
  if best then
    Session.send("grab", best.id, {})
  end
end

-- tamper tries what the contract forbids, once a second while the action of
-- that name is held: only the host may announce. The call returns false here
-- already; `demi-net join --unchecked` sends it all the same, and then the host
-- refuses it.
function Client:tamper(dt)
  self.tampered = math.max(0, self.tampered - dt)
  if Input.action_value("tamper") < 0.5 or self.tampered > 0 or Session.diagnostics().phase ~= "active" then
    return
  end
  self.tampered = 1
  if not Session.send("announce", nil, {text = "I am the host now"}) and not self.told then
    self.told = true
    Debug.log("arena: refused here: " .. Session.diagnostics().last_error)
  end
end

return Client
