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
	fraction := 0.0
	if longest > 0 {
		fraction = h.Distance / longest
	}
	a.L.Push(hitShape.table(a.L, map[string]lua.LValue{
		"entity_id": lua.LString(h.EntityID), "layer": lua.LString(h.Layer), "distance": lua.LNumber(h.Distance),
		"x": lua.LNumber(h.X), "y": lua.LNumber(h.Y), "normal_x": lua.LNumber(h.NormalX), "normal_y": lua.LNumber(h.NormalY),
		"point": pair(a.L, h.X, h.Y), "normal": pair(a.L, h.NormalX, h.NormalY), "fraction": lua.LNumber(fraction),
	}))
	return 1
}

var hitShape = shapeOf("entity_id", "layer", "distance", "x", "y", "normal_x", "normal_y", "point", "normal", "fraction")

// pair is an array of two numbers.
func pair(L *lua.LState, x, y float64) *lua.LTable {
	t := L.CreateTable(2, 0)
	t.Append(lua.LNumber(x))
	t.Append(lua.LNumber(y))
	return t
}
