package luabind

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// attack is a script whose function attack() must be stopped on a given line.
type attack struct {
	name string
	src  string // line 1 begins right after the opening quote
	line int    // 0 = any
}

// loops are scripts that would run for ever.
var loops = []attack{
	{"empty loop", "function attack() while true do end end", 1},
	{"repeat", "function attack()\nrepeat local x = 1 until false end", 2},
	{"goto", "function attack()\n::a::\ngoto a end", 3},
	{"huge for", "function attack() for i = 1, 1e300 do end end", 1},
	{"tail calls", "function attack() local function f() return f() end f() end", 1},
	{"pcall", "function attack() pcall(function()\nwhile true do end end) end", 2},
	{"pcall in a loop", "function attack() while true do pcall(function()\nwhile true do end end) end end", 2},
	{"tail pcall", "local function spin()\nwhile true do end end\nfunction attack() return pcall(spin) end", 2},
	{"pcall of pcall", "local function spin()\nwhile true do end end\nfunction attack() return pcall(pcall, pcall, spin) end", 2},
	{"xpcall handler", "function attack() xpcall(error, function()\nwhile true do end end) end", 2},
	{"handler of the budget", "function attack() xpcall(function()\nwhile true do end end, function() while true do end end) end", 2},
	{"coroutine", "function attack() coroutine.wrap(function()\nwhile true do end end)() end", 2},
	{"resume", "function attack() local co = coroutine.create(function()\nwhile true do end end) coroutine.resume(co) coroutine.resume(co) end", 2},
	{"coroutines in coroutines", "local function f(n) if n == 0 then\nwhile true do end end coroutine.resume(coroutine.create(f), n - 1) end\nfunction attack() f(50) end", 2},
	{"endless yields", "function attack() local co = coroutine.wrap(function() while true do coroutine.yield() end end) while true do co() end end", 1},
	{"fresh coroutines", "function attack() while true do coroutine.wrap(function() coroutine.yield() end)() end end", 1},
	{"iterator", "function attack() for _ in function() return 1 end do end end", 1},
	{"pairs that never ends", "function attack() for _ in pairs(setmetatable({}, {__pairs = function() return function() return 1 end end})) do end end", 1},
	{"__index", "local t = setmetatable({}, {__index = function()\nwhile true do end end})\nfunction attack() return t.x end", 2},
	{"__newindex", "local t = setmetatable({}, {__newindex = function()\nwhile true do end end})\nfunction attack() t[1] = 1 end", 2},
	{"__tostring", "local t = setmetatable({}, {__tostring = function()\nwhile true do end end})\nfunction attack() print(t) end", 2},
	{"__concat", "local t = setmetatable({}, {__concat = function()\nwhile true do end end})\nfunction attack() return 'a' .. t end", 2},
	{"__lt", "local mt = {__lt = function()\nwhile true do end end}\nlocal a, b = setmetatable({}, mt), setmetatable({}, mt)\nfunction attack() return a < b end", 2},
	{"__eq", "local mt = {__eq = function()\nwhile true do end end}\nlocal a, b = setmetatable({}, mt), setmetatable({}, mt)\nfunction attack() return a == b end", 2},
	{"__call", "local t = setmetatable({}, {__call = function()\nwhile true do end end})\nfunction attack() t() end", 2},
	{"__unm", "local t = setmetatable({}, {__unm = function()\nwhile true do end end})\nfunction attack() return -t end", 2},
	{"__pow", "local t = setmetatable({}, {__pow = function()\nwhile true do end end})\nfunction attack() return t ^ 2 end", 2},
	{"environment with __index", "setmetatable(_G, {__index = function()\nwhile true do end end})\nfunction attack() return nowhere end", 2},
	{"sort", "function attack() table.sort({3, 2, 1}, function()\nwhile true do end end) end", 2},
	{"gsub callback", "function attack() ('x'):gsub('x', function()\nwhile true do end end) end", 2},
	{"load", "function attack() load('while true do end')() end", 0},
	{"load reader", "function attack() load(function()\nwhile true do end end) end", 2},
	{"load that never ends", "function attack() load(function() return ' ' end) end", 1},
	{"require", "function attack() require('spin') end", 0},
	{"pattern", "local s = ('a'):rep(40)\nfunction attack() s:find(('a?'):rep(40) .. ('a'):rep(40) .. 'b') end", 2},
	{"lazy pattern", "local s = ('a'):rep(5000)\nfunction attack() s:find('.-.-.-.-.-b') end", 2},
	{"gsub pattern", "local s = ('a'):rep(3000)\nfunction attack() s:gsub('(.-)(.-)(.-)(.-)b', '') end", 2},
	{"gmatch pattern", "local s = ('a'):rep(3000)\nfunction attack() for _ in s:gmatch('.-.-.-b') do end end", 2},
	{"balance", "local s = ('('):rep(200000)\nfunction attack() for i = 1, 1e6 do s:find('%b()') end end", 2},
	{"reverse", "local s = ('x'):rep(1000000)\nfunction attack() while true do s:reverse() end end", 2},
	{"insert in front", "local t = {}\nfor i = 1, 100000 do t[i] = i end\nfunction attack() while true do table.insert(t, 1, 0) table.remove(t, 1) end end", 3},
	{"length of what was long", "local t = {}\nfor i = 1, 200000 do t[i] = i end for i = 200000, 1, -1 do t[i] = nil end\nfunction attack() while true do local n = #t end end", 3},
	{"deep failing recursion", "function attack() local function f() pcall(f) f() end f() end", 1},
	{"tostring", "function attack() while true do tostring({}) end end", 1},
	{"print", "function attack() while true do print('x') end end", 1},
	{"sorted next", "local t = {} for i = 1, 1000 do t['k' .. i] = i end\nfunction attack() while true do next(t) end end", 2},
}

// bombs are scripts that would take all memory.
var bombs = []attack{
	{"doubling", "function attack() local s = 'x'\nwhile true do s = s .. s end end", 2},
	{"doubling many", "function attack() local s = 'x'\nwhile true do s = s .. s .. s .. 'y' .. s end end", 2},
	{"doubling in pcall", "function attack() local s = 'x'\nwhile true do pcall(function() s = s .. s end) end end", 2},
	{"rep", "function attack() return ('x'):rep(1e9) end", 1},
	{"rep of rep", "function attack() return ('x'):rep(1e6):rep(1e6) end", 1},
	{"rep with separator", "function attack() return (''):rep(1e9, 'xxxxxxxxxx') end", 1},
	{"format", "function attack() local s = 'x'\nwhile true do s = string.format('%s%s', s, s) end end", 2},
	{"quoted", "function attack() local s = '\\0'\nwhile true do s = string.format('%q', s) end end", 2},
	{"gsub", "function attack() local s = ('x'):rep(1000)\nwhile true do s = s:gsub('x', 'xxxx') end end", 2},
	{"gsub callback", "function attack() local r = ('y'):rep(1e6)\nreturn ('x'):rep(1e5):gsub('x', function() return r end) end", 2},
	{"concat", "function attack() local t = {} for i = 1, 1000 do t[i] = ('x'):rep(10000) end\nlocal r = {} while true do r[#r + 1] = table.concat(t) end end", 2},
	{"tables", "function attack() local t = {}\nwhile true do t[#t + 1] = {{{{}}}} end end", 2},
	{"tables as field log B104", "function attack() local t = {}\nfor i = 1, 1e9 do t[i] = {{{{}}}} end end", 2},
	{"linked", "function attack() local t = {}\nwhile true do t = {t} end end", 2},
	{"global keys", "function attack()\nfor i = 1, 1e7 do _G['k' .. i] = i end end", 2},
	{"closures", "function attack() local t = {}\nwhile true do local x = 1 t[#t + 1] = function() return x end end end", 2},
	{"coroutines", "function attack() local t = {}\nwhile true do t[#t + 1] = coroutine.create(print) end end", 2},
	{"sparse", "function attack() local t = {}\nt[60000000] = 1 end", 2},
	{"sparse many", "function attack() local k = {}\nwhile true do local t = {} t[50000] = 1 k[#k + 1] = t end end", 2},
	{"sparse constructor", "function attack() return {[60000000] = 1} end", 1},
	{"sparse swap", "function attack() local t = {}\nt[1], t[60000000] = 1, 2 end", 2},
	{"rawset sparse", "function attack() rawset({}, 60000000, 1) end", 1},
	{"move sparse", "function attack() table.move({1}, 1, 1, 60000000) end", 1},
	{"insert", "function attack() local t = {}\nwhile true do table.insert(t, {}) end end", 2},
	{"upper", "function attack() local k, s = {}, ('x'):rep(1000000)\nwhile true do k[#k + 1] = s:upper() end end", 2},
	{"stack of strings", "function attack() local function f(s) return f(s .. s) end\nreturn f('x') end", 0},
	{"varargs", "function attack() local function f(...) return f({...}, ...) end\nf() end", 0},
	{"in a coroutine", "function attack() coroutine.wrap(function() local s = 'x'\nwhile true do s = s .. s end end)() end", 2},
	{"in a metamethod", "local m = setmetatable({}, {__index = function() local s = 'x'\nwhile true do s = s .. s end end})\nfunction attack() return m.x end", 2},
	{"strings kept", "function attack() local t = {}\nfor i = 1, 1e9 do t[i] = ('x'):rep(100) .. i end end", 2},
}

// heapNow returns the bytes of live objects.
func heapNow() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func sandboxFor(t *testing.T, sorted bool) *State {
	t.Helper()
	return New(Config{
		Instructions: 2_000_000, LoadInstructions: 20_000_000, Memory: 24 << 20, Sorted: sorted,
		Resolve: func(string) ([]byte, string, error) { return []byte("while true do end"), "scripts/spin.lua", nil },
	})
}

// stopped checks that an attack ended as it must.
func stopped(t *testing.T, a attack, err error, kind ErrorKind) {
	t.Helper()
	var e *ScriptError
	if !errors.As(err, &e) {
		t.Fatalf("it was not stopped: %v", err)
	}
	if e.Kind != kind {
		t.Errorf("stopped for %v, want %v: %v", e.Kind, kind, err)
	}
	if e.Place.Path == "" || e.Place.Line == 0 || a.line > 0 && (e.Place.Path != "attack.lua" || e.Place.Line != a.line) {
		t.Errorf("the error names %q, want attack.lua:%d", e.Place, a.line)
	}
}

func TestLoopsAreStopped(t *testing.T) {
	for _, a := range loops {
		t.Run(strings.ReplaceAll(a.name, " ", "_"), func(t *testing.T) {
			s := sandboxFor(t, a.name == "sorted next")
			if _, err := s.Load("attack.lua", []byte(a.src)); err != nil {
				t.Fatal(err)
			}
			err := s.Call(s.Global("attack"))
			stopped(t, a, err, BudgetSpent)
			if c := s.Counters(); c.Errors != 1 || c.Budget != 1 || c.Panics != 0 {
				t.Errorf("one spent budget must count once: %+v", c)
			}
			// A spent budget ends that callback only.
			if _, err := s.Load("after.lua", []byte("rawset(_G, 'calm', function() local n = 0 for i = 1, 1000 do n = n + i end return n end)")); err != nil {
				t.Fatalf("the state must load scripts after an attack: %v", err)
			}
			out, err := s.Results(s.globals.RawGetString("calm"))
			if err != nil || len(out) != 1 || out[0] != lua.LNumber(500500) {
				t.Errorf("the next callback must run as if nothing had been: %v %v", out, err)
			}
		})
	}
}

func TestLoopsAreStoppedAtLoad(t *testing.T) {
	for i, a := range loops {
		if raceEnabled && i%6 != 0 {
			continue
		}
		s := New(Config{LoadInstructions: 2_500_000, Resolve: testModules})
		src := a.src + " attack()"
		if a.name == "require" || a.name == "sorted next" {
			continue // needs another configuration
		}
		_, err := s.Load("attack.lua", []byte(src))
		var e *ScriptError
		if !errors.As(err, &e) || e.Kind != BudgetSpent || e.Place.Line == 0 {
			t.Errorf("%s: not stopped by the load budget: %v", a.name, err)
		}
	}
}

func TestBombsAreStopped(t *testing.T) {
	for i, a := range bombs {
		if raceEnabled && i%6 != 0 {
			continue // slow there, and nothing here is concurrent
		}
		t.Run(strings.ReplaceAll(a.name, " ", "_"), func(t *testing.T) {
			s := sandboxFor(t, false)
			s.cfg.Instructions = 200_000_000
			if _, err := s.Load("attack.lua", []byte(a.src)); err != nil {
				t.Fatal(err)
			}
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := s.Call(s.Global("attack"))
			runtime.ReadMemStats(&after)
			stopped(t, a, err, MemorySpent)
			if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 6*24<<20 {
				t.Errorf("the heap grew by %d MiB for a limit of 24 MiB", grown>>20)
			}
			if c := s.Counters(); c.Memory != 1 {
				t.Errorf("one exceeded limit must count once: %+v", c)
			}
			if a.name == "global keys" {
				if s.Exhausted() == nil {
					t.Error("scripts that still hold more than the limit must be stopped for good")
				}
				if err := s.Call(s.Global("attack")); !errors.Is(err, s.Exhausted()) {
					t.Errorf("an exhausted state must refuse: %v", err)
				}
				return
			}
			if err := s.Exhausted(); err != nil {
				t.Errorf("what the callback held is free again, yet: %v", err)
			}
			if _, err := s.Load("after.lua", []byte("local t = {} for i = 1, 10000 do t[i] = {} end")); err != nil {
				t.Errorf("the state must go on: %v", err)
			}
		})
	}
}

// TestFieldLogB104MemoryReturns: memory that builds up over
// callbacks is found as well, and returned with the state.
func TestFieldLogB104MemoryReturns(t *testing.T) {
	var sizes []int64
	for range 5 {
		s := New(Config{Memory: 16 << 20})
		if _, err := s.Load("tick.lua", []byte("kept = {}\nfunction tick()\nfor i = 1, 20000 do kept[#kept + 1] = function() return i end end end")); err != nil {
			t.Fatal(err)
		}
		var err error
		ticks := 0
		for ; err == nil && ticks < 1000; ticks++ {
			err = s.Call(s.Global("tick"))
		}
		var e *ScriptError
		if !errors.As(err, &e) || e.Kind != MemorySpent || e.Place.Line != 3 || s.Exhausted() == nil {
			t.Fatalf("closures kept over %d ticks must pass the limit: %v", ticks, err)
		}
		if ticks < 3 || ticks > 12 {
			t.Errorf("%d ticks of 20000 closures passed 16 MiB; the estimate is off", ticks)
		}
		s.Close()
		sizes = append(sizes, heapNow())
	}
	if sizes[4] > sizes[0]+4<<20 {
		t.Errorf("memory is not returned with the state: %v", sizes)
	}
}

// TestGarbageIsNotHeld: a script may make any amount of garbage.
func TestGarbageIsNotHeld(t *testing.T) {
	s := New(Config{Memory: 8 << 20, Instructions: 100_000_000})
	if _, err := s.Load("garbage.lua", []byte("function tick() for i = 1, 200000 do local t = {i, {i}} local s = 'x' .. i end end")); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := s.Call(s.Global("tick")); err != nil {
			t.Fatal("garbage was charged as if it were held: ", err)
		}
	}
}

// TestFieldLogB105CoroutinePerEvent: coroutines that are dropped leave nothing.
func TestFieldLogB105CoroutinePerEvent(t *testing.T) {
	s := New(Config{})
	if _, err := s.Load("events.lua", []byte(`
function event(n)
  for i = 1, n do
    local co = coroutine.wrap(function(x) coroutine.yield(x) end)
    co(i)
    pcall(error, 'x')
  end
end`)); err != nil {
		t.Fatal(err)
	}
	goroutines := runtime.NumGoroutine()
	run := func() {
		if err := s.Call(s.Global("event"), lua.LNumber(2000)); err != nil {
			t.Fatal(err)
		}
	}
	run()
	first := heapNow()
	for range 9 {
		run()
	}
	if last := heapNow(); last > first+first/10+1<<19 {
		t.Errorf("20 000 dropped coroutines left %d bytes", last-first)
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines are left of %d", n, goroutines)
	}
	if n := len(s.threads.hidden); n > maxIdle {
		t.Errorf("%d hidden threads are remembered, at most %d may be", n, maxIdle)
	}
}

func TestStatesComeAndGo(t *testing.T) {
	var sizes [3]int64
	for i := range sizes {
		for range 100 {
			s := New(Config{})
			if _, err := s.Load("a.lua", []byte("t = {} for i = 1, 100 do t[i] = function() return i end end")); err != nil {
				t.Fatal(err)
			}
			s.Close()
		}
		sizes[i] = heapNow()
	}
	if sizes[2] > sizes[0]+1<<20 {
		t.Errorf("states are not freed: %v", sizes)
	}
}

// escapes are the known ways out of a Lua sandbox.
var escapes = []string{
	"os.exit(1)", "io.open('/etc/passwd')", "os.execute('true')", "os.remove('x')", "io.popen('id')", "dofile('/etc/passwd')",
	"loadfile('/etc/passwd')", "require('io').open('x')", "require('os').exit()", "package.loaded.io.open('x')",
	"package.loadlib('libc.so', 'system')", "debug.getregistry()", "debug.setmetatable('', {})", "getfenv(0).io.open('x')",
	"setfenv(1, {})", "module('x', package.seeall)", "newproxy(true)", "string.dump(print)()", "load(string.dump(print))",
	"load('\\27Lua')()", "loadstring('\\27LuaQ')()", "getmetatable('').__index.rep = nil", "getmetatable(_G).__index.io.open('x')",
	"(''):dump()", "_G._G.io.open('x')", "coroutine.wrap(function() return io.open('x') end)()", "load('return io')().open('x')",
	"load('return os.exit')()()", "pcall(os.exit) os.exit()", "xpcall(error, os.exit) error('x')", "_printregs()", "channel.make()",
	"setmetatable(_G, {__index = package}) loadlib()", "debug.sethook()", "debug.traceback()", "collectgarbage.x()", "require('package').loaded.io()",
	"require('_G').io()", "require('debug').getregistry()", "_LOADED.io()", "setmetatable('', {})", "setmetatable(print, {})",
}

func TestNoWayOut(t *testing.T) {
	for _, src := range escapes {
		s := New(Config{LoadInstructions: 1_000_000})
		_, err := s.Load("escape.lua", []byte(src))
		var e *ScriptError
		if !errors.As(err, &e) || e.Kind != ScriptFault || e.Place.Line != 1 {
			t.Errorf("%s: must fail on its line, got %v", src, err)
		}
		s = New(Config{LoadInstructions: 1_000_000})
		if _, err := s.Load("escape.lua", []byte("function f() "+src+"\nend")); err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if err := s.Call(s.Global("f")); err == nil {
			t.Errorf("%s: must fail in a callback as well", src)
		}
	}
}

// TestEnvironmentIsKnown lists everything a script can reach by name: a new
// global is a decision, not an accident.
func TestEnvironmentIsKnown(t *testing.T) {
	s := New(Config{Sorted: true, Log: func(string) {}})
	out, err := s.Load("list.lua", []byte(`
local names = {}
for k, v in pairs(_G) do
  if type(v) == 'table' and v ~= _G then
    local inner = {}
    for n in pairs(v) do inner[#inner + 1] = n end
    names[#names + 1] = k .. '{' .. table.concat(inner, ' ') .. '}'
  else names[#names + 1] = k end
end
return table.concat(names, '\n')`))
	if err != nil {
		t.Fatal(err)
	}
	const want = `_G
_VERSION
assert
collectgarbage
coroutine{close create isyieldable resume running status wrap yield}
error
getmetatable
ipairs
load
loadstring
math{abs acos asin atan atan2 ceil cos cosh deg exp floor fmod frexp huge ldexp log log10 max maxinteger min mininteger modf pi pow rad random randomseed sin sinh sqrt tan tanh tointeger type ult}
next
os{clock date difftime time}
pairs
pcall
print
rawequal
rawget
rawlen
rawset
require
select
setmetatable
string{byte char find format gmatch gsub len lower match rep reverse sub upper}
table{concat insert maxn move pack remove sort unpack}
tonumber
tostring
type
unpack
utf8{char charpattern codepoint codes len offset}
xpcall`
	if got := string(out.(lua.LString)); got != want {
		t.Errorf("the environment is\n%s\nwant\n%s", got, want)
	}
}

// TestFieldLogB107ErrorsInCallbacks: every shape of error is contained, told
// once with its place, and counted.
func TestFieldLogB107ErrorsInCallbacks(t *testing.T) {
	for _, c := range []struct{ body, text string }{
		{"error('x')", "x"},
		{"error()", "nil"},
		{"error(nil)", "nil"},
		{"error({})", "table"},
		{"error({message = 'told'})", "told"},
		{"error(5)", "5"},
		{"error(true)", "boolean"},
		{"error(function() end)", "function"},
		{"error(setmetatable({}, {__tostring = function() error('y') end}))", "__tostring failed"},
		{"error(setmetatable({}, {__tostring = function() while true do end end}))", "__tostring failed"},
		{"error(setmetatable({}, {__tostring = function() return 5 end}))", "__tostring failed"},
		{"coroutine.wrap(function() error('inside') end)()", "inside"},
		{"local t = nil; t.x = 1", "attempt to index"},
		{"local function f() return 1 + f() end f()", "stack overflow"},
		{"error(('x'):rep(1e6))", "xxx"},
		{"string.rep()", "bad argument #1 to 'rep' (string expected, got no value)"},
		{"local a = {} < {}", "attempt to compare"},
		{"undefined()", "attempt to call"},
	} {
		s := New(Config{})
		if _, err := s.Load("cb.lua", []byte("function f()\n"+c.body+"\nend function g() ok = true end")); err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		err := s.Call(s.Global("f"))
		var e *ScriptError
		if !errors.As(err, &e) || e.Kind != ScriptFault || e.Place.String() != "cb.lua:2" || !strings.Contains(e.Text, c.text) {
			t.Errorf("%s: got %v", clip(c.body, 100), clip(fmt.Sprint(err), 300))
			continue
		}
		if len(e.Text) > maxErrorText+10 || strings.Count(e.Traceback, "\n") >= maxTraceback {
			t.Errorf("%s: the error is not bounded: %d bytes", clip(c.body, 100), len(e.Text))
		}
		if s.Counters().Errors != 1 {
			t.Errorf("%s: counted %d times", clip(c.body, 100), s.Counters().Errors)
		}
		if err := s.Call(s.Global("g")); err != nil || s.Global("ok") != lua.LTrue {
			t.Errorf("%s: the next callback must run: %v", clip(c.body, 100), err)
		}
	}
}

// TestFieldLogB109HandlersOfEveryKind: what a handler returns is no matter, and
// what is no function is told, not crashed on.
func TestFieldLogB109HandlersOfEveryKind(t *testing.T) {
	s := New(Config{})
	if _, err := s.Load("h.lua", []byte(`
none = function() end  one = function() return nil end  word = function() return 'stop' end
ten = function() return 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 end
self = function() self = nil end
object = {} text = 'x' callable = setmetatable({}, {__call = function() called = true end})`)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"none", "one", "word", "ten", "self", "callable", "absent", "self"} {
		if err := s.Call(s.Global(name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s.Global("called") != lua.LTrue {
		t.Error("a table with __call is a handler")
	}
	if err := s.Call(nil); err != nil {
		t.Errorf("no handler is no error: %v", err)
	}
	for _, name := range []string{"object", "text"} {
		if err := s.Call(s.Global(name)); err == nil || !strings.Contains(err.Error(), "attempt to call") {
			t.Errorf("%s is no function: %v", name, err)
		}
	}
	if v, err := s.Load("nothing.lua", nil); err != nil || v != lua.LNil {
		t.Errorf("a script that returns nothing is no error: %v %v", v, err)
	}
}

// TestNestedCallsShareTheBudget: a callback that a binding runs inside another
// spends the same budget.
func TestNestedCallsShareTheBudget(t *testing.T) {
	s := New(Config{Instructions: 100_000})
	s.SetGlobal("host", s.L.NewFunction(func(L *lua.LState) int {
		if err := s.Call(L.Get(1)); err != nil {
			L.Push(lua.LString(err.Error()))
			return 1
		}
		return 0
	}))
	if _, err := s.Load("n.lua", []byte("function f() while true do host(function() for i = 1, 1000 do end end) end end\nfunction g() return host(function() error('inner') end) end")); err != nil {
		t.Fatal(err)
	}
	var e *ScriptError
	if err := s.Call(s.Global("f")); !errors.As(err, &e) || e.Kind != BudgetSpent {
		t.Errorf("nested callbacks must not refill the budget: %v", err)
	}
	out, err := s.Results(s.Global("g"))
	if err != nil || len(out) != 1 || !strings.Contains(out[0].String(), "n.lua:2: inner") {
		t.Errorf("an error of a nested callback stays in it: %v %v", out, err)
	}
}

func TestClosedStateRefuses(t *testing.T) {
	s := New(Config{})
	s.Close()
	if _, err := s.Load("x.lua", []byte("x = 1")); err == nil {
		t.Error("a closed state must not load")
	}
	if err := s.Call(s.L.NewFunction(func(*lua.LState) int { return 0 })); err == nil {
		t.Error("a closed state must not call")
	}
}

func TestCompileErrorsHaveColumns(t *testing.T) {
	for _, c := range []struct {
		src          string
		line, column int
	}{
		{"local x = 5 // 2", 1, 13},
		{"local ä = 1\nlocal s = 'äöü' x = 1 // 2", 2, 0},
		{"\n\nlocal 'x' = 1", 3, 7},
		{"if x then", 1, 0},
		{"x = '", 1, 0},
		{"\nlocal end_ = = 3", 2, 14},
		{"local s = 'ää' = 3", 1, 16},
		{"x = 1\r\ny = = 2", 2, 5},
	} {
		s := New(Config{})
		_, err := s.Load("c.lua", []byte(c.src))
		var e *ScriptError
		if !errors.As(err, &e) || e.Kind != ScriptSyntax || e.Place.Line != c.line || c.column > 0 && e.Place.Column != c.column {
			t.Errorf("%q: got %v, want c.lua:%d:%d", c.src, err, c.line, c.column)
		}
	}
}

func TestHugeAndDeepSourcesAreRefused(t *testing.T) {
	if _, err := New(Config{}).Load("parens.lua", []byte("return "+strings.Repeat("(", 50_000)+"1"+strings.Repeat(")", 50_000))); err != nil {
		t.Errorf("parentheses cost the compiler nothing: %v", err)
	}
	for _, src := range []string{
		strings.Repeat("x = 1 ", 200_000),
		"x = " + strings.Repeat("{", 50_000) + strings.Repeat("}", 50_000),
		"x = " + strings.Repeat("-", 3) + strings.Repeat(" not", 50_000) + " 1",
		"x = 1" + strings.Repeat("+1", 50_000),
		"x = ''" + strings.Repeat("..''", 50_000),
		strings.Repeat("do ", 50_000) + strings.Repeat(" end", 50_000),
		strings.Repeat("if x then ", 20_000) + strings.Repeat(" end", 20_000),
		"return " + strings.Repeat("function() return ", 20_000) + strings.Repeat(" end", 20_000),
		"x = a" + strings.Repeat(".b", 100_000),
		"x = f" + strings.Repeat("()", 100_000),
		"f(" + strings.Repeat("1,", 300) + "1)",
		"local " + strings.Repeat("a,", 300) + "a",
	} {
		s := New(Config{})
		_, err := s.Load("deep.lua", []byte(src))
		var e *ScriptError
		if !errors.As(err, &e) {
			t.Errorf("%.40q…: got %v", src, err)
		}
	}
}
