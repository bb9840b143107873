package enet

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"demi.network/runtime/transport"
)

func TestFaultADatagramsOfAnyLength(t *testing.T) {
	r := newRawPeer(t, Config{})
	rng := rand.New(rand.NewPCG(1, 1))
	list := [][]byte{{}, {1}, {0x8f, 0xff}, {0x8f, 0xff, 0}, make([]byte, 4096), make([]byte, 4097), make([]byte, 65507)}
	for range 10_000 {
		b := make([]byte, rng.IntN(64))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		list = append(list, b)
	}
	stranger := from(2)
	for _, b := range list {
		r.link.in = append(r.link.in, parcel{r.from, b}, parcel{stranger, b})
		r.turn() // fails on an error
	}
	if events, acked := r.send(r.datagram(rawReliable(0, 1, []byte("still here")))); len(events) != 1 || len(acked) != 1 {
		t.Errorf("the peer was disturbed: %+v %v", events, acked)
	}
	if c := r.h.Counters(); c.Malformed == 0 || c.Unknown == 0 {
		t.Errorf("nothing was counted: %+v", c)
	}
}

func TestFaultBFragmentsMustTile(t *testing.T) {
	ab := []byte("ab")
	for _, c := range []struct {
		name string
		f    fragmentCommand
		data []byte
		ok   bool
	}{
		{"the first of two", fragmentCommand{start: 1, count: 2, number: 0, total: 4, offset: 0}, ab, true},
		{"the last of two", fragmentCommand{start: 1, count: 2, number: 1, total: 4, offset: 2}, ab, true},
		{"a shorter last one", fragmentCommand{start: 1, count: 2, number: 1, total: 3, offset: 2}, ab[:1], true},
		{"a lone one", fragmentCommand{start: 1, count: 1, number: 0, total: 2, offset: 0}, ab, true},
		{"holes: 2 bytes of 1000", fragmentCommand{start: 1, count: 2, number: 0, total: 1000, offset: 0}, ab, false},
		{"the last 2 bytes of 1000, after 998", fragmentCommand{start: 1, count: 2, number: 1, total: 1000, offset: 998}, ab, true},
		{"holes: the last 2 bytes of 1000 in three", fragmentCommand{start: 1, count: 3, number: 2, total: 1000, offset: 4}, ab, false},
		{"overlap", fragmentCommand{start: 1, count: 2, number: 1, total: 4, offset: 1}, []byte("abc"), false},
		{"no fragment at all", fragmentCommand{start: 1, count: 0, number: 0, total: 4, offset: 0}, ab, false},
		{"beyond the count", fragmentCommand{start: 1, count: 2, number: 2, total: 4, offset: 4}, ab, false},
		{"beyond the end", fragmentCommand{start: 1, count: 2, number: 1, total: 4, offset: 3}, ab, false},
		{"empty", fragmentCommand{start: 1, count: 2, number: 0, total: 4, offset: 0}, nil, false},
		{"more fragments than bytes", fragmentCommand{start: 1, count: 5, number: 0, total: 4, offset: 0}, ab[:1], false},
		{"over the size limit", fragmentCommand{start: 1, count: 1 << 20, number: 0, total: 1<<21 - 1, offset: 0}, ab, false},
		{"sums that overflow", fragmentCommand{start: 1, count: 1<<32 - 1, number: 1, total: 1<<32 - 1, offset: 1}, ab[:1], false},
		{"a last one at an odd offset", fragmentCommand{start: 1, count: 4, number: 3, total: 10, offset: 8}, ab, false},
	} {
		for _, k := range []kind{kindFragment, kindUnreliableFragment} {
			r := newRawPeer(t, Config{})
			seq := uint16(0)
			if k == kindFragment {
				seq = c.f.start + uint16(c.f.number)
			}
			_, acked := r.send(r.datagram(rawFragment(k, 0, seq, c.f, c.data)))
			kept := r.h.held > 0 || c.f.count == 1
			if kept != c.ok || k == kindFragment && (len(acked) == 1) != c.ok {
				t.Errorf("%v, %s: kept %v, acknowledged %v; want %v", k, c.name, kept, acked, c.ok)
			}
		}
	}
	// A later fragment that disagrees with the first.
	r := newRawPeer(t, Config{})
	first := fragmentCommand{start: 1, count: 3, number: 0, total: 6, offset: 0}
	r.send(r.datagram(rawFragment(kindFragment, 0, 1, first, ab)))
	for name, f := range map[string]fragmentCommand{
		"another total": {start: 1, count: 3, number: 1, total: 5, offset: 2},
		"another count": {start: 1, count: 2, number: 1, total: 4, offset: 2},
		"another size":  {start: 1, count: 3, number: 2, total: 6, offset: 5},
	} {
		data := ab
		if name == "another size" {
			data = ab[:1]
		}
		if _, acked := r.send(r.datagram(rawFragment(kindFragment, 0, 1+uint16(f.number), f, data))); len(acked) != 0 {
			t.Errorf("%s was taken", name)
		}
	}
	if _, acked := r.send(r.datagram(rawFragment(kindFragment, 0, 9, fragmentCommand{start: 1, count: 3, number: 1, total: 6, offset: 2}, ab))); len(acked) != 0 {
		t.Error("a fragment whose own number is not start + number was taken")
	}
}

func TestFaultCMemoryGrowsWithWhatArrives(t *testing.T) {
	r := newRawPeer(t, Config{Limits: Limits{Packet: 32 << 20}})
	huge := fragmentCommand{start: 1, count: 30_000, number: 0, total: 30_000 * 1000, offset: 0}
	if _, acked := r.send(r.datagram(rawFragment(kindFragment, 0, 1, huge, make([]byte, 1000)))); len(acked) != 1 {
		t.Fatal("the first fragment was refused")
	}
	if r.h.held > 2000 {
		t.Errorf("one fragment of 1000 bytes holds %d", r.h.held)
	}
	if events, acked := r.send(r.datagram(rawReliable(1, 1, []byte("x")))); len(events) != 1 || len(acked) != 1 {
		t.Error("another channel of the peer is stuck")
	}
	if events, acked := r.send(r.datagram(rawReliable(0, 30001, []byte("x")))); len(events) != 0 || len(acked) != 0 {
		t.Error("a number 7 windows ahead was taken")
	}
}

func TestFaultCCaps(t *testing.T) {
	limits := Limits{Waiting: 100_000, WaitingTotal: 250_000}
	r := newRawPeer(t, Config{Limits: limits})
	for i := range 5 {
		r.p, r.from = r.join(from(10+i), uint32(10+i)), from(10+i)
		refusedAt := 0
		for seq := uint16(2); seq < 2000; seq++ { // 1 never comes
			if _, acked := r.send(r.datagram(rawReliable(0, seq, make([]byte, 1000)))); len(acked) == 0 {
				refusedAt = int(seq)
				break
			}
		}
		if r.p.in.held > limits.Waiting || r.h.held > limits.WaitingTotal || refusedAt == 0 {
			t.Fatalf("peer %d holds %d, all %d; refused at %d", i, r.p.in.held, r.h.held, refusedAt)
		}
		if events, acked := r.send(r.datagram(rawReliable(1, 1, []byte("x")))); len(events) != 1 || len(acked) != 1 {
			t.Fatal("another channel is stuck")
		}
	}
	held := r.h.held
	if events, acked := r.send(r.datagram(rawReliable(0, 1, []byte("x")))); len(events) != 1+(held-r.h.held)/(1000+pieceCost) || len(acked) != 1 {
		t.Errorf("the message that all wait for was not taken: %d events", len(events))
	}
	if c := r.h.Counters(); c.Overflow < 5 {
		t.Errorf("%d overflows were counted", c.Overflow)
	}
}

func TestFaultCUnpolledMessagesAreBounded(t *testing.T) {
	r := newRawPeer(t, Config{Limits: Limits{Waiting: 10_000}})
	for seq := uint16(1); seq <= 100; seq++ {
		r.link.in = append(r.link.in, parcel{r.from, r.datagram(rawReliable(0, seq, make([]byte, 1000)))})
	}
	events := r.turn()
	if len(events) != 9 {
		t.Errorf("%d messages of 1000 bytes in a turn, with 10 000 allowed", len(events))
	}
}

func TestFaultDEmptyMessagesAreNotCompressed(t *testing.T) {
	link := newWireLink()
	h, err := New(link, Config{Accept: true, Compress: true, Random: seeded(1)})
	if err != nil {
		t.Fatal(err)
	}
	link.in = append(link.in, parcel{from(1), connectDatagram(1)})
	poll(h, at(0))
	_, _ = h.Flush(at(0))
	p := h.slots.peers[0]
	link.in = append(link.in, parcel{from(1), ackVerify(p, at(0))})
	poll(h, at(0))
	link.take()
	text := bytes.Repeat([]byte("compressible "), 20)
	for _, mode := range []transport.Mode{transport.Reliable, transport.Sequenced, transport.Unsequenced} {
		for _, empty := range []bool{true, false} {
			_ = h.Send(p.handle, 0, transport.Sequenced, text)
			if empty {
				_ = h.Send(p.handle, 0, mode, nil)
			}
			_, _ = h.Flush(at(1))
			for _, d := range link.take() {
				if w, _ := getDatagramHeader(d.b); w.compressed == empty {
					t.Errorf("%v, with an empty message %v: compressed %v; libenet cannot unpack the one and should get the other",
						mode, empty, w.compressed)
				}
			}
		}
	}
	// And between two of ours they pass.
	pp := newPipePair(t, Config{Compress: true})
	for _, mode := range []transport.Mode{transport.Reliable, transport.Sequenced, transport.Unsequenced} {
		if err := pp.a.Send(pp.p, 0, mode, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := pp.turn(); got != 3 {
		t.Errorf("%d of 3 empty messages arrived", got)
	}
}

func TestFaultEIncompleteFragmentsAreGivenBack(t *testing.T) {
	r := newRawPeer(t, Config{})
	n := rounds(200_000, 30_000)
	for i := range n {
		f := fragmentCommand{start: uint16(i%65000 + 1), count: 2, number: 0, total: 1024, offset: 0}
		r.link.in = append(r.link.in, parcel{r.from, r.datagram(rawFragment(kindUnreliableFragment, 0, 0, f, make([]byte, 512)))})
		if len(r.link.in) == 100 {
			r.turn()
			r.link.take()
		}
		if i%65000 == 64999 { // a reliable one, so that unreliable numbers begin anew
			r.send(r.datagram(rawReliable(0, r.p.channels[0].in.rel+1, nil)))
		}
	}
	if max := r.h.cfg.Limits.Incomplete * (512 + 2*pieceCost); r.h.held > max {
		t.Errorf("%d bytes are held, want at most %d", r.h.held, max)
	}
	rel := r.p.channels[0].in.rel
	events, _ := r.send(r.datagram(rawReliable(0, rel+1, []byte("x")), rawNumbered(kindUnreliable, 0, rel+1, 1, []byte("y"))))
	if len(events) != 2 {
		t.Errorf("normal traffic does not flow: %+v", events)
	}
	if r.h.held != 0 {
		t.Errorf("%d bytes are still held", r.h.held)
	}
}

func TestFaultFPrefixesOfEveryVector(t *testing.T) {
	for _, v := range vectorFiles {
		for _, l := range readVectors(t, v.name, v.cfg) {
			cfg := v.cfg
			cfg.Limits.Packet = 65536
			r := newRawPeer(t, cfgPlain(cfg))
			r.h.cfg.Checksum = cfg.Checksum
			if cfg.Compress {
				r.h.coder = &rangeCoder{}
			}
			r.link.take()
			for n := range min(len(l.b), 200) {
				stranger := from(9)
				r.link.in = append(r.link.in, parcel{stranger, slices.Clone(l.b[:n])})
				r.turn()
				for _, d := range r.link.take() {
					if d.addr == stranger {
						t.Fatalf("%s: %x, cut to %d bytes, was answered with %x", v.name, l.b, n, d.b)
					}
				}
			}
		}
	}
}

// cfgPlain is cfg without what changes datagrams, so that a raw peer can join.
func cfgPlain(cfg Config) Config {
	cfg.Checksum, cfg.Compress = false, false
	return cfg
}

// TestFieldLogB57EveryByteOfEveryKind puts hostile values into every place of
// every kind of datagram, from a joined peer and from a stranger.
func TestFieldLogB57EveryByteOfEveryKind(t *testing.T) {
	f := fragmentCommand{start: 1, count: 2, number: 0, total: 4, offset: 0}
	kinds := map[string]func(r *rawPeer) []byte{
		"connect":    func(r *rawPeer) []byte { return connectDatagram(5) },
		"reliable":   func(r *rawPeer) []byte { return r.datagram(rawReliable(0, 1, []byte("data"))) },
		"unreliable": func(r *rawPeer) []byte { return r.datagram(rawNumbered(kindUnreliable, 0, 0, 1, []byte("data"))) },
		"unsequenced": func(r *rawPeer) []byte {
			return r.datagram(rawNumbered(kindUnsequenced, 0, 0, 1, []byte("data")))
		},
		"fragment":            func(r *rawPeer) []byte { return r.datagram(rawFragment(kindFragment, 0, 1, f, []byte("ab"))) },
		"unreliable fragment": func(r *rawPeer) []byte { return r.datagram(rawFragment(kindUnreliableFragment, 0, 0, f, []byte("ab"))) },
		"control": func(r *rawPeer) []byte {
			ping, limit, throttle := make([]byte, 4), make([]byte, 12), make([]byte, 16)
			header{byte(kindPing) | flagAcknowledge, controlChannel, 2}.put(ping)
			header{byte(kindBandwidthLimit) | flagAcknowledge, controlChannel, 3}.put(limit)
			header{byte(kindThrottleConfigure) | flagAcknowledge, controlChannel, 4}.put(throttle)
			return r.datagram(ping, limit, throttle)
		},
		"ack": func(r *rawPeer) []byte {
			b := make([]byte, 8)
			ackCommand{0, 1, 1}.put(b)
			return r.datagram(b)
		},
		"disconnect": func(r *rawPeer) []byte {
			b := make([]byte, 8)
			header{byte(kindDisconnect) | flagAcknowledge, controlChannel, 2}.put(b)
			return r.datagram(b)
		},
	}
	names := make([]string, 0, len(kinds))
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		r := newRawPeer(t, Config{})
		good := kinds[name](r)
		honest := r.join(from(2), 2)
		for i := range good {
			for _, v := range []byte{0, 1, 0x7f, 0x80, 0xfe, 0xff} {
				bad := slices.Clone(good)
				bad[i] = v
				r.link.in = append(r.link.in, parcel{r.from, bad}, parcel{from(3), bad}, parcel{r.from, good[:i]})
				r.turn()
			}
		}
		r.p, r.from = honest, from(2)
		if events, acked := r.send(r.datagram(rawReliable(0, 1, []byte("fine")))); len(events) != 1 || len(acked) != 1 {
			t.Errorf("%s: an honest peer was disturbed: %+v", name, events)
		}
	}
}

// TestStallIsNotEndless: a flood that never lets the link run dry puts off the
// timeouts for a few turns only.
func TestStallIsNotEndless(t *testing.T) {
	r := newRawPeer(t, Config{Limits: Limits{Datagrams: 10}})
	_ = r.h.Send(r.p.handle, 0, transport.Reliable, []byte("x"))
	r.turn()
	for range 100 {
		for range 20 {
			r.link.in = append(r.link.in, parcel{from(5), []byte{1, 2, 3}})
		}
		r.now += 1000
		events := poll(r.h, at(r.now))
		for _, e := range events {
			if e.Kind == transport.Disconnected {
				return
			}
		}
		_, _ = r.h.Flush(at(r.now))
	}
	t.Errorf("a flood of datagrams kept a dead peer alive for %v", 100*time.Second)
}
