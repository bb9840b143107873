package luabind

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"demi.network/internal/scene"
)

// inputFuncs are Input over the project's actions. A headless game has no
// devices: bots, --input and --drive set the actions, the mouse rests at the
// origin. An action that the project does not have reads as 0.
func inputFuncs(in *scene.Input) []Func {
	value := func(a Args) int {
		a.L.Push(lua.LNumber(in.Value(a.name(1))))
		return 1
	}
	pressed := func(a Args) int { return answer(a, in.Pressed(a.name(1))) }
	released := func(a Args) int { return answer(a, in.Released(a.name(1))) }
	down := func(a Args) int { return answer(a, in.Down(a.name(1))) }
	never := func(a Args) int { return answer(a, false) }
	origin := func(a Args) int {
		a.L.Push(lua.LNumber(0))
		a.L.Push(lua.LNumber(0))
		return 2
	}
	return []Func{
		{"action_value", value}, {"action_pressed", pressed}, {"action_released", released}, {"action_down", down},
		{"value", value}, {"pressed", pressed}, {"released", released}, {"down", down},
		{"vector", func(a Args) int { return inputVector(a, in) }},
		{"mouse_down", never}, {"mouse_pressed", never}, {"ui_pointer_captured", never},
		{"mouse_position", origin}, {"mouse_world_position", origin},
	}
}

// inputVector is vector(x_action, y_action) → x, y of length 1 at most.
func inputVector(a Args, in *scene.Input) int {
	x, y := in.Value(a.name(1)), in.Value(a.name(2))
	if length := math.Hypot(x, y); length > 1 {
		x, y = x/length, y/length
	}
	a.L.Push(lua.LNumber(x))
	a.L.Push(lua.LNumber(y))
	return 2
}
