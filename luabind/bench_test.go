package luabind

import (
	"testing"

	lua "github.com/yuin/gopher-lua"

	"demi.network/contract/payload"
)

// runBench loads a script with a function f and calls it once per iteration.
func runBench(b *testing.B, src string, args ...lua.LValue) {
	s := New(Config{Instructions: 1 << 40})
	s.SetGlobal("bare", s.L.NewFunction(func(*lua.LState) int { return 0 }))
	s.SetGlobal("Module", NewModule(s.L, s.Fault, Func{"call", func(a Args) int {
		_, _ = a.String(1), a.Number(2)
		return 0
	}}))
	if _, err := s.Load("bench.lua", []byte(src)); err != nil {
		b.Fatal(err)
	}
	f := s.Global("f")
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Call(f, args...); err != nil {
			b.Fatal(err)
		}
	}
}

// plainBench runs the same on gopher-lua as it comes: no budget, no sandbox.
func plainBench(b *testing.B, src string) {
	L := lua.NewState()
	defer L.Close()
	L.SetGlobal("bare", L.NewFunction(func(*lua.LState) int { return 0 }))
	if err := L.DoString(src); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := L.CallByParam(lua.P{Fn: L.GetGlobal("f"), Protect: true}); err != nil {
			b.Fatal(err)
		}
	}
}

const (
	emptyLoop  = "function f() for i = 1, 1000000 do end end"
	workLoop   = "function f() local t, n = {}, 0 for i = 1, 100000 do t[i % 100 + 1] = i n = n + t[i % 100 + 1] * 2 end return n end"
	stringLoop = "function f() local n = 0 for i = 1, 10000 do local s = 'k' .. i n = n + #s end return n end"
)

func BenchmarkEmptyLoop(b *testing.B)          { runBench(b, emptyLoop) }
func BenchmarkEmptyLoopUnguarded(b *testing.B) { plainBench(b, emptyLoop) }
func BenchmarkWork(b *testing.B)               { runBench(b, workLoop) }
func BenchmarkWorkUnguarded(b *testing.B)      { plainBench(b, workLoop) }
func BenchmarkConcat(b *testing.B)             { runBench(b, stringLoop) }
func BenchmarkConcatUnguarded(b *testing.B)    { plainBench(b, stringLoop) }

// BenchmarkCallback is one call from Go into Lua.
func BenchmarkCallback(b *testing.B)          { runBench(b, "function f() end") }
func BenchmarkCallbackUnguarded(b *testing.B) { plainBench(b, "function f() end") }

// BenchmarkCallIntoGo and its twin are 1000 calls from Lua into Go, guarded
// with two checked arguments, and bare.
func BenchmarkCallIntoGo(b *testing.B) {
	runBench(b, "local call = Module.call function f() for i = 1, 1000 do call('x', i) end end")
}
func BenchmarkCallIntoGoBare(b *testing.B) {
	runBench(b, "function f() for i = 1, 1000 do bare('x', i) end end")
}

func BenchmarkPcall(b *testing.B) {
	runBench(b, "local function g() end function f() for i = 1, 1000 do pcall(g) end end")
}

// BenchmarkConvert is the payload of P5: an array of four numbers, a string
// and a nested object, from Lua and to Lua.
func BenchmarkConvertFromLua(b *testing.B) {
	c, v := benchTable(b)
	var sink payload.Sink
	var value payload.Value
	plan := payload.Any()
	b.ReportAllocs()
	for b.Loop() {
		sink.Reset(plan, payload.Limits{}, &value)
		if err := c.write(&sink, v); err != nil {
			b.Fatal(err)
		}
		if err := sink.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkConvertToLua(b *testing.B) {
	c, v := benchTable(b)
	var sink payload.Sink
	var value payload.Value
	sink.Reset(payload.Any(), payload.Limits{}, &value)
	if err := c.write(&sink, v); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		c.read(value.Root())
	}
}

func benchTable(b *testing.B) (converter, lua.LValue) {
	s := New(Config{})
	v, err := s.Load("v.lua", []byte("return {pos = {1, 2.5, -3, 400}, name = 'rocket', speed = 12.5, hit = {id = 7, ok = true}, n = 3}"))
	if err != nil {
		b.Fatal(err)
	}
	return newConverter(s.L), v
}

func BenchmarkNewState(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		New(Config{}).Close()
	}
}
