package luabind

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// TestScripts runs testdata/*.lua. A file is cut at lines of three or more
// dashes followed by nothing; every chunk runs in a State of its own. A chunk
// must succeed, unless one of its lines ends in
//
//	--> error: TEXT
//
// in which case it must fail on that line with a message that contains TEXT.
// Chunks have eq(got, want) and fails(function, text). A first line
// "-- config: sorted" makes the State so.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.lua")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts to run: %v", err)
	}
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".lua"), func(t *testing.T) {
			runScript(t, path, string(src))
		})
	}
}

func runScript(t *testing.T, path, src string) {
	sorted := strings.HasPrefix(src, "-- config: sorted")
	line := 0
	for _, chunk := range splitChunks(src) {
		want, wantLine := "", 0
		for i, row := range strings.Split(chunk, "\n") {
			if _, text, ok := strings.Cut(row, "--> error: "); ok {
				if wantLine > 0 {
					t.Fatalf("%s:%d: a chunk can fail only once", path, line+i+1)
				}
				want, wantLine = text, line+i+1
			}
		}
		s := New(Config{Sorted: sorted, LoadInstructions: 5_000_000, Memory: 64 << 20, Resolve: testModules})
		testHelpers(s)
		_, err := s.Load(path, []byte(strings.Repeat("\n", line)+chunk))
		line += strings.Count(chunk, "\n")
		var got *ScriptError
		switch {
		case err == nil && wantLine == 0:
		case err == nil:
			t.Errorf("%s:%d: no error, want %q", path, wantLine, want)
		case !errors.As(err, &got):
			t.Errorf("%s: %v is no *ScriptError", path, err)
		case wantLine == 0:
			t.Errorf("unexpected error: %v\n%s", err, got.Traceback)
		case got.Place.Line != wantLine || !strings.Contains(got.Text, want):
			t.Errorf("%s:%d: want %q here, got %v", path, wantLine, want, err)
		}
	}
}

// splitChunks cuts a file; the separators stay at the end of chunks, so that
// lines can be counted.
func splitChunks(src string) []string {
	var chunks []string
	var b strings.Builder
	for _, row := range strings.SplitAfter(src, "\n") {
		b.WriteString(row)
		if trimmed := strings.TrimSpace(row); len(trimmed) >= 3 && strings.Trim(trimmed, "-") == "" {
			chunks = append(chunks, b.String())
			b.Reset()
		}
	}
	return append(chunks, b.String())
}

func testHelpers(s *State) {
	s.SetGlobal("eq", s.L.NewFunction(func(L *lua.LState) int {
		got, want := L.Get(1), L.Get(2)
		if !L.RawEqual(got, want) {
			L.RaiseError("got %s %s, want %s %s", got.Type(), s.display(got), want.Type(), s.display(want))
		}
		return 0
	}))
	s.SetGlobal("fails", s.L.NewFunction(func(L *lua.LState) int {
		_, failed := s.protect(L, L.Get(1), nil)
		s.guarded(L)
		if failed == nil {
			L.RaiseError("it did not fail")
		}
		if text := s.display(failed.value); !strings.Contains(text, L.ToString(2)) {
			L.RaiseError("it failed with %q, want %q", text, L.ToString(2))
		}
		return 0
	}))
}

// testModules is what require finds in the tests.
func testModules(name string) ([]byte, string, error) {
	modules := map[string]string{
		"answer": "return { value = 42 }",
		"silent": "loaded = (loaded or 0) + 1",
		"named":  "return ...",
		"a":      "return require('b')",
		"b":      "return require('a')",
		"broken": "local x = = 1",
		"raises": "\nerror('no luck')",
	}
	src, ok := modules[name]
	if !ok {
		return nil, "", errors.New("no file scripts/" + name + ".lua")
	}
	return []byte(src), "scripts/" + name + ".lua", nil
}
