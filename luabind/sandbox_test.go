package luabind

import (
	"errors"
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
