local co = coroutine.create(function(a, b) local c = coroutine.yield(a + b) local d, e = coroutine.yield(c * 2) return d + e end)
eq(select(2, coroutine.resume(co, 1, 2)), 3) eq(coroutine.status(co), 'suspended') eq(select(2, coroutine.resume(co, 10)), 20)
eq(select(2, coroutine.resume(co, 3, 4)), 7) eq(coroutine.status(co), 'dead')
local ok, e = coroutine.resume(co) eq(ok, false) eq(e, 'cannot resume dead coroutine')
local gen = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)
eq(gen(), 1) eq(gen(), 2) eq(gen(), 3) eq(gen(), nil) fails(gen, 'cannot resume dead coroutine')
for i in coroutine.wrap(function() coroutine.yield(1) end) do eq(i, 1) end
-------
-- errors, also of tables, and the variables of the survivors
local n = 0
local co = coroutine.create(function() n = n + 1 error({code = 3}) end)
local ok, e = coroutine.resume(co) eq(ok, false) eq(e.code, 3) n = n + 1 eq(n, 2) eq(coroutine.status(co), 'dead')
ok, e = coroutine.resume(coroutine.create(function() local x = nil; return x.y end)) eq(ok, false) assert(e:find('coroutine.lua:%d+: attempt to index'), e)
ok, e = pcall(coroutine.wrap(function() error('in wrap', 0) end)) eq(ok, false) eq(e, 'in wrap')
-------
-- who runs
eq(coroutine.running(), nil) eq(coroutine.isyieldable(), false)
local co co = coroutine.create(function()
  eq(coroutine.running(), co) eq(coroutine.status(co), 'running') eq(coroutine.isyieldable(), true)
  eq(select(2, pcall(coroutine.running)), co) -- a protected call runs on a thread that nobody sees
  pcall(function() eq(coroutine.status(co), 'running') eq(coroutine.isyieldable(), false) end)
  local inner = coroutine.wrap(function() eq(coroutine.status(co), 'normal') local ok, e = coroutine.resume(co) eq(ok, false) eq(e, 'cannot resume non-suspended coroutine') return true end)
  eq(inner(), true)
  eq(select(2, coroutine.resume(co)), 'cannot resume non-suspended coroutine')
  return 'done'
end)
local ok, r = coroutine.resume(co) assert(ok, r) eq(r, 'done')
-------
-- Go functions as a coroutine's first
eq(coroutine.wrap(string.rep)('ab', 2), 'abab') eq(select('#', coroutine.resume(coroutine.create(print), 1)), 1)
eq(select(2, coroutine.resume(coroutine.create(pcall), error, 'x')), false)
local y = coroutine.wrap(coroutine.yield) eq(y(5), 5)
-------
coroutine.yield(1) --> error: attempt to yield from outside a coroutine
-------
-- yields below what cannot be left
local function run(f) local ok, e = coroutine.resume(coroutine.create(f)) eq(ok, false) return e end
local m = setmetatable({}, {__index = function() coroutine.yield(1) end, __add = function() coroutine.yield(1) end})
assert(run(function() return m.x end):find('attempt to yield across a metamethod'))
assert(run(function() return m + 1 end):find('attempt to yield across'))
assert(run(function() for x in function() coroutine.yield(1) end do end end):find('attempt to yield across'))
assert(run(function() table.sort({2, 1}, function() coroutine.yield(1) end) end):find('attempt to yield across'))
assert(run(function() ('x'):gsub('x', function() coroutine.yield(1) end) end):find('attempt to yield across'))
assert(run(function() local ok, e = pcall(coroutine.yield, 1) error(e, 0) end):find('attempt to yield across a protected call'))
-- and below what can
eq(coroutine.wrap(function() local function f() return coroutine.yield(7) end f() end)(), 7)
eq(coroutine.wrap(function() return coroutine.yield(8) end)(), 8)
-------
-- nesting is bounded
local function nest() local ok, e = coroutine.resume(coroutine.create(nest)) if not ok then error(e, 0) end end
local ok, e = pcall(nest) eq(ok, false) assert(e:find('stack overflow'), e)
local function pnest() local ok, e = pcall(pnest) if not ok then error(e, 0) end end
ok, e = pcall(pnest) eq(ok, false) assert(e:find('stack overflow'), e)
local function deep(n) return 1 + deep(n + 1) end
ok, e = pcall(deep, 1) eq(ok, false) assert(e:find('stack overflow'), e)
local mt = {} mt.__index = function(t, k) return setmetatable({}, mt)[k] end
ok, e = pcall(function() return setmetatable({}, mt).x end) eq(ok, false) assert(e:find('stack overflow'), e)
local function tail(n) if n == 0 then return 'end' end return tail(n - 1) end eq(tail(100000), 'end')
local function count(n) if n == 0 then return 0 end return 1 + count(n - 1) end eq(count(900), 900)
-------
local function f() return 1 + f() end f() --> error: stack overflow
-------
-- close
local co = coroutine.create(function() coroutine.yield() end) coroutine.resume(co) eq(coroutine.close(co), true) eq(coroutine.status(co), 'dead')
fails(function() coroutine.create() end, "bad argument #1 to 'create' (function expected, got no value)") fails(function() coroutine.resume(5) end, "bad argument #1 to 'resume' (coroutine expected, got number)")
