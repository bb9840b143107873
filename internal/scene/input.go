package scene

import "demi.network/runtime/fault"

// ActionKind is the kind of an input action.
type ActionKind uint8

// The kinds of actions.
const (
	Button ActionKind = iota // 0 or 1; down from 0.5
	Axis1D                   // -1 … 1
)

// String returns the kind as project files spell it.
func (k ActionKind) String() string {
	if k == Axis1D {
		return "axis1d"
	}
	return "button"
}

// downAt is the value from which an action counts as held.
const downAt = 0.5

// Action is one named input of a project.
type Action struct {
	Name    string
	Kind    ActionKind
	Context string // "gameplay", …; kept, every context is enabled here
}

// Input owns the values of a project's actions. A headless game has no
// devices: bots, --input and tests call Set. What is set takes effect at the
// next Begin, so that a tick sees one value throughout. Not safe for
// concurrent use.
type Input struct {
	actions []Action
	states  []actionState
	byName  map[string]int
}

// actionState is one action's values. A press that is released again before
// the next tick is still seen as pressed by that tick.
type actionState struct {
	next, value       float64
	wentDown, wentUp  bool // since the last Begin
	pressed, released bool // in this tick
}

// Define adds an action. Errors: fault.Scene for an empty or taken name, and
// for too many actions.
func (in *Input) Define(a Action) error {
	if _, taken := in.byName[a.Name]; taken || a.Name == "" {
		return fault.New(fault.Scene, "the input action %q is empty or defined twice", a.Name)
	}
	if len(in.actions) >= MaxActions {
		return fault.New(fault.Scene, "too many input actions: at most %d", MaxActions)
	}
	if in.byName == nil {
		in.byName = map[string]int{}
	}
	in.byName[a.Name] = len(in.actions)
	in.actions = append(in.actions, a)
	in.states = append(in.states, actionState{})
	return nil
}

// Actions returns the actions in the project's order. The slice is the
// Input's: read it, do not change it.
func (in *Input) Actions() []Action { return in.actions }

// Set gives an action its value from the next Begin on, clamped to -1 … 1, or
// 0 … 1 for a button. False: there is no such action, or the value is NaN.
func (in *Input) Set(name string, v float64) bool {
	i, ok := in.byName[name]
	if !ok || v != v {
		return false
	}
	low := -1.0
	if in.actions[i].Kind == Button {
		low = 0
	}
	v = max(low, min(1, v))
	st := &in.states[i]
	if isDown(v) && !isDown(st.next) {
		st.wentDown = true
	}
	if !isDown(v) && isDown(st.next) {
		st.wentUp = true
	}
	st.next = v
	return true
}

// Begin starts a tick: values that were set become visible, edges are those
// since the last Begin.
func (in *Input) Begin() {
	for i := range in.states {
		st := &in.states[i]
		st.value = st.next
		st.pressed, st.wentDown = st.wentDown, false
		st.released, st.wentUp = st.wentUp, false
	}
}

// Value returns an action's value in this tick; 0 for an unknown one.
func (in *Input) Value(name string) float64 {
	if st := in.state(name); st != nil {
		return st.value
	}
	return 0
}

// Down reports whether an action is held in this tick.
func (in *Input) Down(name string) bool {
	st := in.state(name)
	return st != nil && isDown(st.value)
}

// Pressed reports whether an action went down since the last tick.
func (in *Input) Pressed(name string) bool {
	st := in.state(name)
	return st != nil && st.pressed
}

// Released reports whether an action went up since the last tick.
func (in *Input) Released(name string) bool {
	st := in.state(name)
	return st != nil && st.released
}

// Known reports whether the project defines an action.
func (in *Input) Known(name string) bool {
	_, ok := in.byName[name]
	return ok
}

func (in *Input) state(name string) *actionState {
	i, ok := in.byName[name]
	if !ok {
		return nil
	}
	return &in.states[i]
}

func isDown(v float64) bool { return v >= downAt || v <= -downAt }
