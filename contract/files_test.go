package contract

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"demi.network/runtime/fault"
)

// write puts files into a fresh folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, dir string) fs.FS {
	t.Helper()
	fsys, closer, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closer.Close() })
	return fsys
}

// with runs f and fails when it does not come back: a FIFO that was opened
// blocks for ever.
func with(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Fatal(what + " blocks")
	}
}

const tinyProject = `{"format_version": 1, "network_contract": "asset://t"}`
const tinyManifest = `{"format_version": 1, "id": "asset://t", "type": "NetworkContract", "source": "t.network.json"}`
const tinyContract = `{"format_version": 1, "id": "network-contract://t/t"}`

func tiny() map[string]string {
	return map[string]string{
		"demi.project.json": tinyProject, "assets/t.asset.json": tinyManifest, "assets/t.network.json": tinyContract,
	}
}

// TestNothingOutsideTheProjectIsOpened puts a FIFO, a folder, a link that
// leads out and a link to itself in the place of each file that is read.
func TestNothingOutsideTheProjectIsOpened(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.json")
	if err := os.WriteFile(secret, []byte(tinyContract), 0o644); err != nil {
		t.Fatal(err)
	}
	traps := map[string]func(string) error{
		"a FIFO":                    func(name string) error { return mkfifo(name) },
		"a folder":                  func(name string) error { return os.Mkdir(name, 0o755) },
		"a link that leads out":     func(name string) error { return os.Symlink(secret, name) },
		"a relative link out":       func(name string) error { return os.Symlink("../../../../../../../../"+secret, name) },
		"a link to itself":          func(name string) error { return os.Symlink(filepath.Base(name), name) },
		"a link to a device":        func(name string) error { return os.Symlink("/dev/zero", name) },
		"a link to nothing outside": func(name string) error { return os.Symlink(secret+".missing", name) },
	}
	for _, place := range []string{"demi.project.json", "assets/t.asset.json", "assets/t.network.json"} {
		for what, trap := range traps {
			t.Run(place+" is "+what, func(t *testing.T) {
				dir := write(t, tiny())
				name := filepath.Join(dir, place)
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
				if err := trap(name); err != nil {
					t.Skip(err)
				}
				fsys := open(t, dir)
				with(t, what, func() {
					c, problems := Check(fsys, "")
					if c != nil || problems.Errors() == 0 {
						t.Errorf("%s in place of %s must not load", what, place)
					}
					for _, p := range problems {
						if p.Place.Path == "" {
							t.Errorf("no path: %v", p)
						}
					}
				})
			})
		}
	}
}

// TestLinksInsideTheProjectAreFollowed: only what leads out is refused.
func TestLinksInsideTheProjectAreFollowed(t *testing.T) {
	files := tiny()
	files["shared/real.json"] = tinyContract
	delete(files, "assets/t.network.json")
	dir := write(t, files)
	if err := os.Symlink("../shared/real.json", filepath.Join(dir, "assets/t.network.json")); err != nil {
		t.Skip(err)
	}
	if c, problems := Check(open(t, dir), ""); c == nil {
		t.Error(problems)
	}
}

// TestRootRefusesWhatIsNoFile: the file system itself, for other users of it.
func TestRootRefusesWhatIsNoFile(t *testing.T) {
	dir := write(t, tiny())
	if err := mkfifo(filepath.Join(dir, "pipe")); err != nil {
		t.Skip(err)
	}
	fsys := open(t, dir)
	with(t, "opening a FIFO", func() {
		for _, name := range []string{"pipe", "../x", "/etc/passwd", "assets/../demi.project.json", ""} {
			if f, err := fsys.Open(name); err == nil {
				f.Close()
				t.Errorf("%q was opened", name)
			}
		}
	})
	if _, err := fs.Stat(fsys, "demi.project.json"); err != nil {
		t.Error(err)
	}
	if err := fstest.TestFS(open(t, write(t, tiny())), "demi.project.json", "assets/t.asset.json"); err != nil {
		t.Error(err)
	}
}

// TestFieldLogB05ReferencesOpenNothing: what $ref and $schema name is neither
// opened nor asked for, and the words do not tell whether it exists.
func TestFieldLogB05ReferencesOpenNothing(t *testing.T) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dir := write(t, map[string]string{"qa_secret.json": `{"type": "integer"}`})
	pipe := filepath.Join(dir, "pipe.json")
	if err := mkfifo(pipe); err != nil {
		t.Skip(err)
	}
	words := map[string]bool{}
	for _, ref := range []string{
		"file://" + dir + "/qa_secret.json", "file://" + dir + "/missing.json", "file://" + pipe, "qa_secret.json", "../qa_secret.json",
		"missing.json", "http://" + listener.Addr().String() + "/x.json", "//" + listener.Addr().String() + "/x", "data:application/json,{}",
	} {
		text := fmt.Sprintf(`{"format_version": 1, "id": "network-contract://t/t", "messages": {"echo": {"from": "all",
			"schema": {"properties": {"v": {"$ref": %q}}}}}}`, ref)
		if err := os.WriteFile(filepath.Join(dir, "c.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		with(t, ref, func() {
			c, problems := LoadFile(open(t, dir), "c.json")
			if c != nil || len(problems) != 1 {
				t.Fatalf("%s: want one problem, got %v", ref, problems)
			}
			p := problems[0]
			if p.Place.Pointer != "/messages/echo/schema/properties/v/$ref" || p.Place.Line != 2 {
				t.Errorf("%s: the place is %+v", ref, p.Place)
			}
			words[p.Text+p.Hint] = true
		})
		with(t, "$schema", func() {
			schema := fmt.Sprintf(`{"$schema": %q, "format_version": 1, "id": "network-contract://t/t", "messages": {"echo": {"from": "all", "schema": {"$schema": %q}}}}`, ref, ref)
			if c, problems := LoadText("c.json", []byte(schema)); c == nil {
				t.Errorf("$schema is for editors and must not matter: %v", problems)
			}
		})
	}
	if len(words) != 1 {
		t.Errorf("the words tell what exists: %v", words)
	}
	local := `{"format_version": 1, "id": "network-contract://t/t", "messages": {"echo": {"from": "all",
		"schema": {"$defs": {"v": {"type": "integer"}}, "properties": {"v": {"$ref": "#/$defs/v"}}}}}}`
	if c, problems := LoadText("c.json", []byte(local)); c == nil {
		t.Errorf("a local reference must work: %v", problems)
	}
	// Connections are accepted in order: the first one must be our own.
	own, err := net.Dial("tcp4", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	first, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if first.RemoteAddr().String() != own.LocalAddr().String() {
		t.Error("somebody connected to the listener")
	}
}

// TestBadFilesAreNeverValid: what can stand in a contract's place, each with a
// place and an exit code of 1.
func TestBadFilesAreNeverValid(t *testing.T) {
	big := `{"format_version": 1, "id": "network-contract://t/t", "messages": {}` + strings.Repeat(" ", maxFileBytes) + "}"
	for name, text := range map[string]string{
		"empty": "", "white space": "  \n\n ", "truncated": tinyContract[:20], "misspelt": strings.Replace(tinyContract, "format_version", "format_vresion", 1),
		"duplicated":       strings.Replace(tinyContract, `"id"`, `"id": "network-contract://a/b", "id"`, 1),
		"wrong case":       strings.Replace(tinyContract, `"id"`, `"ID"`, 1),
		"not UTF-8":        strings.Replace(tinyContract, "//t", "//\xff", 1),
		"half a surrogate": strings.Replace(tinyContract, "//t", `//\ud800`, 1),
		"UTF-16":           "\xff\xfe{\x00}\x00", "null": "null", "an array": "[]", "two documents": tinyContract + tinyContract,
		"huge": big, "NaN": strings.Replace(tinyContract, "1", "NaN", 1), "a zero byte": tinyContract + "\x00",
		"nested too deeply": strings.Repeat("[", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			c, problems := LoadFile(fstest.MapFS{"c.json": {Data: []byte(text)}}, "c.json")
			err := problems.Err()
			if c != nil || err == nil {
				t.Fatal("it is called valid")
			}
			var e *fault.Error
			if !errors.As(err, &e) || e.Code != fault.Config || e.Code.Exit() != 1 {
				t.Errorf("the error is %v, want E_NET_CONFIG with exit code 1", err)
			}
			if e.Place.Path != "c.json" || e.Place.Line < 1 || e.Place.Column < 1 {
				t.Errorf("the place is %+v", e.Place)
			}
			if list, _ := e.Data["problems"].([]any); len(list) != len(problems) {
				t.Errorf("the error lists %d problems of %d", len(list), len(problems))
			}
		})
	}
}

func TestMissingFolder(t *testing.T) {
	if _, _, err := OpenDir(filepath.Join(t.TempDir(), "nowhere")); fault.CodeOf(err) != fault.Config {
		t.Errorf("got %v, want E_NET_CONFIG", err)
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "nothing.json")); fault.CodeOf(err) != fault.Config {
		t.Errorf("got %v, want E_NET_CONFIG", err)
	}
}

// TestErrOfNoErrorsIsNil: warnings do not stop anything, and the nil is a true
// one.
func TestErrOfNoErrorsIsNil(t *testing.T) {
	if err := (Problems{{Severity: Warning, Code: CodeStaleHash}}).Err(); err != nil {
		t.Error(err)
	}
	if err := Problems(nil).Err(); err != nil {
		t.Error(err)
	}
}
