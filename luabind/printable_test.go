package luabind

import (
	"errors"
	"slices"
	"testing"
)

// TestWhatScriptsPrintCannotSteerATerminal: a chat that a script prints, or puts
// into an error, is a stranger's text.
func TestWhatScriptsPrintCannotSteerATerminal(t *testing.T) {
	for text, want := range map[string]string{
		"plain\ttext ~": "plain\ttext ~", "žluťoučký 👩‍🚀 ✓": "žluťoučký 👩‍🚀 ✓", "": "",
		"\x1b[2J": `\u{1b}[2J`, "a\r\x00\x7f": `a\u{d}\u{0}\u{7f}`, "\u202eabc": `\u{202e}abc`, "\xff\xfe": `\xff\xfe`, "a\nb": `a\nb`, "\u0085": `\u{85}`,
	} {
		if got := printable(text); got != want {
			t.Errorf("%q is printed as %q, want %q", text, got, want)
		}
	}
	var lines []string
	s := New(Config{Log: func(line string) { lines = append(lines, line) }})
	_, err := s.Load("say.lua", []byte("print('one\\ntwo', '\\27[2J') error('bad\\n\\27[31mERROR fake')"))
	if want := []string{"one", "two\t\\u{1b}[2J"}; !slices.Equal(lines, want) {
		t.Errorf("the log has %q, want %q", lines, want)
	}
	var e *ScriptError
	if !errors.As(err, &e) || e.Text != `bad\n\u{1b}[31mERROR fake` || e.Place.Line != 1 {
		t.Errorf("the error is %q", err)
	}
	_, err = s.Load("say.lua", []byte("x = = '\x1b[2J'"))
	if errors.As(err, &e); !isPlain(err.Error()) {
		t.Errorf("the error is %q", err)
	}
}
