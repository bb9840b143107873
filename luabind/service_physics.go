package luabind

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"demi.network/internal/scene"
)

// physicsFuncs are Physics2D over the headless engine.
func physicsFuncs(sc *scene.Scene, cost charge) []Func {
	return []Func{{"raycast", func(a Args) int {
		cost(a.L, costRay+sc.Count())
		return raycast(a, sc)
	}}}
}

// raycast is raycast(x, y, dx, dy, [max], [layer], [ignored]) → a new table, or
// nil when nothing is hit. dx, dy need not have length 1. fraction is the
// distance as a part of max, 0 when there is no max.
func raycast(a Args, sc *scene.Scene) int {
	longest := a.OptNumber(5, math.Inf(1))
	h, ok := sc.Raycast(a.Number(1), a.Number(2), a.Number(3), a.Number(4), longest, a.optName(6, ""), a.optName(7, ""))
	if !ok {
		return none(a)
	}
	t := a.L.CreateTable(0, 10)
	t.RawSetString("entity_id", lua.LString(h.EntityID))
	t.RawSetString("layer", lua.LString(h.Layer))
	t.RawSetString("distance", lua.LNumber(h.Distance))
	t.RawSetString("x", lua.LNumber(h.X))
	t.RawSetString("y", lua.LNumber(h.Y))
	t.RawSetString("normal_x", lua.LNumber(h.NormalX))
	t.RawSetString("normal_y", lua.LNumber(h.NormalY))
	t.RawSetString("point", pair(a.L, h.X, h.Y))
	t.RawSetString("normal", pair(a.L, h.NormalX, h.NormalY))
	fraction := 0.0
	if longest > 0 {
		fraction = h.Distance / longest
	}
	t.RawSetString("fraction", lua.LNumber(fraction))
	a.L.Push(t)
	return 1
}

// pair is an array of two numbers.
func pair(L *lua.LState, x, y float64) *lua.LTable {
	t := L.CreateTable(2, 0)
	t.Append(lua.LNumber(x))
	t.Append(lua.LNumber(y))
	return t
}
