package luabind

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// walk adds up what a state reaches. It stops early when the sum passes limit.
type walk struct {
	limit   int64
	total   int64
	seen    map[any]struct{} // tables, functions, threads, prototypes, userdata
	texts   map[*byte]struct{}
	pending []lua.LValue
}

// footprint estimates the bytes reachable from the state: globals, loaded
// modules, and the stacks of all threads that run or that something refers to.
// It costs time in what is reached, some 100 ns a table.
func (s *State) footprint(limit int64) int64 {
	w := walk{limit: limit, seen: map[any]struct{}{}, texts: map[*byte]struct{}{}}
	w.add(s.globals)
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
	return w.total
}

// add counts a value that is stored somewhere and queues what it refers to.
func (w *walk) add(v lua.LValue) {
	switch v := v.(type) {
	case lua.LString:
		w.text(string(v))
	case lua.LNumber:
		w.total += 8
	case *lua.LTable:
		if w.first(v) {
			w.total += tableBytes(v)
			w.pending = append(w.pending, v)
		}
	case *lua.LFunction:
		if w.first(v) {
			w.total += 64 + 64*int64(len(v.Upvalues))
			w.pending = append(w.pending, v)
		}
	case *lua.LUserData:
		if w.first(v) {
			w.total += 64
			w.add(v.Metatable)
			if it, ok := v.Value.(*traversal); ok {
				w.total += 16 * int64(cap(it.keys))
				w.add(it.table)
				for _, key := range it.keys {
					w.add(key)
				}
			}
		}
	case *lua.LState:
		if w.first(v) {
			w.total += 4096
			w.pending = append(w.pending, v)
		}
	}
}

func (w *walk) first(v any) bool {
	if _, ok := w.seen[v]; ok {
		return false
	}
	w.seen[v] = struct{}{}
	return true
}

// text counts a string. Short ones are counted at every place: telling them
// apart would cost more memory than they do.
func (w *walk) text(s string) {
	w.total += 16
	if len(s) == 0 {
		return
	}
	if len(s) >= 64 {
		p := unsafe.StringData(s)
		if _, ok := w.texts[p]; ok {
			return
		}
		w.texts[p] = struct{}{}
	}
	w.total += int64(len(s))
}

func (w *walk) visit(v lua.LValue) {
	switch v := v.(type) {
	case *lua.LTable:
		w.add(v.Metatable)
		for i, n := 1, arrayLen(v); i <= n && w.total <= w.limit; i++ {
			w.add(v.RawGetInt(i))
		}
		if keySlots(v) == 0 {
			return
		}
		key := lua.LValue(lua.LNumber(arrayLen(v)))
		if key == lua.LNumber(0) {
			key = lua.LNil
		}
		for w.total <= w.limit {
			var value lua.LValue
			if key, value = v.Next(key); key == lua.LNil {
				return
			}
			w.add(key)
			w.add(value)
		}
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

func (w *walk) proto(p *lua.FunctionProto) {
	if p == nil || !w.first(p) {
		return
	}
	w.total += 400 + 12*int64(len(p.Code)) + 32*int64(len(p.Constants))
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
