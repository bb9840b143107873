package tool

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"demi.network/contract"
	"demi.network/runtime/fault"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite expected outputs")

// TestCommands runs every command of a text file in a folder that holds the
// archive's other files, and holds its output and error against the expected.
func TestCommands(t *testing.T) {
	archive, err := filepath.Abs("testdata/commands.txtar")
	if err != nil {
		t.Fatal(err)
	}
	ffa, err := filepath.Abs("../testdata/demi-ffa")
	if err != nil {
		t.Fatal(err)
	}
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS("ffa", os.DirFS(ffa)); err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		if strings.HasPrefix(f.Name, "$ ") {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(f.Name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i, f := range a.Files {
		command, ok := strings.CutPrefix(f.Name, "$ ")
		if !ok {
			continue
		}
		got := run(t, strings.Fields(command))
		if *update {
			a.Files[i].Data = []byte(got)
		} else if got != string(f.Data) {
			t.Errorf("%s\ngot\n%s\nwant\n%s", command, got, f.Data)
		}
	}
	if *update {
		if err := os.WriteFile(archive, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// run calls one command as the command line does.
func run(t *testing.T, words []string) string {
	t.Helper()
	var args []string
	flags := map[string]bool{}
	for _, w := range words[1:] {
		if strings.HasPrefix(w, "--") {
			flags[w] = true
		} else {
			args = append(args, w)
		}
	}
	request := func(i int) Request {
		r := Request{Target: args[i]}
		switch {
		case flags["--json"]:
			r.Style = JSON
		case flags["--sarif"]:
			r.Style = SARIF
		}
		if flags["--project=ffa"] {
			r.Project = "ffa"
		}
		return r
	}
	var out bytes.Buffer
	var err error
	switch words[0] {
	case "validate":
		err = Validate(&out, request(0))
	case "hash":
		err = Hash(&out, request(0), HashOptions{Engine: flags["--engine"], Sections: flags["--sections"]})
	case "explain":
		err = Explain(&out, request(0), strings.Join(args[1:], " "))
	case "diff":
		err = Diff(&out, request(0), request(1), flags["--breaking"])
	case "format":
		err = Format(&out, args, FormatOptions{Write: flags["--write"], Check: flags["--check"]})
	case "new":
		err = New(&out, args[0], args[1])
	default:
		t.Fatalf("no command %s", words[0])
	}
	if err != nil {
		out.WriteString("error: " + strings.TrimSpace(err.Error()) + "\n")
		if Reported(err) {
			out.WriteString("(reported)\n")
		}
		if fault.CodeOf(err) == "" {
			t.Errorf("%v: an error without a code", words)
		}
	}
	return out.String()
}

// TestMachineOutputIsJSON: each line by itself, and the report last.
func TestMachineOutputIsJSON(t *testing.T) {
	for _, target := range []string{"../testdata/demi-ffa", "../testdata/nothing", "testdata/commands.txtar"} {
		var out bytes.Buffer
		err := Validate(&out, Request{Target: target, Style: JSON})
		var last map[string]any
		for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
			last = nil
			if err := json.Unmarshal([]byte(line), &last); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
		if last["event"] != "report" || last["ok"] != (err == nil) {
			t.Errorf("%s: the last line is %v, with the error %v", target, last, err)
		}
		if err != nil && !Reported(err) {
			t.Errorf("%s: the error must be marked as printed", target)
		}
		out.Reset()
		if err := Validate(&out, Request{Target: target, Style: SARIF}); (err == nil) != (last["ok"] == true) {
			t.Errorf("%s: SARIF ends with %v", target, err)
		}
		if !json.Valid(out.Bytes()) {
			t.Errorf("%s: SARIF is not JSON", target)
		}
	}
}

// TestFormatIsAFixedPoint: laying out twice changes nothing, and never the
// meaning.
func TestFormatIsAFixedPoint(t *testing.T) {
	for _, pattern := range []string{"../testdata/*/assets/network/*.json", "../testdata/*/assets/network/schemas/*.json", "../../schemas/*.json", "../testdata/*/*.json"} {
		names, _ := filepath.Glob(pattern)
		if len(names) == 0 {
			t.Errorf("%s matches nothing", pattern)
		}
		for _, name := range names {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			once, err := Layout(name, src)
			if err != nil {
				t.Fatal(err)
			}
			twice, err := Layout(name, once)
			if err != nil || !bytes.Equal(once, twice) {
				t.Errorf("%s: the second layout differs from the first: %v", name, err)
			}
			var a, b any
			if json.Unmarshal(src, &a) != nil || json.Unmarshal(once, &b) != nil {
				t.Fatalf("%s: not JSON", name)
			}
			x, _ := json.Marshal(a)
			y, _ := json.Marshal(b)
			if !bytes.Equal(x, y) {
				t.Errorf("%s: the layout changed the content", name)
			}
		}
	}
	crlf, err := Layout("c.json", []byte("\xef\xbb\xbf{\"a\": [1.50, 1e2],\r\n \"b\": \"\\u0041\\u2028\"}"))
	if want := "{\n  \"a\": [1.50, 1e2],\n  \"b\": \"A\\u2028\"\n}\n"; err != nil || string(crlf) != want {
		t.Errorf("got %q, %v, want %q: numbers keep their spelling", crlf, err, want)
	}
}

// TestSchemasAreFormatted keeps the published schemas in the house's layout.
func TestSchemasAreFormatted(t *testing.T) {
	names, _ := filepath.Glob("../../schemas/*.json")
	if err := Format(io.Discard, names, FormatOptions{Check: true}); err != nil || len(names) == 0 {
		t.Error(err)
	}
}

// TestFormatKeepsTheMode and writes nothing when nothing changes.
func TestFormatWrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "c.json")
	if err := os.WriteFile(name, []byte(`{"a":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Format(io.Discard, []string{name}, FormatOptions{Write: true}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(name)
	if err != nil || string(b) != "{\n  \"a\": 1\n}\n" {
		t.Errorf("got %q, %v", b, err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode changed: %v, %v", info.Mode(), err)
	}
	if err := Format(io.Discard, []string{name}, FormatOptions{Check: true}); err != nil {
		t.Error(err)
	}
}

// TestFormatWritesThroughALink: a link stays one; the file it leads to changes.
func TestFormatWritesThroughALink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "c.json"), filepath.Join(dir, "link.json")
	if err := os.WriteFile(file, []byte(`{"a":1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("c.json", link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	if err := Format(io.Discard, []string{link}, FormatOptions{Write: true}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is no link any more: %v, %v", info, err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "{\n  \"a\": 1\n}\n" {
		t.Errorf("the file is %q, %v", b, err)
	}
}

func TestPathsAsURIs(t *testing.T) {
	for name, want := range map[string]string{
		"a/b.json": "a/b.json", "a b.json": "a%20b.json", "/tmp/ä#1.json": "file:///tmp/%C3%A4%231.json", "c:d.json": "./c:d.json", "../x": "../x",
	} {
		if got := fileURI(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// TestStartIsValidAndFormatted: what a beginner gets must have no problem.
func TestStartIsValidAndFormatted(t *testing.T) {
	dir := t.TempDir()
	if err := New(io.Discard, dir, "arena"); err != nil {
		t.Fatal(err)
	}
	s := load(Request{Target: dir})
	if s.contract == nil || len(s.problems) > 0 {
		t.Fatal(s.problems)
	}
	p, problems := contract.LoadProject(os.DirFS(dir))
	if p == nil || p.Scene(p.MainScene) == nil {
		t.Fatalf("a host needs a scene: %+v %v", p, problems)
	}
	if _, err := os.Stat(filepath.Join(dir, p.Scene(p.MainScene).Path)); err != nil {
		t.Error(err)
	}
	files, err := Start("arena")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		out, err := Layout(f.Path, f.Data)
		if err != nil || !bytes.Equal(out, f.Data) {
			t.Errorf("%s is not in the house's layout: %v\n%s", f.Path, err, out)
		}
	}
	if err := New(io.Discard, dir, "arena"); err == nil {
		t.Error("a contract that exists must not be overwritten")
	}
	if err := New(io.Discard, dir, "second"); err != nil {
		t.Errorf("a second contract in the same project: %v", err)
	}
	for _, name := range []string{"", "Arena", "a b", "../x", "1a", strings.Repeat("a", 33)} {
		if err := New(io.Discard, t.TempDir(), name); fault.CodeOf(err) != fault.Usage {
			t.Errorf("%q: got %v, want a usage error", name, err)
		}
	}
}

// TestExplainKnowsEveryKey: each key of the format that a contract has can be
// explained, and says which refusals it causes.
func TestExplainKnowsEveryKey(t *testing.T) {
	c, problems := contract.LoadFile(os.DirFS("../testdata/qa0/assets/network"), "qa0.network.json")
	if c == nil {
		t.Fatal(problems)
	}
	for _, r := range contractRules() {
		for _, reason := range r.Refusals {
			if refusal(reason, "").Words == "" {
				t.Errorf("the refusal %s has no words", reason)
			}
		}
	}
	for _, pointer := range []string{"", "messages", "messages/chat", "messages/chat/from", "messages/chat/rate_limit", "limits/maximum_string_bytes",
		"prefabs/player", "replicated_prefabs/player/components/Avatar/hp", "prefabs/player/components/Avatar/hp/write_by", "session/start",
		"components/Avatar/hp/maximum", "messages/chat/schema", "#/messages/chat", "messages/chat/", "/", "simulation", "simulation/tick_rate"} {
		x, err := ExplainRule(c, pointer)
		if err != nil || len(x.Words) == 0 || x.Words[0] == "" || x.Place.Line == 0 {
			t.Errorf("%q: %+v, %v", pointer, x, err)
		}
	}
	for _, pointer := range []string{"x", "messages/nobody", "messages/chat/rate_limit/x", "messages//", "limits/~", "messages/nobody/rate_limit", "simulation/tickrate"} {
		if x, err := ExplainRule(c, pointer); err == nil {
			t.Errorf("%q is nowhere, but is explained as %+v", pointer, x)
		}
	}
}
