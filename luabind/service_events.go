package luabind

import (
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// Bounds of the bus. What passes one is an error of the script that did it.
const (
	maxSubscriptions = 1024
	maxEmitDepth     = 32
	maxEventName     = 256 // bytes
)

// bus is Events: a bus inside one process, between its scripts. Nothing of it
// travels.
type bus struct {
	// call runs a handler and reports whether it ended well; an error of one
	// handler does not reach the others, nor the script that emits.
	call   func(fn lua.LValue, args ...lua.LValue) bool
	charge charge
	subs   []subscription // in the order of subscribing
	held   *lua.LTable    // their handlers, so that their memory counts as the scripts'
	next   int
	depth  int // of emits inside emits
}

type subscription struct {
	id   int // 0 = gone, removed when no emit runs
	name string
	fn   *lua.LFunction
}

func (b *bus) funcs() []Func {
	return []Func{{"subscribe", b.subscribe}, {"unsubscribe", b.unsubscribe}, {"emit", b.emit}}
}

// subscribe is subscribe(name, handler) → a number for unsubscribe.
func (b *bus) subscribe(a Args) int {
	name, fn := a.String(1), a.Function(2)
	if len(name) > maxEventName {
		a.Fail(1, "at most %d bytes expected, got %d", maxEventName, len(name))
	}
	if len(b.subs) >= maxSubscriptions {
		a.L.RaiseError("Events: at most %d subscriptions", maxSubscriptions)
	}
	b.next++
	b.subs = append(b.subs, subscription{b.next, name, fn})
	b.held.RawSetInt(len(b.subs), fn)
	a.L.Push(lua.LNumber(b.next))
	return 1
}

// unsubscribe is unsubscribe(number), or unsubscribe(name, handler): whether
// there was such a subscription.
func (b *bus) unsubscribe(a Args) int {
	found := false
	if id, ok := a.Get(1).(lua.LNumber); ok {
		found = b.remove(func(s *subscription) bool { return lua.LNumber(s.id) == id })
	} else {
		name, fn := a.name(1), a.Function(2)
		found = b.remove(func(s *subscription) bool { return s.name == name && s.fn == fn })
	}
	return answer(a, found)
}

// remove marks what matches as gone.
func (b *bus) remove(match func(*subscription) bool) bool {
	found := false
	for i := range b.subs {
		if s := &b.subs[i]; s.id != 0 && match(s) {
			*s = subscription{}
			found = true
		}
	}
	b.sweep()
	return found
}

// sweep takes gone subscriptions out, unless an emit is walking the list.
func (b *bus) sweep() {
	before := len(b.subs)
	if b.depth > 0 || before == 0 {
		return
	}
	b.subs = slices.DeleteFunc(b.subs, func(s subscription) bool { return s.id == 0 })
	if len(b.subs) == before {
		return
	}
	for i := range before {
		fn := lua.LValue(lua.LNil)
		if i < len(b.subs) {
			fn = b.subs[i].fn
		}
		b.held.RawSetInt(i+1, fn)
	}
}

// emit is emit(name, ...): every handler of that name is called at once, in the
// order of subscribing; those that subscribe meanwhile are not.
func (b *bus) emit(a Args) int {
	name, args := a.name(1), a.rest(2)
	if b.depth >= maxEmitDepth {
		a.L.RaiseError("Events: emit inside emit, more than %d deep", maxEmitDepth)
	}
	b.charge(a.L, len(b.subs)/8)
	b.depth++
	defer func() {
		b.depth--
		b.sweep()
	}()
	for i, n := 0, len(b.subs); i < n; i++ {
		s := b.subs[i]
		if s.id == 0 || s.name != name {
			continue
		}
		b.charge(a.L, costHandler)
		if !b.call(s.fn, args...) {
			b.charge(a.L, costFailure) // and ends here when the handler spent the budget
		}
	}
	return 0
}
