-- config: sorted
-- pairs and next: numbers rising, then strings in byte order, whatever the history
local function order(t) local o = {} for k in pairs(t) do o[#o + 1] = tostring(k) end return table.concat(o, ' ') end
local function steps(t) local o, k = {}, next(t) while k ~= nil do o[#o + 1] = tostring(k) k = next(t, k) end return table.concat(o, ' ') end
local a = {b = 1, a = 2, 10, 20, [0] = 3, [-1] = 4, [2.5] = 5, [true] = 6, [false] = 7}
local b = {} b.a = 1 b[true] = 1 b[2.5] = 1 b[2] = 1 b[1] = 1 b[-1] = 1 b[0] = 1 b.b = 1 b[false] = 1
eq(order(a), '-1 0 1 2 2.5 a b false true') eq(order(b), order(a)) eq(steps(a), order(a)) eq(steps(b), order(a))
a.b = nil a.b = 1 eq(order(a), order(b))
local t = {c = 1, a = 1, b = 1}
local seen = ''
for k in pairs(t) do seen = seen .. k t.b = nil t.z = 1 end eq(seen, 'ac')
eq(next({}), nil)
local objects = {} local x, y = {}, {} objects[x] = 1 objects[y] = 2 objects.s = 3
local n = 0 for _ in pairs(objects) do n = n + 1 end eq(n, 3)
eq(#steps(objects) > 0, true)
eq(collectgarbage('count'), 0)
