package luabind

import (
	"fmt"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// argsModule has one function per way to read an argument.
func argsModule(s *State) *lua.LTable {
	return NewModule(s.L, s.Fault,
		Func{"str", func(a Args) int { a.L.Push(lua.LString(a.String(1))); return 1 }},
		Func{"second", func(a Args) int { a.L.Push(lua.LString(a.OptString(2, "none"))); return 1 }},
		Func{"num", func(a Args) int { a.L.Push(lua.LNumber(a.Number(1))); return 1 }},
		Func{"int", func(a Args) int { a.L.Push(lua.LNumber(a.Integer(1))); return 1 }},
		Func{"optint", func(a Args) int { a.L.Push(lua.LNumber(a.OptInteger(1, 7))); return 1 }},
		Func{"optnum", func(a Args) int { a.L.Push(lua.LNumber(a.OptNumber(1, 0.5))); return 1 }},
		Func{"bool", func(a Args) int { a.L.Push(lua.LBool(a.OptBool(1, true) && a.Bool(2))); return 1 }},
		Func{"tab", func(a Args) int { a.L.Push(a.Table(1)); return 1 }},
		Func{"opttab", func(a Args) int { a.L.Push(lua.LBool(a.OptTable(1) == nil)); return 1 }},
		Func{"fn", func(a Args) int { a.L.Push(a.Function(1)); return 1 }},
		Func{"any", func(a Args) int { a.L.Push(a.Any(1)); return 1 }},
		Func{"count", func(a Args) int { a.L.Push(lua.LNumber(a.Len())); return 1 }},
		Func{"crash", func(a Args) int { var none []int; return none[a.Len()+5] }},
		Func{"crash2", func(a Args) int { panic(fmt.Errorf("a fault")) }},
	)
}

func TestFieldLogB108ArgumentsNeverPanic(t *testing.T) {
	s := New(Config{})
	s.SetGlobal("M", argsModule(s))
	testHelpers(s)
	if _, err := s.Load("args.lua", []byte(`
eq(M.str('a'), 'a') eq(M:str('a'), 'a') eq(M.second('a'), 'none') eq(M:second('a', 'b'), 'b') eq(M.count(), 0) eq(M:count(), 0) eq(M:count(nil), 1)
eq(M.int(5), 5) eq(M.int(2^53), 2^53) eq(M.optint(), 7) eq(M.optint(nil), 7) eq(M.optnum(), 0.5) eq(M.opttab(), true) eq(M.bool(nil, true), true) eq(M.any(nil), nil)
fails(function() M.str() end, "args.lua:4: bad argument #1 to 'str' (string expected, got no value)")
fails(function() M.str(nil) end, "(string expected, got nil)") fails(function() M.str(5) end, "(string expected, got number)") fails(function() M:str({}) end, "bad argument #1 to 'str' (string expected, got table)")
fails(function() M.second(1, {}) end, "bad argument #2 to 'second' (string expected, got table)") fails(function() M.num('5') end, "(number expected, got string)")
fails(function() M.int(1.5) end, "number has no integer representation") fails(function() M.int(0/0) end, "no integer") fails(function() M.int(1/0) end, "no integer") fails(function() M.int(1e300) end, "no integer")
fails(function() M.optint('x') end, "(number expected, got string)") fails(function() M.bool(1) end, "(boolean expected, got number)") fails(function() M.tab(print) end, "(table expected, got function)")
fails(function() M.opttab(false) end, "(table expected, got boolean)") fails(function() M.fn(coroutine.create(print)) end, "(function expected, got thread)") fails(function() M.any() end, "value expected")
fails(function() M.crash() end, "internal fault in 'crash'") fails(function() M.crash2() end, "internal fault in 'crash2': a fault")
`)); err != nil {
		t.Fatal(err)
	}
	if n := s.Counters().Panics; n != 2 {
		t.Errorf("two faults of bindings must count twice, not %d", n)
	}
}

// TestNothingPanics calls every function of the environment with every
// combination of odd arguments.
func TestNothingPanics(t *testing.T) {
	s := New(Config{Instructions: 60_000, LoadInstructions: 1 << 30, Memory: 64 << 20, Log: func(string) {}})
	s.SetGlobal("M", argsModule(s))
	_, err := s.Load("odd.lua", []byte(`
odd = {false, true, -1, 0, 1.5, 1e300, -1e300, 0/0, 1/0, '', 'x', ('y'):rep(5000), '%', '%b', '(((', {}, {1, nil, 3}, {x = 1}, setmetatable({}, {__index = error}),
  print, function() error('z') end, coroutine.create(print), M}
odd[#odd + 1] = odd
n = #odd
called = {}
function names() local all = {}
  for lib, t in pairs(_G) do
    if type(t) == 'function' then all[#all + 1] = t
    elseif type(t) == 'table' and t ~= _G and t ~= odd and lib ~= 'called' then for _, f in pairs(t) do if type(f) == 'function' then all[#all + 1] = f end end end
  end
  return all
end
all = names()
function call(f, a, b, c, d) pcall(f) pcall(f, a) pcall(f, a, b) pcall(f, a, b, c) pcall(f, a, b, c, d) pcall(f, nil, a) pcall(f, a, nil, b) end`))
	if err != nil {
		t.Fatal(err)
	}
	odd := s.Global("odd").(*lua.LTable)
	all := s.Global("all").(*lua.LTable)
	crashes := 0
	for i := 1; i <= all.Len(); i++ {
		for j := 1; j <= odd.Len(); j++ {
			k := (i*7+j*3)%odd.Len() + 1
			err := s.Call(s.Global("call"), all.RawGetInt(i), odd.RawGetInt(j), odd.RawGetInt(k), odd.RawGetInt((j+k)%odd.Len()+1), odd.RawGetInt((k*5)%odd.Len()+1))
			if err != nil && strings.Contains(err.Error(), "Lua machine") {
				crashes++
				t.Errorf("%v", err)
			}
		}
	}
	// crash and crash2 of the module are the only functions with faults: seven
	// calls for each argument.
	if n := s.Counters().Panics; n > 2*7*odd.Len() {
		t.Errorf("%d faults were caught, some of them ours", n)
	}
}

func TestModuleCallCostsNoAllocation(t *testing.T) {
	if RaceEnabled {
		t.Skip("the race detector allocates")
	}
	L := lua.NewState()
	defer L.Close()
	f := bind(Func{"f", func(a Args) int { _ = a.String(1) + ""; _ = a.Number(2); return 0 }}, L.NewTable(), func() {})
	L.Push(lua.LString("x"))
	L.Push(lua.LNumber(5))
	if n := testing.AllocsPerRun(100, func() { f(L) }); n != 0 {
		t.Errorf("a checked call allocates %v times", n)
	}
}
