package luabind

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// grammar makes random scripts: words in capitals are replaced by one of their
// lines, by one of the first two when the script is deep enough.
var grammar = map[string][]string{
	"NUM": {"n", "2", "1", "m", "0", "(-1)", "(NUM + NUM)", "(NUM * 2 - NUM)", "#(STR)", "(BOOL and NUM or NUM)", "(2 ^ 3)", "first(LIST)", "count(LIST)",
		"(NUM % -3)", "(-NUM)", "math.floor(NUM / 2)", "(tonumber(STR) or 7)", "((STR):find(PATTERN) or 0)", "(obj.total + NUM)", "(v1 + NUM).n",
		"select('#', LIST)", "('10' + NUM) * '2'"},
	"STR": {"s", "'a'", "'b'", "'k'", "(STR .. STR)", "(STR .. NUM .. STR)", "spell(VALUE)", "(STR):sub(NUM, NUM)", "((STR):gsub(PATTERN, '<%0>'))",
		"((STR):gsub(PATTERN, {a = 'Q', b = false}))", "((STR):gsub(PATTERN, function(c) if c == 'a' then return STR end end))", "(STR):rep(2)",
		"string.format('%d|%-4s|%q', math.abs(NUM) % 100, STR, STR)", "(v1 .. STR)", "table.concat({STR, STR, 2.5}, ',')", "((STR):match(PATTERN) or '-')",
		"(tostring(v1 == v2) .. tostring(v1 < v2))", "(v1.some .. v1[1])", "obj.name:upper():reverse()"},
	"BOOL":    {"true", "false", "(NUM < NUM)", "(STR == STR)", "not (VALUE)", "(NUM >= NUM)"},
	"PATTERN": {"'a'", "'%a'", "'[ab]+'", "'(%w)(%w)'", "'%d+'", "'^a'", "'b$'", "'.-b'", "'()b'", "'[^a]'", "'k?a'", "'(a*(b))'", "'%bab'"},
	"TABLE": {"{}", "{NUM}", "{NUM, x = VALUE}", "{x = VALUE, two(LIST)}", "{NUM, z = two(LIST)}", "{[STR .. 'k'] = VALUE, NUM, NUM}", "{two(LIST), n = NUM}", "{(two(LIST))}",
		"{x = NUM, [STR .. 'k'] = two(LIST); two(LIST)}"},
	"VALUE": {"NUM", "STR", "BOOL", "TABLE", "t[STR]", "u[NUM]", "t.x", "(two(LIST))"},
	"LIST":  {"NUM", "STR", "VALUE, VALUE", "VALUE, two(LIST)", "two(LIST)", "NUM, NUM, NUM", "nil, VALUE"},
	"PLACE": {"g", "t.x", "u[STR]", "t[1]", "u[n]", "t[STR .. 'k']", "two(LIST) and t or u"},
	"STMT": {"out(VALUE)", "n, m = m, n", "out(obj:add(NUM), obj:add(1))", "PLACE1 = VALUE", "PLACE1, PLACE1 = LIST", "PLACE1, PLACE1, s = VALUE, VALUE, (STR):sub(1, 20)", "s, PLACE1 = (STR):sub(1, 20), s", "out(LIST)",
		"do local s, t = (STR):sub(1, 20), TABLE STMT STMT out(s, t) end", "for i = 1, 3 do local n = i STMT STMT end", "if BOOL then STMT else STMT STMT end",
		"out(pcall(function() STMT local z = VALUE return z.x.y end))", "local _ = (function(...) out(..., NUM) t.x, g = ... STMT out({...}, select('#', ...), (...)) end)(LIST)",
		"local k = 0 while k < 3 do k = k + 1 if k == 2 and BOOL then break end STMT end", "local k = 0 repeat local q = k k = k + 1 STMT until q > 1 or BOOL",
		"local fs = {} for i = 1, 3 do local j = i * 2 fs[i] = function(d) j = j + (d or 1) return i + j end end out(fs[1](), fs[1](2), fs[2](), fs[3](NUM))",
		"for i = 3, 1, -1 do out(i, VALUE) end for i = 1, 2, 0.5 do out(i) end for i = 2, 1 do out('never') end", "for i, v in ipairs({NUM, STR, nil, 4}) do out(i, v) end",
		"local co = coroutine.wrap(function(a, b) local c = coroutine.yield(a, b) out(c) local d, e = coroutine.yield(c, VALUE) STMT return coroutine.yield(d, e) end) " +
			"out(co(LIST)) out(co()) out(co(LIST)) out(co(VALUE)) out((pcall(co)))",
		"local l = {5, 2, 8, NUM} table.sort(l, function(a, b) return a > b end) table.insert(l, 2, 9) table.insert(l, NUM) out(table.remove(l, 1), table.remove(l), #l, l)",
		"local function rec(d, ...) if d == 0 then return ... end return rec(d - 1, d, ...) end out(rec(5, LIST))", "out(unpack({LIST}, 1, 3))",
		"local a, b, c = VALUE, VALUE a, b, c = c, a, b out(a, b, c) a, b = b, a out(a, b)", "v1.n = NUM v2[STR .. 'q'] = VALUE out(v2.n, v1.n, v1.other, rawget(v2, 'n'), v2)",
		"out(v1(LIST))", "local up = NUM local function inc(d) up = up + d return up end local function get() return up end out(inc(1), get(), inc(NUM), get(), up)",
		"local ok, e = pcall(error, {code = NUM}) out(ok, e.code) out(pcall(error)) out((pcall(error, 'm', 0)))",
		"local x = VALUE x = x and VALUE or x out(x) x = not x and x or VALUE out(x)", "out(#'\\65\\n\\t\\'', [==[x]]]==])",
		"out(xpcall(function() STMT error('x') end, function(m) return 'h' end))"},
	"PLACE1": {"g", "t.x", "u[STR]", "t[1]", "u[n]", "t[STR .. 'k']", "t.y"},
}

var symbol = regexp.MustCompile(`\b[A-Z]{3,}1?\b`)

// grow expands a line of the grammar.
func grow(r *rand.Rand, line string, depth int) string {
	return symbol.ReplaceAllStringFunc(line, func(name string) string {
		lines := grammar[name]
		if depth > 5 {
			lines = lines[:2]
		}
		return grow(r, lines[r.IntN(len(lines))], depth+1)
	})
}

// dialectPrelude is what the scripts work with; out spells values in a way that
// does not show what may differ: addresses, wordings, the sign of zero.
const dialectPrelude = `
local res = {}
local function show(v, d)
  if type(v) == 'number' then return v == 0 and '0' or string.format('%.14g', v) end
  if type(v) == 'string' then return v:find('attempt') and 'ERR' or (v:gsub('^[^ ]*:%d+: ', ''):sub(1, 60):gsub('%z', '0')) end
  if type(v) ~= 'table' then return tostring(v):match('^%a+') end
  if (d or 0) > 2 then return '..' end
  local keys, o = {}, ''
  for k in pairs(v) do keys[#keys + 1] = k end
  table.sort(keys, function(a, b) return type(a) .. tostring(a) < type(b) .. tostring(b) end)
  for _, k in ipairs(keys) do o = o .. type(k):sub(1, 1) .. show(k) .. '=' .. show(v[k], (d or 0) + 1) .. ' ' end
  return '{' .. o .. '}'
end
local function spell(v) return type(v) == 'table' and 'T' or show(v) end
local function out(...)
  for i = 1, select('#', ...) do if #res < 3000 then res[#res + 1] = show((select(i, ...))) end end
  res[#res + 1] = '|'
end
local function first(v) return type(v) == 'number' and v or 0 end
local function count(...) return select('#', ...) end
local function two(...) return ..., 'w' end
local mt = {}
mt.__index = function(_, k) return 'i' .. show(k) end
mt.__newindex = function(o, k, v) rawset(o, k, v) end
local function plain(v) return type(v) == 'table' and rawget(v, 'n') or v end
mt.__add = function(a, b) return {n = plain(a) + plain(b)} end
mt.__concat = function(a, b) return 'C' .. (type(a) == 'table' and 'o' or a) .. (type(b) == 'table' and 'o' or b) end
mt.__eq = function() return true end
mt.__lt = function(a, b) return plain(a) < plain(b) end
mt.__call = function(_, ...) return 'called', select('#', ...), ... end
local v1, v2 = setmetatable({n = 1}, mt), setmetatable({n = 2}, mt)
local Obj = {} Obj.__index = Obj
function Obj:add(k) self.total = self.total + k return self.total end
local obj = setmetatable({total = 0, name = 'Obj'}, Obj)
local t, u, s, n, m = {}, {}, 's', 1, 2
g = nil
`

// TestTheDialectIsLua51 runs random scripts here and by the Lua 5.1 of the
// machine, where there is one, and compares what they print. Fields with
// computed keys are evaluated after the others here, so values of the scripts have
// no side effects, and no field is given twice.
func TestTheDialectIsLua51(t *testing.T) {
	lua51, err := exec.LookPath("lua5.1")
	if err != nil {
		t.Skip("needs lua5.1 (Debian: apt install lua5.1) to compare with")
	}
	const scripts = 400
	r := rand.New(rand.NewPCG(5, 1))
	var list []string
	var driver strings.Builder
	for range scripts {
		var body strings.Builder
		for range 7 {
			body.WriteString(grow(r, "STMT", 0) + ";\n")
		}
		src := dialectPrelude + body.String() + "out(t, u, s, n, m, g) return table.concat(res, ' ')"
		list = append(list, src)
		fmt.Fprintf(&driver, "do local f, e = loadstring([===[%s]===]) local ok, v = pcall(f or error, e) print(((ok and v or 'error'):gsub('\\n', '~'))) end\n", src)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, lua51, "-")
	cmd.Stdin = strings.NewReader(driver.String())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %.500s", err, out)
	}
	lines, failed := strings.Split(string(out), "\n"), 0
	for i, src := range list {
		s := New(Config{})
		v, err := s.Load("script", []byte(src))
		got := strings.ReplaceAll(v.String(), "\n", "~")
		if err != nil {
			got = "error"
			failed++
		}
		if got != lines[i] {
			t.Errorf("script %d prints\n%s (%v)\nand must print\n%s\n%s", i, got, err, lines[i], src[len(dialectPrelude):])
		}
		if c := s.Counters(); c.Panics > 0 {
			t.Errorf("script %d: a fault of the machine: %v", i, err)
		}
	}
	if failed > scripts/4 {
		t.Errorf("%d of %d scripts end with an error: they test little", failed, scripts)
	}
}
