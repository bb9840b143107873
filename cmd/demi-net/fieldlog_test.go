package main

import (
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"demi.network/runtime/fault"
)

// TestFieldLogB92NamesAreCleanOrRefused: what a player may be called. Names go
// into logs, reports and terminals, so whatever does not show as itself is
// refused, and a report stays valid UTF-8 on one line.
func TestFieldLogB92NamesAreCleanOrRefused(t *testing.T) {
	dir := project(t, nil)
	host := withReport(t, "host", dir, "--port", "0", "--max-players", "32")
	addr := host.address()
	for _, tc := range []struct {
		name string
		ok   bool
	}{
		{"ann", true},
		{"ann ", true}, // trimmed
		{"%s%n", true}, // only text
		{"../../x", true},
		{"Zoë 🦊", true},
		{strings.Repeat("x", 33), false},
		{"a\nERROR fake", false},
		{"\x1b[2J", false},
		{"a\u202eb", false},
		{"\u200bann", false},
		{"\xff\xfe", false},
		{strings.Repeat("y", 10000), false},
	} {
		p := start(t, "join", addr, dir, "--name", tc.name, "--ticks", "5")
		code, _ := p.code()
		switch {
		case tc.ok && p.cmd.ProcessState.ExitCode() != 0:
			t.Errorf("the name %q is refused with %s\n%s", tc.name, code, p.said())
		case !tc.ok && (p.cmd.ProcessState.ExitCode() != 1 || code != string(fault.Name)):
			t.Errorf("the name %q ends with %d %q, want 1 and %s\n%s", tc.name, p.cmd.ProcessState.ExitCode(), code, fault.Name, p.said())
		}
	}
	if code := host.quit(); code != 0 {
		t.Fatalf("the host ended with %d\n%s", code, host.said())
	}
	for _, p := range host.reported().Peers {
		if !utf8.ValidString(p.Name) || strings.ContainsFunc(p.Name, func(r rune) bool { return r < ' ' }) || p.Name != strings.TrimSpace(p.Name) {
			t.Errorf("the report has the name %q", p.Name)
		}
	}
}

// TestFieldLogB94SignalWhileAScriptSpins: a host whose script never returns
// still hears SIGTERM, tells its clients and ends with 0: the budget ends the
// callback, not the process.
func TestFieldLogB94SignalWhileAScriptSpins(t *testing.T) {
	t.Parallel()
	host := start(t, "host", project(t, files{"scripts/game.lua": "local G = {}\nfunction G:on_update() while true do end end\nreturn G"}), "--port", "0")
	client := withReport(t, "join", host.address(), project(t, nil))
	client.event("active")
	stopBySignal(t, host)
	if code := client.exit(); code != 0 {
		t.Errorf("the client ended with %d\n%s", code, client.said())
	}
	if r := client.reported(); r.Ending != string(fault.Shutdown) {
		t.Errorf("the client's session ended with %q, want %s", r.Ending, fault.Shutdown)
	}
}

// TestFieldLogB95OnePortOneHost: a taken port is a coded error in every
// family, and the loopback default listens nowhere else.
func TestFieldLogB95OnePortOneHost(t *testing.T) {
	dir := project(t, nil)
	first := start(t, "host", dir, "--port", "0")
	addr := first.address()
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(addr, "127.0.0.1:") {
		t.Errorf("the default address is %s, want loopback", addr)
	}
	second := start(t, "host", dir, "--port", port)
	if code, _ := second.code(); code != string(fault.Bind) || second.cmd.ProcessState.ExitCode() != 5 {
		t.Errorf("a second host on the same port ends with %d %q, want 5 and %s", second.cmd.ProcessState.ExitCode(), code, fault.Bind)
	}
	any4 := start(t, "host", dir, "--bind", "0.0.0.0", "--port", port)
	if code, _ := any4.code(); code != string(fault.Bind) {
		t.Errorf("0.0.0.0 over a taken 127.0.0.1 ends with %q, want %s", code, fault.Bind)
	}
	if six, err := net.ListenPacket("udp6", "[::1]:0"); err == nil { // a machine without IPv6 has nothing to test
		six.Close()
		host := start(t, "host", dir, "--bind", "::1", "--port", "0")
		client := start(t, "join", host.address(), dir, "--ticks", "5")
		if code := client.exit(); code != 0 {
			t.Errorf("joining over IPv6 ends with %d\n%s", code, client.said())
		}
		stopBySignal(t, host)
	}
	stopBySignal(t, first)
}

// TestFieldLogB96EveryWayToWriteAnAddress: literals are taken apart right,
// malformed ones end with exit 2, and localhost works.
func TestFieldLogB96EveryWayToWriteAnAddress(t *testing.T) {
	dir := project(t, nil)
	host := start(t, "host", dir, "--port", "0")
	_, port, _ := net.SplitHostPort(host.address())
	for _, target := range []string{"localhost:" + port, "127.0.0.1:" + port} {
		p := start(t, "join", target, dir, "--ticks", "5")
		if code := p.exit(); code != 0 {
			t.Errorf("join %s ends with %d\n%s", target, code, p.said())
		}
	}
	for _, target := range []string{":7777", "127.0.0.1:", "127.0.0.1:abc", "exa mple:1", "", "127.0.0.1:0", "[::1", "1:2:3", "127.0.0.1:65536"} {
		p := start(t, "join", target, dir)
		if code, _ := p.code(); p.cmd.ProcessState.ExitCode() != 2 || code != string(fault.Address) {
			t.Errorf("join %q ends with %d %q, want 2 and %s\n%s", target, p.cmd.ProcessState.ExitCode(), code, fault.Address, p.said())
		}
	}
	stopBySignal(t, host)
}

// TestFieldLogB50AKilledPlayerMayComeBackAtOnce: the host still believes in the
// old process; the new one gets a sender id of its own, and the policy runs
// once.
func TestFieldLogB50AKilledPlayerMayComeBackAtOnce(t *testing.T) {
	t.Parallel()
	dir := project(t, nil)
	host := withReport(t, "host", dir, "--port", "0")
	addr := host.address()
	first := start(t, "join", addr, dir, "--name", "ann")
	old := first.event("active")["sender_id"]
	if err := first.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	second := start(t, "join", addr, dir, "--name", "ann", "--duration", "8")
	if id := second.event("active")["sender_id"]; id == old {
		t.Errorf("the new process is %v again: sender ids are never reused", id)
	}
	if code := second.exit(); code != 0 {
		t.Errorf("the second process ended with %d\n%s", code, second.said())
	}
	host.quit()
	leaves := 0
	for _, l := range host.reported().Leaves {
		if l.SenderID == old {
			leaves++
			if l.Code != string(fault.Timeout) || len(l.Entities) != 1 {
				t.Errorf("the killed player left with %s and %v, want %s and its one entity", l.Code, l.Entities, fault.Timeout)
			}
		}
	}
	if leaves != 1 {
		t.Errorf("the killed player left %d times, want once, within 6 s", leaves)
	}
}

// TestASceneFileIsATargetWithItsOwnPort: a scene of a project can be hosted
// and joined as it is, on 7777 unless a port is given.
func TestASceneFileIsATargetWithItsOwnPort(t *testing.T) {
	dir := project(t, nil)
	target := filepath.Join(dir, "scenes", "main.scene.json")
	given := start(t, "host", target, "--port", "0")
	_, port, err := net.SplitHostPort(given.address())
	if err != nil || port == "7777" {
		t.Errorf("--port 0 gave port %s, %v", port, err)
	}
	client := start(t, "join", "127.0.0.1:"+port, target, "--ticks", "5")
	if code := client.exit(); code != 0 {
		t.Errorf("joining with a scene ends with %d\n%s", code, client.said())
	}
	stopBySignal(t, given)
	// The default port may be taken on this machine; the error then names it.
	host := start(t, "host", target, "--ticks", "3")
	said := false
	for m := range host.lines {
		address, _ := m["address"].(string)
		message, _ := m["message"].(string)
		said = said || strings.HasSuffix(address, ":7777") || strings.Contains(message, ":7777")
	}
	if !said {
		t.Errorf("a scene without --port must listen on 7777\n%s", host.said())
	}
}
