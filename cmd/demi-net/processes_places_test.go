package main

import (
	"net/netip"
	"testing"

	"demi.network/runtime/fault"
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

// TestConnectionsThatSayNothing: as many as may wait for their hello do. The
// oldest gives way to one more, so that they cannot keep a player out, and the
// others are gone after HelloTimeout.
func TestConnectionsThatSayNothing(t *testing.T) {
	t.Parallel()
	dir := project(t, nil)
	host := withReport(t, "host", dir, "--port", "0")
	addr, con := netip.MustParseAddrPort(host.address()), contractOf(t, dir)
	mute := make([]*hand, session.MaxPending)
	for i := range mute {
		mute[i] = connectHand(t, addr, con)
	}
	joinHand(t, addr, con, "ann")
	for i, h := range mute {
		want := fault.Timeout
		if i == 0 {
			want = fault.Full
		}
		if h.until(func() bool { return h.over }); h.code != want {
			t.Fatalf("connection %d, which says nothing, ends with %q, want %s", i, h.code, want)
		}
	}
	if code := host.quit(); code != 0 {
		t.Errorf("the host ended with %d\n%s", code, host.said())
	}
	r := host.reported()
	if len(r.Peers) != 1 || r.Refusals[session.ReasonInvalidOperation.String()] != 1 {
		t.Errorf("the report has %d players and the refusals %v, want ann alone and one refused", len(r.Peers), r.Refusals)
	}
}
