package luabind

import (
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// TestPrivateFieldsAreWhatWeTakeThemFor fails when another version of
// gopher-lua keeps its tables and frames in another way.
func TestPrivateFieldsAreWhatWeTakeThemFor(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	tb := L.NewTable()
	for i := 1; i <= 5; i++ {
		tb.RawSetInt(i, lua.LNumber(i))
	}
	tb.RawSetString("a", lua.LTrue)
	tb.RawSetString("b", lua.LTrue)
	tb.RawSetString("b", lua.LNil)
	tb.RawSetH(lua.LNumber(1.5), lua.LTrue)
	if arrayLen(tb) != 5 || stringKeys(tb) != 1 || otherKeys(tb) != 1 || keySlots(tb) != 3 {
		t.Errorf("array %d, strings %d, others %d, slots %d; want 5, 1, 1, 3", arrayLen(tb), stringKeys(tb), otherKeys(tb), keySlots(tb))
	}
	if empty := (&lua.LTable{}); arrayLen(empty)+stringKeys(empty)+otherKeys(empty)+keySlots(empty) != 0 {
		t.Error("an empty table has no parts")
	}
	if n := testing.AllocsPerRun(10, func() { _ = arrayLen(tb) + stringKeys(tb) }); n != 0 {
		t.Errorf("looking at a table costs %v allocations", n)
	}
}

// TestDeletedKeysAreFreed: gopher-lua keeps every key a table ever had; a
// million came to 100 MiB in an empty table.
func TestDeletedKeysAreFreed(t *testing.T) {
	s := New(Config{LoadInstructions: 100_000_000})
	v, err := s.Load("churn.lua", []byte("local t = {} for i = 1, 60000 do t['k' .. i] = i t['k' .. i] = nil t[{}] = 1 t[next(t)] = nil end t.last = 1 return t"))
	if err != nil {
		t.Fatal(err)
	}
	if n := keySlots(v.(*lua.LTable)); n > 200 {
		t.Errorf("a table of one key remembers %d", n)
	}
	if s.L.GetField(v, "last") != lua.LNumber(1) {
		t.Error("what is left must still be there")
	}
}

// TestFootprintSeesEverything: memory that is reachable in any way is counted.
func TestFootprintSeesEverything(t *testing.T) {
	const text = 1 << 20
	for _, src := range []string{
		"kept = ('x'):rep(1048576)",
		"kept = {('x'):rep(1048576)}",
		"kept = {[('x'):rep(1048576)] = true}",
		"local s = ('x'):rep(1048576) kept = function() return s end",
		"kept = coroutine.create(function(s) coroutine.yield() return s end) coroutine.resume(kept, ('x'):rep(1048576))",
		"kept = coroutine.create(function(...) coroutine.yield() return ... end) coroutine.resume(kept, ('x'):rep(1048576))",
		"kept = coroutine.wrap(function() local s = ('x'):rep(1048576) coroutine.yield() return s end) kept()",
		"kept = ('x'):rep(1048576):gmatch('y')",
		"kept = utf8.codes(('x'):rep(1048576))",
		"kept = setmetatable({}, {x = ('x'):rep(1048576)})",
		"string.kept = ('x'):rep(1048576)",
		"package = {} package.loaded = {('x'):rep(1048576)}",
	} {
		s := New(Config{})
		before := s.footprint(1 << 40)
		if _, err := s.Load("keep.lua", []byte(src)); err != nil {
			t.Fatal(err)
		}
		if grown := s.footprint(1<<40) - before; grown < text || grown > text+text/4 {
			t.Errorf("%s: a mebibyte is counted as %d bytes", src, grown)
		}
	}
	// Also what only a running script holds.
	s := New(Config{})
	var during int64
	s.SetGlobal("measure", s.L.NewFunction(func(*lua.LState) int { during = s.footprint(1 << 40); return 0 }))
	before := s.footprint(1 << 40)
	if _, err := s.Load("run.lua", []byte("local function f(...) local s = ('x'):rep(1048576) pcall(measure) return s end\nf(('y'):rep(1048576)) ")); err != nil {
		t.Fatal(err)
	}
	if grown := during - before; grown < 2*text || grown > 2*text+text/2 {
		t.Errorf("locals and arguments of a running script are counted as %d bytes, they are two mebibytes", grown)
	}
}

// TestFootprintIsNearTheTruth compares the estimate with the heap.
func TestFootprintIsNearTheTruth(t *testing.T) {
	for _, c := range []struct{ name, src string }{
		{"tables", "kept = {} for i = 1, 15000 do kept[i] = {} end"},
		{"points", "kept = {} for i = 1, 8000 do kept[i] = {x = i + 0.5, y = i + 0.25} end"},
		{"arrays", "kept = {} for i = 1, 8000 do kept[i] = {i, i, i, i} end"},
		{"closures", "kept = {} for i = 1, 15000 do kept[i] = function() return i end end"},
		{"strings", "kept = {} for i = 1, 15000 do kept[i] = ('x'):rep(100) .. i end"},
		{"keys", "for i = 1, 15000 do _G['key' .. i] = i end"},
		{"coroutines", "kept = {} for i = 1, 2000 do kept[i] = coroutine.wrap(function() coroutine.yield() end) kept[i]() end"},
		{"coroutines that were deep", `kept = {} local function deep(n) if n > 0 then return deep(n - 1) + 1 end return 0 end
			for i = 1, 200 do kept[i] = coroutine.wrap(function() deep(900) coroutine.yield() end) kept[i]() end`},
		{"chunks", "kept = {} for i = 1, 5000 do kept[i] = load('x = 1') end"},
		{"functions", "kept = load(('f = function(a) local b = a return b.c end '):rep(5000))"},
		{"patterns", "kept = {} for i = 1, 200 do kept[i] = ('x'):gmatch(('a'):rep(1000) .. i) end"},
	} {
		s := New(Config{LoadInstructions: 1 << 40})
		before := heapNow()
		if _, err := s.Load("keep.lua", []byte(c.src)); err != nil {
			t.Fatal(err)
		}
		truth := heapNow() - before
		estimate := s.footprint(1 << 40)
		if ratio := float64(estimate) / float64(truth); ratio < 0.5 || ratio > 2 {
			t.Errorf("%s: %d bytes are estimated as %d", c.name, truth, estimate)
		}
	}
}
