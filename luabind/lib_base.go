package luabind

import (
	"fmt"
	"strings"
	"weak"

	lua "github.com/yuin/gopher-lua"
)

// maxLogLine is the longest line print logs, in bytes.
const maxLogLine = 8192

// maxSpread is how many values unpack and its like put on the stack.
const maxSpread = 8000

// openLibraries fills the environment. Nothing of gopher-lua's libraries is in
// it.
func (s *State) openLibraries() {
	s.openGuards()
	s.openBase()
	s.openCoroutine()
	s.openString()
	s.openTable()
	s.openMath()
	s.openOS()
	s.openUTF8()
}

func (s *State) openBase() {
	s.globals.RawSetString("_G", s.globals)
	s.globals.RawSetString("_VERSION", lua.LString("Lua 5.1"))
	s.openIteration()
	for _, f := range []Func{
		{"assert", s.baseAssert}, {"collectgarbage", s.baseCollectGarbage}, {"error", s.baseError},
		{"getmetatable", s.baseGetMetatable}, {"load", s.baseLoad}, {"loadstring", s.baseLoad},
		{"pcall", s.basePcall}, {"print", s.basePrint}, {"rawequal", s.baseRawEqual}, {"rawget", s.baseRawGet},
		{"rawlen", s.baseRawLen}, {"rawset", s.baseRawSet}, {"require", s.baseRequire}, {"select", s.baseSelect},
		{"setmetatable", s.baseSetMetatable}, {"tonumber", s.baseToNumber}, {"tostring", s.baseToString},
		{"type", s.baseType}, {"unpack", s.tableUnpack}, {"xpcall", s.baseXpcall},
	} {
		s.globals.RawSetString(f.Name, s.L.NewFunction(plain(f)))
	}
}

func (s *State) baseAssert(a Args) int {
	if lua.LVAsBool(a.Any(1)) {
		return a.n
	}
	if a.n < 2 {
		a.L.RaiseError("assertion failed!")
	}
	a.L.Error(a.Get(2), 0)
	return 0
}

// baseCollectGarbage does nothing: the process collects. "count" answers an
// estimate in KiB, and 0 where scripts must not see what differs between peers.
func (s *State) baseCollectGarbage(a Args) int {
	if a.OptString(1, "collect") == "count" && !s.cfg.Sorted {
		s.mem.advance()
		a.push(float64(s.mem.held+s.mem.grown) / 1024)
		return 1
	}
	a.push(0)
	return 1
}

func (s *State) baseError(a Args) int {
	v := a.Get(1)
	if text, ok := v.(lua.LString); ok {
		level := a.optPosition(2, 1)
		if level > 0 && level < 1000 {
			if where := a.L.Where(level); where != "" && !strings.HasPrefix(where, "[G]") && !strings.HasPrefix(where, ownChunk) {
				v = lua.LString(where + " " + string(text))
			}
		}
		a.L.Error(v, 0)
	}
	a.L.Error(v, 0)
	return 0
}

func (s *State) baseGetMetatable(a Args) int {
	a.L.Push(a.L.GetMetatable(a.Any(1)))
	return 1
}

func (s *State) baseSetMetatable(a Args) int {
	t := a.Table(1)
	mt := a.Get(2)
	if _, ok := mt.(*lua.LTable); !ok && (mt != lua.LNil || a.n < 2) {
		a.wrong(2, "nil or table")
	}
	if old, ok := t.Metatable.(*lua.LTable); ok && old.RawGetString("__metatable") != lua.LNil {
		a.L.RaiseError("cannot change a protected metatable")
	}
	t.Metatable = mt
	a.L.Push(t)
	return 1
}

// baseLoad compiles text, given as a string or piece by piece by a function.
// Its environment is the globals, or the table given as the fourth argument.
func (s *State) baseLoad(a Args) int {
	var src string
	switch v := a.Any(1).(type) {
	case lua.LString:
		src = string(v)
	case *lua.LFunction:
		var b strings.Builder
		for b.Len() <= maxSource {
			a.L.Push(v)
			a.L.Call(0, 1)
			given := a.L.Get(-1)
			a.L.Pop(1)
			if given != lua.LNil && !lua.LVCanConvToString(given) {
				a.L.Push(lua.LNil)
				a.L.Push(lua.LString("reader function must return a string"))
				return 2
			}
			piece := lua.LString("") // nil ends it as an empty text does
			if given != lua.LNil {
				piece = lua.LString(s.toString(a.L, given))
			}
			if piece == "" {
				break
			}
			s.reserve(a.L, int64(len(piece)))
			b.WriteString(string(piece))
		}
		src = b.String()
	default:
		a.wrong(1, "string or function")
	}
	name := strings.TrimLeft(a.OptString(2, "=(load)"), "=@")
	if strings.ContainsAny(name, "\n\r") || len(name) > 80 {
		name = "(load)"
	}
	s.meter.charge(a.L, int64(len(src))*8+100)
	fn, bad := s.compile(name, src, s.pays(a.L))
	if bad != nil {
		a.L.Push(lua.LNil)
		a.L.Push(lua.LString(bad.Error()))
		return 2
	}
	if env, ok := a.Get(4).(*lua.LTable); ok {
		fn.Env = env
	}
	a.L.Push(fn)
	return 1
}

// pays charges a script for what it has compiled.
func (s *State) pays(L *lua.LState) func(work, bytes int64) {
	return func(work, bytes int64) {
		s.meter.charge(L, work)
		s.reserve(L, bytes)
	}
}

func (s *State) basePrint(a Args) int {
	line := logLine(a, func(v lua.LValue) string { return s.toString(a.L, v) })
	s.meter.charge(a.L, 100+int64(len(line)/8))
	logLines(line, s.cfg.Log)
	return 0
}

// logLine spells the arguments of a call as a text of at most maxLogLine bytes
// and a mark that it was cut.
func logLine(a Args, spell func(lua.LValue) string) string {
	var b strings.Builder
	for i := 1; i <= a.n && b.Len() < maxLogLine; i++ {
		if i > 1 {
			b.WriteByte('\t')
		}
		b.WriteString(clip(spell(a.Get(i)), maxLogLine))
	}
	return clip(b.String(), maxLogLine)
}

func (s *State) baseRawEqual(a Args) int {
	a.L.Push(lua.LBool(a.L.RawEqual(a.Any(1), a.Any(2))))
	return 1
}

func (s *State) baseRawGet(a Args) int {
	a.L.Push(a.Table(1).RawGet(a.Any(2)))
	return 1
}

func (s *State) baseRawSet(a Args) int {
	t := a.Table(1)
	a.Any(3)
	s.rawSet(a.L, t, a.Get(2), a.Get(3))
	a.L.Push(t)
	return 1
}

func (s *State) baseRawLen(a Args) int {
	switch v := a.Get(1).(type) {
	case *lua.LTable:
		a.push(float64(v.Len()))
	case lua.LString:
		a.push(float64(len(v)))
	default:
		a.wrong(1, "table or string")
	}
	return 1
}

func (s *State) baseSelect(a Args) int {
	if a.Get(1) == lua.LString("#") {
		a.push(float64(a.n - 1))
		return 1
	}
	i := a.position(1)
	switch {
	case i < 0:
		i = a.n + i
	case i > a.n:
		i = a.n
	}
	if i < 1 {
		a.Fail(1, "index out of range")
	}
	return a.n - i
}

func (s *State) baseToNumber(a Args) int {
	v := a.Any(1)
	n, ok := 0.0, false
	if a.Has(2) {
		base := a.position(2)
		if base < 2 || base > 36 {
			a.Fail(2, "base out of range")
		}
		n, ok = parseInteger(a.text(1), base)
	} else {
		switch v := v.(type) {
		case lua.LNumber:
			n, ok = float64(v), true
		case lua.LString:
			n, ok = parseNumber(string(v))
		}
	}
	if !ok {
		a.L.Push(lua.LNil)
		return 1
	}
	a.push(n)
	return 1
}

func (s *State) baseToString(a Args) int {
	a.L.Push(lua.LString(s.toString(a.L, a.Any(1))))
	return 1
}

func (s *State) baseType(a Args) int {
	a.L.Push(lua.LString(a.Any(1).Type().String()))
	return 1
}

// toString is tostring: metamethods may run.
func (s *State) toString(L *lua.LState, v lua.LValue) string {
	if f := L.GetMetaField(v, "__tostring"); f != lua.LNil {
		L.Push(f)
		L.Push(v)
		L.Call(1, 1)
		out := L.Get(-1)
		L.Pop(1)
		switch out := out.(type) {
		case lua.LString:
			return string(out)
		case lua.LNumber:
			return formatNumber(float64(out))
		}
		L.RaiseError("'__tostring' must return a string")
	}
	return s.display(v)
}

// display is toString without metamethods.
func (s *State) display(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LNumber:
		return formatNumber(float64(v))
	case lua.LString:
		return string(v)
	case *lua.LTable:
		return fmt.Sprintf("table: 0x%08x", s.ids.of(weak.Make(v)))
	case *lua.LFunction:
		return fmt.Sprintf("function: 0x%08x", s.ids.of(weak.Make(v)))
	case *lua.LUserData:
		return fmt.Sprintf("userdata: 0x%08x", s.ids.of(weak.Make(v)))
	case *lua.LState:
		return fmt.Sprintf("thread: 0x%08x", s.ids.of(weak.Make(v)))
	}
	return v.String()
}

// identities numbers the objects that scripts print, in the order they were
// first printed. Addresses would differ between peers that run one script.
type identities struct {
	next  uint64
	ids   map[any]uint64 // by weak pointer: a number keeps nothing alive
	purge int            // size at which the dead are thrown out
}

func (t *identities) of(p any) uint64 {
	if id, ok := t.ids[p]; ok {
		return id
	}
	if t.ids == nil {
		t.ids = map[any]uint64{}
		t.purge = 1024
	}
	if len(t.ids) >= t.purge {
		for p := range t.ids {
			if dead(p) {
				delete(t.ids, p)
			}
		}
		t.purge = max(1024, 2*len(t.ids))
	}
	t.next++
	t.ids[p] = t.next
	return t.next
}

func dead(p any) bool {
	switch p := p.(type) {
	case weak.Pointer[lua.LTable]:
		return p.Value() == nil
	case weak.Pointer[lua.LFunction]:
		return p.Value() == nil
	case weak.Pointer[lua.LUserData]:
		return p.Value() == nil
	case weak.Pointer[lua.LState]:
		return p.Value() == nil
	}
	return false
}
