package enet

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"demi.network/runtime/transport"
)

// leaving is a peer in a state, and what becomes of a call.
type leaving struct {
	*rawPeer
	id     transport.Peer
	before []transport.Event // polled on the way to the state
}

// inState brings a peer to a state.
func inState(t *testing.T, s state) leaving {
	r := newRawPeer(t, Config{})
	l := leaving{rawPeer: r, id: r.p.handle}
	switch s {
	case stateConnecting:
		id, err := r.h.Dial(at(r.now), netip.MustParseAddrPort("10.9.9.9:9"))
		if err != nil {
			t.Fatal(err)
		}
		l.id = id
	case stateDisconnectLater:
		_ = r.h.Send(l.id, 0, transport.Reliable, []byte("x"))
		r.h.DisconnectLater(l.id, 1)
	case stateDisconnecting:
		r.h.Disconnect(l.id, 1)
	case stateAckDisconnect:
		r.link.in = append(r.link.in, parcel{r.from, r.datagram(rawDisconnect(flagAcknowledge, 2, 8))})
		l.before = poll(r.h, at(r.now))
	case stateZombie: // over, and its event is not polled yet
		r.link.in = append(r.link.in, parcel{r.from, r.datagram(rawReliable(0, 1, []byte("x")), rawDisconnect(flagUnsequenced, 2, 8))})
		e, _ := r.h.Poll(at(r.now))
		l.before = append(l.before, e)
	}
	if p := r.h.slots.find(l.id); p == nil || p.state != s {
		t.Fatalf("the peer is not %v", s)
	}
	r.link.take()
	return l
}

// after tells what is sent and polled at once, and in which state that leaves
// the peer.
func (l leaving) after() string {
	var told []string
	_, _ = l.h.Flush(at(l.now))
	events := eventText(poll(l.h, at(l.now)))
	for _, d := range l.link.take() {
		eachCommand(d.b, func(hd header, cmd []byte) {
			switch hd.kind() {
			case kindDisconnect:
				flag := map[byte]string{flagAcknowledge: "asks", flagUnsequenced: "tells"}[hd.op&^kindMask]
				told = append(told, fmt.Sprintf("%s %d", flag, be.Uint32(cmd[4:])))
			case kindAcknowledge:
				told = append(told, "ack")
			}
		})
	}
	state := "gone"
	if p := l.h.slots.find(l.id); p != nil {
		state = p.state.String()
	}
	if events != "" {
		told = append(told, events)
	}
	return strings.Join(append(told, state), ", ")
}

// TestLeavingInEveryState is the table of wire.md § 7: what each way to end a
// connection sends and leaves behind, in each state. A Disconnected event
// follows only where the application has not ended the connection for good.
func TestLeavingInEveryState(t *testing.T) {
	calls := []struct {
		name string
		do   func(*Host, transport.Peer)
	}{
		{"Disconnect", func(h *Host, p transport.Peer) { h.Disconnect(p, 5) }},
		{"DisconnectLater", func(h *Host, p transport.Peer) { h.DisconnectLater(p, 5) }},
		{"DisconnectNow", func(h *Host, p transport.Peer) { h.DisconnectNow(p, 5) }},
		{"Reset", func(h *Host, p transport.Peer) { h.Reset(p) }},
		{"Drop", func(h *Host, p transport.Peer) { h.Drop(p, 5) }},
	}
	for _, c := range []struct {
		state state
		want  [5]string // by call
	}{
		{stateConnecting, [5]string{"gone", "gone", "gone", "gone", "gone"}},
		{stateConnected, [5]string{"asks 5, disconnecting", "asks 5, disconnecting", "tells 5, gone", "gone", "asks 5, disconnecting"}},
		{stateDisconnectLater, [5]string{"asks 5, disconnecting", "disconnect-later", "tells 5, gone", "gone", "disconnect-later"}},
		{stateDisconnecting, [5]string{"asks 1, disconnecting", "asks 1, disconnecting", "gone", "gone", "asks 1, disconnecting"}},
		{stateAckDisconnect, [5]string{"ack, disconnect 8, gone", "ack, disconnect 8, gone", "gone", "gone", "ack, gone"}},
		{stateZombie, [5]string{"disconnect 8, gone", "disconnect 8, gone", "gone", "gone", "gone"}},
	} {
		for i, call := range calls {
			l := inState(t, c.state)
			call.do(l.h, l.id)
			if got := l.after(); got != c.want[i] {
				t.Errorf("%s in state %v: %s, want %s", call.name, c.state, got, c.want[i])
			}
		}
	}
}

// TestCloseInEveryState: who is connected, or is being accepted and may think
// that it is, is told, once and with code 0; the others are not, and the link is
// closed.
func TestCloseInEveryState(t *testing.T) {
	for _, s := range []state{stateConnecting, stateConnected, stateDisconnectLater, stateDisconnecting, stateAckDisconnect, stateZombie} {
		l := inState(t, s)
		if err := l.h.Close(); err != nil {
			t.Fatal(err)
		}
		told := 0
		for _, d := range l.link.take() {
			eachCommand(d.b, func(hd header, cmd []byte) {
				told += b2i(hd.op == byte(kindDisconnect)|flagUnsequenced && be.Uint32(cmd[4:]) == 0)
			})
		}
		want := b2i(takesData.has(s))
		if s == stateConnecting {
			want = 1 // the other peer of the host, which is connected
		}
		if told != want || !l.link.closed {
			t.Errorf("Close with a peer that is %v: told %d times, want %d; the link is closed: %v", s, told, want, l.link.closed)
		}
		checkIdle(t, fmt.Sprintf("closed when %v", s), l.h)
	}
}

// TestCloseTellsWhoIsBeingAccepted: its VERIFY may have arrived already, and then
// it would wait for a host that is gone.
func TestCloseTellsWhoIsBeingAccepted(t *testing.T) {
	r := newRawPeer(t, Config{})
	r.link.in = append(r.link.in, parcel{from(2), connectDatagram(2)})
	r.turn()
	if p := r.h.slots.byAddr[from(2)]; p == nil || p.state != stateAcceptingConnect {
		t.Fatal("nobody is being accepted")
	}
	r.link.take()
	if err := r.h.Close(); err != nil {
		t.Fatal(err)
	}
	told, size := 0, 0
	for _, d := range r.link.take() {
		if d.addr != from(2) {
			continue
		}
		size += len(d.b)
		eachCommand(d.b, func(hd header, cmd []byte) {
			told += b2i(hd.op == byte(kindDisconnect)|flagUnsequenced && be.Uint32(cmd[4:]) == 0)
		})
	}
	if told != 1 || size > len(connectDatagram(2)) {
		t.Errorf("told %d times in %d bytes, want once and fewer bytes than it sent", told, size)
	}
}
