package enet

import (
	"bytes"
	"slices"
	"testing"

	"demi.network/runtime/transport"
)

// rawPeer is a server with one connected client whose datagrams the test
// writes by hand.
type rawPeer struct {
	t    testing.TB
	h    *Host
	link *wireLink
	p    *peer
	now  int // ms
	from transport.Addr
}

func newRawPeer(t testing.TB, cfg Config) *rawPeer {
	link := newWireLink()
	cfg.Accept, cfg.Random = true, seeded(1)
	h, err := New(link, cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := &rawPeer{t: t, h: h, link: link, from: from(1)}
	r.p = r.join(r.from, 1)
	return r
}

// join connects a client at an address, from its slot 0.
func (r *rawPeer) join(a transport.Addr, id uint32) *peer { return r.joinFrom(a, 0, id) }

// joinFrom connects a client from a slot of its own.
func (r *rawPeer) joinFrom(a transport.Addr, slot uint16, id uint32) *peer {
	b := connectDatagram(id)
	be.PutUint16(b[8:], slot)
	r.link.in = append(r.link.in, parcel{a, b})
	r.turn()
	p := r.h.slots.byAddr[a]
	if p == nil {
		r.t.Fatal("CONNECT was refused")
	}
	r.link.in = append(r.link.in, parcel{a, ackVerify(p, at(r.now))})
	r.turn()
	if p.state != stateConnected {
		r.t.Fatalf("the client is %v", p.state)
	}
	return p
}

func (r *rawPeer) turn() []transport.Event {
	events := poll(r.h, at(r.now))
	if _, err := r.h.Flush(at(r.now)); err != nil {
		r.t.Fatal(err)
	}
	return events
}

// datagram wraps commands for the server.
func (r *rawPeer) datagram(commands ...[]byte) []byte {
	b := make([]byte, 4, 256)
	datagramHeader{peerID: r.p.slot, session: r.p.id.inSession, hasTime: true, time: uint16(clockOrigin + r.now)}.put(b)
	return append(b, bytes.Join(commands, nil)...)
}

// send gives the server one datagram and returns its events, and which
// (channel, number) it acknowledged.
func (r *rawPeer) send(b []byte) (events []transport.Event, acked [][2]int) {
	r.link.take()
	r.link.in = append(r.link.in, parcel{r.from, slices.Clone(b)})
	events = r.turn()
	for _, d := range r.link.take() {
		eachCommand(d.b, func(hd header, _ []byte) {
			if hd.kind() == kindAcknowledge {
				acked = append(acked, [2]int{int(hd.channel), int(hd.seq)})
			}
		})
	}
	return events, acked
}

func rawReliable(ch uint8, seq uint16, data []byte) []byte {
	b := make([]byte, fixedSize[kindReliable])
	header{byte(kindReliable) | flagAcknowledge, ch, seq}.put(b)
	putReliable(b, len(data))
	return append(b, data...)
}

func rawNumbered(k kind, ch uint8, seq, number uint16, data []byte) []byte {
	b := make([]byte, fixedSize[k])
	header{byte(k), ch, seq}.put(b)
	putNumbered(b, number, len(data))
	return append(b, data...)
}

func rawFragment(k kind, ch uint8, seq uint16, f fragmentCommand, data []byte) []byte {
	b := make([]byte, fragmentSize)
	op := byte(k)
	if k == kindFragment {
		op |= flagAcknowledge
	}
	header{op, ch, seq}.put(b)
	f.length = uint16(len(data))
	f.put(b)
	return append(b, data...)
}
