package luabind

import (
	"errors"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// threads keeps the threads that protected calls run on.
//
// gopher-lua's own protected call closes the captured variables of every
// function of the thread when an error is raised, also of functions that
// survive it: after a failed pcall a closure and the function it came from no
// longer share a variable. On a thread of its own an error ends, and closes,
// exactly what was called. A thread that returned is used again.
type threads struct {
	idle   []*lua.LState
	hidden map[*lua.LState]bool // threads of protected calls, which scripts do not see
	depth  int                  // threads that wait for one another

	trampoline *lua.LFunction
	factory    *lua.LFunction
	stock      struct{ create, resume lua.LGFunction } // of gopher-lua
}

const (
	// maxThreadDepth bounds how many threads wait for one another (coroutines
	// and protected calls together), and maxCallDepth the calls of each. With
	// metamethods every call may take a Go frame of about a kilobyte, so both
	// together bound Go's stack to some 200 MiB of the 1 GiB it may have.
	maxThreadDepth = 190
	maxCallDepth   = 1000
	maxIdle        = 8

	// freshThread is what a protected call that finds no idle thread costs in
	// instructions: nested more than maxIdle deep, or after one that failed.
	freshThread = 150
)

// threadOptions size a thread: about 4 KiB, grown on demand.
var threadOptions = lua.Options{
	SkipOpenLibs: true, CallStackSize: maxCallDepth, MinimizeStackMemory: true,
	RegistrySize: 64, RegistryGrowStep: 512, RegistryMaxSize: 1 << 16,
}

// newThread makes a thread whose instructions are counted. gopher-lua would
// derive a cancellable context for it; without one on its parent it does not.
func (s *State) newThread(L *lua.LState) *lua.LState {
	L.RemoveContext()
	th, _ := L.NewThread()
	L.SetContext(&s.meter)
	th.SetContext(&s.meter)
	th.Env = s.globals
	return th
}

// protect calls fn on a thread of its own and returns its results, or what was
// raised. The results are the caller's until the next protected call.
func (s *State) protect(L *lua.LState, fn lua.LValue, args []lua.LValue) ([]lua.LValue, *failure) {
	t := &s.threads
	if t.depth >= maxThreadDepth {
		return nil, &failure{value: lua.LString("stack overflow (too many nested protected calls)"), thread: L, place: placeOf(L)}
	}
	var th *lua.LState
	if n := len(t.idle); n > 0 {
		th = t.idle[n-1]
		t.idle = t.idle[:n-1]
	} else {
		s.meter.charge(L, freshThread)
		th = s.newThread(L)
		if t.hidden == nil {
			t.hidden = map[*lua.LState]bool{}
		}
		t.hidden[th] = true
	}
	out, err := s.resume(L, th, fn, args)
	if err != nil {
		delete(t.hidden, th)
		return nil, err
	}
	th.Dead = false
	if len(t.idle) < maxIdle {
		t.idle = append(t.idle, th)
	} else {
		delete(t.hidden, th)
	}
	return out, nil
}

// resume starts or continues th. Functions that are not Lua's own start through
// a trampoline, because the machine cannot run them as a thread's first.
func (s *State) resume(L, th *lua.LState, fn lua.LValue, args []lua.LValue) ([]lua.LValue, *failure) {
	f, ok := fn.(*lua.LFunction)
	if fn != nil && (!ok || f.IsG) {
		args = append([]lua.LValue{fn}, args...)
		f = s.trampoline()
	}
	s.threads.depth++
	_, err, out := L.Resume(th, f, args...)
	s.threads.depth--
	if err == nil {
		return out, nil
	}
	failed := &failure{value: lua.LNil, thread: th, place: placeOf(th)}
	var api *lua.ApiError
	if errors.As(err, &api) && api.Object != nil {
		failed.value = s.soften(api.Object, th)
	}
	return nil, failed
}

// soften replaces messages that Go code of the machine panicked with by a
// Lua message with a place, and takes the place of our trampoline off others:
// pcall(f) of a function written in Go has none, as in C Lua.
func (s *State) soften(v lua.LValue, th *lua.LState) lua.LValue {
	message, ok := v.(lua.LString)
	if !ok {
		return v
	}
	text, ours := strings.CutPrefix(string(message), trampolinePlace)
	switch {
	case text == "lua callstack overflow", strings.HasSuffix(text, " registry overflow"):
		return lua.LString(placeOf(th).String() + ": stack overflow")
	case strings.HasPrefix(text, "runtime error:"), strings.HasPrefix(text, "interface conversion:"):
		s.counters.Panics++
		return lua.LString(placeOf(th).String() + ": internal fault of the Lua machine: " + text)
	case ours:
		return lua.LString(text)
	}
	return v
}

// trampoline calls what it is given; it is Lua, so that a thread can start
// with it.
func (s *State) trampoline() *lua.LFunction {
	if s.threads.trampoline == nil {
		s.threads.trampoline = s.must("local function call(f, ...) return f(...) end return call(...)")
	}
	return s.threads.trampoline
}

// ownChunk names scripts of ours; they are never a place of an error.
const ownChunk = "(call)"

// trampolinePlace begins the messages of functions that the trampoline calls.
const trampolinePlace = ownChunk + ":1: "

// must compiles a script of ours.
func (s *State) must(src string) *lua.LFunction {
	fn, bad := s.compile(ownChunk, src, nil)
	if bad != nil {
		panic("luabind: BUG: " + bad.Error())
	}
	return fn
}

// owner returns the coroutine that th works for: itself, unless it is the
// hidden thread of a protected call.
func (s *State) owner(th *lua.LState) *lua.LState {
	for s.threads.hidden[th] && th.Parent != nil {
		th = th.Parent
	}
	return th
}

// guarded ends a library function that caught an error: when a budget is
// spent, the error goes on, whatever the script wanted.
func (s *State) guarded(L *lua.LState) {
	if s.meter.stopped != 0 {
		s.meter.raise(L)
	}
}

// basePcall is pcall(f, ...).
func (s *State) basePcall(a Args) int {
	a.Any(1)
	out, failed := s.protect(a.L, a.Get(1), a.rest(2))
	return s.caught(a.L, out, failed)
}

// baseXpcall is xpcall(f, handler, ...). The handler runs after the error has
// ended what was called.
func (s *State) baseXpcall(a Args) int {
	a.Any(2)
	handler := a.Get(2)
	out, failed := s.protect(a.L, a.Get(1), a.rest(3))
	if failed != nil {
		s.guarded(a.L)
		var again *failure
		if out, again = s.protect(a.L, handler, []lua.LValue{failed.value}); again == nil {
			failed.value = first(out)
		} else {
			failed = again
		}
	}
	return s.caught(a.L, out, failed)
}

// failing is what an error costs that is caught: the machine unwinds with a
// panic and writes down where it was, which takes as long as so many instructions.
const failing = 20

// caught pushes the results of a protected call.
func (s *State) caught(L *lua.LState, out []lua.LValue, failed *failure) int {
	s.guarded(L)
	if failed != nil {
		s.meter.charge(L, failing)
		L.Push(lua.LFalse)
		L.Push(failed.value)
		return 2
	}
	L.Push(lua.LTrue)
	for _, v := range out {
		L.Push(v)
	}
	return len(out) + 1
}
