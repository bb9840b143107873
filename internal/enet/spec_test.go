package enet

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"demi.network/runtime/transport"
)

// specClient is a client whose datagrams are written by hand, as another
// implementation would write them from docs/wire.md alone. TestSpec holds what
// it may expect of a host, claim by claim.
type specClient struct {
	*rawPeer
	verify connectCommand
	sent   uint16 // time of VERIFY_CONNECT
}

// specHost has the limits of the C library.
func specHost(t *testing.T) *rawPeer {
	link := newWireLink()
	link.mtu = 1400
	off := Handshakes{Total: -1, PerIP: -1, Timeout: -1, Replies: -1, Rate: -1}
	h, err := New(link, Config{Accept: true, MaxPeers: 8, MTU: 1400, RawFragments: true, Handshakes: off, Random: seeded(1)})
	if err != nil {
		t.Fatal(err)
	}
	return &rawPeer{t: t, h: h, link: link}
}

// dial sends a CONNECT that change may alter, and reads the answer.
func (r *rawPeer) dial(n int, change func(*connectCommand)) (c *specClient, answered bool) {
	b := connectDatagram(uint32(n))
	offer := getConnect(b[4:])
	offer.mtu = 1392
	if change != nil {
		change(&offer)
	}
	offer.put(b[4:])
	r.link.take()
	r.link.in = append(r.link.in, parcel{from(n), b})
	r.turn()
	c = &specClient{rawPeer: &rawPeer{t: r.t, h: r.h, link: r.link, now: r.now, from: from(n)}}
	for _, d := range r.link.take() {
		head, _ := getDatagramHeader(d.b)
		eachCommand(d.b, func(hd header, cmd []byte) {
			if hd.kind() == kindVerifyConnect {
				c.verify, c.sent, answered = getConnect(cmd), head.time, true
			}
		})
	}
	return c, answered
}

// prove acknowledges VERIFY_CONNECT.
func (c *specClient) prove() string {
	b := make([]byte, 2+fixedSize[kindAcknowledge])
	datagramHeader{peerID: c.verify.peerID, session: c.verify.inSession}.put(b)
	ackCommand{controlChannel, 1, c.sent}.put(b[2:])
	c.link.in = append(c.link.in, parcel{c.from, b})
	events := c.turn()
	c.p = c.h.slots.peers[c.verify.peerID]
	return eventText(events)
}

// say sends commands and returns what the host's application saw and what was
// acknowledged.
func (c *specClient) say(commands ...[]byte) string {
	return c.sayAs(c.datagram(commands...))
}

// mumble is say without a sent time.
func (c *specClient) mumble(commands ...[]byte) string {
	b := c.datagram(commands...)
	w := be.Uint16(b)
	be.PutUint16(b[2:], w&^wordTime)
	return c.sayAs(b[2:])
}

func (c *specClient) sayAs(b []byte) string {
	events, acked := c.send(b)
	slices.SortFunc(acked, func(a, b [2]int) int { return a[0]<<16 + a[1] - b[0]<<16 - b[1] })
	text := eventText(events)
	for _, a := range acked {
		text += fmt.Sprintf(" ack %d:%d", a[0], a[1])
	}
	return strings.TrimSpace(text)
}

func eventText(events []transport.Event) string {
	var list []string
	for _, e := range events {
		switch e.Kind {
		case transport.Connected:
			list = append(list, fmt.Sprintf("connect %d", e.Code))
		case transport.Disconnected:
			list = append(list, fmt.Sprintf("disconnect %d", e.Code))
		case transport.Message:
			list = append(list, fmt.Sprintf("%d=%s", e.Channel, e.Data))
		}
	}
	return strings.Join(list, " ")
}

func rawDisconnect(flag byte, seq uint16, data uint32) []byte {
	b := make([]byte, 8)
	header{byte(kindDisconnect) | flag, controlChannel, seq}.put(b)
	be.PutUint32(b[4:], data)
	return b
}

// TestSpecHandshake are the claims about beginnings and ends.
func TestSpecHandshake(t *testing.T) {
	r := specHost(t)
	c, ok := r.dial(1, nil)
	if v := c.verify; !ok || v.connectID != [4]byte{0, 0, 0, 1} || v.inSession != 0 || v.outSession != 0 || v.channels != 4 {
		t.Errorf("VERIFY_CONNECT must echo the connect id, with sessions 0/0 and 4 channels: %+v", v)
	}
	if got := c.prove(); got != "connect 7" {
		t.Errorf("the host is connected after the ACK: %q", got)
	}
	if _, ok := r.dial(2, func(o *connectCommand) { o.channels = 0 }); ok {
		t.Error("0 channels are refused")
	}
	if _, ok := r.dial(2, func(o *connectCommand) { o.channels = 256 }); ok {
		t.Error("256 channels are refused")
	}
	h, _ := r.dial(3, func(o *connectCommand) { o.mtu, o.channels = 100, 200 })
	if h.verify.mtu != 576 || h.verify.channels != 4 {
		t.Errorf("the MTU is clamped to 576 and channels to the host's 4: %+v", h.verify)
	}
	h.prove()
	if got := h.mumble(rawDisconnect(flagUnsequenced, 2, 66)); got != "disconnect 66" {
		t.Errorf("an unsequenced DISCONNECT: the event and no acknowledgement: %q", got)
	}
}

// TestSpecUnfinishedHandshake: the answer is sent again five times, doubling, a
// CONNECT sent again adds none, and then the slot is free.
func TestSpecUnfinishedHandshake(t *testing.T) {
	r := specHost(t)
	d, _ := r.dial(1, nil)
	again := connectDatagram(1)
	r.link.in = append(r.link.in, parcel{from(1), again})
	var times []int
	for ; r.now < 33_000; r.now += 10 {
		r.turn()
		for _, out := range r.link.take() {
			eachCommand(out.b, func(hd header, cmd []byte) {
				if hd.kind() == kindVerifyConnect {
					times = append(times, r.now)
					if getConnect(cmd).peerID != d.verify.peerID {
						t.Errorf("at %d ms the answer names slot %d, not %d", r.now, getConnect(cmd).peerID, d.verify.peerID)
					}
				}
			})
		}
	}
	if want := []int{500, 1500, 3500, 7500, 15500}; !slices.Equal(times, want) {
		t.Errorf("VERIFY_CONNECT was sent again at %v, want %v", times, want)
	}
	g, ok := r.dial(2, nil)
	if !ok || g.verify.peerID != d.verify.peerID {
		t.Errorf("the slot is free again after the handshake timed out: %+v", g.verify)
	}
	if g.verify.inSession != 1 || g.verify.outSession != 1 {
		t.Errorf("the sessions of the slot move on to 1/1: %+v", g.verify)
	}
	g.prove()
	if got := g.say(rawDisconnect(flagAcknowledge, 2, 55)); got != "ack 255:2" {
		t.Errorf("DISCONNECT is acknowledged: %q", got)
	}
	if got := eventText(g.turn()); got != "disconnect 55" {
		t.Errorf("and gives its data: %q", got)
	}
}

// TestSpecData are the claims about data: what is delivered, held, dropped and
// acknowledged.
func TestSpecData(t *testing.T) {
	r := specHost(t)
	c, _ := r.dial(1, nil)
	c.prove()
	rel := func(ch uint8, seq int, data string) []byte { return rawReliable(ch, uint16(seq), []byte(data)) }
	unrel := func(ch uint8, seq, n int, data string) []byte {
		return rawNumbered(kindUnreliable, ch, uint16(seq), uint16(n), []byte(data))
	}
	unseq := func(group int) []byte {
		b := rawNumbered(kindUnsequenced, 1, 0, uint16(group), []byte(fmt.Sprint(group)))
		b[0] |= flagUnsequenced
		return b
	}
	frag := func(k kind, ch uint8, seq, start, count, number, total, offset int, data string) []byte {
		f := fragmentCommand{start: uint16(start), count: uint32(count), number: uint32(number), total: uint32(total), offset: uint32(offset)}
		return rawFragment(k, ch, uint16(seq), f, []byte(data))
	}
	other := func() []byte { // of session 1
		b := c.datagram(rel(0, 5, "five"))
		b[0] |= 0x10
		return b
	}
	for _, s := range []struct {
		claim string
		got   func() string
		want  string
	}{
		{"reliable 1 is delivered and acknowledged", func() string { return c.say(rel(0, 1, "one")) }, "0=one ack 0:1"},
		{"a duplicate is acknowledged, not delivered", func() string { return c.say(rel(0, 1, "one")) }, "ack 0:1"},
		{"after a gap: acknowledged and held", func() string { return c.say(rel(0, 3, "three")) }, "ack 0:3"},
		{"an unreliable one after reliable 3 waits for it", func() string { return c.mumble(unrel(0, 3, 1, "u3")) }, ""},
		{"unsequenced waits for nothing", func() string { return c.mumble(unseq(1)) }, "1=1"},
		{"2 releases 3 and the unreliable one", func() string { return c.say(rel(0, 2, "two")) }, "0=two 0=three 0=u3 ack 0:2"},
		{"without a sent time: applied, not acknowledged", func() string { return c.mumble(rel(0, 4, "four")) }, "0=four"},
		{"other session bits: ignored", func() string { return c.sayAs(other()) }, ""},
		{"a channel that is not there: the rest of the datagram is dropped", func() string { return c.say(rel(9, 1, "x"), rel(0, 5, "five")) }, ""},
		{"the one that was dropped comes again", func() string { return c.say(rel(0, 5, "five")) }, "0=five ack 0:5"},
		{"the seventh window is held and acknowledged", func() string { return c.say(rel(0, 7*4096-1, "f")) }, "ack 0:28671"},
		{"the eighth is discarded without an acknowledgement", func() string { return c.say(rel(0, 7*4096, "f")) }, ""},
		{"so is the ninth", func() string { return c.say(rel(0, 9*4096-1, "f")) }, ""},
		{"the tenth counts as old: discarded and acknowledged", func() string { return c.say(rel(0, 9*4096, "f")) }, "ack 0:36864"},
		{"unsequenced group 2000 moves the window", func() string { return c.mumble(unseq(2000)) }, "1=2000"},
		{"group 1023 is of the window before: dropped", func() string { return c.mumble(unseq(1023)) }, ""},
		{"group 1024 is of the same window as 2000", func() string { return c.mumble(unseq(1024)) }, "1=1024"},
		{"1024 again is a duplicate", func() string { return c.mumble(unseq(1024)) }, ""},
		{"unreliable 5, 4, 5, 6: only 5 and 6", func() string {
			return c.mumble(unrel(2, 0, 5, "5"), unrel(2, 0, 4, "4"), unrel(2, 0, 5, "5"), unrel(2, 0, 6, "6"))
		}, "2=5 2=6"},
		{"fragments out of order are put together, both acknowledged", func() string {
			return c.say(frag(kindFragment, 3, 2, 1, 2, 1, 8, 4, "efgh"), frag(kindFragment, 3, 1, 1, 2, 0, 8, 0, "abcd"))
		}, "3=abcdefgh ack 3:1 ack 3:2"},
		{"the next reliable number is start + count", func() string { return c.say(rel(3, 3, "next")) }, "3=next ack 3:3"},
		{"a fragment with another count is an error", func() string {
			return c.say(frag(kindFragment, 3, 4, 4, 2, 0, 8, 0, "abcd"), frag(kindFragment, 3, 5, 4, 3, 1, 8, 4, "efgh"))
		}, "ack 3:4"},
		{"so is a number beyond the count", func() string { return c.say(frag(kindFragment, 3, 5, 4, 2, 2, 8, 4, "efgh")) }, ""},
		{"so is one over the end", func() string { return c.say(frag(kindFragment, 3, 5, 4, 2, 1, 8, 5, "efgh")) }, ""},
		{"then the right one", func() string { return c.say(frag(kindFragment, 3, 5, 4, 2, 1, 8, 4, "efgh")) }, "3=abcdefgh ack 3:5"},
		{"unreliable fragments tied to a reliable number that has not come wait", func() string {
			return c.mumble(
				frag(kindUnreliableFragment, 2, 5, 1, 2, 0, 6, 0, "abc"), frag(kindUnreliableFragment, 2, 5, 2, 2, 0, 6, 0, "ABC"),
				frag(kindUnreliableFragment, 2, 5, 2, 2, 1, 6, 3, "DEF"), frag(kindUnreliableFragment, 2, 5, 1, 2, 1, 6, 3, "def"))
		}, ""},
		{"65 544 reliable ones pass over the wrap", func() string {
			for s := 1; s <= 65544; s++ {
				if got := c.say(rel(1, s, "")); got != fmt.Sprintf("1= ack 1:%d", s&0xFFFF) {
					return got
				}
			}
			return "all"
		}, "all"},
	} {
		if got := s.got(); got != s.want {
			t.Errorf("%s: %q, want %q", s.claim, got, s.want)
		}
	}
}
