package luabind

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// maxCompiled is how many compiled patterns a state keeps; when there are more
// it forgets all and begins anew.
const maxCompiled = 256

// patterns keeps compiled patterns.
type patterns map[string]*pattern

// compiled returns a pattern; faults in it are errors of the script.
func (s *State) compiled(a Args, text string, anchors bool) *pattern {
	key := text
	if !anchors {
		key = "\x00" + text
	}
	if p, ok := s.patterns[key]; ok {
		return p
	}
	s.meter.charge(a.L, int64(len(text)))
	p, err := compilePattern(text, anchors)
	if err != nil {
		a.L.RaiseError("%s", err.Error())
	}
	s.reserve(a.L, p.bytes())
	if len(text) > 256 {
		return p
	}
	if s.patterns == nil || len(s.patterns) >= maxCompiled {
		s.patterns = patterns{}
	}
	s.patterns[key] = p
	return p
}

// matcher prepares matching within the budget.
func (s *State) matcher(a Args, p *pattern, src string) *matcher {
	return &matcher{pattern: p, src: src, spend: func(n int64) { s.meter.charge(a.L, n) }}
}

// search is matcher.find with the one fault that only matching finds.
func search(a Args, m *matcher, init int) (start, end int) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(tooComplex); ok {
				a.L.RaiseError("pattern too complex")
			}
			panic(r)
		}
	}()
	m.depth = 0
	return m.find(init)
}

// capture returns the n-th capture, or the whole match when there are none.
func (m *matcher) capture(n, start, end int) lua.LValue {
	if m.captures == 0 {
		return lua.LString(m.src[start:end])
	}
	c := m.caps[n]
	if c.length == positionCapture {
		return lua.LNumber(c.start + 1)
	}
	return lua.LString(m.src[c.start : c.start+c.length])
}

// pushCaptures pushes all captures, or the whole match.
func (m *matcher) pushCaptures(L *lua.LState, start, end int) int {
	n := max(m.captures, 1)
	for i := range n {
		L.Push(m.capture(i, start, end))
	}
	return n
}

// initial turns the optional start of find and match into an offset.
func initial(a Args, length int) int {
	i := a.optPosition(3, 1)
	if i < 0 {
		i = length + i + 1
	}
	return min(max(i-1, 0), length)
}

func (s *State) strFind(a Args) int {
	text, pat := a.text(1), a.text(2)
	init := initial(a, len(text))
	if lua.LVAsBool(a.Get(4)) || !strings.ContainsAny(pat, "^$*+?.([%-") {
		s.meter.charge(a.L, int64((len(text)-init)/32))
		at := strings.Index(text[init:], pat)
		if at < 0 {
			a.L.Push(lua.LNil)
			return 1
		}
		a.push(float64(init + at + 1))
		a.push(float64(init + at + len(pat)))
		return 2
	}
	m := s.matcher(a, s.compiled(a, pat, true), text)
	start, end := search(a, m, init)
	if start < 0 {
		a.L.Push(lua.LNil)
		return 1
	}
	a.push(float64(start + 1))
	a.push(float64(end))
	if m.captures == 0 {
		return 2
	}
	return 2 + m.pushCaptures(a.L, start, end)
}

func (s *State) strMatch(a Args) int {
	text := a.text(1)
	m := s.matcher(a, s.compiled(a, a.text(2), true), text)
	start, end := search(a, m, initial(a, len(text)))
	if start < 0 {
		a.L.Push(lua.LNil)
		return 1
	}
	return m.pushCaptures(a.L, start, end)
}

func (s *State) strGmatch(a Args) int {
	source := lua.LString(a.text(1))
	p := s.compiled(a, a.text(2), false)
	at := 0
	held := a.L.NewUserData()
	held.Value = p
	// The text and the pattern are upvalues, so that their memory is seen.
	a.L.Push(a.L.NewClosure(func(L *lua.LState) int {
		text := string(L.Get(lua.UpvalueIndex(1)).(lua.LString))
		if at > len(text) {
			L.Push(lua.LNil)
			return 1
		}
		call := Args{L: L, fn: "gmatch"}
		m := s.matcher(call, p, text)
		start, end := search(call, m, at)
		if start < 0 {
			at = len(text) + 1
			L.Push(lua.LNil)
			return 1
		}
		if at = end; end == start {
			at++
		}
		return m.pushCaptures(L, start, end)
	}, source, held))
	return 1
}

// builder makes a string piece by piece within the memory limit. Its function
// defers free.
type builder struct {
	s *State
	L *lua.LState
	b []byte
}

func (b *builder) add(text string) {
	if need := len(b.b) + len(text); need > cap(b.b) {
		room := max(2*cap(b.b), need, 64)
		b.s.reserve(b.L, int64(room))
		b.s.mem.buffers += int64(room - cap(b.b))
		b.b = append(make([]byte, 0, room), b.b...)
	}
	b.b = append(b.b, text...)
}

// value returns the string, which is a copy of its own.
func (b *builder) value() lua.LString {
	b.s.reserve(b.L, int64(len(b.b)))
	b.s.made(len(b.b))
	return lua.LString(b.b)
}

func (b *builder) free() { b.s.mem.buffers -= int64(cap(b.b)) }

func (s *State) strGsub(a Args) int {
	text := a.text(1)
	m := s.matcher(a, s.compiled(a, a.text(2), true), text)
	repl := a.Any(3)
	switch v := repl.(type) {
	case lua.LNumber:
		repl = lua.LString(formatNumber(float64(v)))
	case lua.LString, *lua.LTable, *lua.LFunction:
	default:
		a.wrong(3, "string, table or function")
	}
	limit := a.optPosition(4, len(text)+1)
	out := builder{s: s, L: a.L}
	defer out.free()
	at, count := 0, 0
	for count < limit && at <= len(text) {
		start, end := search(a, m, at)
		if start < 0 {
			break
		}
		count++
		s.meter.charge(a.L, 4)
		out.add(text[at:start])
		s.substitute(a, &out, m, repl, start, end)
		at = end
		if end == start { // an empty match: the byte after it stays
			if at < len(text) {
				out.add(text[at : at+1])
			}
			at++
		}
		if m.anchored {
			break
		}
	}
	if count == 0 {
		a.L.Push(lua.LString(text))
	} else {
		if at < len(text) {
			out.add(text[at:])
		}
		a.L.Push(out.value())
	}
	a.push(float64(count))
	return 2
}

// substitute appends what replaces one match.
func (s *State) substitute(a Args, out *builder, m *matcher, repl lua.LValue, start, end int) {
	var v lua.LValue
	switch r := repl.(type) {
	case lua.LString:
		m.expand(a, out, string(r), start, end)
		return
	case *lua.LTable:
		v = a.L.GetTable(r, m.capture(0, start, end))
	case *lua.LFunction:
		a.L.Push(r)
		n := m.pushCaptures(a.L, start, end)
		a.L.Call(n, 1)
		v = a.L.Get(-1)
		a.L.Pop(1)
	}
	switch v := v.(type) {
	case lua.LString:
		out.add(string(v))
	case lua.LNumber:
		out.add(formatNumber(float64(v)))
	default:
		if lua.LVAsBool(v) {
			a.L.RaiseError("invalid replacement value (a %s)", v.Type())
		}
		out.add(m.src[start:end])
	}
}

// expand appends a replacement text with its %0 to %9.
func (m *matcher) expand(a Args, out *builder, repl string, start, end int) {
	for {
		i := strings.IndexByte(repl, '%')
		if i < 0 || i+1 >= len(repl) {
			if i >= 0 {
				a.L.RaiseError("invalid use of '%%' in replacement string")
			}
			out.add(repl)
			return
		}
		out.add(repl[:i])
		switch c := repl[i+1]; {
		case c == '0':
			out.add(m.src[start:end])
		case isDigit(c):
			n := int(c - '1')
			if n >= max(m.captures, 1) {
				a.L.RaiseError("invalid capture index %%%d in replacement string", n+1)
			}
			switch v := m.capture(n, start, end).(type) {
			case lua.LString:
				out.add(string(v))
			case lua.LNumber:
				out.add(formatNumber(float64(v)))
			}
		default:
			out.add(repl[i+1 : i+2])
		}
		repl = repl[i+2:]
	}
}
