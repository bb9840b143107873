package main

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"demi.network/runtime/fault"
	"demi.network/session"
)

// TestFieldLogB48TheDoorstepHasTheSameBudget: a client that was welcomed and
// never becomes ready repeats its hello and asks for the game's state. The flood
// guard covers every phase, nothing is answered twice, and what leaves for it is
// less than what came.
func TestFieldLogB48TheDoorstepHasTheSameBudget(t *testing.T) {
	t.Parallel()
	dir := project(t, files{"assets/network/small.network.json": hostileContract, "scripts/game.lua": floodGame})
	host := withReport(t, "host", dir, "--port", "0")
	addr, con := netip.MustParseAddrPort(host.address()), contractOf(t, dir)
	for _, tc := range []struct {
		name     string
		welcomed bool
		flood    func(h *hand, hello []byte)
	}{
		{"hellos after the welcome", true, func(h *hand, hello []byte) { h.reliable(hello) }},
		{"readies of another session", true, func(h *hand, _ []byte) { h.reliable([]byte{frameReady, byte(h.epoch), 0, 0, 0, 0}) }},
		{"messages after the welcome", true, func(h *hand, _ []byte) { h.say("echo", "1") }},
		{"publications before the hello", false, func(h *hand, _ []byte) { h.publish() }},
	} {
		h := connectHand(t, addr, con)
		hello := h.hello(greeting{name: "doorstep"})
		h.con = nil // says no ready
		if tc.welcomed {
			h.reliable(hello)
			h.must(t, "be welcomed", func() bool { return h.epoch != 0 })
		}
		h.con = con
		frames := 0
		for until := time.Now().Add(patience); !h.over && time.Now().Before(until); {
			for range 20 {
				tc.flood(h, hello)
				frames++
			}
			if err := h.turn(time.Millisecond); err != nil {
				t.Fatal(err)
			}
		}
		st := h.enet.Stats(h.peer)
		if h.code != fault.Flood {
			t.Errorf("%s: the connection ends with %q after %d frames, want %s", tc.name, h.code, frames, fault.Flood)
		}
		if st.BytesReceived > 3*st.BytesSent {
			t.Errorf("%s: %d bytes came for %d that were sent, want less than three times as many", tc.name, st.BytesReceived, st.BytesSent)
		}
		if h.active || h.records > 0 {
			t.Errorf("%s: the host let it in", tc.name)
		}
	}
	if code := host.quit(); code != 0 {
		t.Errorf("the host ended with %d\n%s", code, host.said())
	}
	r := host.reported()
	for _, reason := range []session.Reason{session.ReasonInvalidOperation, session.ReasonStaleEpoch, session.ReasonNotJoined} {
		if r.Refusals[reason.String()] == 0 {
			t.Errorf("nothing is counted for %s: %v", reason, r.Refusals)
		}
	}
	if len(r.Leaves) != 0 || len(r.Peers) != 0 {
		t.Errorf("the game heard of them: %v, %v", r.Leaves, r.Peers)
	}
}

// TestFieldLogB49AStallCostsMessagesNotTheConnection: an honest player steers
// at the contract's full rate. Its link holds everything back for a second and a
// half and then lets go, twice: the host's bucket holds two seconds' worth, so
// nothing is refused, and a stall that is longer costs the overflow alone.
func TestFieldLogB49AStallCostsMessagesNotTheConnection(t *testing.T) {
	t.Parallel()
	dir := project(t, files{"assets/network/small.network.json": hostileContract, "scripts/game.lua": hostileGame})
	host := withReport(t, "host", dir, "--port", "0")
	eve := joinHand(t, netip.MustParseAddrPort(host.address()), contractOf(t, dir), "eve")
	own := byte(1)
	eve.must(t, "own a crate", func() bool { return eve.entities[1].owner == eve.sender })
	const rate = 60
	sent := 0
	// steer sends what is due by the clock; stalled, it is all sent at the end.
	steer := func(d time.Duration, stalled bool) {
		for start, n := time.Now(), 0; ; {
			elapsed := min(time.Since(start), d)
			for due := int(elapsed.Seconds() * rate); n < due && (!stalled || elapsed == d); n++ {
				eve.say("steer", "1", own, 1)
				sent++
			}
			if err := eve.turn(time.Millisecond); err != nil || eve.over {
				t.Fatalf("a stall cost the connection: %v, %q\n%s", err, eve.code, host.said())
			}
			if elapsed == d {
				return
			}
		}
	}
	for range 2 {
		steer(500*time.Millisecond, false)
		steer(1500*time.Millisecond, true)
	}
	heard := func() int {
		return strings.Count(strings.Join(host.logged(), "\n"), "lua: steer from "+session.Sender(eve.sender).String())
	}
	seen := eve.seen
	eve.must(t, "be heard", func() bool { return heard() == sent || eve.seen > seen+60 })
	if got := heard(); got != sent || sent < 4*rate-4 {
		t.Errorf("%d of %d reached the game, want all of them\n%s", got, sent, host.said())
	}
	eve.publish()
	if code := host.quit(); code != 0 {
		t.Errorf("the host ended with %d\n%s", code, host.said())
	}
	if r := host.reported(); len(r.Refusals) > 0 {
		t.Errorf("an honest player was refused: %v", r.Refusals)
	}
}
