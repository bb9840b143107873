package luabind

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/pm"

	"demi.network/contract/payload"
)

// patternParts are what FuzzPattern builds patterns of: what gopher-lua's
// matcher and ours, which follows the reference, mean alike.
var patternParts = []string{"a", "b", "c", ".", "%a", "%d", "%w", "%s", "%u", "%l", "%p", "%x", "%D", "%W", "%S", "[ab]", "[^a]", "[a-c]", "[%d_]", "[^%s]", "%.", "1", " ", "x"}

// makePattern turns fuzz bytes into a pattern with balanced captures.
func makePattern(script []byte) string {
	var b strings.Builder
	open, captures := 0, 0
	for i, c := range script {
		if i > 24 {
			break
		}
		switch {
		case c == 0 && i == 0:
			b.WriteByte('^')
		case c >= 250 && captures < 8:
			b.WriteByte('(')
			b.WriteString(patternParts[int(c)%len(patternParts)]) // never an empty capture
			open, captures = open+1, captures+1
		case c >= 240 && open > 0:
			b.WriteByte(')')
			open--
		default:
			b.WriteString(patternParts[int(c)%len(patternParts)])
			switch c / 48 {
			case 1:
				b.WriteByte('*')
			case 2:
				b.WriteByte('+')
			case 3:
				b.WriteByte('-')
			case 4:
				b.WriteByte('?')
			}
		}
	}
	b.WriteString(strings.Repeat(")", open))
	if len(script) > 0 && script[len(script)-1]%7 == 0 {
		b.WriteByte('$')
	}
	return b.String()
}

// FuzzPattern holds our matcher against gopher-lua's on patterns that both
// understand alike, and on any pattern it must end, within its steps, without
// a panic.
func FuzzPattern(f *testing.F) {
	f.Add([]byte{1, 50, 250, 3, 241}, "abc abc", "(a+)%1")
	f.Add([]byte{0, 99, 150, 200}, "aaa111 bbb", "^%s*(.-)%s*$")
	f.Add([]byte{255, 245, 7}, "", "[]]")
	f.Add([]byte{251, 60, 241, 251, 110, 241}, "key=value", "%f[%w]%b()")
	f.Fuzz(func(t *testing.T, script []byte, text, any string) {
		if len(text) > 200 || len(any) > 200 {
			return
		}
		exhaust(any, text)
		p := makePattern(script)
		text = clip(text, 30) // theirs has no step limit
		if strings.Count(p, "*")+strings.Count(p, "+")+strings.Count(p, "-")+strings.Count(p, "?") > 5 {
			return
		}
		ours, errOurs := compilePattern(p, true)
		theirs, errTheirs := pm.Find(p, []byte(text), 0, 1)
		if (errOurs == nil) != (errTheirs == nil) {
			t.Fatalf("%q: we say %v, gopher-lua %v", p, errOurs, errTheirs)
		}
		if errOurs != nil {
			return
		}
		m := &matcher{pattern: ours, src: text, spend: func(int64) {}}
		start, end := m.find(0)
		if (start >= 0) != (len(theirs) > 0) {
			t.Fatalf("%q in %q: we find %d, gopher-lua %d matches", p, text, start, len(theirs))
		}
		if start < 0 {
			return
		}
		md := theirs[0]
		if md.Capture(0) != start || md.Capture(1) != end {
			t.Fatalf("%q in %q: we match %d to %d, gopher-lua %d to %d", p, text, start, end, md.Capture(0), md.Capture(1))
		}
		for i := range ours.captures {
			c := m.caps[i]
			if md.Capture(2*i+2) != c.start || md.Capture(2*i+3) != c.start+c.length {
				t.Fatalf("%q in %q: capture %d is %v here, %d to %d there", p, text, i+1, c, md.Capture(2*i+2), md.Capture(2*i+3))
			}
		}
	})
}

// exhaust matches with a step limit and checks that it holds.
func exhaust(p, text string) {
	for _, anchors := range []bool{true, false} {
		c, err := compilePattern(p, anchors)
		if err != nil {
			continue
		}
		const limit = 100_000
		type spentAll struct{}
		spent := int64(0)
		m := &matcher{pattern: c, src: text, spend: func(n int64) {
			if spent += n; spent > limit {
				panic(spentAll{})
			}
		}}
		func() {
			defer func() {
				switch r := recover(); r.(type) {
				case nil, spentAll, tooComplex:
				default:
					panic(r)
				}
			}()
			if start, end := m.find(0); start > end || end > len(text) {
				panic(fmt.Sprintf("%q in %q: match from %d to %d", p, text, start, end))
			}
		}()
	}
}

// FuzzSyntaxCheck: any bytes are a script, or an error with a place in it.
func FuzzSyntaxCheck(f *testing.F) {
	for _, seed := range []string{"local x <const> = 1", "x = 1 // 2", "s = '\\x41\\u{20AC}\\z'", "--[==[ ]] ]==] y = 1", "t[i], t[j] = t[j], t[i]", "return {[k] = v, f()}",
		"goto a ::a::", "a = 'x' .. 1 .. b", "x = 2 ^ 3 ^ y", "#!/usr/bin/lua\nreturn", "\ufeffreturn 1", "f{...}", "x = 0x1p4", "x = [=[", "function a.b:c(...) end", "for i = 1, 2 do break end"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 2000 {
			return
		}
		s := New(Config{LoadInstructions: 20_000, Memory: 8 << 20})
		lines := 1 + strings.Count(src, "\n") + strings.Count(src, "\r")
		_, err := s.Load("f.lua", []byte(src))
		var e *ScriptError
		if err == nil {
			return
		}
		if !errors.As(err, &e) || e.Text == "" {
			t.Fatalf("an error without text: %v", err)
		}
		if e.Kind == ScriptSyntax && (e.Place.Line < 1 || e.Place.Line > lines || e.Place.Column < 0) {
			t.Errorf("the error is at %v, the script has %d lines: %v", e.Place, lines, err)
		}
		if s.Counters().Panics > 0 {
			t.Errorf("the machine panicked: %v", err)
		}
	})
}

// fuzzValue builds a Lua value from bytes: tables filled in any order, with
// holes, deletions and odd keys.
func fuzzValue(L *lua.LState, b *[]byte, depth int) lua.LValue {
	next := func() byte {
		if len(*b) == 0 {
			return 0
		}
		c := (*b)[0]
		*b = (*b)[1:]
		return c
	}
	switch c := next(); c % 8 {
	case 0:
		return lua.LNil
	case 1:
		return lua.LBool(c&8 != 0)
	case 2:
		return lua.LNumber(int8(next()))
	case 3:
		return lua.LNumber(float64(int8(next())) / 4)
	case 4:
		n := min(int(next()%16), len(*b))
		text := string((*b)[:n])
		*b = (*b)[n:]
		return lua.LString(text)
	}
	t := L.NewTable()
	if depth > 40 {
		return t
	}
	for range next() % 8 {
		v := fuzzValue(L, b, depth+1)
		switch c := next(); c % 8 {
		case 0, 1, 2:
			t.RawSetInt(int(c/8), v)
		case 3, 4:
			t.RawSetString(string(rune('a'+c/8)), v)
		case 5:
			t.RawSetH(lua.LNumber(float64(c)/2), v)
		case 6:
			t.Append(v)
		case 7:
			if c > 200 {
				t.RawSetH(t, v)
			} else {
				t.RawSetString("self", t)
			}
		}
	}
	return t
}

// FuzzLuaToSink: any Lua value is accepted or refused without a panic, and
// what is accepted comes back equal and is accepted again.
func FuzzLuaToSink(f *testing.F) {
	f.Add([]byte{5, 3, 2, 7, 0, 4, 2, 'a', 'b', 3, 2, 9, 8})
	f.Add([]byte{5, 7, 5, 7, 5, 7, 5, 7, 255, 255})
	f.Add([]byte{7, 4, 2, 1, 8, 2, 2, 16, 2, 3, 24, 0, 0})
	s := New(Config{})
	c := newConverter(s.L)
	plan := payload.Any()
	f.Fuzz(func(t *testing.T, b []byte) {
		v := fuzzValue(s.L, &b, 0)
		var sink payload.Sink
		var first, second payload.Value
		sink.Reset(plan, payload.Limits{}, &first)
		if c.write(&sink, v) != nil || sink.Close() != nil {
			return
		}
		sink.Reset(plan, payload.Limits{}, &second)
		if err := c.write(&sink, c.read(first.Root())); err != nil {
			t.Fatalf("what was accepted is refused when it comes back: %v", err)
		}
		if err := sink.Close(); err != nil {
			t.Fatal(err)
		}
		if !first.Equal(&second) {
			t.Fatal("the value changed on its way through Lua")
		}
	})
}
