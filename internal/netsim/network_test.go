package netsim

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
	"demi.network/runtime/transport/linktest"
)

var epoch = time.Unix(1_700_000_000, 0)

func addr(n uint16) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 1}), n)
}

func to(n uint16) transport.Addr { return transport.Addr{AP: addr(n)} }

func TestLinkConforms(t *testing.T) {
	now := epoch
	linktest.Conformance(t, linktest.Config{
		Pair: func(testing.TB) (transport.Link, func() transport.Link) {
			n, port := New(1), uint16(1)
			n.Impair(Spec{Latency: 5 * time.Millisecond, Jitter: time.Millisecond})
			return n.Link(addr(1)), func() transport.Link { port++; return n.Link(addr(port)) }
		},
		Now:     func() time.Time { return now },
		Wait:    func(transport.Link) { now = now.Add(time.Millisecond) },
		Nowhere: addr(999),
	})
}

func TestWrappedConforms(t *testing.T) {
	now := epoch
	var all []*Wrapped
	linktest.Conformance(t, linktest.Config{
		Pair: func(testing.TB) (transport.Link, func() transport.Link) {
			n, port := New(1), uint16(0)
			all = nil
			wrap := func() transport.Link {
				port++
				all = append(all, Wrap(n.Link(addr(port)), Spec{Latency: 5 * time.Millisecond, Jitter: time.Millisecond}, uint64(port)))
				return all[port-1]
			}
			return wrap(), wrap
		},
		Now: func() time.Time { return now },
		Wait: func(transport.Link) {
			now = now.Add(time.Millisecond)
			for _, w := range all { // every process runs its loop
				w.release(now)
			}
		},
		Nowhere: addr(999),
	})
}

// got drains l and returns "from:text" of each datagram.
func got(l transport.Link, now time.Time) (out []string) {
	l.Drain(now, func(from transport.Addr, b []byte) {
		out = append(out, fmt.Sprintf("%d:%s", from.AP.Port(), b))
	})
	return out
}

func TestLatencyIsExactAndTiesKeepTheOrderOfSending(t *testing.T) {
	n := New(7)
	n.Impair(Spec{Latency: 40 * time.Millisecond})
	a, b := n.Link(addr(1)), n.Link(addr(2))
	for i := range 5 {
		_ = a.Send(epoch, to(2), fmt.Append(nil, i))
	}
	if early := got(b, epoch.Add(40*time.Millisecond-1)); early != nil {
		t.Errorf("%v arrived before the latency had passed", early)
	}
	if at, ok := n.Next(); !ok || !at.Equal(epoch.Add(40*time.Millisecond)) {
		t.Errorf("Next is %v, %v; want the moment the datagrams are due", at, ok)
	}
	if s := strings.Join(got(b, epoch.Add(40*time.Millisecond)), " "); s != "1:0 1:1 1:2 1:3 1:4" {
		t.Errorf("equal due times must keep the order of sending, got %q", s)
	}
	if _, ok := n.Next(); ok {
		t.Error("nothing is on its way, and Next says there is")
	}
}

// measure sends count datagrams of size bytes a millisecond apart and returns
// the delays in order of arrival, and the numbers that arrived.
func measure(n *Network, count, size int) (delays []time.Duration, order []int) {
	a, b := n.Link(addr(1)), n.Link(addr(2))
	buf := make([]byte, size)
	now := epoch
	drain := func() {
		b.Drain(now, func(_ transport.Addr, d []byte) {
			i := int(d[0]) | int(d[1])<<8 | int(d[2])<<16
			order = append(order, i)
			delays = append(delays, now.Sub(epoch.Add(time.Duration(i)*time.Millisecond)))
		})
	}
	for i := range count {
		buf[0], buf[1], buf[2] = byte(i), byte(i>>8), byte(i>>16)
		_ = a.Send(now, to(2), buf)
		for end := now.Add(time.Millisecond); ; {
			next, ok := n.Next()
			if !ok || !next.Before(end) {
				now = end
				break
			}
			now = later(now, next)
			drain()
		}
		drain()
	}
	for {
		next, ok := n.Next()
		if !ok {
			return delays, order
		}
		now = later(now, next)
		drain()
	}
}

func TestJitterIsAroundTheLatency(t *testing.T) {
	n := New(3)
	n.Impair(Spec{Latency: 40 * time.Millisecond, Jitter: 4 * time.Millisecond})
	delays, _ := measure(n, 5000, 64)
	var sum time.Duration
	for _, d := range delays {
		if d < 36*time.Millisecond || d > 44*time.Millisecond {
			t.Fatalf("a delay of %v, want 40 ± 4 ms", d)
		}
		sum += d
	}
	if mean := sum / time.Duration(len(delays)); mean < 39800*time.Microsecond || mean > 40200*time.Microsecond {
		t.Errorf("the mean delay is %v: jitter must not move it from 40 ms", mean)
	}
}

func TestShares(t *testing.T) {
	const count = 40_000
	for name, tc := range map[string]struct {
		spec  Spec
		fate  Fate
		share float64
		run   float64 // mean length of a run of lost datagrams, 0: do not look
	}{
		"loss":               {Spec{Loss: 0.05}, Lost, 0.05, 1.05},
		"all":                {Spec{Loss: 1}, Lost, 1, 0},
		"bursts, same share": {Spec{Loss: 0.05, Burst: 5}, Lost, 0.05, 5},
		"great and bursty":   {Spec{Loss: 0.9, Burst: 2}, Lost, 0.9, 9},
		"duplicates":         {Spec{Duplicate: 0.1}, Doubled, 0.1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			n := New(11)
			n.Impair(tc.spec)
			a, b := n.Link(addr(1)), n.Link(addr(2))
			runs, lost, arrived, inRun := 0, 0, 0, false
			n.Tap = func(r Record) {
				if r.Fate == Lost {
					lost++
					if !inRun {
						runs++
					}
				}
				inRun = r.Fate == Lost
			}
			for range count {
				_ = a.Send(epoch, to(2), []byte("x"))
				b.Drain(epoch, func(transport.Addr, []byte) { arrived++ })
			}
			c := n.Counters()
			if share := float64(c.Fate[tc.fate]) / count; math.Abs(share-tc.share) > 0.1*tc.share {
				t.Errorf("%v: %v of all, want %v", tc.fate, share, tc.share)
			}
			if tc.run > 0 {
				if run := float64(lost) / float64(runs); math.Abs(run-tc.run) > 0.1*tc.run {
					t.Errorf("runs of losses are %.2f long on average, want %.2f", run, tc.run)
				}
			}
			if want := int(c.Fate[Passed] + 2*c.Fate[Doubled]); arrived != want {
				t.Errorf("%d arrived, the counters say %d", arrived, want)
			}
		})
	}
}

func TestReorderHoldsSomeBack(t *testing.T) {
	n := New(5)
	n.Impair(Spec{Latency: 10 * time.Millisecond, Reorder: 0.1})
	_, order := measure(n, 5000, 64)
	if len(order) != 5000 {
		t.Fatalf("%d of 5000 arrived: reordering must not lose", len(order))
	}
	late, newest := 0, -1
	for _, i := range order {
		if i < newest {
			late++
		}
		newest = max(newest, i)
	}
	if late < 350 || late > 600 {
		t.Errorf("%d of 5000 came after a later one, want about 475 (those held back more than a millisecond)", late)
	}
}

func TestRateDelaysThenDrops(t *testing.T) {
	n := New(5)
	// 972 + 28 bytes at 8 Mbit/s is a millisecond each.
	n.Impair(Spec{Rate: 8e6, Queue: 10_000})
	a, b := n.Link(addr(1)), n.Link(addr(2))
	for range 20 {
		_ = a.Send(epoch, to(2), make([]byte, 972))
	}
	if c := n.Counters(); c.Fate[Passed] != 11 || c.Fate[Overflowed] != 9 {
		t.Errorf("%d passed and %d overflowed, want 11 (ten wait, one is on the wire) and 9", c.Fate[Passed], c.Fate[Overflowed])
	}
	for i := 1; i <= 11; i++ {
		if k := len(got(b, epoch.Add(time.Duration(i)*time.Millisecond))); k != 1 {
			t.Errorf("millisecond %d: %d arrived, the wire carries one", i, k)
		}
	}
	_ = a.Send(epoch.Add(time.Second), to(2), make([]byte, 972))
	if got(b, epoch.Add(time.Second+time.Millisecond)) == nil {
		t.Error("after a pause the wire must be free")
	}
}

func TestMTUDropsSilently(t *testing.T) {
	n := New(5)
	n.Impair(Spec{MTU: 900})
	a, b := n.Link(addr(1)), n.Link(addr(2))
	_ = a.Send(epoch, to(2), make([]byte, 900))
	if err := a.Send(epoch, to(2), make([]byte, 901)); err != nil {
		t.Errorf("a path's MTU is not the sender's to know: %v", err)
	}
	if k := len(got(b, epoch)); k != 1 || n.Counters().Fate[TooBig] != 1 {
		t.Errorf("%d arrived, %d too big; want one each", k, n.Counters().Fate[TooBig])
	}
	if err := a.Send(epoch, to(2), make([]byte, a.MTU()+1)); !errors.Is(err, transport.ErrTooLarge) {
		t.Errorf("over the link's own MTU: %v, want ErrTooLarge", err)
	}
}

func TestRulesArePerDirectionAndTheNearestWins(t *testing.T) {
	n := New(5)
	a, b, c := n.Link(addr(1)), n.Link(addr(2)), n.Link(addr(3))
	n.Impair(Spec{Latency: 10 * time.Millisecond})
	n.ImpairFrom(addr(1), Spec{Latency: 20 * time.Millisecond})
	n.ImpairPath(addr(1), addr(3), Spec{Latency: 30 * time.Millisecond})
	due := map[string]time.Duration{}
	n.Tap = func(r Record) { due[string(r.Bytes)] = r.Due.Sub(r.Sent) }
	_ = b.Send(epoch, to(1), []byte("b to a"))
	_ = a.Send(epoch, to(2), []byte("a to b"))
	_ = a.Send(epoch, to(3), []byte("a to c"))
	_ = c.Send(epoch, to(1), []byte("c to a"))
	n.Impair(Spec{})
	_ = c.Send(epoch, to(2), []byte("c to b, changed"))
	for name, want := range map[string]time.Duration{"b to a": 10, "a to b": 20, "a to c": 30, "c to a": 10, "c to b, changed": 0} {
		if due[name] != want*time.Millisecond {
			t.Errorf("%s takes %v, want %d ms", name, due[name], want)
		}
	}
}

func TestCutAndHeal(t *testing.T) {
	n := New(5)
	n.Impair(Spec{Latency: 10 * time.Millisecond})
	a, b := n.Link(addr(1)), n.Link(addr(2))
	_ = a.Send(epoch, to(2), []byte("before"))
	n.Cut(addr(1), addr(2), true)
	_ = a.Send(epoch, to(2), []byte("cut"))
	_ = b.Send(epoch, to(1), []byte("cut"))
	n.CutPath(addr(1), addr(2), false)
	_ = a.Send(epoch, to(2), []byte("healed"))
	_ = b.Send(epoch, to(1), []byte("still cut"))
	at := epoch.Add(10 * time.Millisecond)
	if s := fmt.Sprint(got(b, at), got(a, at)); s != "[1:before 1:healed] []" {
		t.Errorf("arrived: %s", s)
	}
	if c := n.Counters().Fate[Severed]; c != 3 {
		t.Errorf("%d severed, want 3", c)
	}
}

func TestFilterDropsSparesAndCorrupts(t *testing.T) {
	n := New(5)
	n.Impair(Spec{Loss: 1})
	a, b := n.Link(addr(1)), n.Link(addr(2))
	n.Filter = func(_ time.Time, from, to netip.AddrPort, d []byte) Verdict {
		if from != addr(1) || to != addr(2) {
			t.Errorf("the filter was asked about %v to %v", from, to)
		}
		switch string(d) {
		case "drop":
			return Drop
		case "lose":
			return Impair
		}
		d[0] = 'X'
		return Spare
	}
	mine := []byte("mine")
	for _, s := range [][]byte{[]byte("drop"), []byte("lose"), mine} {
		_ = a.Send(epoch, to(2), s)
	}
	if s := fmt.Sprint(got(b, epoch)); s != "[1:Xine]" {
		t.Errorf("arrived: %s, want only the spared one, corrupted", s)
	}
	if string(mine) != "mine" {
		t.Error("corrupting a datagram changed its sender's buffer")
	}
	c := n.Counters()
	if c.Fate[Filtered] != 1 || c.Fate[Lost] != 1 || c.Fate[Passed] != 1 || c.Sent != 3 {
		t.Errorf("counters: %+v", c)
	}
}

func TestInjectReplaysAsAnybody(t *testing.T) {
	n := New(5)
	n.Impair(Spec{Loss: 1})
	b := n.Link(addr(2))
	n.Inject(epoch, addr(77), addr(2), []byte("old"))
	if s := fmt.Sprint(got(b, epoch)); s != "[77:old]" {
		t.Errorf("arrived: %s", s)
	}
}

// TestFieldLogB59AddressChange: a router forgets its mapping in mid-session.
// What the client sends comes from elsewhere, and what goes to the old address
// reaches nobody, also what was on its way.
func TestFieldLogB59AddressChange(t *testing.T) {
	n := New(5)
	n.Impair(Spec{Latency: 10 * time.Millisecond})
	server, client := n.Link(addr(1)), n.Link(addr(2))
	_ = server.Send(epoch, to(2), []byte("on its way"))
	n.Rebind(addr(2), addr(50))
	_ = client.Send(epoch, to(1), []byte("hello"))
	_ = server.Send(epoch, to(2), []byte("to the old address"))
	_ = server.Send(epoch, to(50), []byte("to the new one"))
	at := epoch.Add(10 * time.Millisecond)
	if s := fmt.Sprint(got(server, at), got(client, at)); s != "[50:hello] [1:to the new one]" {
		t.Errorf("arrived: %s", s)
	}
	if client.LocalAddr() != addr(2) || client.Public() != addr(50) {
		t.Errorf("the client is %v, seen as %v: it cannot know of its new address", client.LocalAddr(), client.Public())
	}
	n.Cut(addr(1), addr(2), true) // rules go by the bound address
	_ = client.Send(at, to(1), []byte("cut"))
	if n.Counters().Fate[Severed] != 1 {
		t.Error("a rule about the client was lost by its change of address")
	}
}

func TestAddressesAreTakenOnceAndFreedByClose(t *testing.T) {
	n := New(5)
	n.Impair(Spec{Latency: 10 * time.Millisecond})
	a, b := n.Link(addr(1)), n.Link(addr(2))
	if _, err := n.Listen(addr(1)); fault.CodeOf(err) != fault.Bind {
		t.Errorf("Listen at an address in use: %v, want E_NET_BIND", err)
	}
	free, err := n.Listen(addr(0))
	if err != nil || free.LocalAddr().Port() == 0 {
		t.Errorf("port 0 must pick one: %v, %v", free, err)
	}
	_ = b.Send(epoch, to(1), []byte("late"))
	_ = a.Close()
	again := n.Link(addr(1))
	if s := fmt.Sprint(got(again, epoch.Add(10*time.Millisecond))); s != "[2:late]" {
		t.Errorf("%s: what is on its way reaches whoever listens when it arrives", s)
	}
	mapped := netip.AddrPortFrom(netip.AddrFrom16(addr(2).Addr().As16()), 2)
	if o, _ := again.Open(epoch, mapped); o != to(2) {
		t.Errorf("Open(%v) is %v: a mapped IPv4 address is that IPv4 address", mapped, o)
	}
}

func TestStraysAndInboxesAreBounded(t *testing.T) {
	n := New(5)
	a, b := n.Link(addr(1)), n.Link(addr(2))
	for i := range 3 * MaxStray {
		_ = a.Send(epoch, to(uint16(1000+i)), []byte("x"))
	}
	if n.stray.len() > MaxStray || len(n.lanes) > 1 {
		t.Errorf("%d strays and %d lanes for addresses where nobody is", n.stray.len(), len(n.lanes))
	}
	for range MaxInFlight + 10 {
		_ = a.Send(epoch, to(2), []byte("x"))
	}
	if b.inbox.len() != MaxInFlight || n.Counters().Fate[Overflowed] != 10 {
		t.Errorf("%d in the inbox, %d overflowed", b.inbox.len(), n.Counters().Fate[Overflowed])
	}
	if k := len(got(b, epoch)); k != MaxDrain {
		t.Errorf("one Drain handed over %d, its limit is %d", k, MaxDrain)
	}
}

// transcript plays a fixed scenario and returns what the tap saw.
func transcript(seed uint64, strangers bool) string {
	n := New(seed)
	bad, _ := preset("bad")
	n.Impair(bad)
	a, b := n.Link(addr(1)), n.Link(addr(2))
	var out strings.Builder
	n.Tap = func(r Record) {
		if r.From == addr(1) {
			fmt.Fprintf(&out, "%v %v %s\n", r.Fate, r.Due.Sub(epoch), r.Bytes)
		}
	}
	for i := range 2000 {
		now := epoch.Add(time.Duration(i) * time.Millisecond)
		if strangers {
			if i == 0 {
				n.Link(addr(3))
			}
			_ = b.Send(now, to(3), []byte("noise"))
		}
		_ = a.Send(now, to(2), fmt.Append(nil, i))
		b.Drain(now, func(transport.Addr, []byte) {})
	}
	return out.String()
}

func TestOneSeedOneTranscript(t *testing.T) {
	first := transcript(42, false)
	if transcript(42, false) != first {
		t.Error("the same seed and calls gave another transcript")
	}
	if transcript(43, false) == first {
		t.Error("another seed changed nothing")
	}
	if transcript(42, true) != first {
		t.Error("traffic on other paths changed this one's dice")
	}
}

func TestWarmNetworkAllocatesNothing(t *testing.T) {
	n := New(5)
	n.Impair(Spec{Latency: 5 * time.Millisecond, Jitter: 2 * time.Millisecond, Loss: 0.1, Duplicate: 0.1, Rate: 1e8})
	a, b := n.Link(addr(1)), n.Link(addr(2))
	now, msg := epoch, make([]byte, 200)
	sink := func(transport.Addr, []byte) {}
	turn := func() {
		for range 10 {
			_ = a.Send(now, to(2), msg)
		}
		b.Drain(now, sink)
		now = now.Add(time.Millisecond)
	}
	for range 1000 {
		turn()
	}
	if k := testing.AllocsPerRun(200, turn); k != 0 {
		t.Errorf("%v allocations a turn, want 0", k)
	}
}

func BenchmarkNetwork(b *testing.B) {
	n := New(5)
	bad, _ := preset("bad")
	bad.Rate = 0
	n.Impair(bad)
	x, y := n.Link(addr(1)), n.Link(addr(2))
	now, msg := epoch, make([]byte, 200)
	sink := func(transport.Addr, []byte) {}
	b.ReportAllocs()
	for b.Loop() {
		_ = x.Send(now, to(2), msg)
		y.Drain(now, sink)
		now = now.Add(time.Millisecond)
	}
}
