-- The host's side: who plays, and what each event means. Fights are decided in
-- arena.combat, things to carry in arena.props, rounds in arena.match.

local Session = require("demi.network.session")
local Combat = require("arena.combat")
local Config = require("arena.config")
local Match = require("arena.match")
local Props = require("arena.props")

local Server = {}
Server.__index = Server

function Server.new()
  local self = setmetatable({handlers = {}}, Server)
  Session.start_session({
    scene_id = "scene://arena/main",
    mode = "free_for_all",
    seed = math.random(1, 1000000),
  })
  self.combat = Combat.new()
  self.props = Props.new(self.combat)
  self.match = Match.new(self.combat)
  Events.subscribe("arena.down", function(down)
    self:on_down(down)
  end)
  Events.subscribe("arena.delivered", function(delivered)
    self.match:score(delivered.by, delivered.worth, "delivers the " .. delivered.kind)
  end)
  return self
end

-- One function for each event that the host acts on; others do not concern it.
local on = {}

function on.peer_joined(self, event)
  local fighter = self.combat:add(event.sender_id)
  if fighter then
    self.match:announce(event.sender_id .. " joins")
    self.match:report()
  end
end

-- The contract has already done its part: the fighter is gone, a crate it
-- carried is the host's again. What becomes of the flag is for the game to say.
function on.peer_left(self, event)
  self.props:forget(event.sender_id)
  self.combat:remove(event.sender_id)
  self.match:announce(event.sender_id .. " leaves")
end

function on.player_join(self, event)
  self.combat:paint(event.sender_id, event.data.color)
end

function on.shot(self, event)
  self.combat:shoot(event.sender_id, event.data)
end

function on.grab(self, event)
  self.props:grab(event.sender_id, event.target)
end

function on.drop(self, event)
  self.props:drop(event.sender_id, event.target)
end

function Server:on_event(event)
  local handle = on[event.name]
  if handle then
    handle(self, event)
  end
end

function Server:on_down(down)
  self.props:release(down.victim)
  self.match:score(down.by, 1, "beats " .. down.victim)
end

function Server:step(dt)
  self.combat:step(dt)
  self.props:step(dt)
  self.match:step(dt)
end

return Server
