package luabind

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// heapNow returns the bytes of live objects.
func heapNow() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// attackMemory is what attacks may hold. A limit costs the more time the larger
// it is, and stops no less when it is small.
const attackMemory = 12 << 20

// scaled makes a number smaller under the race detector, where everything takes
// ten times as long.
func scaled(n int64) int64 {
	if RaceEnabled {
		return n / 5
	}
	return n
}

func sandboxFor(t *testing.T, sorted bool) *State {
	t.Helper()
	return New(Config{
		Instructions: scaled(500_000), LoadInstructions: 20_000_000, Memory: attackMemory, Sorted: sorted,
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
	for _, a := range loops {
		s := New(Config{LoadInstructions: scaled(1_000_000), Resolve: testModules})
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
		if RaceEnabled && i%3 != 0 {
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
			if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 6*attackMemory {
				t.Errorf("the heap grew by %d MiB for a limit of %d MiB", grown>>20, attackMemory>>20)
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
		s := New(Config{Memory: 8 << 20})
		if _, err := s.Load("tick.lua", []byte("kept = {}\nfunction tick()\nfor i = 1, 10000 do kept[#kept + 1] = function() return i end end end")); err != nil {
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
			t.Errorf("%d ticks of 10000 closures passed 8 MiB; the estimate is off", ticks)
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
	if _, err := s.Load("garbage.lua", []byte("function tick() for i = 1, 60000 do local t = {i, {i}} local s = 'x' .. i end end")); err != nil {
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

// constants is a function body with n different numbers.
func constants(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "x=%d ", i)
	}
	return b.String()
}

func TestHugeAndDeepSourcesAreRefused(t *testing.T) {
	if _, err := New(Config{}).Load("parens.lua", []byte("return "+strings.Repeat("(", 8_000)+"1"+strings.Repeat(")", 8_000))); err != nil {
		t.Errorf("parentheses cost the compiler nothing: %v", err)
	}
	for _, src := range []string{
		strings.Repeat("x = 1 ", 200_000),
		"x = " + strings.Repeat("{", 8_000) + strings.Repeat("}", 8_000),
		"x = " + strings.Repeat("-", 3) + strings.Repeat(" not", 8_000) + " 1",
		"x = 1" + strings.Repeat("+1", 8_000),
		"x = ''" + strings.Repeat("..''", 8_000),
		strings.Repeat("do ", 8_000) + strings.Repeat(" end", 8_000),
		strings.Repeat("if x then ", 4_000) + strings.Repeat(" end", 4_000),
		"return " + strings.Repeat("function() return ", 4_000) + strings.Repeat(" end", 4_000),
		"x = a" + strings.Repeat(".b", 8_000),
		constants(maxConstants + 1),
		"local t = {} " + strings.Repeat("function t.f() return 1 end ", 10) + "return function() " + constants(maxConstants+1) + " end",
		"x = f" + strings.Repeat("()", 8_000),
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

// TestDeterministicTranscript: one script, one seed, one transcript, whatever
// else the process does. Objects have numbers, not addresses; pairs, random and
// mathematics are the same everywhere.
func TestDeterministicTranscript(t *testing.T) {
	const src = `
local objects = {}
for i = 1, 30 do objects['k' .. math.random(1000)] = {math.random(), math.sin(i), 2 ^ (i / 7)} end
for k, v in pairs(objects) do print(k, v, v[1], v[2], v[3]) end
print(print, coroutine.create(print), tostring({}), collectgarbage('count'), os.time(), os.clock(), os.date())
print(pcall(error, {})) print(next(objects)) print(table.concat({math.random(6), math.random(6), math.random(6)}, ' '))
error(setmetatable({}, {__tostring = function(e) return 'E' .. tostring(e == e) end}))`
	var want string
	for range 20 {
		var out []string
		s := New(Config{Seed: 7, Sorted: true, Log: func(line string) { out = append(out, line) }})
		other := New(Config{Seed: 7})
		_, _ = other.Load("noise.lua", []byte("for i = 1, 10 do math.random() tostring({}) end"))
		_, err := s.Load("t.lua", []byte(src))
		got := strings.Join(out, "\n") + fmt.Sprint(err)
		if want == "" {
			want = got
		}
		if got != want {
			t.Fatalf("two runs differ:\n%s\n\n%s", want, got)
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	draw := func(seed uint64) lua.LValue {
		v, err := New(Config{Seed: seed}).Load("r.lua", []byte("return math.random()"))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if draw(1) == draw(2) || draw(1) != draw(1) {
		t.Error("the seed decides the random numbers, and nothing else does")
	}
}
