-- The game's one entity script: it opens the session and hands everything to
-- the side that this process plays, the host's or a client's.

local Session = require("demi.network.session")
local Client = require("arena.client")
local Config = require("arena.config")
local Server = require("arena.server")

local Game = {}

-- Under `demi-net host` the first call is true, under `demi-net join` the
-- second. Under `demi-net run` the script decides: the first process on a
-- machine hosts, the others join it.
function Game:on_start()
  Session.configure({port = Config.port, send_interval = 1 / 30})
  if Session.host(Config.port) then
    self.side = Server.new()
  elseif Session.connect("127.0.0.1", Config.port) then
    self.side = Client.new()
  else
    Debug.log("arena: no session: " .. tostring(Session.diagnostics().last_error))
  end
end

function Game:on_update()
  if not self.side then
    return
  end
  local update = Session.process_events()
  for _, event in ipairs(update.events) do
    self.side:on_event(event)
  end
end

function Game:on_fixed_update(dt)
  if self.side then
    self.side:step(dt)
  end
end

function Game:on_destroy()
  Session.disconnect()
end

return Game
