-- Fighters, on the host: health, shields, ammunition and who hits whom. A
-- client says that it shoots; whether it could, and what it hit, is decided
-- here.

local Session = require("demi.network.session")
local Config = require("arena.config")

local Combat = {}
Combat.__index = Combat

local rules = Config.fighter

function Combat.new()
  return setmetatable({
    fighters = {}, -- in the order of joining: whatever loops over them is repeatable
    by_owner = {},
    by_entity = {},
    dirty = false,
    since_report = 0,
  }, Combat)
end

-- add spawns a fighter for a player; nil when the session refuses.
function Combat:add(owner)
  local number = 1
  while self:numbered(number) do
    number = number + 1
  end
  local entity = "fighter_" .. owner
  local x, y = Config.pad(number)
  if not Prefab.instantiate("prefab://arena/player", {id = entity, position = {x, y}}) then
    Debug.log("arena: no entity for " .. owner)
    return nil
  end
  local id = Session.spawn("player", entity, owner)
  if not id then
    Entity.destroy(entity)
    Debug.log("arena: no fighter for " .. owner .. ": " .. Session.diagnostics().last_error)
    return nil
  end
  local fighter = {
    owner = owner, number = number, id = id, entity = entity,
    health = rules.health, shield = rules.shield, ammo = rules.ammo,
    reload = 0, cooldown = 0, suspicion = 0, score = 0, deaths = 0,
    seen_x = x, seen_y = y, excused = 1,
  }
  self.fighters[#self.fighters + 1] = fighter
  self.by_owner[owner] = fighter
  self.by_entity[entity] = fighter
  self.dirty = true
  return fighter
end

function Combat:numbered(number)
  for _, fighter in ipairs(self.fighters) do
    if fighter.number == number then
      return fighter
    end
  end
  return nil
end

function Combat:remove(owner)
  local fighter = self.by_owner[owner]
  if not fighter then
    return
  end
  self.by_owner[owner] = nil
  self.by_entity[fighter.entity] = nil
  Entity.destroy(fighter.entity)
  for i, other in ipairs(self.fighters) do
    if other == fighter then
      table.remove(self.fighters, i)
      break
    end
  end
  self.dirty = true
end

function Combat:paint(owner, color)
  local fighter = self.by_owner[owner]
  if fighter and #color >= 3 then
    Sprite2D.set_color(fighter.entity, color[1], color[2], color[3], color[4] or 1)
  end
end

-- shoot answers a player's shot. The payload has its shape from the contract's
-- schema; whether it is true is another matter.
function Combat:shoot(owner, shot)
  local shooter = self.by_owner[owner]
  if not shooter or shooter.ammo == 0 or shooter.cooldown > 0 then
    return
  end
  local length = math.sqrt(shot.dx * shot.dx + shot.dy * shot.dy)
  local x, y = Transform.get_position(shooter.entity)
  if length < 0.5 or Config.distance(x, y, shot.x, shot.y) > rules.muzzle_slack then
    self:suspect(shooter)
    return
  end
  shooter.ammo = shooter.ammo - 1
  shooter.cooldown = rules.cooldown * 0.8 -- the network may bring two shots closer together
  local hit = Physics2D.raycast(shot.x, shot.y, shot.dx, shot.dy, rules.range, nil, shooter.entity)
  local victim = hit and self.by_entity[hit.entity_id]
  if victim then
    self:hurt(victim, rules.damage, shooter)
  end
end

-- hurt takes the shield first, then health, which is a whole number. Whether
-- somebody is on guard is their own secret, which they share with the host.
function Combat:hurt(victim, damage, by)
  if Entity.get_config(victim.entity, "Fighter", "guard") then
    damage = damage * rules.guarded
  end
  local absorbed = math.min(victim.shield, damage)
  victim.shield = victim.shield - absorbed
  victim.health = math.max(0, math.ceil(victim.health - (damage - absorbed)))
  self.dirty = true
  if victim.health > 0 then
    return
  end
  victim.deaths = victim.deaths + 1
  self:revive(victim)
  Events.emit("arena.down", {victim = victim.owner, by = by.owner})
end

function Combat:revive(fighter)
  local x, y = Config.pad(fighter.number)
  fighter.health, fighter.shield, fighter.ammo = rules.health, rules.shield, rules.ammo
  fighter.excused = 1
  Session.send("respawn", fighter.id, {x = x, y = y})
end

function Combat:heal(fighter, amount)
  fighter.health = math.min(rules.health, fighter.health + amount)
  self.dirty = true
end

-- suspect counts what a fair client does not do.
function Combat:suspect(fighter)
  fighter.suspicion = fighter.suspicion + 1
end

function Combat:step(dt)
  for _, fighter in ipairs(self.fighters) do
    self:recover(fighter, dt)
    self:watch(fighter, dt)
    self:publish(fighter, dt)
  end
  self.since_report = self.since_report + dt
  if self.dirty and self.since_report >= 0.2 then
    self:report()
  end
end

function Combat:recover(fighter, dt)
  fighter.cooldown = math.max(0, fighter.cooldown - dt)
  fighter.shield = math.min(rules.shield, fighter.shield + rules.shield_per_second * dt)
  if fighter.ammo < rules.ammo then
    fighter.reload = fighter.reload + dt
    if fighter.reload >= rules.reload then
      fighter.reload = 0
      fighter.ammo = fighter.ammo + 1
    end
  end
end

-- watch suspects fighters that move faster than they can. A second of grace
-- follows a respawn, which moves them on purpose.
function Combat:watch(fighter, dt)
  local x, y = Transform.get_position(fighter.entity)
  fighter.excused = math.max(0, fighter.excused - dt)
  if fighter.excused == 0 and Config.distance(x, y, fighter.seen_x, fighter.seen_y) > rules.speed * 0.5 then
    self:suspect(fighter)
  end
  fighter.seen_x, fighter.seen_y = x, y
end

-- publish writes what the host owns of a fighter and lets the session send it.
function Combat:publish(fighter, dt)
  Entity.set_field(fighter.entity, "Fighter", "health", fighter.health)
  Entity.set_field(fighter.entity, "Fighter", "shield", fighter.shield)
  Entity.set_field(fighter.entity, "Fighter", "ammo", fighter.ammo)
  Session.update_entity(fighter.id, dt)
end

-- report tells everybody health and score.
function Combat:report()
  local players = {}
  for i, fighter in ipairs(self.fighters) do
    players[i] = {id = fighter.owner, health = fighter.health, score = fighter.score, deaths = fighter.deaths}
  end
  if Session.send("combat_state", nil, {players = players}) then
    self.dirty = false
  end
  self.since_report = 0
end

return Combat
