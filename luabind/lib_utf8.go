package luabind

import (
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"
)

// openUTF8 makes Lua 5.4's utf8 library, strict: up to 10FFFF, no surrogates
// when reading.
func (s *State) openUTF8() {
	t := s.library("utf8", []Func{
		{"char", s.utf8Char}, {"codepoint", s.utf8Codepoint}, {"codes", s.utf8Codes},
		{"len", s.utf8Len}, {"offset", s.utf8Offset},
	})
	t.RawSetString("charpattern", lua.LString("[%z\x01-\x7F\xC2-\xF4][\x80-\xBF]*"))
}

func (s *State) utf8Char(a Args) int {
	var b []byte
	for i := 1; i <= a.n; i++ {
		c := a.position(i)
		if c < 0 || c > utf8.MaxRune {
			a.Fail(i, "value out of range")
		}
		b = appendUTF8(b, rune(c))
	}
	a.L.Push(lua.LString(b))
	return 1
}

// bytePosition turns a position from the start, or a negative one from the
// end, into an offset.
func bytePosition(i, length int) int {
	if i >= 0 {
		return i - 1
	}
	if -i > length {
		return -1
	}
	return length + i
}

func (s *State) utf8Codepoint(a Args) int {
	text := a.text(1)
	first := a.optPosition(2, 1)
	i, j := bytePosition(first, len(text)), bytePosition(a.optPosition(3, first), len(text))
	if i < 0 || j >= len(text) {
		a.Fail(2, "out of bounds")
	}
	n := 0
	for i <= j {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size < 2 {
			a.L.RaiseError("invalid UTF-8 code")
		}
		if n++; n >= maxSpread {
			a.L.RaiseError("string slice too long")
		}
		a.push(float64(r))
		i += size
	}
	s.meter.charge(a.L, int64(n/8))
	return n
}

func (s *State) utf8Len(a Args) int {
	text := a.text(1)
	i, j := bytePosition(a.optPosition(2, 1), len(text)), bytePosition(a.optPosition(3, -1), len(text))
	if i < 0 || i > len(text) {
		a.Fail(2, "initial position out of bounds")
	}
	if j >= len(text) {
		a.Fail(3, "final position out of bounds")
	}
	s.meter.charge(a.L, int64(max(j-i, 0)/16))
	n := 0
	for i <= j {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size < 2 {
			a.L.Push(lua.LNil)
			a.push(float64(i + 1))
			return 2
		}
		n++
		i += size
	}
	a.push(float64(n))
	return 1
}

// continues reports whether the byte at i continues a character.
func continues(text string, i int) bool { return i < len(text) && text[i]&0xC0 == 0x80 }

func (s *State) utf8Offset(a Args) int {
	text := a.text(1)
	n := a.position(2)
	start := 1
	if n <= 0 {
		start = len(text) + 1
	}
	i := bytePosition(a.optPosition(3, start), len(text))
	if i < 0 || i > len(text) {
		a.Fail(3, "position out of bounds")
	}
	s.meter.charge(a.L, int64(len(text)/16))
	if n == 0 {
		for i > 0 && continues(text, i) {
			i--
		}
		a.push(float64(i + 1))
		return 1
	}
	if continues(text, i) {
		a.L.RaiseError("initial position is a continuation byte")
	}
	for ; n < 0 && i > 0; n++ {
		for i--; i > 0 && continues(text, i); i-- {
		}
	}
	for n--; n > 0 && i < len(text); n-- {
		for i++; continues(text, i); i++ {
		}
	}
	if n != 0 && n != -1 {
		a.L.Push(lua.LNil)
		return 1
	}
	a.push(float64(i + 1))
	return 1
}

func (s *State) utf8Codes(a Args) int {
	source := lua.LString(a.text(1))
	a.L.Push(a.L.NewClosure(func(L *lua.LState) int {
		text := string(L.Get(lua.UpvalueIndex(1)).(lua.LString))
		i := max(clampInt(float64(L.ToNumber(2))), 0)
		if from := i; i > 0 { // step over the character there
			for i < len(text) && continues(text, i) {
				i++
			}
			s.meter.charge(L, int64((i-from)/16))
		}
		if i >= len(text) {
			L.Push(lua.LNil)
			return 1
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size < 2 {
			L.RaiseError("invalid UTF-8 code")
		}
		L.Push(lua.LNumber(i + 1))
		L.Push(lua.LNumber(r))
		return 2
	}, source))
	a.L.Push(source)
	a.push(0)
	return 3
}
