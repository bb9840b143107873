package luabind

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

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
