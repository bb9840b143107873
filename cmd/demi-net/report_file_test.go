package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"demi.network/runtime"
	"demi.network/runtime/fault"
)

// TestAReportGoesWhereItCan: a file is replaced whole, also behind a link; what
// is no file is written to and stays; the rest is known before the game starts.
func TestAReportGoesWhereItCan(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	r := runtime.Report{Role: "host", Name: "ann"}

	if err := os.WriteFile(in("old.json"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(in("old.json"), in("link.json")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{in("new.json"), in("old.json"), in("link.json")} {
		if err := checkReportPath(path); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if err := writeReport(path, r); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if got, err := readReport(path); err != nil || got.Name != "ann" {
			t.Errorf("%s holds %+v, %v", path, got, err)
		}
	}
	if at, err := os.Readlink(in("link.json")); err != nil || at != in("old.json") {
		t.Errorf("the link is %q, %v: the file behind it is replaced, not the link", at, err)
	}

	if err := syscall.Mkfifo(in("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeReport(in("pipe"), r); fault.CodeOf(err) != fault.Usage {
		t.Errorf("a pipe that nobody reads gave %v, want E_NET_USAGE at once", err)
	}
	reader, err := os.OpenFile(in("pipe"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := checkReportPath(in("pipe")); err != nil {
		t.Error(err)
	}
	if err := writeReport(in("pipe"), r); err != nil {
		t.Error(err)
	}
	if line, err := bufio.NewReader(reader).ReadString('\n'); err != nil || len(line) < 100 {
		t.Errorf("the pipe's reader got %q, %v", line, err)
	}
	if info, err := os.Lstat(in("pipe")); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v, %v: it must still be one, as /dev/null must", info.Mode(), err)
	}

	// The same through a link to an open descriptor, which is how /dev/stdout
	// names a pipe.
	if err := os.Symlink(fmt.Sprintf("/proc/self/fd/%d", reader.Fd()), in("stdout")); err != nil {
		t.Fatal(err)
	}
	if err := writeReport(in("stdout"), r); err != nil {
		t.Error(err)
	}
	if at, err := os.Readlink(in("stdout")); err != nil {
		t.Errorf("the link to a pipe is gone (%q, %v): a report must not replace /dev/stdout", at, err)
	}
	r.Name = strings.Repeat("x", 1<<20) // more than a pipe holds
	if err := writeReport(in("pipe"), r); fault.CodeOf(err) != fault.Usage {
		t.Errorf("a pipe whose reader stands still gave %v, want E_NET_USAGE after a second", err)
	}

	for _, path := range []string{dir, in("nowhere/report.json"), in("old.json/report.json")} {
		if err := checkReportPath(path); fault.CodeOf(err) != fault.Usage {
			t.Errorf("%s: %v, want E_NET_USAGE before the game starts", path, err)
		}
	}
	if left, _ := filepath.Glob(in(".report-*")); len(left) > 0 {
		t.Errorf("%q was left behind", left)
	}
}

// TestAReportGoesWhereTheWordsGo: --report names the file or pipe that stdout is.
// Nothing that was said before or after is lost, and nothing is replaced.
func TestAReportGoesWhereTheWordsGo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "all.txt")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	host := startWithStdout(t, file, "host", project(t, nil), "--port", "0", "--ticks", "2", "--report", path)
	file.Close()
	if code := host(); code != 0 {
		t.Errorf("the host ended with %d", code)
	}
	b, err := os.ReadFile(path)
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if err != nil || len(lines) != 3 || !strings.HasPrefix(lines[0], "listening on ") || !strings.HasPrefix(lines[1], `{"role":"host"`) ||
		!strings.HasPrefix(lines[2], "host server: ") {
		t.Errorf("stdout holds %q, %v: want the address, the report and the summary", lines, err)
	}
}
