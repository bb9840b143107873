package enet

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"demi.network/runtime/transport"
)

// FuzzDatagram gives any bytes to a host, as a stranger and as a peer, plain
// and with every option. Nothing may panic, answer a stranger with more than
// he sent, or disturb an honest peer.
func FuzzDatagram(f *testing.F) {
	for _, v := range vectorFiles {
		for _, l := range readVectors(f, v.name, v.cfg) {
			if l.b != nil {
				f.Add(l.b)
			}
		}
	}
	f.Add(connectDatagram(1))
	f.Fuzz(func(t *testing.T, b []byte) {
		for i := range 4 {
			r := newRawPeer(t, Config{})
			honest := r.join(from(2), 2)
			r.h.cfg.Checksum = i&1 != 0
			if i&2 != 0 {
				r.h.coder = &rangeCoder{}
			}
			r.link.take()
			stranger := from(3)
			r.link.in = append(r.link.in, parcel{r.from, slices.Clone(b)}, parcel{stranger, slices.Clone(b)}, parcel{r.from, slices.Clone(b)})
			for range 20 {
				r.turn()
				r.now += 100
			}
			answered := 0
			for _, d := range r.link.take() {
				if d.addr == stranger {
					answered += len(d.b)
				}
			}
			if answered > 3*len(b) {
				t.Errorf("a stranger's %d bytes were answered with %d", len(b), answered)
			}
			r.h.cfg.Checksum, r.h.coder = false, nil
			r.p, r.from = honest, from(2)
			if events, _ := r.send(r.datagram(rawReliable(0, 1, []byte("fine")))); !slices.ContainsFunc(events, func(e transport.Event) bool {
				return e.Kind == transport.Message && e.Peer == honest.handle
			}) {
				t.Errorf("an honest peer was disturbed: %+v", events)
			}
			r.now += 60_000
			r.turn()
		}
	})
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
