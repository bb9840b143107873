-- Every number of the game, in units (a fighter is 0.9 wide) and seconds.

local Config = {
  port = 39420,

  fighter = {
    speed = 5,
    health = 100,
    shield = 50,
    shield_per_second = 4,
    ammo = 6,
    reload = 1.2, -- seconds for one round
    cooldown = 0.3,
    damage = 25,
    guarded = 0.5, -- of damage and of speed, while on guard
    range = 14,
    reach = 1.4, -- how far away a prop can be taken
    muzzle_slack = 2, -- how far a claimed muzzle may be from where the host sees the shooter
  },

  match = {
    length = 120,
    goal = 12, -- points that end a round early
    least_players = 2,
    report_every = 5,
  },

  medkit = {heal = 50, again_after = 6, orbit = 1.5},

  -- One pad for each player: where it starts, and where it brings what it carries.
  pads = {
    {-10, 6}, {10, -6}, {10, 6}, {-10, -6}, {0, 6.5}, {0, -6.5}, {-10.5, 0}, {10.5, 0},
  },
  pad_radius = 1.5,

  -- Places from which one can see far; bots walk between them.
  waypoints = {{-8, 5}, {0, 5}, {8, 5.5}, {9, 0}, {8, -5}, {0, -5}, {-8, -5.5}, {-9, 0}, {0, 0}},

  crates = {{-3, 0}, {3, 0}},
  medkits = {{0, 3.5}, {0, -3.5}},
  flag = {0, 0},
}

-- pad returns where player number n starts.
function Config.pad(n)
  local pad = Config.pads[(n - 1) % #Config.pads + 1]
  return pad[1], pad[2]
end

-- distance between two points.
function Config.distance(x1, y1, x2, y2)
  local dx, dy = x2 - x1, y2 - y1
  return math.sqrt(dx * dx + dy * dy)
end

return Config
