package luabind

import (
	lua "github.com/yuin/gopher-lua"

	"demi.network/contract"
	"demi.network/runtime"
)

// Drawing services have nothing to draw on here. Their functions exist, take
// anything and return nothing, so that a game's scripts run headless as they
// are; names that are not listed in a stub exist as well.

// drawing makes a service of which funcs do something and everything else is
// silent.
func drawing(L *lua.LState, onPanic func(), funcs ...Func) *lua.LTable {
	t := NewModule(L, onPanic, funcs...)
	silent := L.NewFunction(func(*lua.LState) int { return 0 })
	meta := L.CreateTable(0, 2)
	meta.RawSetString("__index", L.NewFunction(func(L *lua.LState) int {
		if _, ok := L.Get(2).(lua.LString); !ok {
			return 0
		}
		L.Push(silent)
		return 1
	}))
	meta.RawSetString("__metatable", lua.LFalse)
	t.Metatable = meta
	return t
}

// debugFuncs are what Debug does: it logs.
func debugFuncs(cost charge, log func(string), display func(lua.LValue) string) []Func {
	return []Func{{"log", func(a Args) int {
		line := logLine(a, display)
		cost(a.L, costLog+len(line)/bytesPerCharge)
		logLines(line, log)
		return 0
	}}}
}

// spriteFuncs are what Sprite2D does: colours and flips are replicated fields.
func spriteFuncs(sc runtime.Scene) []Func {
	return []Func{
		{"set_color", func(a Args) int {
			v := contract.FieldValue{a.Number(2), a.Number(3), a.Number(4), a.OptNumber(5, 1)}
			return answer(a, sc.Write(a.name(1), spriteTint, v))
		}},
		{"get_color", func(a Args) int {
			v, ok := sc.Read(a.name(1), spriteTint)
			if !ok {
				return none(a)
			}
			for i := range v {
				a.L.Push(lua.LNumber(v[i]))
			}
			return len(v)
		}},
		{"set_flip", func(a Args) int {
			id, x, y := a.name(1), a.Bool(2), a.OptBool(3, false)
			ok := sc.Write(id, "Sprite.flip_x", contract.FieldValue{flagValue(x)})
			return answer(a, sc.Write(id, "Sprite.flip_y", contract.FieldValue{flagValue(y)}) && ok)
		}},
	}
}

func flagValue(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// applicationFuncs are Application.
func applicationFuncs() []Func {
	return []Func{
		{"platform", func(a Args) int {
			a.L.Push(lua.LString("headless"))
			return 1
		}},
		{"is_headless", yes},
	}
}
