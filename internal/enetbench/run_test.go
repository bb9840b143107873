package enetbench

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strings"
	"testing"

	"demi.network/runtime/fault"
)

// TestMain lets the test binary be the program: "enetbench.test bench enet
// FLAGS" runs a role, which role both needs for its child.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "bench" && os.Args[2] == "enet" {
		o := Default()
		fs := flag.NewFlagSet("bench enet", flag.ExitOnError)
		o.Bind(fs)
		_ = fs.Parse(os.Args[3:])
		if err := Run(o, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(fault.CodeOf(err).Exit())
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play runs role both and returns the rows of the output by role.
func play(t *testing.T, change func(*Options)) map[string]map[string]any {
	t.Helper()
	o := Default()
	o.Count, o.Seconds, o.Warmup, o.Clients, o.Hz = 2000, 0.3, 0.1, 8, 60
	change(&o)
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := Run(o, w)
		_ = w.Close()
		done <- err
	}()
	rows := map[string]map[string]any{}
	for s := bufio.NewScanner(r); s.Scan(); {
		row := map[string]any{}
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatalf("%q is not a JSON line: %v", s.Text(), err)
		}
		role, _ := row["role"].(string)
		rows[role+row["scenario"].(string)] = row
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestFlood(t *testing.T) {
	for reliable := range 2 {
		rows := play(t, func(o *Options) { o.Reliable, o.Checksum = reliable, reliable })
		s, c := rows["serverflood"], rows["clientflood"]
		if s == nil || c == nil || rows["noise"] == nil {
			t.Fatalf("reliable %d: rows are missing: %v", reliable, rows)
		}
		if s["sent"] != c["sent"] || s["sent"] != 2000.0 {
			t.Errorf("reliable %d: server says %v were sent, client %v", reliable, s["sent"], c["sent"])
		}
		if reliable == 1 && s["received"] != 2000.0 {
			t.Errorf("%v of 2000 reliable messages arrived", s["received"])
		}
		if s["datagrams"].(float64) > 1000 {
			t.Errorf("%v datagrams for 2000 messages: they must share", s["datagrams"])
		}
	}
}

func TestClients(t *testing.T) {
	for _, loop := range []string{"event", "tick"} {
		rows := play(t, func(o *Options) { o.Scenario, o.Loop = "clients", loop })
		s := rows["serverclients"]
		if s == nil || rows["clientclients"] == nil {
			t.Fatalf("%s: rows are missing: %v", loop, rows)
		}
		if s["rx_msgs"].(float64) < 0.5*s["rx_expected"].(float64) || s["tx_msgs"].(float64) < 8 {
			t.Errorf("%s: %v of %v messages, %v sent", loop, s["rx_msgs"], s["rx_expected"], s["tx_msgs"])
		}
	}
}

func TestBareLoop(t *testing.T) {
	o := Default()
	o.Scenario, o.Role, o.Clients, o.Hz, o.Seconds, o.Warmup, o.Loop = "bare", "server", 4, 60, 0.3, 0.1, "tick"
	failed := make(chan error, 1)
	o.Ready = func(at netip.AddrPort) {
		c := o
		c.Role, c.Port = "client", int(at.Port())
		go func() { failed <- Run(c, io.Discard) }()
	}
	var out strings.Builder
	if err := Run(o, &out); err != nil {
		t.Fatal(err)
	}
	row := map[string]any{}
	if err := json.Unmarshal([]byte(out.String()), &row); err != nil || row["rx_msgs"].(float64) < 20 {
		t.Errorf("%q, %v", out.String(), err)
	}
	if err := <-failed; err != nil {
		t.Error(err)
	}
}

func TestPingPong(t *testing.T) {
	rows := play(t, func(o *Options) { o.Scenario, o.Count, o.Reliable = "pingpong", 200, 1 })
	s, c := rows["serverpingpong"], rows["clientpingpong"]
	if s == nil || c == nil || s["messages"] != 220.0 || c["lost"] != 0.0 || c["rtt_us_p50"].(float64) <= 0 {
		t.Errorf("rows: %v", rows)
	}
}

func TestProbePrintsWhatTheServerSees(t *testing.T) {
	o := Default()
	o.Role = "probe"
	at := make(chan netip.AddrPort, 1)
	o.Ready = func(a netip.AddrPort) { at <- a }
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(Run(o, w)) }()
	lines := bufio.NewScanner(r)
	next := func() string { lines.Scan(); return lines.Text() }
	if got := next(); got != "ready" {
		t.Fatalf("the first line is %q", got)
	}
	c := Default()
	e, p, err := c.dial(<-at, 7)
	if err != nil {
		t.Fatal(err)
	}
	if got := next(); got != "connect 7" {
		t.Errorf("got %q, want the connect data", got)
	}
	for _, b := range []string{"one", "", "a\x00b", strings.Repeat("x", 25)} {
		if err := e.host.Send(p, 1, 0, []byte(b)); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.flush(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"receive ch=1 len=3 one", "receive ch=1 len=0 ", "receive ch=1 len=3 a", "receive ch=1 len=25 "} {
		if got := next(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	e.hangup(p)
	if got := next(); got != "disconnect 0" {
		t.Errorf("got %q", got)
	}
	_ = r.Close() // the probe ends at its next line
}

func TestOptionsAreChecked(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"scenario":          func(o *Options) { o.Scenario = "all" },
		"bare, both":        func(o *Options) { o.Scenario = "bare" },
		"role":              func(o *Options) { o.Role = "x" },
		"client, no port":   func(o *Options) { o.Role = "client" },
		"port":              func(o *Options) { o.Port = 65536 },
		"no clients":        func(o *Options) { o.Clients = 0 },
		"endless":           func(o *Options) { o.Seconds = 1e9 },
		"no loop":           func(o *Options) { o.Loop = "" },
		"nothing to send":   func(o *Options) { o.Count = 0 },
		"messages too long": func(o *Options) { o.Size = 1 << 30 },
	} {
		o := Default()
		change(&o)
		if err := Run(o, io.Discard); fault.CodeOf(err) != fault.Usage {
			t.Errorf("%s: %v, want E_NET_USAGE", name, err)
		}
	}
}
