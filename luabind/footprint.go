package luabind

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// walk adds up what a state reaches. It stops early when the sum passes limit.
type walk struct {
	limit   int64
	total   int64
	longest int64      // text
	seen    pointerSet // tables, functions, threads, prototypes, userdata, long strings
	pending []lua.LValue
}

// pointerSet is a hash set of addresses, open-addressed: it must cost little
// beside the objects it tells apart.
type pointerSet struct {
	slots []uintptr // a power of two of them; 0 = free
	used  int
}

// add adds an address and reports whether it was not there yet.
func (s *pointerSet) add(p unsafe.Pointer) bool {
	if 3*len(s.slots) <= 4*s.used {
		s.grow()
	}
	if !s.place(uintptr(p)) {
		return false
	}
	s.used++
	return true
}

func (s *pointerSet) place(p uintptr) bool {
	mask := uintptr(len(s.slots) - 1)
	for i := (p >> 3) * 0x9E3779B97F4A7C15 >> 20 & mask; ; i = (i + 1) & mask {
		switch s.slots[i] {
		case p:
			return false
		case 0:
			s.slots[i] = p
			return true
		}
	}
}

func (s *pointerSet) grow() {
	old := s.slots
	s.slots = make([]uintptr, max(1024, 2*len(old)))
	for _, p := range old {
		if p != 0 {
			s.place(p)
		}
	}
}

// footprint estimates the bytes reachable from the state.
func (s *State) footprint(limit int64) int64 { return s.walk(limit, lua.LNil).total }

// walk visits what is reachable from the state: globals, loaded modules, what
// bindings hold for scripts, and the stacks of all threads that run or that
// something refers to, and also. It costs time in what is reached, some 200 ns a
// table.
func (s *State) walk(limit int64, also lua.LValue) walk {
	w := walk{limit: limit}
	w.add(also)
	w.add(s.globals)
	w.add(s.roots)
	w.add(s.stringMeta)
	for _, name := range s.modules.order {
		w.add(s.modules.loaded[name])
	}
	for th := s.L.G.CurrentThread; th != nil; th = th.Parent {
		w.add(th)
	}
	for len(w.pending) > 0 && w.total <= w.limit {
		v := w.pending[len(w.pending)-1]
		w.pending = w.pending[:len(w.pending)-1]
		w.visit(v)
	}
	return w
}

// add counts a value that is stored somewhere and queues what it refers to.
func (w *walk) add(v lua.LValue) {
	switch v := v.(type) {
	case lua.LString:
		w.text(string(v))
	case lua.LNumber:
		w.total += 8
	case *lua.LTable:
		if w.seen.add(unsafe.Pointer(v)) {
			w.total += tableBytes(v)
			w.pending = append(w.pending, v)
		}
	case *lua.LFunction:
		if w.seen.add(unsafe.Pointer(v)) {
			w.total += 64 + 64*int64(len(v.Upvalues))
			w.pending = append(w.pending, v)
		}
	case *lua.LUserData:
		if w.seen.add(unsafe.Pointer(v)) {
			w.total += 64
			w.add(v.Metatable)
			w.held(v.Value)
		}
	case *lua.LState:
		if w.seen.add(unsafe.Pointer(v)) {
			w.total += 3072 + 16*int64(registerRoom(v))
			w.pending = append(w.pending, v)
		}
	}
}

// held counts what a library function keeps for its iterator.
func (w *walk) held(v any) {
	switch v := v.(type) {
	case *traversal:
		w.total += 16 * int64(cap(v.keys))
		w.add(v.table)
		for _, key := range v.keys {
			w.add(key)
		}
	case *pattern:
		if w.seen.add(unsafe.Pointer(v)) {
			w.total += v.bytes()
		}
	}
}

// text counts a string. Short ones are counted at every place: telling them
// apart would cost more memory than they do.
func (w *walk) text(s string) {
	w.total += 16
	if len(s) == 0 {
		return
	}
	w.longest = max(w.longest, int64(len(s)))
	if len(s) >= 64 {
		if !w.seen.add(unsafe.Pointer(unsafe.StringData(s))) {
			return
		}
	}
	w.total += int64(len(s))
}

func (w *walk) visit(v lua.LValue) {
	switch v := v.(type) {
	case *lua.LTable:
		w.table(v)
	case *lua.LFunction:
		w.add(v.Env)
		for _, u := range v.Upvalues {
			if u != nil {
				w.add(u.Value())
			}
		}
		w.proto(v.Proto)
	case *lua.LState:
		w.thread(v)
	}
}

func (w *walk) table(t *lua.LTable) {
	w.add(t.Metatable)
	n, slots := arrayLen(t), keySlots(t)
	if n == 0 && slots >= 32 { // faster for many keys; a sum has no order
		t.ForEach(func(key, value lua.LValue) {
			if w.total <= w.limit {
				w.add(key)
				w.add(value)
			}
		})
		return
	}
	for i := 1; i <= n && w.total <= w.limit; i++ {
		w.add(t.RawGetInt(i))
	}
	if slots == 0 {
		return
	}
	for key, value := t.Next(afterArray(n)); key != lua.LNil && w.total <= w.limit; key, value = t.Next(key) {
		w.add(key)
		w.add(value)
	}
}

func (w *walk) proto(p *lua.FunctionProto) {
	if p == nil || !w.seen.add(unsafe.Pointer(p)) {
		return
	}
	w.total += 900 + 12*int64(len(p.Code)) + 48*int64(len(p.Constants)) + 24*int64(len(p.DbgCalls)) + 48*int64(len(p.DbgLocals))
	for _, c := range p.Constants {
		w.add(c)
	}
	for _, inner := range p.FunctionPrototypes {
		w.proto(inner)
	}
}

// thread counts the registers of every frame of a thread.
func (w *walk) thread(th *lua.LState) {
	for level := 0; w.total <= w.limit; level++ {
		dbg, ok := th.GetStack(level)
		if !ok {
			return
		}
		fn, err := th.GetInfo("f", dbg, lua.LNil)
		if err != nil {
			return
		}
		w.add(fn)
		w.total += 88
		for no := 1; w.total <= w.limit; no++ {
			name, v := th.GetLocal(dbg, no)
			if name == "" {
				break
			}
			w.total += 16
			if v != nil {
				w.add(v)
			}
		}
		for no := range hiddenArgs(dbg) {
			if _, v := th.GetLocal(dbg, -no); v != nil && w.total <= w.limit {
				w.total += 16
				w.add(v)
			}
		}
	}
}
