package enet

import (
	"bytes"
	"os"
	"slices"
	"testing"
	"time"

	"demi.network/runtime/transport"
)

// FuzzDatagram gives any bytes to a host, as a stranger and as a peer. The
// first byte chooses its options. Nothing may panic, answer a stranger with
// more than three times what he sent, or disturb an honest peer. The host goes
// from input to input, so that each costs microseconds; what an input leaves
// behind is gone before the next.
func FuzzDatagram(f *testing.F) {
	for i, v := range vectorFiles {
		for _, l := range readVectors(f, v.name, v.cfg) {
			if l.b != nil {
				f.Add(append([]byte{byte(i)}, l.b...))
			}
		}
	}
	for i := range byte(4) {
		f.Add(append([]byte{i}, connectDatagram(1)...))
	}
	target := newDatagramFuzz(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 0 {
			target.try(t, b[0], b[1:])
		}
	})
}

// datagramFuzz is a host that outlives the inputs.
type datagramFuzz struct {
	*rawPeer
	coder *rangeCoder
	id    uint32
}

func newDatagramFuzz(f *testing.F) *datagramFuzz {
	r := newRawPeer(f, Config{Timeouts: Timeouts{Minimum: 300 * time.Millisecond, Maximum: time.Second}, Handshakes: Handshakes{Timeout: time.Second}})
	r.h.Reset(r.p.handle)
	return &datagramFuzz{rawPeer: r, coder: &rangeCoder{}}
}

func (d *datagramFuzz) try(t *testing.T, options byte, b []byte) {
	d.t = t
	d.id += 2
	peer, honest, stranger := from(1), from(2), from(3)
	hostile := d.join(peer, d.id)
	d.from, d.p = honest, d.join(honest, d.id+1)
	d.h.cfg.Checksum = options&1 != 0
	if options&2 != 0 {
		d.h.coder = d.coder
	}
	d.link.take()
	for _, a := range []transport.Addr{peer, stranger, peer} {
		d.link.in = append(d.link.in, parcel{a, slices.Clone(b)})
	}
	for range 4 {
		d.turn()
		d.now += 50
	}
	answered := 0
	for _, out := range d.link.take() {
		if out.addr == stranger {
			answered += len(out.b)
		}
	}
	if answered > 3*len(b) {
		t.Errorf("a stranger's %d bytes were answered with %d", len(b), answered)
	}
	d.h.cfg.Checksum, d.h.coder = false, nil
	if events, _ := d.send(d.datagram(rawReliable(0, 1, []byte("fine")))); !slices.ContainsFunc(events, func(e transport.Event) bool {
		return e.Kind == transport.Message && e.Peer == d.p.handle
	}) {
		t.Errorf("an honest peer was disturbed: %+v", events)
	}
	d.h.Reset(hostile.handle)
	d.h.Reset(d.p.handle)
	d.now += 1100 // the stranger's handshake, if there is one
	d.turn()
	checkIdle(t, "after the input", d.h)
}

// FuzzRangeDecode unpacks any bytes, within its limit, and packs any bytes so
// that they unpack again.
func FuzzRangeDecode(f *testing.F) {
	text, err := os.ReadFile("testdata/vectors/rangecoder.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, l := range bytes.Split(text, []byte("\n")) {
		f.Add(l[:min(len(l), 300)])
	}
	for _, v := range vectorFiles[2:] {
		for _, l := range readVectors(f, v.name, v.cfg) {
			f.Add(l.b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = b[:min(len(b), MaxMTU)]
		var m rangeModel
		out := make([]byte, MaxMTU)
		if n, ok := m.decode(out, b); ok && n > MaxMTU {
			t.Fatal("more than the limit")
		}
		packed := make([]byte, MaxMTU)
		n, ok := m.encode(packed, b)
		if !ok {
			return
		}
		if k, ok := m.decode(out, packed[:n]); !ok || !bytes.Equal(out[:k], b) {
			t.Errorf("%x became %x", b, out[:k])
		}
	})
}
