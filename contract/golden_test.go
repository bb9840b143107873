package contract

import (
	"flag"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite expected outputs")

// TestProblemsOfContracts holds each bare contract of a text file against the
// problems that are expected of it: code, place, pointer, words and hint.
func TestProblemsOfContracts(t *testing.T) {
	golden(t, "testdata/problems.txtar", func(files map[string]string) string {
		_, problems := loadText([]byte(files["json"]))
		return shown(problems)
	})
}

// TestProblemsOfProjects does the same for whole projects.
func TestProblemsOfProjects(t *testing.T) {
	golden(t, "testdata/projects.txtar", func(files map[string]string) string {
		fsys := fstest.MapFS{}
		for name, text := range files {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
		_, problems := check(fsys, "", ready)
		return shown(problems)
	})
}

// TestEveryCodeIsSeen fails for a code that no expected output has: nobody
// would notice if it were never reported.
func TestEveryCodeIsSeen(t *testing.T) {
	var seen strings.Builder
	for _, name := range []string{"testdata/problems.txtar", "testdata/projects.txtar"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		seen.Write(b)
	}
	for _, c := range Codes() {
		switch c.Code {
		case CodeFileUnreadable, CodeFileTooLarge: // files_test.go
			continue
		}
		if !strings.Contains(seen.String(), " "+string(c.Code)+" ") {
			t.Errorf("no expected output has %s", c.Code)
		}
		if c.Doc == "" {
			t.Errorf("%s has no documentation", c.Code)
		}
	}
}

// shown prints problems in full, one each line.
func shown(problems Problems) string {
	var b strings.Builder
	for _, p := range problems {
		b.WriteString(p.Place.String() + " " + p.Severity.String() + " " + string(p.Code) + " " + p.Place.Pointer + "\n  " + p.Text + "\n")
		if p.Hint != "" {
			b.WriteString("  hint: " + p.Hint + "\n")
		}
	}
	if len(problems) == 0 {
		return "no problems\n"
	}
	return b.String()
}

// golden runs f over the cases of an archive. A case is all files that begin
// with its name and a slash; CASE/want is what f must return.
func golden(t *testing.T, archive string, f func(files map[string]string) string) {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]map[string]string{}
	for _, file := range a.Files {
		name, rest, _ := strings.Cut(file.Name, "/")
		if cases[name] == nil {
			cases[name] = map[string]string{}
		}
		cases[name][rest] = string(file.Data)
	}
	for i, file := range a.Files {
		name, rest, _ := strings.Cut(file.Name, "/")
		if rest != "want" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			input := map[string]string{}
			for k, v := range cases[name] {
				if k != "want" {
					input[path.Clean(k)] = v
				}
			}
			got := f(input)
			if *update {
				a.Files[i].Data = []byte(got)
				return
			}
			if got != string(file.Data) {
				t.Errorf("got\n%s\nwant\n%s", got, file.Data)
			}
		})
	}
	if *update {
		if err := os.WriteFile(archive, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
