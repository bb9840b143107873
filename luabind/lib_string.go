package luabind

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// openString makes the string library and the metatable of strings, which
// scripts can neither see nor replace.
func (s *State) openString() {
	t := s.library("string", []Func{
		{"byte", s.strByte}, {"char", s.strChar}, {"find", s.strFind}, {"format", s.strFormat}, {"gmatch", s.strGmatch},
		{"gsub", s.strGsub}, {"len", strLen}, {"lower", s.strLower}, {"match", s.strMatch}, {"rep", s.strRep},
		{"reverse", s.strReverse}, {"sub", s.strSub}, {"upper", s.strUpper},
	})
	s.stringMeta = s.L.CreateTable(0, 2)
	s.stringMeta.RawSetString("__index", t)
	s.stringMeta.RawSetString("__metatable", lua.LFalse)
	s.L.SetMetatable(lua.LString(""), s.stringMeta)
}

// slice turns Lua's positions i and j into offsets of a part of a string.
func slice(length, i, j int) (from, to int) {
	if i < 0 {
		i = max(length+i+1, 1)
	} else if i == 0 {
		i = 1
	}
	if j < 0 {
		j = length + j + 1
	}
	j = min(j, length)
	if i > j {
		return 0, 0
	}
	return i - 1, j
}

func strLen(a Args) int {
	a.push(float64(len(a.text(1))))
	return 1
}

func (s *State) strSub(a Args) int {
	text := a.text(1)
	from, to := slice(len(text), a.position(2), a.optPosition(3, -1))
	a.L.Push(lua.LString(text[from:to]))
	return 1
}

func (s *State) strByte(a Args) int {
	text := a.text(1)
	i := a.optPosition(2, 1)
	from, to := slice(len(text), i, a.optPosition(3, i))
	if i == 0 && !a.Has(3) {
		return 0
	}
	if to-from >= maxSpread {
		a.L.RaiseError("string slice too long")
	}
	s.meter.charge(a.L, int64((to-from)/2))
	for _, c := range []byte(text[from:to]) {
		a.push(float64(c))
	}
	return to - from
}

func (s *State) strChar(a Args) int {
	s.meter.charge(a.L, int64(a.n/2))
	b := make([]byte, a.n)
	for i := range b {
		c := a.position(i + 1)
		if c < 0 || c > 255 {
			a.Fail(i+1, "value out of range")
		}
		b[i] = byte(c)
	}
	a.L.Push(lua.LString(b))
	return 1
}

// mapped makes a string of equal length, byte by byte.
func (s *State) mapped(a Args, f func(dst []byte, src string)) int {
	text := a.text(1)
	s.reserve(a.L, int64(len(text)))
	s.meter.charge(a.L, int64(len(text)/32))
	s.made(len(text))
	b := make([]byte, len(text))
	f(b, text)
	a.L.Push(lua.LString(b))
	return 1
}

func (s *State) strLower(a Args) int {
	return s.mapped(a, func(dst []byte, src string) {
		for i := range dst {
			c := src[i]
			if c >= 'A' && c <= 'Z' {
				c |= 0x20
			}
			dst[i] = c
		}
	})
}

func (s *State) strUpper(a Args) int {
	return s.mapped(a, func(dst []byte, src string) {
		for i := range dst {
			c := src[i]
			if c >= 'a' && c <= 'z' {
				c &^= 0x20
			}
			dst[i] = c
		}
	})
}

func (s *State) strReverse(a Args) int {
	return s.mapped(a, func(dst []byte, src string) {
		for i := range dst {
			dst[len(dst)-1-i] = src[i]
		}
	})
}

func (s *State) strRep(a Args) int {
	text, n, sep := a.text(1), a.position(2), ""
	if a.Has(3) {
		sep = a.text(3)
	}
	if n <= 0 || len(text)+len(sep) == 0 {
		a.L.Push(lua.LString(""))
		return 1
	}
	if n > (1<<46)/(len(text)+len(sep)) {
		a.L.RaiseError("resulting string too large")
	}
	total := n*len(text) + (n-1)*len(sep)
	s.reserve(a.L, int64(total))
	s.made(total)
	if sep != "" {
		text = strings.Repeat(text+sep, n-1) + text
	} else {
		text = strings.Repeat(text, n)
	}
	a.L.Push(lua.LString(text))
	return 1
}

// concatGuard is a .. b .. c, joined from the right.
func (s *State) concatGuard(L *lua.LState) int {
	i := L.GetTop()
	right := L.Get(i)
	for i--; i > 0; {
		left := L.Get(i)
		if !joins(left) || !joins(right) {
			f := binaryHandler(L, left, right, "__concat")
			if f == lua.LNil {
				bad := right
				if !joins(left) {
					bad = left
				}
				L.RaiseError("attempt to concatenate a %s value", bad.Type())
			}
			L.Push(f)
			L.Push(left)
			L.Push(right)
			L.Call(2, 1)
			right = L.Get(-1)
			L.Pop(1)
			i--
			continue
		}
		first := i
		for first > 1 && joins(L.Get(first-1)) {
			first--
		}
		right = s.join(L, first, i, right)
		i = first - 1
	}
	L.Push(right)
	return 1
}

func joins(v lua.LValue) bool {
	switch v.(type) {
	case lua.LString, lua.LNumber:
		return true
	}
	return false
}

// join joins the stack's strings and numbers from first to last, and right.
func (s *State) join(L *lua.LState, first, last int, right lua.LValue) lua.LString {
	if a, ok := L.Get(last).(lua.LString); ok && first == last {
		if b, ok := right.(lua.LString); ok { // the common case
			s.reserve(L, int64(len(a)+len(b)))
			s.made(len(a) + len(b))
			return a + b
		}
	}
	var room [8]string
	parts := room[:0]
	total := 0
	for i := first; i <= last+1; i++ {
		v := right
		if i <= last {
			v = L.Get(i)
		}
		part := ""
		switch v := v.(type) {
		case lua.LString:
			part = string(v)
		case lua.LNumber:
			part = formatNumber(float64(v))
		}
		parts = append(parts, part)
		total += len(part)
	}
	s.reserve(L, int64(total))
	s.made(total)
	return lua.LString(strings.Join(parts, ""))
}
