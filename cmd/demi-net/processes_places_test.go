package main

import (
	"net/netip"
	"testing"

	"demi.network/runtime/fault"
	"demi.network/runtime/udp"
	"demi.network/session"
)

// TestAHostHasThePlacesThatItsContractSays: the transport below must not run
// out of places before the session does, which says so with a code.
func TestAHostHasThePlacesThatItsContractSays(t *testing.T) {
	t.Parallel()
	const players = 70
	text := edit(t, smallContract, `"messages": {`, `"session": {"max_players": 70},
  "messages": {`)
	dir := project(t, files{"assets/network/small.network.json": text, "scripts/game.lua": "return {}"})
	host := start(t, "host", dir, "--port", "0")
	addr, con := netip.MustParseAddrPort(host.address()), contractOf(t, dir)
	for i := range players {
		joinHand(t, addr, con, "player "+itoa(i))
	}
	late := connectHand(t, addr, con)
	late.join("late")
	late.must(t, "be refused", func() bool { return late.refused != "" })
	if late.refused != fault.Full {
		t.Errorf("one more is refused with %s, want %s", late.refused, fault.Full)
	}
}

// TestConnectionsThatSayNothing: as many as may wait for their hello do, one
// more is told that the host is full, and after HelloTimeout there is room
// again.
func TestConnectionsThatSayNothing(t *testing.T) {
	t.Parallel()
	dir := project(t, nil)
	host := withReport(t, "host", dir, "--port", "0")
	addr, con := netip.MustParseAddrPort(host.address()), contractOf(t, dir)
	mute := make([]*hand, session.MaxPending)
	for i := range mute {
		mute[i] = connectHand(t, addr, con)
	}
	late, err := dialHand(addr, con, udp.ConnectData)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(late.close)
	if err := late.until(func() bool { return late.over }); err != nil || late.code != fault.Full {
		t.Errorf("one connection too many ends with %q, %v, want %s", late.code, err, fault.Full)
	}
	for _, h := range mute {
		if h.until(func() bool { return h.over }); h.code != fault.Timeout {
			t.Fatalf("a connection that says nothing ends with %q, want %s", h.code, fault.Timeout)
		}
	}
	joinHand(t, addr, con, "ann")
	if code := host.quit(); code != 0 {
		t.Errorf("the host ended with %d\n%s", code, host.said())
	}
	r := host.reported()
	if len(r.Peers) != 1 || r.Refusals[session.ReasonInvalidOperation.String()] != 1 {
		t.Errorf("the report has %d players and the refusals %v, want ann alone and one refused", len(r.Peers), r.Refusals)
	}
}
