package luabind

import (
	"fmt"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"demi.network/internal/detmath"
)

// TestShapedTablesAreTables: a table made by its shape and one whose fields were
// set one by one stay the same whatever is done to them.
func TestShapedTablesAreTables(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	r := detmath.NewRand(3)
	names := []string{"a", "b", "c", "d", "e", "f"}
	for round := range 300 {
		var s shapes
		sh, fields, plain := &s.root, map[string]lua.LValue{}, L.NewTable()
		for _, name := range names[:r.Uint64N(6)] {
			v := lua.LNumber(round)
			sh = s.with(sh, name)
			fields[name] = v
			plain.RawSetString(name, v)
		}
		shaped, other := sh.table(L, fields), sh.table(L, map[string]lua.LValue{})
		_ = other
		for step := range 30 {
			key := lua.LValue(lua.LString(names[r.Uint64N(6)]))
			if r.Uint64N(3) == 0 {
				key = lua.LNumber(r.Uint64N(4) + 1)
			}
			v := lua.LValue(lua.LNumber(step))
			if r.Uint64N(2) == 0 {
				v = lua.LNil
			}
			shaped.RawSet(key, v)
			plain.RawSet(key, v)
			if a, b := walkOf(shaped), walkOf(plain); a != b {
				t.Fatalf("round %d, step %d: %s, want %s", round, step, a, b)
			}
		}
	}
}

func walkOf(t *lua.LTable) (text string) {
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		text += fmt.Sprintf("%v=%v ", k, v)
	}
	return fmt.Sprintf("%s#%d %d+%d of %d", text, t.Len(), stringKeys(t), otherKeys(t), keySlots(t))
}

// TestTablesOfOneShapeAreApart: what is set in one is not in another.
func TestTablesOfOneShapeAreApart(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	sh := shapeOf("x", "y")
	make2 := func() *lua.LTable {
		return sh.table(L, map[string]lua.LValue{"x": lua.LTrue, "y": lua.LTrue})
	}
	one, two := make2(), make2()
	one.RawSetString("z", lua.LTrue)
	two.RawSetString("w", lua.LTrue)
	one.RawSetString("x", lua.LNil)
	if got := walkOf(one); got != "y=true z=true #0 2+0 of 3" {
		t.Errorf("the first is %s", got)
	}
	if got := walkOf(two); got != "x=true y=true w=true #0 3+0 of 3" {
		t.Errorf("the second is %s", got)
	}
	if got := walkOf(make2()); got != "x=true y=true #0 2+0 of 2" {
		t.Errorf("a third is %s", got)
	}
}

// TestShapesAreBounded: payloads of any names do not fill the memory.
func TestShapesAreBounded(t *testing.T) {
	var s shapes
	for i := range 3 * maxShapes {
		s.with(&s.root, fmt.Sprint(i))
	}
	if s.made != maxShapes || len(s.root.after) != maxShapes || s.with(&s.root, "new") != nil || s.with(&s.root, "7") == nil {
		t.Errorf("%d shapes were made, at most %d are", s.made, maxShapes)
	}
	s = shapes{}
	sh := &s.root
	for i := 0; sh != nil; i++ {
		if sh = s.with(sh, fmt.Sprint(i)); i > maxShaped {
			t.Fatal("a shape has at most sixteen names")
		}
	}
}
