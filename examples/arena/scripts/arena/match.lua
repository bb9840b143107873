-- Rounds and points, on the host.

local Session = require("demi.network.session")
local Config = require("arena.config")

local Match = {}
Match.__index = Match

local rules = Config.match

function Match.new(combat)
  return setmetatable({
    combat = combat,
    phase = "warmup",
    round = 1,
    left = rules.length,
    since_report = 0,
  }, Match)
end

-- announce says something to everybody, and once on the host's own console.
function Match:announce(text)
  Debug.log("arena: " .. text)
  Session.send("announce", nil, {text = text})
end

-- score gives points to a player who may have left meanwhile.
function Match:score(owner, points, what)
  local fighter = self.combat.by_owner[owner]
  if not fighter then
    return
  end
  fighter.score = fighter.score + points
  self.combat.dirty = true
  self:announce(owner .. " " .. what .. ": " .. fighter.score)
  if fighter.score >= rules.goal then
    self:finish(fighter)
  end
end

function Match:finish(winner)
  self:announce(winner.owner .. " wins round " .. self.round)
  for _, fighter in ipairs(self.combat.fighters) do
    fighter.score, fighter.deaths = 0, 0
  end
  self.combat.dirty = true
  self.round = self.round + 1
  self.left = rules.length
  self:report()
end

-- leader is the fighter with the most points; of equals the one who came first.
function Match:leader()
  local best
  for _, fighter in ipairs(self.combat.fighters) do
    if not best or fighter.score > best.score then
      best = fighter
    end
  end
  return best
end

function Match:step(dt)
  local phase = #self.combat.fighters >= rules.least_players and "running" or "warmup"
  if phase ~= self.phase then
    self.phase, self.left = phase, rules.length
    self:report()
  end
  if phase == "running" then
    self.left = self.left - dt
    if self.left <= 0 then
      self:finish(self:leader())
    end
  end
  self.since_report = self.since_report + dt
  if self.since_report >= rules.report_every then
    self:report()
  end
end

function Match:report()
  self.since_report = 0
  Session.send("match_state", nil, {
    phase = self.phase,
    round = self.round,
    seconds_left = math.max(0, math.floor(self.left)),
  })
end

return Match
