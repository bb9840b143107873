package enet

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"demi.network/internal/netsim"
	"demi.network/runtime/transport"
)

// TestFault07TimeoutSchedules holds the exact moments of resends and of the
// end. The host is called exactly when Flush asked for it.
func TestFault07TimeoutSchedules(t *testing.T) {
	for _, c := range []struct {
		name        string
		rtt, rttVar micros // of the connection; 0: while connecting
		timeouts    Timeouts
		sends       []int // ms after the first
		end         int
	}{
		{"connecting", 0, 0, Timeouts{}, []int{0, 500, 1500, 3500, 7500, 15500}, 31500},
		{"connecting, at most 4 s", 0, 0, Timeouts{Minimum: time.Second, Maximum: 4 * time.Second}, []int{0, 500, 1500, 3500}, 7500},
		{"rtt 500", 500_000, 0, Timeouts{}, []int{0, 508, 1524, 3556, 7620, 15748}, 32004},
		{"rtt 50, variance 10", 50_000, 10_000, Timeouts{}, []int{0, 90, 270, 630, 1350, 2790}, 5670},
		{"rtt 5, variance 2", 5_000, 2_000, Timeouts{}, []int{0, 13, 39, 91, 195, 403, 819, 1651, 3315}, 6643},
		{"rtt 50, (0, 15 s, 30 s)", 50_000, 10_000, Timeouts{Minimum: 15 * time.Second, Maximum: 30 * time.Second},
			[]int{0, 90, 270, 630, 1350, 2790, 5670, 11430}, 22950},
		{"rtt 5, (0, 15 s, 30 s)", 5_000, 2_000, Timeouts{Minimum: 15 * time.Second, Maximum: 30 * time.Second},
			[]int{0, 13, 39, 91, 195, 403, 819, 1651, 3315, 6643, 13299}, 26611},
		{"a limit of 4 sends three times", 50_000, 10_000, Timeouts{Limit: 4, Minimum: time.Millisecond}, []int{0, 90, 270}, 630},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, 7)
			a, b := w.add(Config{Timeouts: c.timeouts}), w.add(Config{Accept: true})
			var p transport.Peer
			if c.rtt == 0 {
				w.net.Cut(a.h.LocalAddr(), b.h.LocalAddr(), true)
				var err error
				if p, err = a.h.Dial(w.now, b.h.LocalAddr()); err != nil {
					t.Fatal(err)
				}
			} else {
				p, _ = w.connect(a, b)
				w.run(100*time.Millisecond, time.Millisecond)
				w.net.Cut(a.h.LocalAddr(), b.h.LocalAddr(), true)
				path := &a.h.slots.find(p).path
				path.rtt, path.rttVar = c.rtt, c.rttVar
				if err := a.h.Send(p, 0, transport.Reliable, []byte("x")); err != nil {
					t.Fatal(err)
				}
			}
			b.asleep = true
			var sends []int
			begin := w.now
			w.net.Tap = func(r netsim.Record) { sends = append(sends, int(w.now.Sub(begin)/time.Millisecond)) }
			for a.count(transport.Disconnected) == 0 {
				w.turn(a)
				if a.count(transport.Disconnected) > 0 {
					break
				}
				if w.now = a.next; w.now.Sub(begin) > time.Minute {
					t.Fatalf("no end; sends at %v", sends)
				}
			}
			if got := int(w.now.Sub(begin) / time.Millisecond); !slices.Equal(sends, c.sends) || got != c.end {
				t.Errorf("sends at %v and the end at %d; want %v and %d", sends, got, c.sends, c.end)
			}
			if e := a.last(transport.Disconnected); e.Peer != p || e.Reason != transport.TimedOut || e.Code != 0 {
				t.Errorf("%+v, want a timeout", e)
			}
		})
	}
}

func TestFault07OneAckInTenKeepsAPeer(t *testing.T) {
	w := newWorld(t, 7)
	w.net.Impair(netsim.Spec{Latency: 25 * time.Millisecond})
	a, b := w.add(Config{}), w.add(Config{Accept: true})
	p, _ := w.connect(a, b)
	rng := rand.New(rand.NewPCG(7, 10))
	w.net.Filter = func(_ time.Time, from, _ netip.AddrPort, data []byte) netsim.Verdict {
		eachCommand(data, func(hd header, cmd []byte) {
			if from == b.h.LocalAddr() && hd.kind() == kindAcknowledge {
				if rng.IntN(10) != 0 { // two pings that want no answer are as long
					header{byte(kindPing), controlChannel, 0}.put(cmd)
					header{byte(kindPing), controlChannel, 0}.put(cmd[4:])
				}
			}
		})
		return netsim.Impair
	}
	for range 600 {
		_ = a.h.Send(p, 0, transport.Reliable, []byte("x"))
		w.run(200*time.Millisecond, 20*time.Millisecond)
	}
	if a.count(transport.Disconnected) != 0 {
		t.Error("a peer that acknowledged one command in ten was dropped")
	}
}

func TestFault07SettingsChangeInMidConnection(t *testing.T) {
	w := newWorld(t, 7)
	a, b := w.add(Config{}), w.add(Config{Accept: true})
	p, _ := w.connect(a, b)
	b.asleep = true
	w.run(3*time.Second, 10*time.Millisecond)
	a.h.Timeout(p, Timeouts{Limit: 1 << 20, Minimum: 10 * time.Second, Maximum: 12 * time.Second})
	w.run(6*time.Second, 10*time.Millisecond)
	if a.count(transport.Disconnected) != 0 {
		t.Error("the old settings still held")
	}
	w.run(20*time.Second, 10*time.Millisecond)
	if a.count(transport.Disconnected) != 1 {
		t.Error("the new maximum did not hold")
	}
}

func TestFault08ReadsBeforeItBlames(t *testing.T) {
	w := newWorld(t, 8)
	w.net.Impair(netsim.Spec{Latency: 10 * time.Millisecond})
	patient := Timeouts{Minimum: 60 * time.Second, Maximum: 60 * time.Second}
	server := w.add(Config{Accept: true})
	var handles []transport.Peer
	for range 10 {
		c := w.add(Config{Timeouts: patient})
		_, at := w.connect(c, server)
		handles = append(handles, at)
	}
	w.run(2*time.Second, 10*time.Millisecond)
	for _, p := range handles {
		if err := server.h.Send(p, 0, transport.Reliable, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	w.turn(server)
	before := make([]uint64, len(handles))
	server.asleep = true
	w.run(35*time.Second, 10*time.Millisecond)
	for i, p := range handles {
		before[i] = uint64(server.h.slots.find(p).path.loss.lost)
	}
	resent := 0
	w.net.Filter = func(_ time.Time, from, _ netip.AddrPort, data []byte) netsim.Verdict {
		eachCommand(data, func(hd header, _ []byte) {
			if from == server.h.LocalAddr() && hd.kind() == kindReliable {
				resent++
			}
		})
		return netsim.Impair
	}
	server.asleep = false
	w.run(3*time.Second, 10*time.Millisecond)
	if n := server.count(transport.Disconnected); n != 0 {
		t.Errorf("%d of 10 clients were dropped by a server that slept", n)
	}
	if resent != 0 {
		t.Errorf("%d commands were resent although their acknowledgements were waiting", resent)
	}
	for _, c := range w.ends[1:] {
		if c.count(transport.Disconnected) != 0 {
			t.Error("a client that waits for 60 s gave up")
		}
	}
}

func TestFault08APhoneThatSleepsEndsOnceOnEachSide(t *testing.T) {
	w := newWorld(t, 8)
	w.net.Impair(netsim.Spec{Latency: 30 * time.Millisecond})
	server, phone := w.add(Config{Accept: true}), w.add(Config{})
	p, _ := w.connect(phone, server)
	w.run(2*time.Second, 10*time.Millisecond)
	_ = phone.h.Send(p, 0, transport.Reliable, []byte("last words"))
	w.turn(phone)
	phone.asleep = true
	w.run(31*time.Second, 10*time.Millisecond)
	phone.asleep = false
	w.run(40*time.Second, 10*time.Millisecond)
	if s, c := server.count(transport.Disconnected), phone.count(transport.Disconnected); s != 1 || c != 1 {
		t.Errorf("%d ends at the server, %d at the phone; want one each", s, c)
	}
}

func TestFault09ConnectFlood(t *testing.T) {
	w := newWorld(t, 9)
	w.net.Impair(netsim.Spec{Latency: 20 * time.Millisecond})
	server := w.add(Config{Accept: true, MaxPeers: 16})
	var players []*end
	var handles []transport.Peer
	for range 8 {
		c := w.add(Config{})
		p, _ := w.connect(c, server)
		players = append(players, c)
		handles = append(handles, p)
	}
	random := seeded(99)
	real := map[netip.AddrPort]bool{}
	for _, e := range w.ends {
		real[e.h.LocalAddr()] = true
	}
	in, out := map[netip.AddrPort]int{}, map[netip.AddrPort]int{}
	w.net.Tap = func(r netsim.Record) {
		if r.From == server.h.LocalAddr() && !real[r.To] {
			out[r.To] += len(r.Bytes)
		}
	}
	var late *end
	last := rounds(10_000, 5_000)
	for ms := range last {
		for range 10 {
			r := random()
			spoofed := netip.AddrPortFrom(netip.AddrFrom4([4]byte{byte(11 + r>>24%200), byte(r >> 16), byte(r >> 8), byte(r)}), uint16(1024+r%60000))
			b := connectDatagram(random())
			in[spoofed] += len(b)
			w.net.Inject(w.now, spoofed, server.h.LocalAddr(), b)
		}
		for i, p := range handles {
			if err := players[i].h.Send(p, 0, transport.Reliable, []byte("x")); err != nil {
				t.Fatal(err)
			}
		}
		if ms == last/2 {
			late = w.add(Config{})
			real[late.h.LocalAddr()] = true
			if _, err := late.h.Dial(w.now, server.h.LocalAddr()); err != nil {
				t.Fatal(err)
			}
		}
		if ms == last/2+2000 && late.count(transport.Connected) != 1 {
			t.Error("an honest client did not get in within 2 s")
		}
		w.step(time.Millisecond)
	}
	w.run(6*time.Second, 5*time.Millisecond)
	for ap, n := range out {
		if n > 3*in[ap] {
			t.Fatalf("%v sent %d bytes and was sent %d", ap, in[ap], n)
		}
	}
	if n := server.count(transport.Message); n != 8*last {
		t.Errorf("%d of %d messages of the established players arrived", n, 8*last)
	}
	if server.count(transport.Disconnected) != 0 {
		t.Error("an established player was dropped")
	}
	if n := server.h.slots.used; n != 9 || server.h.slots.handshakes.n != 0 || len(server.h.slots.byAddr) != 9 || len(server.h.slots.perIP) != 9 {
		t.Errorf("%d slots are in use 6 s after the flood: %d handshakes, %d addresses, %d ips", n, server.h.slots.handshakes.n, len(server.h.slots.byAddr), len(server.h.slots.perIP))
	}
}

// connectDatagram is a CONNECT of a stranger.
func connectDatagram(id uint32) []byte {
	b := make([]byte, 4+fixedSize[kindConnect])
	datagramHeader{peerID: noPeerID, hasTime: true, time: uint16(id)}.put(b)
	header{byte(kindConnect) | flagAcknowledge, controlChannel, 1}.put(b[4:])
	c := connectCommand{
		inSession: noSession, outSession: noSession, mtu: 1400, window: maxWindow, channels: 4,
		throttle: throttleCommand{5000, 2, 2}, data: 7,
	}
	be.PutUint32(c.connectID[:], id)
	c.put(b[4:])
	return b
}

func TestFault09LimitsPerNetwork(t *testing.T) {
	for _, c := range []struct {
		name string
		cfg  Handshakes
		ip   func(i int) netip.Addr
		want int // handshakes that stand after 1000 CONNECTs at once
	}{
		{"one ip", Handshakes{Rate: -1}, func(int) netip.Addr { return netip.MustParseAddr("192.0.2.1") }, 256},
		{"one ip, v4-mapped", Handshakes{Rate: -1}, func(i int) netip.Addr {
			return []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("::ffff:192.0.2.1")}[i%2]
		}, 256},
		{"one ip, limits off", Handshakes{Rate: -1, PerIP: -1, Total: -1}, func(int) netip.Addr { return netip.MustParseAddr("192.0.2.1") }, 1000},
		{"loopback", Handshakes{}, func(int) netip.Addr { return netip.MustParseAddr("127.0.0.1") }, 1000},
		{"one /24", Handshakes{}, func(i int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}) }, 512},
		{"one /56", Handshakes{Rate: 100}, func(i int) netip.Addr {
			return netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 0, 0, 1, byte(i), 15: 1})
		}, 200},
		{"many networks", Handshakes{}, func(i int) netip.Addr { return netip.AddrFrom4([4]byte{byte(20 + i/100), byte(i), 2, 1}) }, 1000},
		{"many networks, in all", Handshakes{Total: 100}, func(i int) netip.Addr { return netip.AddrFrom4([4]byte{byte(20 + i/100), byte(i), 2, 1}) }, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			link := newWireLink()
			h, err := New(link, Config{Accept: true, Handshakes: c.cfg, Random: seeded(1)})
			if err != nil {
				t.Fatal(err)
			}
			for i := range 1000 {
				a := transport.Addr{AP: netip.AddrPortFrom(c.ip(i), uint16(2000+i))}
				link.in = append(link.in, parcel{a, connectDatagram(uint32(i))})
			}
			poll(h, at(0))
			if n := h.slots.handshakes.n; n != c.want {
				t.Errorf("%d handshakes stand, want %d", n, c.want)
			}
			poll(h, at(5001))
			if n := h.slots.used; n != 0 {
				t.Errorf("%d slots in use after 5 s", n)
			}
		})
	}
}
