package luabind

import (
	lua "github.com/yuin/gopher-lua"
)

// openCoroutine makes the coroutine library over gopher-lua's own create and
// resume, which start and switch threads. What they get wrong is caught before:
// resuming a thread that waits for the running one, starting with a Go
// function, yielding from below one.
func (s *State) openCoroutine() {
	lua.OpenCoroutine(s.L)
	stock := s.L.Get(-1).(*lua.LTable)
	s.L.Pop(1)
	s.L.G.Registry = s.L.CreateTable(0, 0) // where it noted its library
	s.threads.stock.create = stock.RawGetString("create").(*lua.LFunction).GFunction
	s.threads.stock.resume = stock.RawGetString("resume").(*lua.LFunction).GFunction
	s.library("coroutine", []Func{
		{"create", s.coCreate}, {"resume", s.coResume}, {"yield", s.coYield}, {"wrap", s.coWrap},
		{"status", s.coStatus}, {"running", s.coRunning}, {"isyieldable", s.coIsYieldable}, {"close", s.coClose},
	})
}

// coroutine makes a suspended thread that starts with fn.
func (s *State) coroutine(L *lua.LState, fn *lua.LFunction) *lua.LState {
	s.reserve(L, 4096)
	if fn.IsG {
		if s.threads.factory == nil {
			s.threads.factory = s.must("local f = ... return function(...) return f(...) end")
		}
		out, failed := s.protect(L, s.threads.factory, []lua.LValue{fn})
		s.guarded(L)
		if failed == nil {
			fn = first(out).(*lua.LFunction)
		}
	}
	top := L.GetTop()
	L.Insert(fn, 1)
	L.RemoveContext()
	s.threads.stock.create(L)
	L.SetContext(&s.meter)
	th := L.Get(-1).(*lua.LState)
	L.Remove(1)
	L.SetTop(top)
	th.SetContext(&s.meter)
	th.Env = s.globals
	return th
}

func (s *State) coCreate(a Args) int {
	a.L.Push(s.coroutine(a.L, a.Function(1)))
	return 1
}

// busy says why th cannot be resumed from L, or returns "".
func (s *State) busy(L, th *lua.LState) string {
	if th.Dead {
		return "cannot resume dead coroutine"
	}
	for p := L; p != nil; p = p.Parent {
		if p == th {
			return "cannot resume non-suspended coroutine"
		}
	}
	if s.threads.depth >= maxThreadDepth {
		return "stack overflow (too many nested coroutines)"
	}
	return ""
}

// continueThread resumes th with the arguments on L's stack from the first on
// and leaves true or false and the values there; it returns how many.
func (s *State) continueThread(L, th *lua.LState) int {
	if why := s.busy(L, th); why != "" {
		L.Push(lua.LFalse)
		L.Push(lua.LString(L.Where(1) + " " + why))
		return 2
	}
	if n, ok := awaited(th); !ok && emptied(th) {
		th.Dead = true // what it is given is what it returns
		L.Insert(lua.LTrue, 1)
		return L.GetTop()
	} else if ok && n >= 0 {
		// The machine would take what stands in the registers for values that
		// are not given. This fills up with nil.
		L.SetTop(n)
	}
	L.Insert(th, 1)
	s.threads.depth++
	n := s.threads.stock.resume(L)
	s.threads.depth--
	s.guarded(L)
	if n == 2 && L.Get(-2) == lua.LFalse && th.Dead {
		v := L.Get(-1)
		L.Pop(1)
		L.Push(s.soften(v, th))
	}
	return n
}

func (s *State) coResume(a Args) int {
	th := a.Thread(1)
	if why := s.busy(a.L, th); why != "" {
		a.L.Push(lua.LFalse)
		a.L.Push(lua.LString(why))
		return 2
	}
	a.L.Remove(1)
	return s.continueThread(a.L, th)
}

func (s *State) coWrap(a Args) int {
	th := s.coroutine(a.L, a.Function(1))
	a.L.Push(a.L.NewClosure(s.wrapped, th))
	return 1
}

func (s *State) wrapped(L *lua.LState) int {
	th := L.ToThread(lua.UpvalueIndex(1))
	n := s.continueThread(L, th)
	if L.Get(-n) == lua.LFalse {
		L.Error(L.Get(-1), 0)
	}
	return n - 1
}

func (s *State) coYield(a Args) int {
	switch {
	case s.owner(a.L) == s.L:
		a.L.RaiseError("attempt to yield from outside a coroutine")
	case s.threads.hidden[a.L]:
		a.L.RaiseError("attempt to yield across a protected call")
	case !mayYield(a.L):
		a.L.RaiseError("attempt to yield across a metamethod, an iterator or a library function")
	}
	return -1
}

func (s *State) coStatus(a Args) int {
	th := a.Thread(1)
	status := "suspended"
	switch {
	case th.Dead:
		status = "dead"
	case s.owner(a.L) == th:
		status = "running"
	default:
		for p := a.L; p != nil; p = p.Parent {
			if p == th {
				status = "normal"
			}
		}
	}
	a.L.Push(lua.LString(status))
	return 1
}

// coRunning returns the running coroutine, nil outside any, as Lua 5.1 does.
func (s *State) coRunning(a Args) int {
	if th := s.owner(a.L); th != s.L {
		a.L.Push(th)
		return 1
	}
	a.L.Push(lua.LNil)
	return 1
}

func (s *State) coIsYieldable(a Args) int {
	a.L.Push(lua.LBool(!s.threads.hidden[a.L] && a.L.Parent != nil && mayYield(a.L)))
	return 1
}

// coClose ends a suspended coroutine.
func (s *State) coClose(a Args) int {
	th := a.Thread(1)
	for p := a.L; p != nil; p = p.Parent {
		if p == th {
			a.L.RaiseError("cannot close a running coroutine")
		}
	}
	th.Dead = true
	a.L.Push(lua.LTrue)
	return 1
}
