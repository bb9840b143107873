-- lengths and trailing nils
local t = {1, 2, 3}
t[#t] = nil eq(#t, 2) t[#t + 1] = 9 eq(#t, 3) eq(t[3], 9)
t[3] = nil t[2] = nil eq(#t, 1)
for i = 1, 100 do t[i] = i end
for i = 100, 1, -1 do t[i] = nil end
eq(#t, 0) eq(next(t), nil)
eq(#{1, 2, nil}, 2) eq(#{nil}, 0)
local function none() end
local function some() return 1, 2, nil end
eq(#{none()}, 0) eq(#{some()}, 2) eq(#{0, some()}, 3) eq(#{(some())}, 1) eq(select('#', (some())), 1)
local function va(...) return #{...} end eq(va(1, nil, nil), 1) eq(va(), 0)
-------
-- computed keys in constructors and assignments
local k, v = 'key', 5
local t = {[k] = v, 'first', [1 + 1] = 'two', plain = true, [true] = 'yes', [0] = 'zero', [1.5] = 'half'}
eq(t.key, 5) eq(t[1], 'first') eq(t[2], 'two') eq(t.plain, true) eq(t[true], 'yes') eq(t[0], 'zero') eq(t[1.5], 'half')
local many = {}
local big = {[k..1]=1,[k..2]=2,[k..3]=3,[k..4]=4,[k..5]=5,[k..6]=6,[k..7]=7,[k..8]=8,[k..9]=9,[k..10]=10,[k..11]=11,[k..12]=12,
  [k..13]=13,[k..14]=14,[k..15]=15,[k..16]=16,[k..17]=17,[k..18]=18,[k..19]=19,[k..20]=20,[k..21]=21,[k..22]=22}
for i = 1, 22 do eq(big['key' .. i], i) end
local i, j = 1, 2
local a = {10, 20}
a[i], a[j] = a[j], a[i] eq(a[1], 20) eq(a[2], 10)
i, a[i] = i + 1, 'x' eq(i, 2) eq(a[1], 'x')
local function two() return 'p', 'q' end
a[i], a.name = two() eq(a[2], 'p') eq(a.name, 'q')
local log = {}
local m = setmetatable({}, {__newindex = function(_, key, value) log[#log + 1] = tostring(key) .. '=' .. tostring(value) end})
m[i] = 1 m.x = 2 m[{} and 'z'] = 3
eq(table.concat(log, ' '), '2=1 x=2 z=3')
local chain = setmetatable({}, {__newindex = m}) chain[7] = 8 eq(log[4], '7=8')
local owned = setmetatable({[i] = 1}, {__newindex = function() error('no') end}) owned[i] = 2 eq(owned[2], 2)
-------
local t = {} t[nil] = 1 --> error: table index is nil
-------
local t = {} t[0/0] = 1 --> error: table index is NaN
-------
local t; t[1] = 1 --> error: attempt to index
-------
local s = 'abc' s[1] = 'x' --> error: attempt to index
-------
-- insert and remove
local t = {}
table.insert(t, 'a') table.insert(t, 1, 'b') table.insert(t, 2, 'c') eq(table.concat(t), 'bca')
eq(table.remove(t, 1), 'b') eq(table.remove(t), 'a') eq(#t, 1) eq(table.remove(t), 'c') eq(table.remove(t), nil) eq(#t, 0)
fails(function() table.insert({1}, 5, 'x') end, 'position out of bounds')
fails(function() table.insert({1}) end, 'wrong number of arguments')
fails(function() table.insert() end, "bad argument #1 to 'insert' (table expected, got no value)")
fails(function() table.remove({1, 2}, 7) end, 'position out of bounds')
-------
-- concat
eq(table.concat({1, 'b', 2.5}, '-'), '1-b-2.5') eq(table.concat({}), '') eq(table.concat({1, 2, 3}, ',', 2), '2,3')
eq(table.concat({1, 2, 3}, ',', 2, 2), '2') eq(table.concat({1, 2}, ',', 3), '')
fails(function() table.concat({1, {}, 3}) end, 'invalid value (table) at index 2')
fails(function() table.concat({}, '', 1, 3) end, 'invalid value (nil) at index 1')
fails(function() table.concat({}, '', 1, 1e15) end, 'range too long')
-------
-- sort
local t = {5, 2, 9, 1, 7} table.sort(t) eq(table.concat(t, ' '), '1 2 5 7 9')
table.sort(t, function(a, b) return a > b end) eq(table.concat(t, ' '), '9 7 5 2 1')
local w = {'pear', 'fig', 'apple'} table.sort(w) eq(table.concat(w, ' '), 'apple fig pear')
local stable = {} for i = 1, 100 do stable[i] = {i % 3, i} end
table.sort(stable, function(a, b) return a[1] < b[1] end)
for i = 2, 100 do assert(stable[i-1][1] < stable[i][1] or stable[i-1][2] < stable[i][2], 'sorting is stable') end
table.sort({3, 1, 2, 5, 4, 9, 8}, function() return true end) -- inconsistent, harmless
fails(function() table.sort({1, 'a'}) end, 'attempt to compare')
local broken = {3, 2, 1}
fails(function() table.sort(broken, function() error('cmp') end) end, 'cmp') eq(table.concat(broken), '321')
-------
-- pack, unpack, move, maxn
local p = table.pack(1, nil, 3, nil) eq(p.n, 4) eq(p[1], 1) eq(p[3], 3)
eq(select('#', table.unpack(p, 1, p.n)), 4) eq(select('#', unpack({1, 2})), 2) eq(unpack({}, 1, 0), nil)
fails(function() unpack({}, 1, 1e7) end, 'too many results to unpack')
fails(function() unpack({}, -1e300, 1e300) end, 'too many results to unpack')
eq(table.concat(table.move({1, 2, 3}, 2, 3, 1), ','), '2,3,3') eq(table.concat(table.move({1, 2, 3}, 1, 3, 2), ','), '1,1,2,3')
eq(table.concat(table.move({1, 2}, 1, 2, 1, {}), ','), '1,2')
eq(table.maxn({1, 2, [1e9] = 1}), 1e9) eq(table.maxn({}), 0)
-------
-- iteration: the array part, then keys as they were first set
local t = {10, 20, x = 1, y = 2}
local seen = {} for k, v in pairs(t) do seen[#seen + 1] = tostring(k) .. '=' .. v end
eq(table.concat(seen, ' '), '1=10 2=20 x=1 y=2')
for k in pairs(t) do t[k] = nil end eq(next(t), nil)
local holes = {} holes[1] = 1 holes[5] = 5
local n = 0 for k, v in pairs(holes) do n = n + 1 eq(k, v) end eq(n, 2)
n = 0 for _ in ipairs{1, 2, nil, 4} do n = n + 1 end eq(n, 2)
local custom = setmetatable({}, {__pairs = function(t) return function(_, k) if not k then return 1, 'one' end end, t, nil end})
for k, v in pairs(custom) do eq(k, 1) eq(v, 'one') end
local proxy = setmetatable({}, {__index = function(_, i) if i < 4 then return i * 10 end end})
n = 0 for i, v in ipairs(proxy) do n = n + 1 eq(v, i * 10) end eq(n, 3)
fails(function() for _ in pairs(nil) do end end, "bad argument #1 to 'pairs' (table expected, got nil)")
fails(function() for _ in pairs() do end end, "bad argument #1 to 'pairs' (value expected)")
-------
-- keys come and go for ever without growing
local t = {}
for i = 1, 40000 do t['k' .. i] = i t['k' .. (i - 10)] = nil end
local n = 0 for _ in pairs(t) do n = n + 1 end eq(n, 10)
-------
-- a call behind a name is one value, also at the end
local function f() return 7, 8 end
local function g(...) return {1, z = ...} end
eq(#{1, 2, z = f()}, 2) eq(({1, z = f()}).z, 7) eq(({1, z = f()})[2], nil) eq(#{1, ['z'] = f()}, 1) eq(#g(5, 6), 1) eq(g(5, 6).z, 5)
eq(#{z = 1, f()}, 2) eq(#{1, (f())}, 2) eq(#{f(), f()}, 3)
-------
-- multiple assignment: everything is evaluated before anything is assigned
local a, b, c = 1, 2, 3
a, b = b, a eq(a, 2) eq(b, 1)
a, b, c = c, a, b eq(a, 3) eq(b, 2) eq(c, 1)
local s, t = 'old', {}
g, s = s, 5 eq(g, 'old') eq(s, 5)
s = 'old' s, g = 1, s eq(g, 'old') eq(s, 1)
s = 'old' t.x, s = s, 5 eq(t.x, 'old')
s = 'old' t[s], s = s, 5 eq(t.old, 'old')
s = 'old' t.a, t.b, s = s, s, s .. '!' eq(t.a, 'old') eq(t.b, 'old') eq(s, 'old!')
local p, q = {v = 1}, nil q = p p, p.v = {v = 5}, 9 eq(p.v, 5) eq(q.v, 9)
local i, arr = 1, {} i, arr[i] = i + 1, 20 eq(i, 2) eq(arr[1], 20) eq(arr[2], nil)
local function two() return 'p', 'q' end
a, b, c = two() eq(a, 'p') eq(b, 'q') eq(c, nil)
a, b = two(), two() eq(a, 'p') eq(b, 'p')
a, b = 1 eq(a, 1) eq(b, nil)
a, b = 1, 2, 3 eq(b, 2)
a, b = b, a, two() eq(a, 2) eq(b, 1)
local function swap(x, y) x, y = y, x return x, y end
eq(select(2, swap(1, 2)), 1) eq(swap(1, 2), 2)
local up = 1 local function f() up, a = a, up end a = 5 f() eq(up, 5) eq(a, 1)
