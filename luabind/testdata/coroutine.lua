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
-------
-- what a resume gives is what the yield returns: as many values as are awaited
local function try(want, f, ...)
  local co, r = coroutine.create(f), {}
  for i = 1, select('#', ...) do
    local values = (select(i, ...))
    local x = {coroutine.resume(co, unpack(values))}
    for k = 1, 4 do r[#r + 1] = tostring(x[k]) end
  end
  eq(table.concat(r, ' '), want)
end
try('true 1 nil nil true 7 nil nil', function() local a, b = coroutine.yield(1) return a, b end, {}, {7})
try('true 1 nil nil true 7 9 nil', function() local a = coroutine.yield(1) local z = 9 return a, z end, {}, {7, 8})
try('true 1 nil nil true 7 8 nil', function() return coroutine.yield(1) end, {}, {7, 8})
try('true 1 nil nil true nil nil nil', function() return coroutine.yield(1) end, {}, {})
try('true 1 nil nil true nil nil nil', function() return (coroutine.yield(1)) end, {}, {})
try('true 1 nil nil true 2 7 nil', function() local t = {coroutine.yield(1)} return #t, t[1] end, {}, {7, 8})
try('true 1 nil nil true 0 nil nil', function() local t = {coroutine.yield(1)} return #t, t[1] end, {}, {})
try('true 1 nil nil true 3 0 7', function() local function f(...) return select('#', ...), ... end return f(0, coroutine.yield(1)) end, {}, {7, 8})
try('true 1 nil nil true 1 0 nil', function() local function f(...) return select('#', ...), ... end return f(0, coroutine.yield(1)) end, {}, {})
try('true 1 nil nil true 6 nil nil', function() return 1 + coroutine.yield(1) end, {}, {5, 6})
try('true 1 nil nil true no nil nil', function() if coroutine.yield(1) then return 'yes' end return 'no' end, {}, {})
try('true 0 nil nil true 3 nil nil true 7 nil nil true done 7 nil', function() local s = 0 while true do local d = coroutine.yield(s) if not d then return 'done', s end s = s + d end end, {}, {3}, {4}, {})
try('true 1 nil nil true anil nil nil', function() return 'a' .. (coroutine.yield(1) or 'nil') end, {}, {})
try('true 1 nil nil true nil 2 nil', function() local t = {x = coroutine.yield(1), y = 2} return t.x, t.y end, {}, {})
try('true 1 nil nil true 5 nil nil', function() local t = {} t.a, t.b = coroutine.yield(1) return t.a, t.b end, {}, {5})
try('true 1 nil nil true nil 0 nil', function() local t = {} t[1] = coroutine.yield(1) return t[1], #t end, {}, {})
try('true 1 nil nil true 1 nil nil true nil 4 nil', function() local function f() local x = coroutine.yield(1) return x end return f(), f() end, {}, {}, {4})
try('true nil nil nil true nil nil nil true end nil nil', function() coroutine.yield() coroutine.yield() return 'end' end, {}, {1, 2, 3}, {4, 5})
try('true 1 nil nil true 6 nil nil', function() return coroutine.yield(1) and 5 or 6 end, {}, {})
local co = coroutine.create(function() return coroutine.yield(1) end)
eq(coroutine.resume(co), true) eq(coroutine.status(co), 'suspended') eq(select('#', coroutine.resume(co, nil, nil)), 3) eq(coroutine.status(co), 'dead')
eq(coroutine.resume(co), false)
local w = coroutine.wrap(function(a) return coroutine.yield(a) end) eq(w(1), 1) eq(w(2), 2) fails(w, 'dead')
