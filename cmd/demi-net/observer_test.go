package main

import (
	"testing"

	"demi.network/runtime"
	"demi.network/runtime/fault"
)

// TestJoinWithoutATargetObserves: a program that has no project joins, is given
// the host's contract, and holds at every tick what its host says it must.
func TestJoinWithoutATargetObserves(t *testing.T) {
	t.Parallel()
	dir := project(t, nil)
	host := withReport(t, "host", dir, "--port", "0")
	addr := host.address()
	player := withReport(t, "join", addr, dir, "--name", "ann")
	player.event("active")
	eve := withReport(t, "join", addr, "--name", "eve")
	eve.event("active")
	late := withReport(t, "join", addr, dir, "--name", "ben", "--ticks", "60")
	if code := late.exit(); code != 0 {
		t.Fatalf("the second player ended with %d\n%s", code, late.said())
	}
	// One more comes and goes: by then the observer has heard of ben's end.
	if again := start(t, "join", addr, dir, "--name", "cid", "--ticks", "20"); again.exit() != 0 {
		t.Fatal(again.said())
	}
	if code := eve.quit(); code != 0 {
		t.Fatalf("the observer ended with %d\n%s", code, eve.said())
	}
	if code := player.quit(); code != 0 {
		t.Fatalf("the player ended with %d\n%s", code, player.said())
	}
	if code := host.quit(); code != 0 {
		t.Fatalf("the host ended with %d\n%s", code, host.said())
	}
	h, e := host.reported(), eve.reported()
	if c := runtime.Converged(h, player.reported(), e); !c.OK(30) {
		t.Errorf("the observer must hold what the host says: %+v", c)
	}
	if e.ContractHash != h.ContractHash || e.Role != "client" || e.Name != "eve" {
		t.Errorf("the observer's report: contract %s, role %s, name %s; the host's contract is %s", e.ContractHash, e.Role, e.Name, h.ContractHash)
	}
	if len(e.Spawns) != 3 || !e.Spawns[0].Late || e.Spawns[1].Late || len(e.Despawns) < 1 {
		t.Errorf("the observer saw %d spawns and %d despawns, want ann's (late), ben's and cid's, and ben's end: %+v", len(e.Spawns), len(e.Despawns), e.Spawns)
	}
	if got := e.Messages.ByName["chat"].Received; got < 1 {
		t.Errorf("the observer received %d messages to all, want the host's", got)
	}
	if e.Messages.Rejected != 0 || h.Messages.Rejected > 1 { // the script's spawn for the observer is refused
		t.Errorf("%d refusals at the observer, %v at the host", e.Messages.Rejected, h.Refusals)
	}
}

// TestObserverHearsOfTheEnd: without scripts nobody polls for it but the
// program.
func TestObserverHearsOfTheEnd(t *testing.T) {
	t.Parallel()
	dir := project(t, nil)
	host := start(t, "host", dir, "--port", "0")
	eve := start(t, "join", host.address())
	eve.event("active")
	if code := host.quit(); code != 0 {
		t.Fatalf("the host ended with %d\n%s", code, host.said())
	}
	if code := eve.exit(); code != 0 {
		t.Errorf("an observer whose host shuts down ends with %d, want 0\n%s", code, eve.said())
	}
}

// TestObserversDoNothing: what moves a player's inputs needs a project.
func TestObserversDoNothing(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"join"},
		{"join", "127.0.0.1:1", "--drive", "sine"},
		{"join", "127.0.0.1:1", "--input", "fire=1"},
	} {
		p := start(t, args...)
		if code, _ := p.code(); code != string(fault.Usage) || p.cmd.ProcessState.ExitCode() != 2 {
			t.Errorf("%v ends with %s and %d, want %s and 2", args, code, p.cmd.ProcessState.ExitCode(), fault.Usage)
		}
	}
}
