eq(('abc'):len(), 3) eq(('abc'):upper(), 'ABC') eq(('ÄbC'):lower(), 'Äbc') eq(('abc'):reverse(), 'cba')
eq(('hello'):sub(2, -2), 'ell') eq(('hello'):sub(-3), 'llo') eq(('hello'):sub(0), 'hello') eq(('hello'):sub(4, 2), '') eq(('hello'):sub(-100, 2), 'he')
eq(('abc'):byte(), 97) eq(select('#', ('abc'):byte(1, -1)), 3) eq(('abc'):byte(10), nil) eq(string.char(72, 105), 'Hi') eq(string.char(), '')
eq(('ab'):rep(3), 'ababab') eq(('ab'):rep(2, '-'), 'ab-ab') eq(('ab'):rep(0), '') eq(('ab'):rep(-1), '') eq((''):rep(1e15), '')
fails(function() string.char(256) end, 'value out of range')
fails(function() string.rep() end, "bad argument #1 to 'rep' (string expected, got no value)")
fails(function() ('x'):rep({}) end, "bad argument #2 to 'rep' (number expected, got table)")
eq(('x'):rep('3'), 'xxx') eq((5):type(), nil) --> error: attempt to index
-------
-- format
eq(string.format('%d %5d %-5d| %05d %+d %i', 3, 42, 42, 42, 7, -1), '3    42 42   | 00042 +7 -1')
eq(string.format('%d', 3.7), '3') eq(string.format('%d', -3.7), '-3') eq(string.format('%.3d', 5), '005')
eq(string.format('%x %X %#x %o %08x', 255, 255, 255, 8, 255), 'ff FF 0xff 10 000000ff') eq(string.format('%x', -1), 'ffffffffffffffff')
eq(string.format('%f %.2f %8.3f %-8.1f| %08.2f %+.1f', 1.5, 1/3, 3.14159, 2, -2.5, 1), '1.500000 0.33    3.142 2.0     | -0002.50 +1.0')
eq(string.format('%e %.2E %g %g %g %.3g %G', 12345.678, 0.00012, 1e20, 100000, 1e6, 1234.5, 1e-10), '1.234568e+04 1.20E-04 1e+20 100000 1e+06 1.23e+03 1E-10')
eq(string.format('%g %g %g', 0.1, 0.0001, 0.00001), '0.1 0.0001 1e-05') eq(string.format('%.14g', 2^53), '9.007199254741e+15') eq(string.format('%.14g', 0.1), '0.1')
eq(string.format('%g %f %5.1f|%-6g|', 1/0, -1/0, 0/0, 1/0), 'inf -inf   nan|inf   |')
eq(string.format('%s %10s %-4s| %.2s', 'a', 'b', 'c', 'defg'), 'a          b c   | de') eq(string.format('%s %s', nil, true), 'nil true')
eq(string.format('%q', 'a"b\\c\nd\0e\r'), '"a\\"b\\\\c\\\nd\\000e\\r"') eq(string.format('%c%c', 72, 105), 'Hi') eq(string.format('100%%'), '100%')
eq(string.format('%5s%%', 1), '    1%') eq(string.format('%s', setmetatable({}, {__tostring = function() return 'obj' end})), 'obj')
fails(function() string.format('%d', 'x') end, "bad argument #2 to 'format' (number expected, got string)")
fails(function() string.format('%d', 0/0) end, 'no integer representation') fails(function() string.format('%s') end, 'no value')
fails(function() string.format('%d', 2^63) end, 'no integer representation') eq(string.format('%d', -2^63), '-9223372036854775808') -- a number with another sign would be a lie
eq(string.format('%u', 2^63), '9223372036854775808') eq(string.format('%u %+u', 7, 7), '7 7') eq(string.format('%x', 2^63), '8000000000000000') fails(function() string.format('%u', 2^64) end, 'no integer representation')
fails(function() string.format('%y', 1) end, "invalid conversion '%y'") fails(function() string.format('%') end, 'invalid conversion') fails(function() string.format('%123d', 1) end, 'invalid conversion')
-------
-- patterns
eq(('hello world'):find('wor'), 7) eq(select(2, ('hello'):find('l+')), 4) eq(('a.b'):find('.', 1, true), 2) eq(('abc'):find('b', -1), nil) eq(('abc'):find(''), 1) eq(('abc'):find('', 10), 4)
eq(('key = value'):match('^(%w+)%s*=%s*(%w+)$'), 'key') eq(('2024-01-02'):match('(%d+)-(%d+)-(%d+)'), '2024') eq(('  trim  '):match('^%s*(.-)%s*$'), 'trim')
eq(('abc'):match('()b()'), 2) eq(('[[x]]'):match('%[%[(.-)%]%]'), 'x') eq(('f(a(b)c)d'):match('%b()'), '(a(b)c)') eq(('THE (quick) fox'):find('%((%a+)%)'), 5)
eq(('hello hello'):match('(%w+) %1'), 'hello') eq(('aaa'):match('a-'), '') eq(('aaab'):match('a-b'), 'aaab') eq(('abc'):match('[a-b]+'), 'ab') eq(('a]c'):match('[]]'), ']') eq(('a-c'):match('[a%-]+'), 'a-')
eq(('THE (quick) fox'):gsub('%f[%a]%a+', string.lower), 'the (quick) fox') eq(('x^y'):match('[%^]'), '^') eq(('a$b'):match('a$'), nil) eq(('a$b'):match('a$b'), 'a$b') eq(('\0a'):match('%z'), '\0')
eq(('héllo'):match('[\128-\255]+'), 'é') eq(('abc'):match('[^b]+'), 'a') eq(('abc123'):match('%a+'), 'abc') eq(('x.y'):match('%.'), '.')
local words = {} for w in ('one two  three'):gmatch('%a+') do words[#words + 1] = w end eq(table.concat(words, ','), 'one,two,three')
local pairs_ = {} for k, v in ('a=1, b=2'):gmatch('(%w+)=(%w+)') do pairs_[k] = v end eq(pairs_.a, '1') eq(pairs_.b, '2')
eq(('abc'):gsub('%w', '%0%0'), 'aabbcc') eq(('hello'):gsub('l', {l = 'L'}), 'heLLo') eq(('hello'):gsub('l', function() return nil end), 'hello') eq(select(2, ('hello'):gsub('l', 'L', 1)), 1)
eq(('abc'):gsub('', '-'), '-a-b-c-') eq(('abc'):gsub('^a', 'x'), 'xbc') eq(('a b'):gsub('(%w) (%w)', '%2 %1'), 'b a') eq(('x'):gsub('x', '%%'), '%') eq(('abc'):gsub('b*', '-'), '-a--c-')
fails(function() ('x'):gsub('x', '%2') end, 'invalid capture index') fails(function() ('x'):find('(') end, 'unfinished capture') fails(function() ('x'):match(')') end, 'invalid pattern capture')
fails(function() ('x'):find('[a') end, "missing ']'") fails(function() ('x'):find('%') end, "ends with '%'") fails(function() ('x'):find('%1') end, 'invalid capture index') fails(function() ('x'):find('%b(') end, "missing arguments to '%b'")
fails(function() ('x'):gsub('x', function() return {} end) end, 'invalid replacement value (a table)') fails(function() ('x'):gsub('x', true) end, 'string, table or function expected')
fails(function() ('x'):find(('('):rep(40)) end, 'too many captures') fails(function() ('a'):rep(1000):find(('a?'):rep(1000) .. 'b') end, 'pattern too complex')
-------
-- escapes of 5.4 that the machine's own lexer would misread
eq('\x41\x7a', 'Az') eq('\u{20AC}', '\226\130\172') eq("\u{1F600}", '\240\159\152\128') eq('\\x41', '\\' .. 'x41') eq('\065', 'A') eq(#'a\
b', 3)
-------
-- utf8
eq(utf8.char(72, 228, 8364, 128512), 'Hä€😀') eq(utf8.len('Hä€😀'), 4) eq(utf8.len('\255'), nil) eq(select(2, utf8.len('a\255')), 2)
eq(utf8.codepoint('€'), 8364) eq(select('#', utf8.codepoint('aä€', 1, -1)), 3) eq(utf8.offset('aä€', 3), 4) eq(utf8.offset('aä€', -1), 4) eq(utf8.offset('abc', 5), nil)
local o = {} for p, c in utf8.codes('aä€') do o[#o + 1] = p .. ':' .. c end eq(table.concat(o, ' '), '1:97 2:228 4:8364')
local step = utf8.codes('a') eq(step('a', -5), 1) eq(step('a', 0/0), 1) eq(step('a', 1e300), nil) fails(function() for _ in utf8.codes('a\255') do end end, 'invalid UTF-8') n = 0 for _ in ('aä€'):gmatch(utf8.charpattern) do n = n + 1 end eq(n, 3)
-------
-- texts that are spelled like what the sandbox calls its guards
for name, want in pairs{['\0concat'] = 7, ['\0set'] = 4, ['\0fields'] = 7, ['\0trim'] = 5, ['\0pow'] = 4, ['\0spread'] = 7} do eq(type(name), 'string') eq(#name, want) end
local t = {} t['\0set'] = 1 t['\0pow'], t.x = 2, 3 eq(t['\0set'], 1) eq(t['\0pow'], 2) eq('\0set' .. '\0trim', string.char(0) .. 'set' .. string.char(0) .. 'trim')
local function f(...) return select('#', ...), ... end
eq(select(2, f('\0spread')), string.char(0) .. 'spread') eq(('\0fields'):byte(2), 102)
fails(function() return ('\0concat')('a', 'b') end, 'attempt to call')
