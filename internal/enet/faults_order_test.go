package enet

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"
	"time"

	"demi.network/internal/netsim"
	"demi.network/runtime/transport"
)

// The tests named TestFaultNN (from the trackers of other implementations) and
// TestFaultX (found in the C library itself) are the rows of our list of known
// faults. Fault 14 concerns DTLS, which lies below this package.

// eachCommand calls f with every command of a plain datagram.
func eachCommand(b []byte, f func(hd header, cmd []byte)) {
	d, ok := getDatagramHeader(b)
	if !ok || d.compressed {
		return
	}
	list, _ := split(b[d.size():])
	for _, c := range list {
		f(getHeader(c), c)
	}
}

// counted sends numbered messages as fast as the queue takes them, and checks
// at the other end that they arrive once and in order.
type counted struct {
	t    *testing.T
	mode transport.Mode
	ch   transport.Channel
	sent uint32
	got  uint32 // next expected, or how many came
	seen map[uint32]bool
	size int
}

func (c *counted) send(h *Host, p transport.Peer, upTo uint32) {
	b := make([]byte, max(c.size, 4))
	for c.sent < upTo {
		binary.LittleEndian.PutUint32(b, c.sent)
		if h.Send(p, c.ch, c.mode, b) != nil {
			return
		}
		c.sent++
	}
}

func (c *counted) receive(e transport.Event) {
	n := binary.LittleEndian.Uint32(e.Data)
	switch c.mode {
	case transport.Reliable:
		if n != c.got {
			c.t.Fatalf("reliable channel %d: %d arrived, %d was due", c.ch, n, c.got)
		}
		c.got++
	case transport.Sequenced:
		if n < c.got {
			c.t.Fatalf("sequenced channel %d: %d arrived after %d", c.ch, n, c.got-1)
		}
		c.got = n + 1
	case transport.Unsequenced:
		if c.seen[n] {
			c.t.Fatalf("unsequenced message %d arrived twice", n)
		}
		c.seen[n] = true
		c.got++
	}
}

func TestFault01LostAckLocksTheChannel(t *testing.T) {
	w := newWorld(t, 1)
	w.net.Impair(netsim.Spec{Latency: 10 * time.Millisecond})
	a := w.add(Config{Limits: Limits{Queue: 40000}})
	b := w.add(Config{Accept: true})
	p, _ := w.connect(a, b)
	// The first acknowledgement of every number around a window's edge is
	// lost, while all others arrive.
	lose := map[uint16]bool{65535: true, 0: true, 1: true}
	for edge := 4096; edge < 65536; edge += 4096 {
		for d := -1; d <= 1; d++ {
			lose[uint16(edge+d)] = true
		}
	}
	resent := 0
	w.net.Filter = func(_ time.Time, from, _ netip.AddrPort, data []byte) netsim.Verdict {
		eachCommand(data, func(hd header, cmd []byte) {
			if from == b.h.LocalAddr() && hd.kind() == kindAcknowledge && hd.channel == 0 && lose[hd.seq] {
				delete(lose, hd.seq)
				resent++
				cmd[1] = 200 // of a channel that does not exist: acknowledges nothing
			}
		})
		return netsim.Impair
	}
	c := &counted{t: t, mode: transport.Reliable}
	b.onMsg = c.receive
	const total = 65536 + 40000
	w.until("all messages arrive and are acknowledged although acknowledgements were lost", 120*time.Second, func() bool {
		c.send(a.h, p, total)
		return c.got == total && a.h.Stats(p).Queued == 0
	})
	if len(lose) != 0 || resent != 48 {
		t.Errorf("%d acknowledgements were lost, %d left", resent, len(lose))
	}
}

func TestFault02SenderStaysWithinTheReceiversWindows(t *testing.T) {
	w := newWorld(t, 1)
	w.net.Impair(netsim.Spec{Latency: 5 * time.Millisecond})
	a := w.add(Config{Limits: Limits{Queue: 60000}})
	b := w.add(Config{Accept: true, Limits: Limits{Waiting: 8 << 20}})
	p, _ := w.connect(a, b)
	held, highest := true, uint16(0)
	arrived, acked := map[uint16]bool{}, map[uint16]bool{}
	w.net.Filter = func(_ time.Time, from, _ netip.AddrPort, data []byte) netsim.Verdict {
		v := netsim.Impair
		eachCommand(data, func(hd header, _ []byte) {
			switch {
			case hd.channel != 0:
			case hd.kind() == kindReliable && hd.seq == 1 && held:
				v = netsim.Drop
			case hd.kind() == kindReliable:
				arrived[hd.seq] = true
				highest = max(highest, hd.seq)
			case hd.kind() == kindAcknowledge:
				acked[hd.seq] = true
			}
		})
		return v
	}
	c := &counted{t: t, mode: transport.Reliable}
	b.onMsg = c.receive
	c.send(a.h, p, 1) // alone in its datagram
	w.step(time.Millisecond)
	const total = 50000
	for range 1500 {
		c.send(a.h, p, total)
		w.step(time.Millisecond)
	}
	if highest < 4*windowSeqs || highest >= 7*windowSeqs {
		t.Errorf("while number 1 is missing numbers up to %d were sent: more than the 7 windows that are accepted, or hardly any", highest)
	}
	for seq := range arrived {
		if !acked[seq] {
			t.Fatalf("number %d reached the receiver and was thrown away", seq)
		}
	}
	held = false
	w.until("number 1 releases all, in order", 60*time.Second, func() bool {
		c.send(a.h, p, total)
		return c.got == total
	})
}

func TestFault03SequenceNumbersRunOut(t *testing.T) {
	total := rounds[uint32](200_000, 70_000)
	w := newWorld(t, 3)
	a := w.add(Config{Throttle: Throttle{Off: true}})
	b := w.add(Config{Accept: true})
	p, _ := w.connect(a, b)
	w.net.Impair(netsim.Spec{Latency: 4 * time.Millisecond, Jitter: 300 * time.Microsecond, Loss: 0.01})
	exhausted := 0
	w.net.Filter = func(_ time.Time, from, _ netip.AddrPort, data []byte) netsim.Verdict {
		eachCommand(data, func(hd header, _ []byte) {
			if from == a.h.LocalAddr() && hd.channel == 1 && hd.kind() == kindReliable {
				exhausted++
			}
		})
		return netsim.Impair
	}
	streams := []*counted{
		{t: t, mode: transport.Reliable, ch: 0},
		{t: t, mode: transport.Sequenced, ch: 1},
		{t: t, mode: transport.Unsequenced, ch: 2, seen: map[uint32]bool{}},
	}
	arrived := 0
	b.onMsg = func(e transport.Event) {
		streams[e.Channel].receive(e)
		if e.Channel == 1 {
			arrived++
		}
	}
	next := uint32(0)
	w.until("200 000 of each kind pass", 200*time.Second, func() bool {
		next = min(next+200, total)
		for _, s := range streams {
			s.send(a.h, p, next)
		}
		return streams[0].got == total && streams[1].sent == total && a.h.Stats(p).Queued == 0
	})
	if least := int(total / 65536); exhausted < least || exhausted > 2*least {
		t.Errorf("%d unreliable messages went reliably: one in 65 535 must, and its resends", exhausted)
	}
	// Datagrams of the same millisecond change places: sequenced messages that
	// come late are dropped, and so are unsequenced ones from before the last
	// multiple of 1024.
	if arrived < int(total)/4 || streams[2].got < total*9/10 {
		t.Errorf("%d sequenced and %d unsequenced of %d arrived at 1 %% loss", arrived, streams[2].got, total)
	}
}

func TestFault04FragmentsUnderJitter(t *testing.T) {
	w := newWorld(t, 4)
	a := w.add(Config{Throttle: Throttle{Off: true}})
	b := w.add(Config{Accept: true})
	p, _ := w.connect(a, b)
	w.net.Impair(netsim.Spec{Latency: 500 * time.Millisecond, Jitter: 150 * time.Millisecond, Duplicate: 0.02})
	got := 0
	b.onMsg = func(e transport.Event) {
		n := binary.LittleEndian.Uint32(e.Data)
		if !bytes.Equal(e.Data[4:], slices.Repeat([]byte{byte(n), byte(n >> 8)}, 1498)) {
			t.Fatalf("message %d is a mixture", n)
		}
		got++
	}
	sent := 0
	for range 5 * 60 * 10 {
		for range 2 {
			m := binary.LittleEndian.AppendUint32(nil, uint32(sent))
			m = append(m, slices.Repeat([]byte{byte(sent), byte(sent >> 8)}, 1498)...)
			mode := transport.Unsequenced // three fragments: sent as unreliable fragments
			if sent%2 == 0 {
				mode = transport.Sequenced
			}
			if err := a.h.Send(p, 0, mode, m); err != nil {
				t.Fatal(err)
			}
			sent++
		}
		w.step(50 * time.Millisecond)
		w.step(50 * time.Millisecond)
	}
	if got < sent/20 {
		t.Errorf("%d of %d arrived", got, sent)
	}
	if n := b.h.held; n > b.h.cfg.Limits.Incomplete*4000 {
		t.Errorf("%d bytes are still held", n)
	}
}

func TestFault05ThrottleDoesNotStarveEvenLinks(t *testing.T) {
	w := newWorld(t, 5)
	w.net.Impair(netsim.Spec{Latency: 500 * time.Microsecond})
	a, b := w.add(Config{}), w.add(Config{Accept: true})
	p, _ := w.connect(a, b)
	// Both look at their sockets once a frame, the one now just before, now
	// just after the other.
	const frame = 16 * time.Millisecond
	sent := 0
	for i := range 60 * 60 {
		if err := a.h.Send(p, 1, transport.Sequenced, []byte{1}); err != nil {
			t.Fatal(err)
		}
		sent++
		first, second := a, b
		if i%7 < 3 {
			first, second = b, a
		}
		w.turn(first)
		w.now = w.now.Add(time.Millisecond)
		w.turn(second)
		w.now = w.now.Add(frame - time.Millisecond)
	}
	if n := a.h.Stats(p).Throttled; n*100 > uint64(sent) {
		t.Errorf("the throttle dropped %d of %d messages on a link that loses nothing", n, sent)
	}
}

func TestFault05ThrottleStillThrottles(t *testing.T) {
	w := newWorld(t, 5)
	a, b := w.add(Config{}), w.add(Config{Accept: true})
	off := w.add(Config{Throttle: Throttle{Off: true}})
	w.net.Impair(netsim.Spec{Latency: 20 * time.Millisecond})
	p, _ := w.connect(a, b)
	q, _ := w.connect(off, b)
	w.run(6*time.Second, 5*time.Millisecond)
	w.net.Impair(netsim.Spec{Latency: 200 * time.Millisecond}) // a queue has built up
	for range 4000 {
		_ = a.h.Send(p, 1, transport.Sequenced, []byte{1})
		_ = off.h.Send(q, 1, transport.Sequenced, []byte{1})
		_ = a.h.Send(p, 0, transport.Reliable, []byte{1})
		_ = off.h.Send(q, 0, transport.Reliable, []byte{1})
		w.step(time.Millisecond)
	}
	if a.h.Stats(p).Throttled == 0 {
		t.Error("ten times the round trip did not move the throttle")
	}
	if n := off.h.Stats(q).Throttled; n != 0 {
		t.Errorf("a throttle that is off dropped %d", n)
	}
}

func TestFault06EstimateComesDown(t *testing.T) {
	var p path
	cfg, err := Config{}.withDefaults(newWireLink())
	if err != nil {
		t.Fatal(err)
	}
	p.reset(&cfg, 0)
	now := millis(clockOrigin)
	for range 100 {
		p.sample(50, now)
		now += 50
	}
	if p.rtt != 50_000 {
		t.Errorf("100 samples of 50 ms give %d µs", p.rtt)
	}
	for range 200 {
		p.sample(1, now)
		now += 50
	}
	if p.rtt > 2_000 {
		t.Errorf("after 200 samples of 1 ms the estimate is %d µs", p.rtt)
	}
	if rto := p.resendAfter(); rto > 10 || rto <= 1 {
		t.Errorf("a resend waits %d ms: more than 10, or so little that an even link sends everything twice", rto)
	}
}

// TestFault06NoResendStorm is the other half: an even link has no variance.
func TestFault06NoResendStorm(t *testing.T) {
	w := newWorld(t, 6)
	w.net.Impair(netsim.Spec{Latency: 20 * time.Millisecond})
	a, b := w.add(Config{}), w.add(Config{Accept: true})
	p, _ := w.connect(a, b)
	w.run(20*time.Second, time.Millisecond)
	sends := a.h.slots.find(p).path.loss
	for range 2000 {
		_ = a.h.Send(p, 0, transport.Reliable, []byte{1})
		w.step(time.Millisecond)
	}
	if loss := a.h.Stats(p).Loss; loss != 0 {
		t.Errorf("a link without loss shows %v (%+v)", loss, sends)
	}
}
