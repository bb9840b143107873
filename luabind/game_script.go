package luabind

import (
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"demi.network/internal/scene"
	"demi.network/runtime/fault"
)

// callbackID is one of the functions that a script may define.
type callbackID uint8

const (
	onCreate callbackID = iota
	onStart
	onFixedUpdate
	onUpdate
	onDestroy
	onAction // the functions bound to input actions, together
	callbackCount
)

var callbackNames = [callbackCount]string{"on_create", "on_start", "on_fixed_update", "on_update", "on_destroy", "an input action"}

// script is a loaded entity script: the table it returned, shared by the
// objects of all entities that carry it.
type script struct {
	path    string
	table   *lua.LTable
	meta    *lua.LTable // of objects: looks functions up in table
	actions []actionBinding
	err     error // why it does not load, for every later entity as well
}

// object is what a script is for one entity: a table with entity_id whose
// metatable leads to the script's.
type object struct {
	ref    scene.Ref
	self   *lua.LTable
	script *script
	axes   []lua.LNumber // newest value told, by binding
	wrong  uint8         // callbacks that are no functions and have been reported
	tired  [callbackCount]fatigue
}

// fatigue keeps a callback that spends its whole budget again and again from
// taking the other peers' ticks: it rests, twice as long each time, until it
// once ends by itself.
type fatigue struct {
	until   uint64 // tick of the game
	strikes uint8
}

// A callback that spent its budget rests for firstRest ticks, about a second,
// and at most firstRest << maxStrikes, about half a minute.
const (
	firstRest  = 30
	maxStrikes = 5
)

// A tick may execute two budgets in all its callbacks. Those that come after get
// a small one, so that twenty entities with one fault in their script cost about
// as much as two.
const (
	tickBudgets = 2
	smallShare  = 100 // of the budget: a hundredth
)

// allowance is the budget of the next callback.
func (g *Game) allowance() int64 {
	whole := g.state.cfg.Instructions
	if g.state.used-g.before < tickBudgets*whole {
		return whole
	}
	return max(whole/smallShare, 1)
}

// spent notes how a call ended.
func (f *fatigue) spent(now uint64, err error) {
	var e *ScriptError
	if !errors.As(err, &e) || e.Kind != BudgetSpent && e.Kind != MemorySpent {
		f.strikes = 0
		return
	}
	f.until = now + firstRest<<f.strikes
	f.strikes = min(f.strikes+1, maxStrikes)
}

func (sc *script) object(L *lua.LState, ref scene.Ref, id string) *object {
	o := &object{ref: ref, script: sc, self: L.CreateTable(0, 4), axes: make([]lua.LNumber, len(sc.actions))}
	o.self.RawSetString("entity_id", lua.LString(id))
	o.self.Metatable = sc.meta
	return o
}

// callback calls a callback of an object if its script defines it, at that
// moment: a script may replace its own functions.
func (g *Game) callback(o *object, cb callbackID, args ...lua.LValue) {
	if cb != onDestroy && !g.cfg.Scene.Alive(o.ref) {
		return // destroyed by another script in this tick
	}
	if g.ticks < o.tired[cb].until {
		return
	}
	name := callbackNames[cb]
	fn, err := g.method(o.self, name)
	if err != nil {
		g.ended(o, cb, err)
		return
	}
	bit := uint8(1) << cb
	if callable(fn) {
		o.wrong &^= bit
	} else {
		if fn != lua.LNil && o.wrong&bit == 0 {
			o.wrong |= bit
			g.record(&ScriptError{Place: fault.Place{Path: o.script.path}, Text: fmt.Sprintf("%s is a %s, not a function", name, fn.Type())})
		}
		return
	}
	g.invoke(o, cb, fn, args)
}

// invoke calls a method of an object as a callback. What it returns is ignored.
func (g *Game) invoke(o *object, cb callbackID, fn lua.LValue, args []lua.LValue) {
	var room [4]lua.LValue
	all := append(append(room[:0], o.self), args...)
	_, err := g.state.within(g.allowance(), fn, all...)
	g.ended(o, cb, err)
}

// ended notes how a callback ended, or that it could not even be looked up.
func (g *Game) ended(o *object, cb callbackID, err error) {
	o.tired[cb].spent(g.ticks, err)
	g.record(err)
}

// callable says whether a value can be called.
func callable(v lua.LValue) bool {
	switch v := v.(type) {
	case *lua.LFunction:
		return true
	case *lua.LTable:
		mt, ok := v.Metatable.(*lua.LTable)
		return ok && mt.RawGetString("__call") != lua.LNil
	}
	return false
}

// maxInherit bounds the tables that a method is looked for in.
const maxInherit = 16

// method looks a name up as indexing does: in the object, its script, and what
// that inherits from.
func (g *Game) method(t *lua.LTable, name string) (lua.LValue, error) {
	for range maxInherit {
		if v := t.RawGetString(name); v != lua.LNil {
			return v, nil
		}
		mt, ok := t.Metatable.(*lua.LTable)
		if !ok {
			return lua.LNil, nil
		}
		switch index := mt.RawGetString("__index").(type) {
		case *lua.LTable:
			t = index
		case *lua.LFunction:
			out, err := g.state.within(g.allowance(), index, t, lua.LString(name))
			return first(out), err
		default:
			return lua.LNil, nil
		}
	}
	return lua.LNil, nil
}
