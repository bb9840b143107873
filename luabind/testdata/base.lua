-- tonumber and tostring round-trip (field log B44)
for text, want in pairs{['2e2']=200, ['5e-07']=5e-07, ['1e21']=1e21, ['0x10']=16, [' 12 ']=12, ['1.5e3']=1500,
  ['0x1p4']=16, ['.5']=0.5, ['5.']=5, ['010']=10, ['-0x10']=-16, ['\t7\n']=7} do
  eq(tonumber(text), want)
end
for _, text in ipairs{'', ' ', '1_000', '0b1', '0o7', 'inf', 'nan', '1e', '--1', '1 2', 'abc', '0x', '1e5x', '+-1'} do
  eq(tonumber(text), nil)
end
for _, n in ipairs{1e-7, 1e21, 0.1, 1/3, 2^53, -2^53, 951824235837328, 1684119503, 123456789012345.678, 5e-324, 1.7976931348623157e308} do
  eq(tonumber(tostring(n)), n)
end
eq(tostring(5), '5') eq(tostring(5.0), '5') eq(tostring(-0.0), '-0') eq(tostring(1e15), '1000000000000000')
eq(tostring(1/0), 'inf') eq(tostring(-1/0), '-inf') eq(tostring(0/0), 'nan')
eq(tonumber('ff', 16), 255) eq(tonumber('zz', 36), 1295) eq(tonumber('8', 8), nil) eq(tonumber('-11', 2), -3)
eq(tonumber(nil), nil) eq(tonumber({}), nil)
fails(function() tonumber('1', 99) end, "bad argument #2 to 'tonumber' (base out of range)")
-------
-- a failed protected call must not part closures from their variables
local n = 0
local function inc() n = n + 1 end
eq(pcall(error, 'x'), false)
eq(pcall(function() local z = nil; return z.x end), false)
inc() inc()
eq(n, 2)
local kept
pcall(function() local q = 41; kept = function() q = q + 1 return q end; error('b') end)
local a, b, c = 7, 8, 9
eq(kept(), 42) eq(kept(), 43)
-------
eq(select('#', pcall(function() return 1, nil, nil end)), 4)
local ok, e = pcall(error, {code = 7})
eq(ok, false) eq(e.code, 7)
ok, e = pcall(error) eq(ok, false) eq(e, nil)
ok, e = pcall(error, 'plain', 0) eq(e, 'plain')
ok, e = xpcall(function() error('m', 0) end, function(m) return m .. '!' end) eq(ok, false) eq(e, 'm!')
ok, e = xpcall(function(...) return select('#', ...) end, print, 1, 2, 3) eq(ok, true) eq(e, 3)
ok, e = xpcall(function() error('x') end, function() error('y', 0) end) eq(ok, false) eq(e, 'y')
ok, e = pcall(nil) eq(ok, false)
ok, e = pcall(string.rep, 'ab', 2) eq(e, 'abab')
ok, e = pcall(string.rep, {}) eq(e, "bad argument #1 to 'rep' (string expected, got table)") -- as in C Lua, without a place
ok, e = pcall(function() string.rep({}) end) eq(e:match('^[%w_./]+:%d+: bad argument') ~= nil, true)
ok, e = pcall(setmetatable({}, {__call = function(_, v) return v end}), 5) eq(e, 5)
-------
-- error levels
local function check(v) if type(v) ~= 'number' then error('number wanted', 2) end end
check('x') --> error: number wanted
-------
local function deep() error('here') --> error: here
end
deep()
-------
error({code = 1}) --> error: error object is a table value
-------
error(setmetatable({}, {__tostring = function() return 'told' end})) --> error: told
-------
error(setmetatable({}, {__tostring = function() error('again') end})) --> error: __tostring failed
-------
error(nil) --> error: nil
-------
error() --> error: nil
-------
assert(false, 'assertion text') --> error: assertion text
-------
assert(nil) --> error: assertion failed!
-------
eq(select('#', assert(1, 2, 3)), 3)
eq(select(2, 'a', 'b', 'c'), 'b') eq(select(-1, 'a', 'b'), 'b') eq(select('#'), 0)
fails(function() select(0) end, 'index out of range')
eq(type(nil), 'nil') fails(function() type() end, "bad argument #1 to 'type' (value expected)")
eq(rawequal('a', 'a'), true) eq(rawlen({1, 2}), 2) eq(rawlen('abc'), 3) eq(rawget({5}, 1), 5)
local t = setmetatable({}, {__index = function(_, k) return k end, __newindex = function() error('no') end})
eq(t.x, 'x') rawset(t, 'x', 1) eq(rawget(t, 'x'), 1)
eq(getmetatable(''), false)
-------
getmetatable('').__index = nil --> error: attempt to index
-------
setmetatable(1, {}) --> error: bad argument #1 to 'setmetatable' (table expected, got number)
-------
setmetatable({}, 1) --> error: nil or table expected
-------
setmetatable(setmetatable({}, {__metatable = false}), {}) --> error: protected metatable
-------
-- load: text only, its own name, its own environment
eq(load('return 1 + 1')(), 2)
eq(loadstring('return ...')(7), 7)
local n = 0
eq(load(function() n = n + 1 return ({'return ', '4', '2'})[n] end)(), 42)
for _, odd in ipairs{true, {}, print} do
  local f, e = load(function() return odd end) eq(f, nil) eq(e, 'reader function must return a string')
end
n = 0 eq(load(function() n = n + 1 return ({'return ', 4, 2})[n] end)(), 42) -- a number is text, as elsewhere
eq(tonumber(('1'):rep(5000), 36), nil) eq(tonumber(('1'):rep(5000)), nil) eq(tonumber(('1'):rep(4000), 2), 1/0) -- longer than any number: not read
local f, e = load('x = = 1', '=chunk') eq(f, nil) assert(e:find('chunk:1:', 1, true), e)
f, e = load('\27Lua') eq(f, nil) assert(e:find('compiled Lua'), e)
local env = {} load('y = 5', 'c', 't', env)() eq(env.y, 5) eq(y, nil)
-------
-- require
eq(require('answer').value, 42) eq(require('answer'), require('answer'))
eq(require('silent'), true) eq(require('silent'), true) eq(loaded, 1)
eq(require('named'), 'named')
fails(function() require('a') end, 'loop in require: a -> b -> a')
fails(function() require('absent') end, "module 'absent' not found: no file scripts/absent.lua")
fails(function() require('broken') end, 'scripts/broken.lua:1:')
fails(function() require('raises') end, 'scripts/raises.lua:2: no luck')
fails(function() require(5) end, "bad argument #1 to 'require' (string expected, got number)")
for _, name in ipairs{'io', 'os', 'debug', 'package', '_G', 'string'} do
  fails(function() require(name) end, 'not found')
end
-------
-- concatenation, with every shape the rewriter makes
local a, b, c = 'a', 1, 2.5
eq(a .. b .. c, 'a12.5') eq('x' .. 'y' .. 'z' .. 1 .. 2, 'xyz12')
local cat = setmetatable({}, {__concat = function(l, r)
  return (type(l) == 'table' and 'T' or l) .. '+' .. (type(r) == 'table' and 'T' or r) end})
eq(cat .. 'a', 'T+a') eq('a' .. cat, 'a+T') eq('a' .. 'b' .. cat, 'ab+T') eq(cat .. 'a' .. 'b', 'T+ab') eq('a' .. cat .. 'b', 'aT+b')
local function tail(x) return x .. '!' end eq(tail('a'), 'a!')
local function twice(s) s = s .. s return s end eq(twice('ab'), 'abab')
local long = '' .. 1 .. 2 .. 3 .. 4 .. 5 .. 6 .. 7 .. 8 .. 9 .. 0 .. 1 .. 2 .. 3 .. 4 .. 5 .. 6 .. 7 .. 8 .. 9 .. 0 .. 1 .. 2 .. 3 .. 4 .. 5
  .. 6 .. 7 .. 8 .. 9 .. 0 .. 1 .. 2 .. 3 .. 4 .. 5 .. 6 .. 7 .. 8 .. 9 .. 0 .. 1 .. 2 .. 3 .. 4 .. 5 .. 6 .. 7 .. 8 .. 9 .. 0 .. 'end'
eq(long, ('1234567890'):rep(5) .. 'end')
fails(function() return 'a' .. nil end, 'attempt to concatenate a nil value')
fails(function() return {} .. 'a' end, 'attempt to concatenate a table value')
-------
-- the power operator
eq(2 ^ 10, 1024) eq(2 ^ 0.5, math.sqrt(2)) eq(-2 ^ 2, -4) eq(2 ^ 3 ^ 2, 512) eq(10 ^ -2, 0.01) eq('2' ^ '3', 8)
local p = setmetatable({}, {__pow = function() return 'pow' end}) eq(p ^ 2, 'pow') eq(2 ^ p, 'pow')
fails(function() return {} ^ 2 end, 'attempt to perform arithmetic on a table value')
-------
-- names of objects do not tell addresses
eq(tostring({}):match('^table: 0x%x+$') ~= nil, true)
local t = {} eq(tostring(t), tostring(t)) assert(tostring({}) ~= tostring({}))
eq(tostring(print), tostring(print))
-------
-- goto
for i = 1, 3 do
  if i == 2 then goto continue end
  eq(i % 2, 1)
  ::continue::
end
-------
-- nothing dangerous is there
for _, name in ipairs{'io', 'debug', 'package', 'dofile', 'loadfile', 'getfenv', 'setfenv', 'module', 'newproxy', '_printregs', 'channel', '_GOPHER_LUA_VERSION'} do
  eq(_G[name], nil)
end
for _, name in ipairs{'exit', 'execute', 'getenv', 'remove', 'rename', 'tmpname', 'setlocale', 'setenv'} do
  eq(os[name], nil)
end
eq(string.dump, nil)
eq(collectgarbage(), 0) eq(type(collectgarbage('count')), 'number')
