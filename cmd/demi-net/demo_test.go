package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheDemoFailsWhenARuleIsOff proves that the demo's rows can fail. It
// builds the program with one rule of the session switched off at a time, by
// way of an overlay that leaves the tree alone, and wants exit 1 with that
// rule's row among the failed ones; without an overlay every row is ok.
func TestTheDemoFailsWhenARuleIsOff(t *testing.T) {
	if testing.Short() {
		t.Skip("plays the demo four times, about 15 s each")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, file, old, off string
		fails                string // part of the row's name; "" = none may fail
	}{
		{"every rule on", "", "", "", ""},
		{"the sender rule off", "session/core.go",
			"if r.From == contract.ActorServer && from != ServerSender {",
			"if r.From == contract.ActorServer && from != from {",
			"a message that the contract forbids"},
		{"the late-join records off", "session/server_entities.go",
			"typ, row, ok := s.reg.after(p.walk.cursor)",
			"typ, row, ok := s.reg.after(p.walk.cursor); ok = false",
			"a late joiner gets every live entity"},
		{"the disconnect policy off", "session/server_peers.go",
			"for _, n := range ids {\n\t\ttyp, row, _ := s.reg.find(n)",
			"for _, n := range ids[:0] {\n\t\ttyp, row, _ := s.reg.find(n)",
			"a leaving player's entities"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			bin := filepath.Join(t.TempDir(), "demi-net")
			args := []string{"build", "-o", bin}
			if tc.file != "" {
				args = append(args, "-overlay", overlay(t, filepath.Join(root, tc.file), tc.old, tc.off))
			}
			build := exec.Command("go", append(args, "./cmd/demi-net")...)
			build.Dir = root
			build.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false") // without -race: the program is what users get
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("building with the overlay: %v\n%s", err, out)
			}
			demo := exec.Command(bin, "demo", "--json")
			out, err := demo.Output()
			failed := failedRows(t, out)
			if tc.fails == "" {
				if err != nil || len(failed) != 0 {
					t.Errorf("exit %d with failed rows %q, want none\n%s", demo.ProcessState.ExitCode(), failed, out)
				}
				return
			}
			if demo.ProcessState.ExitCode() != 1 || !strings.Contains(strings.Join(failed, "\n"), tc.fails) {
				t.Errorf("exit %d with failed rows %q, want 1 and a row %q\n%s", demo.ProcessState.ExitCode(), failed, tc.fails, out)
			}
		})
	}
}

// overlay writes a changed copy of a source file and the JSON that puts it in
// the original's place.
func overlay(t *testing.T, path, old, replacement string) string {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	changed := filepath.Join(dir, filepath.Base(path))
	if err := os.WriteFile(changed, []byte(edit(t, string(src), old, replacement)), 0o644); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(map[string]any{"Replace": map[string]string{path: changed}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// failedRows reads the demo's rows; a demo without rows has shown nothing.
func failedRows(t *testing.T, out []byte) (failed []string) {
	t.Helper()
	rows := 0
	for _, line := range bytes.Split(out, []byte("\n")) {
		var r struct {
			Event string
			row
		}
		if json.Unmarshal(line, &r) != nil || r.Event != "row" {
			continue
		}
		rows++
		if !r.OK {
			failed = append(failed, r.Check)
		}
	}
	if rows != 6 {
		t.Fatalf("the demo printed %d rows, want 6\n%s", rows, out)
	}
	return failed
}
