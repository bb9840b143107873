package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"demi.network/runtime"
)

// TestConvergedSaysWhatDiffers compares reports made for the purpose.
func TestConvergedSaysWhatDiffers(t *testing.T) {
	dir := t.TempDir()
	hashes := func(n int, wrong uint32) (list []runtime.TickHash) {
		for i := range n {
			h := runtime.TickHash{Tick: uint32(i + 1), Hash: uint64(i)}
			if h.Tick == wrong {
				h.Hash = 0xbad
			}
			list = append(list, h)
		}
		return list
	}
	save := func(name string, r runtime.Report) string {
		path := filepath.Join(dir, name+".json")
		if err := writeReport(path, r); err != nil {
			t.Fatal(err)
		}
		return path
	}
	client := func(name, sender string, epoch uint32, h []runtime.TickHash) string {
		return save(name, runtime.Report{Role: "client", SenderID: sender, Epoch: epoch, Hashes: h})
	}
	host := save("host", runtime.Report{Role: "host", SenderID: "server", Epoch: 5,
		Peers: []runtime.PeerReport{{SenderID: "peer1", Hashes: hashes(400, 0)}, {SenderID: "peer2", Hashes: hashes(400, 0)}}})
	same, short := client("same", "peer1", 5, hashes(400, 0)), client("short", "peer2", 5, hashes(40, 0))
	wrong := client("wrong", "peer2", 5, hashes(400, 17))
	unknown, other := client("unknown", "peer9", 5, hashes(400, 0)), client("other", "peer1", 6, hashes(400, 0))
	for _, tc := range []struct {
		name string
		args []string
		exit int
		says string // on stdout
	}{
		{"equal", []string{host, same}, 0, "400 snapshots of 1 clients compared, 0 clients differ"},
		{"too few", []string{host, same, short}, 1, "440 snapshots of 2 clients compared"},
		{"few, but as many as asked for", []string{host, short, "--at-least", "40"}, 0, "40 snapshots"},
		{"one differs", []string{host, same, wrong}, 1, "peer2 differs in 1 snapshots, first at tick 17: it had to hold 0000000000000010 and held 0000000000000bad"},
		{"a client the host does not know", []string{host, unknown}, 1, "peer9: the host's report does not know this client"},
		{"of another session", []string{host, other}, 1, "peer1: the reports are of different sessions"},
		{"the host's is not first", []string{same, host}, 1, "the first report is not a host's"},
		{"a host against itself", []string{host, host}, 1, "the report is not a client's"},
		{"a negative number", []string{host, same, "--at-least", "-1"}, 2, "negative"},
	} {
		var stdout, stderr bytes.Buffer
		if exit := run(append([]string{"converged"}, tc.args...), nil, &stdout, &stderr); exit != tc.exit || !strings.Contains(stdout.String(), tc.says) {
			t.Errorf("%s: exit %d, want %d, and %q\n%s%s", tc.name, exit, tc.exit, tc.says, stdout.String(), stderr.String())
		}
		stdout.Reset()
		if exit := run(append([]string{"converged", "--json"}, tc.args...), nil, &stdout, &stderr); exit != tc.exit {
			t.Errorf("%s: --json changes the exit code to %d", tc.name, exit)
		}
		for _, line := range strings.Split(strings.TrimSpace(stdout.String()), "\n") {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s: with --json stdout has %q", tc.name, line)
			}
		}
	}
}
