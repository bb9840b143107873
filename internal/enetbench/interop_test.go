package enetbench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// missing skips a test for want of something, or fails it where CI has
// promised to install it.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("DEMI_CI") != "" {
		t.Fatalf("needs %s", what)
	}
	t.Skipf("needs %s", what)
}

// cBench compiles the C program against the system's ENet.
var cBench = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "enetbench")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "enetbench")
	out, err := exec.Command("cc", "-O2", "-o", path, "testdata/enetbench.c", "-lenet").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// row is the last line of out with that role.
func row(t *testing.T, out []byte, role string) map[string]any {
	t.Helper()
	for line := range bytes.Lines(out) {
		r := map[string]any{}
		if json.Unmarshal(line, &r) == nil && r["role"] == role {
			return r
		}
	}
	t.Fatalf("no row of the %s in %q", role, out)
	return nil
}

// interop runs one scenario with one side in C and returns both rows.
func interop(t *testing.T, o Options, c string, cIsServer bool) (server, client map[string]any) {
	t.Helper()
	var ours, theirs bytes.Buffer
	args := func(role string, port uint16) []string {
		x := o
		x.Role, x.Port = role, int(port)
		all := x.flags(netip.AddrPortFrom(netip.MustParseAddr(x.Addr), port))
		all[1] = role
		return all
	}
	if !cIsServer {
		o.Role = "server"
		failed := make(chan error, 1)
		o.Ready = func(at netip.AddrPort) {
			cmd := exec.Command(c, args("client", at.Port())...)
			cmd.Stdout, cmd.Stderr = &theirs, os.Stderr
			go func() { failed <- cmd.Run() }()
		}
		if err := Run(o, &ours); err != nil {
			t.Fatal(err)
		}
		if err := <-failed; err != nil {
			t.Fatalf("the C client: %v", err)
		}
		return row(t, ours.Bytes(), "server"), row(t, theirs.Bytes(), "client")
	}
	cmd := exec.Command(c, args("server", 0)...)
	cmd.Stdout = &theirs
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var host string
	if _, err := fmt.Fscanf(stderr, "listening on %s\n", &host); err != nil {
		t.Fatalf("the C server names no address: %v", err)
	}
	go func() { _, _ = io.Copy(os.Stderr, stderr) }()
	o.Role, o.Port = "client", int(netip.MustParseAddrPort(host).Port())
	if err := Run(o, &ours); err != nil {
		_ = cmd.Process.Kill()
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the C server: %v", err)
	}
	return row(t, theirs.Bytes(), "server"), row(t, ours.Bytes(), "client")
}

// TestEveryScenarioAgainstC runs the C program on each side, with and without
// checksums and the range coder.
func TestEveryScenarioAgainstC(t *testing.T) {
	c, err := cBench()
	if err != nil {
		missing(t, "a C compiler and libenet-dev: "+err.Error())
	}
	t.Cleanup(func() { _ = os.RemoveAll(filepath.Dir(c)) })
	for _, scenario := range []string{"flood", "clients", "pingpong"} {
		for _, options := range []struct{ checksum, compress int }{{0, 0}, {1, 0}, {1, 1}} {
			for _, cIsServer := range []bool{false, true} {
				name := fmt.Sprintf("%s/checksum=%d,compress=%d,C serves=%v", scenario, options.checksum, options.compress, cIsServer)
				t.Run(name, func(t *testing.T) {
					o := Default()
					o.Scenario, o.Checksum, o.Compress = scenario, options.checksum, options.compress
					o.Reliable, o.Count, o.Clients, o.Seconds, o.Warmup = 1, 3000, 4, 0.3, 0.1
					if scenario == "pingpong" {
						o.Count = 300
					}
					s, k := interop(t, o, c, cIsServer)
					switch scenario {
					case "flood":
						if s["received"] != 3000.0 || k["sent"] != 3000.0 {
							t.Errorf("%v sent, %v received", k["sent"], s["received"])
						}
					case "clients":
						if s["rx_msgs"].(float64) < 20 || k["rx_msgs"].(float64) < 20 {
							t.Errorf("server received %v, clients %v", s["rx_msgs"], k["rx_msgs"])
						}
					case "pingpong":
						if s["messages"] != 330.0 || k["lost"] != 0.0 {
							t.Errorf("%v echoed, %v lost", s["messages"], k["lost"])
						}
					}
				})
			}
		}
	}
}

// TestSpecCheck runs the small client that was written from the protocol's
// description against the probe: 37 checks. It waits for real timeouts, so it
// runs where CI runs.
func TestSpecCheck(t *testing.T) {
	if os.Getenv("DEMI_CI") == "" {
		t.Skip("takes a minute of real time; runs with DEMI_CI=1")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		missing(t, "python3")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "testdata/spec_check.py")
	cmd.Env = append(os.Environ(), "SRV="+self+" bench enet --role probe --port")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "37 ok, 0 failed") {
		t.Errorf("%v\n%s", err, out)
	}
}
