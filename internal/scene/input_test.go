package scene

import (
	"fmt"
	"testing"

	"demi.network/runtime/fault"
)

func TestInputEdges(t *testing.T) {
	var in Input
	for _, a := range []Action{{Name: "fire", Kind: Button}, {Name: "move_x", Kind: Axis1D}} {
		if err := in.Define(a); err != nil {
			t.Fatal(err)
		}
	}
	steps := []struct {
		why      string
		set      []float64 // values of fire before the tick
		value    float64
		pressed  bool
		released bool
	}{
		{"nothing yet", nil, 0, false, false},
		{"pressed", []float64{1}, 1, true, false},
		{"held, no edge again", []float64{1}, 1, false, false},
		{"held without being set", nil, 1, false, false},
		{"released", []float64{0}, 0, false, true},
		{"a tap between two ticks is not lost", []float64{1, 0}, 0, true, true},
		{"and is over in the next", nil, 0, false, false},
		{"values are clamped", []float64{7}, 1, true, false},
		{"buttons do not go below 0", []float64{-7}, 0, false, true},
	}
	for _, c := range steps {
		for _, v := range c.set {
			if !in.Set("fire", v) {
				t.Fatal("fire is an action")
			}
		}
		in.Begin()
		if in.Value("fire") != c.value || in.Pressed("fire") != c.pressed || in.Released("fire") != c.released || in.Down("fire") != (c.value >= 0.5) {
			t.Errorf("%s: value %v pressed %v released %v", c.why, in.Value("fire"), in.Pressed("fire"), in.Released("fire"))
		}
	}
	in.Set("move_x", -1)
	if in.Value("move_x") != 0 {
		t.Error("a value must not change within a tick")
	}
	in.Begin()
	if in.Value("move_x") != -1 || !in.Pressed("move_x") {
		t.Error("an axis goes to -1, and counts as pressed there")
	}
	if in.Set("typo", 1) || in.Set("fire", nan()) || in.Value("typo") != 0 || in.Known("typo") {
		t.Error("unknown actions and NaN must be refused: --input with a typo is an error")
	}
}

func TestInputLimits(t *testing.T) {
	var in Input
	for i := range MaxActions {
		if err := in.Define(Action{Name: fmt.Sprint("a", i)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"one more", "a0", ""} {
		if err := in.Define(Action{Name: name}); fault.CodeOf(err) != fault.Scene {
			t.Errorf("%q: got %v, want E_NET_SCENE", name, err)
		}
	}
	if len(in.Actions()) != MaxActions {
		t.Errorf("%d actions, want %d", len(in.Actions()), MaxActions)
	}
}
