package app_test

import (
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"demi.network/contract"
	"demi.network/examples/arena"
	"demi.network/internal/app"
	"demi.network/runtime"
	"demi.network/runtime/fault"
	"demi.network/session"
)

func arenaConfig(t *testing.T, role app.Role) app.Config {
	t.Helper()
	project, problems := contract.LoadProject(arena.Project)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return app.Config{Project: project, Role: role, Seed: 1}
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// TestAMistypedInputIsAnError at the start, not a value that nothing reads.
func TestAMistypedInputIsAnError(t *testing.T) {
	cfg := arenaConfig(t, app.Host)
	cfg.Inputs = []app.Input{{Action: "fire", Value: 1}, {Action: "frie", Value: 1}}
	_, _, err := app.New(cfg, start)
	if fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), `"frie"`) {
		t.Errorf("got %v, must be E_NET_USAGE and name the input", err)
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]app.Input{"a=1": {Action: "a", Value: 1}, "move_x=-0.5": {Action: "move_x", Value: -0.5}} {
		if got, err := app.ParseInput(text); err != nil || got != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "a", "=1", "a=", "a=x", "a=NaN", "a=Inf", "a=1=2"} {
		if _, err := app.ParseInput(text); fault.CodeOf(err) != fault.Usage {
			t.Errorf("%q is no input, got %v", text, err)
		}
	}
	if _, err := app.ParseDrive("cosine"); fault.CodeOf(err) != fault.Usage {
		t.Errorf("no such drive: %v", err)
	}
}

// TestTwoAppsPlay: a host and a driven client over loopback. The turns' times
// are the test's; a datagram between two sockets of one machine is there at the
// next turn or soon after.
func TestTwoAppsPlay(t *testing.T) {
	host, _, err := app.New(arenaConfig(t, app.Host), start)
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	cfg := arenaConfig(t, app.Join)
	cfg.Targets, cfg.Drive = []netip.AddrPort{host.Peer().LocalAddr()}, app.DriveSine
	client, _, err := app.New(cfg, start)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	now := start
	turn := func(until func() bool) bool {
		for range 2000 {
			now = now.Add(5 * time.Millisecond)
			for _, a := range []*app.App{host, client} {
				if _, err := a.Turn(now); err != nil {
					t.Fatal(err)
				}
			}
			if until() {
				return true
			}
		}
		return false
	}
	if !turn(func() bool { return client.Peer().Phase() == session.PhaseActive }) {
		t.Fatalf("the client is %v", client.Peer().Phase())
	}
	asked := false
	if !host.Do(func() { asked = true }) {
		t.Error("an empty queue must take a function")
	}
	turn(func() bool { return len(host.Peer().Report().Entities) > 4 && client.Peer().Report().Messages.Sent > 0 })
	if !asked {
		t.Error("what Do was given runs between two turns")
	}
	r := client.Report()
	if len(r.Errors) > 0 || len(host.Report().Errors) > 0 {
		t.Errorf("no script may fail: %v %v", r.Errors, host.Report().Errors)
	}
	if host.Peer().Diagnostics().RejectedMessages > 0 {
		t.Errorf("a drive plays, it does not tamper: %v", host.Peer().Diagnostics().LastError)
	}
	client.Stop(fault.Left, "left")
	host.Stop(fault.Shutdown, "over")
	if !turn(func() bool { return client.Stopped() && host.Stopped() }) || host.Peer().Mode() != runtime.Offline {
		t.Error("goodbyes have an end")
	}
}

func TestDoIsBounded(t *testing.T) {
	a, _, err := app.New(arenaConfig(t, app.Script), start)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for n <= math.MaxInt16 && a.Do(func() {}) {
		n++
	}
	if n == 0 || n > 1024 {
		t.Errorf("%d functions wait; the queue must be bounded", n)
	}
}

// TestTicksAreCountedExactly: a turn that comes late owes several ticks, and
// begins no more than were asked for.
func TestTicksAreCountedExactly(t *testing.T) {
	cfg := arenaConfig(t, app.Host)
	cfg.Ticks = 7
	a, _, err := app.New(cfg, start)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := a.Start(); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 3; i++ {
		if _, err := a.Turn(start.Add(time.Duration(i) * 4 * a.Peer().TickInterval())); err != nil {
			t.Fatal(err)
		}
	}
	if n := a.Peer().Report().Ticks; n != 7 {
		t.Errorf("%d ticks, want 7 of the 12 that were due", n)
	}
}

// TestAnAddressThatCannotBeDialledIsPassedOver: a name may stand for an address
// of a family that this machine has no route to, and for one that answers.
func TestAnAddressThatCannotBeDialledIsPassedOver(t *testing.T) {
	undialable := netip.MustParseAddrPort("[fe80::1%nosuchzone]:39420")
	cfg := arenaConfig(t, app.Join)
	for _, tc := range []struct {
		targets []netip.AddrPort
		ok      bool
	}{
		{[]netip.AddrPort{undialable}, false},
		{[]netip.AddrPort{undialable, undialable, netip.MustParseAddrPort("127.0.0.1:39420")}, true},
	} {
		cfg.Targets = tc.targets
		a, _, err := app.New(cfg, start)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Start(); (err == nil) != tc.ok {
			t.Errorf("%v: %v", tc.targets, err)
		}
		if got := a.Peer().Mode() == runtime.Joined; got != tc.ok {
			t.Errorf("%v: the peer is %v", tc.targets, a.Peer().Mode())
		}
		a.Close()
	}
}
