eq(math.floor(3.7), 3) eq(math.floor(-3.2), -4) eq(math.ceil(3.2), 4) eq(math.abs(-2), 2) eq(math.sqrt(9), 3) eq(math.huge, 1/0) eq(math.pi > 3.14159, true)
eq(math.max(1, 5, 3), 5) eq(math.min(4, 2, 8), 2) eq(math.fmod(-5, 3), -2) eq(math.modf(3.7), 3) eq(math.modf(-1/0), -1/0) eq(math.pow(2, 8), 256) eq(math.log(8, 2), 3) eq(math.log10(1000), 3)
eq(math.atan(1, 0), math.atan2(1, 0)) eq(math.type(3), 'integer') eq(math.type(3.5), 'float') eq(math.type('3'), nil) eq(math.tointeger(3.0), 3) eq(math.tointeger(3.5), nil) eq(math.tointeger('8'), nil)
eq(math.ldexp(0.5, 3), 4) eq(math.frexp(8), 0.5) eq(math.deg(math.pi), 180) eq(math.floor('3.5'), 3)
fails(function() math.floor('x') end, "bad argument #1 to 'floor' (number expected, got string)") fails(function() math.max() end, "bad argument #1 to 'max' (number expected, got no value)")
-------
-- random: seeded, this state's own, within its bounds
math.randomseed(7) local a, b, c = math.random(), math.random(10), math.random(-5, 5)
math.randomseed(7) eq(math.random(), a) eq(math.random(10), b) eq(math.random(-5, 5), c)
for i = 1, 500 do local r = math.random(3) assert(r >= 1 and r <= 3 and r == math.floor(r)) r = math.random() assert(r >= 0 and r < 1) end
eq(math.random(5, 5), 5)
fails(function() math.random(0) end, 'interval is empty') fails(function() math.random(2, 1) end, 'interval is empty') fails(function() math.random(0/0) end, 'interval is empty') fails(function() math.random(1, 1e300) end, 'interval is empty')
-------
-- numbers in source
eq(0x10, 16) eq(010, 10) eq(1e3, 1000) eq(.5, 0.5) eq(3., 3) eq(0xff, 255) eq(1e400, 1/0) eq(0x1FFFFFFFFFFFFF, 2^53 - 1) eq(9007199254740993, 2^53)
-------
-- time is the host's
eq(os.time(), 0) eq(os.clock(), 0) eq(os.date('%Y-%m-%d %H:%M:%S'), '1970-01-01 00:00:00') eq(os.date('!%c', 86400), 'Fri Jan  2 00:00:00 1970')
eq(os.time{year = 2024, month = 2, day = 30, hour = 0}, os.time{year = 2024, month = 3, day = 1, hour = 0}) eq(os.date('*t', 0).year, 1970) eq(os.difftime(5, 3), 2) eq(os.date('%j %w %%', 0), '001 4 %')
fails(function() os.date('%Q') end, 'invalid conversion specifier') fails(function() os.time{} end, "field 'year' missing") fails(function() os.date('%c', 1e300) end, 'out of range')
