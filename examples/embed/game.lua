-- The game: the host gives every player a kite, the player lets the wind take
-- it. Weather is the Go engine's own service.

local Session = require("demi.network.session")
local mine

function start(hosts)
  if hosts then
    Session.host()
  else
    Session.connect()
  end
end

function tick(dt)
  for _, event in ipairs(Session.process_events().events) do
    if event.name == "peer_joined" then
      Session.spawn("kite", nil, event.sender_id)
    elseif event.name == "hello" then
      print(Session.sender_id() .. " hears " .. event.data.name .. " from " .. event.sender_id)
    elseif event.name == "entity_spawned" and event.data.owner == Session.sender_id() then
      mine = event.data
      Session.bind_local_entity(mine.network_id, mine.entity_id)
      Session.send("hello", nil, {name = "a kite in " .. Weather:name()})
    end
  end
  if mine then
    local x, y = Transform.get_position(mine.entity_id)
    Transform.set_position(mine.entity_id, x + Weather:wind() * dt, y)
    Session.update_entity(mine.network_id, dt)
  end
end

function finish()
  if mine then
    print(string.format("%s flies at %.1f", Session.sender_id(), (Transform.get_position(mine.entity_id))))
  else
    print(string.format("%s sees the kite at %.1f", Session.sender_id(), (Session.remote_position("peer1"))))
  end
end
