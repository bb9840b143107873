package runtime

import (
	"net/netip"
	"testing"
	"testing/fstest"
	"time"

	"demi.network/contract"
	"demi.network/internal/replica"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
	"demi.network/runtime/transport/hosttest"
	"demi.network/runtime/world"
	"demi.network/session"
)

const testContract = `{"format_version": 1, "id": "network-contract://t/runtime",
 "limits": {"on_violation": {"kick": 20}},
 "replicated_prefabs": {
  "player": {"prefab": "prefab://player", "components": {
   "Transform2D": {"position": {"write_by": "owner"}}, "A": {"hp": {"type": "int", "minimum": 0, "maximum": 100}}}}},
 "messages": {"chat": {"from": "all", "schema": {"type": "object"}}}}`

func loadContract(t testing.TB) *contract.Contract {
	t.Helper()
	c, problems := contract.LoadFile(fstest.MapFS{"c.json": {Data: []byte(testContract)}}, "c.json")
	if c == nil {
		t.Fatalf("the test's contract must load:\n%v", problems)
	}
	return c
}

// table is peers on a lossless network, and a clock.
type table struct {
	t    testing.TB
	con  *contract.Contract
	net  *hosttest.Network
	now  time.Time
	next uint16
	all  []*Peer
}

func newTable(t testing.TB) *table {
	return &table{t: t, con: loadContract(t), net: hosttest.NewNetwork(), now: time.Unix(1000, 0), next: 40000}
}

var loopback = netip.MustParseAddr("127.0.0.1")

func (tb *table) socket() transport.Host {
	tb.next++
	return tb.net.Host(netip.AddrPortFrom(loopback, tb.next))
}

func (tb *table) peer() *Peer {
	p := New(Config{
		Contract: tb.con,
		Listen:   func(int) (transport.Host, error) { return tb.socket(), nil },
		Dial:     func(netip.AddrPort) (transport.Host, error) { return tb.socket(), nil },
	}, tb.now)
	tb.all = append(tb.all, p)
	return p
}

// turn lets one tick pass.
func (tb *table) turn() {
	tb.now = tb.now.Add(tb.all[0].TickInterval())
	for _, p := range tb.all {
		for n := p.Advance(tb.now); n > 0; n-- {
			p.BeginTick()
			for ok := true; ok; {
				_, ok = p.Poll()
			}
			p.EndTick()
		}
		if _, err := p.Flush(tb.now); err != nil {
			tb.t.Fatal(err)
		}
	}
}

func (tb *table) turns(n int) {
	for range n {
		tb.turn()
	}
}

// hosted is a table with a host and a client that is active.
func hosted(t testing.TB) (tb *table, host, client *Peer) {
	tb = newTable(t)
	host, client = tb.peer(), tb.peer()
	if err := host.Host(-1); err != nil {
		t.Fatal(err)
	}
	if err := client.Connect(host.LocalAddr()); err != nil {
		t.Fatal(err)
	}
	tb.turns(5)
	if client.Phase() != session.PhaseActive {
		t.Fatalf("the client is %s after five turns", client.Phase())
	}
	return tb, host, client
}

// A client that speaks the protocol but not the rules: what it may not write is
// refused and counted, the truth does not move, and in the end it is kicked.
func TestForgedPublicationsAreRefusedAndCounted(t *testing.T) {
	tb, host, _ := hosted(t)
	rogue := tb.socket()
	link, err := rogue.Dial(tb.now, host.LocalAddr())
	if err != nil {
		t.Fatal(err)
	}
	l := world.NewLayout(tb.con)
	w := world.New(l)
	raw := session.NewClient(session.ClientConfig{Contract: tb.con, Layout: l, World: w, Host: rogue, Peer: link, PlayerName: "rogue"}, tb.now)
	turn := func() {
		for {
			ev, ok := rogue.Poll(tb.now)
			if !ok {
				break
			}
			raw.Handle(tb.now, ev)
		}
		raw.Advance(tb.now)
		if _, err := rogue.Flush(tb.now); err != nil {
			t.Fatal(err)
		}
		tb.turn()
	}
	for range 6 {
		turn()
	}
	if raw.Phase() != session.PhaseActive {
		t.Fatalf("the raw client is %s", raw.Phase())
	}
	id, err := host.Spawn("player", "", "peer1")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		turn()
	}
	truth := func() []int32 { return append([]int32(nil), host.world.Row(l, 0, 0)...) }
	before := truth()
	// A World in which everything is the rogue's, with other values.
	mine := world.New(l)
	mine.Insert(l, 0, world.Head{ID: 1, OwnGen: 1, Owner: uint32(raw.Sender())}, []int32{50, 777, 888})
	tr, send := replica.NewTracker(l, replica.Up), replica.NewSender(l, replica.Up, uint32(raw.Sender()))
	tr.Update(mine)
	body, _ := send.Write(nil, mine, tr, nil, 1)
	for i, c := range []struct {
		why    string
		body   []byte
		reason session.Reason
	}{
		{"another's entity", body, session.ReasonUnauthorizedTarget},
		{"bytes that are no rows", []byte{9, 0, 0, 0, 0, 1, 2, 3}, session.ReasonTruncated},
		{"nothing", nil, session.ReasonTruncated},
		{"too much", make([]byte, replica.MaxBody+1), session.ReasonOversized},
	} {
		was := host.Diagnostics().RejectedMessages
		raw.SendPublication(tb.now, c.body)
		turn()
		if got := host.Diagnostics().RejectedMessages; got != was+1 && c.reason != session.ReasonOversized {
			t.Errorf("%d: a publication of %s: %d refusals counted, want 1", i, c.why, got-was)
		}
		found := c.reason == session.ReasonOversized // the session may refuse it first, under its own bound
		for _, r := range host.Diagnostics().Refusals {
			found = found || r.Reason == c.reason
		}
		if !found {
			t.Errorf("a publication of %s must be counted as %s: %+v", c.why, c.reason, host.Diagnostics().Refusals)
		}
	}
	if now := truth(); now[0] != before[0] || now[1] != before[1] || now[2] != before[2] {
		t.Errorf("the truth moved from %v to %v", before, now)
	}
	if owner, _ := host.Owner(id); owner != "peer1" {
		t.Errorf("the owner is %s", owner)
	}
	for i := 0; i < 30 && raw.Phase() == session.PhaseActive; i++ {
		raw.SendPublication(tb.now, []byte{1})
		turn()
	}
	if raw.Phase() == session.PhaseActive {
		t.Error("a peer that breaks rules on and on must be kicked, as on_violation says")
	}
}

// A snapshot that a host could not have written changes nothing at a client.
func TestForgedSnapshotsAreRefusedAndCounted(t *testing.T) {
	tb, host, client := hosted(t)
	if _, err := host.Spawn("player", "", "server"); err != nil {
		t.Fatal(err)
	}
	tb.turns(3)
	before := world.New(client.layout)
	before.CopyFrom(client.world)
	was := client.Diagnostics().RejectedMessages
	for _, b := range [][]byte{nil, {1}, {0, 0, 0, 9, 8}, {200, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0xff, 0xff}} {
		client.cli.snapshot(session.Opaque{Kind: session.Snapshot, Body: b})
	}
	if !world.Equal(before, client.world) {
		t.Error("a forged snapshot must change nothing")
	}
	if got := client.Diagnostics().RejectedMessages - was; got != 4 {
		t.Errorf("%d refusals counted, want 4", got)
	}
}

// One flipped cell on either side must be found by the comparison of reports.
func TestOneFlippedCellIsFound(t *testing.T) {
	for _, side := range []string{"neither", "client", "host"} {
		tb, host, client := hosted(t)
		if _, err := host.Spawn("player", "", "server"); err != nil {
			t.Fatal(err)
		}
		tb.turns(20)
		switch side {
		case "client":
			client.world.Row(client.layout, 0, 0)[0]++
			tb.turns(20)
		case "host":
			// The row that is hashed differs from the row that was sent: flip
			// it between the two, in the tick's own order.
			s := host.srv
			s.tracker.Update(s.world)
			body, _ := s.remotes[0].send.Write(nil, s.world, s.tracker, s.remotes[0].recv, s.world.Tick+1)
			s.world.Row(s.layout, 0, 0)[0]++
			s.sums.Update(s.layout, s.world)
			s.world.Tick++
			s.sess.SendSnapshot(tb.now, 1, body)
			s.remotes[0].proof.Note(s.world.Tick, s.sums.For(1))
			s.world.Row(s.layout, 0, 0)[0]--
			if _, err := host.Flush(tb.now); err != nil {
				t.Fatal(err)
			}
			tb.turns(20)
		}
		c := Converged(host.Report(), client.Report())
		if c.OK(20) != (side == "neither") {
			t.Errorf("flipped at %s: %+v", side, c)
		}
	}
}

func TestErrorsOfModes(t *testing.T) {
	_, host, client := hosted(t)
	for _, c := range []struct {
		why  string
		err  error
		want fault.Code
	}{
		{"hosting twice", host.Host(-1), fault.AlreadyHosting},
		{"joining while hosting", host.Connect(host.LocalAddr()), fault.AlreadyHosting},
		{"hosting as a client", client.Host(-1), fault.Phase},
		{"joining twice", client.Connect(host.LocalAddr()), fault.Phase},
	} {
		if fault.CodeOf(c.err) != c.want {
			t.Errorf("%s: %v, want %s", c.why, c.err, c.want)
		}
	}
	if host.SenderID() != "server" || client.SenderID() != "peer1" || host.Mode() != Hosting || client.Mode() != Joined {
		t.Errorf("host is %s %s, client %s %s", host.SenderID(), host.Mode(), client.SenderID(), client.Mode())
	}
}

func TestBindingsKeepBothWays(t *testing.T) {
	var b bindings
	for _, n := range []uint32{5, 2, 9, 2} {
		b.put(binding{n: n, entity: string(rune('a' + n))})
	}
	b.put(binding{n: 5, entity: "other"})
	b.drop(9)
	b.drop(77)
	if len(b.list) != 2 || b.get(2) == nil || b.get(9) != nil || b.get(5).entity != "other" {
		t.Errorf("%+v", b.list)
	}
	if _, ok := b.byEntity["f"]; ok || b.byEntity["other"] != 5 || len(b.byEntity) != 2 {
		t.Errorf("the way back from entities is stale: %v", b.byEntity)
	}
}

func TestClock(t *testing.T) {
	start := time.Unix(0, 0)
	for _, c := range []struct {
		why     string
		at      []time.Duration // since start
		ticks   []int
		skipped uint64
	}{
		{"nothing is due at the start", []time.Duration{0, 30 * time.Millisecond}, []int{0, 0}, 0},
		{"one a tick", []time.Duration{34 * time.Millisecond, 67 * time.Millisecond}, []int{1, 1}, 0},
		{"a late call catches up", []time.Duration{110 * time.Millisecond, 134 * time.Millisecond}, []int{3, 1}, 0},
		{"five at most", []time.Duration{10001 * time.Millisecond, 10034 * time.Millisecond}, []int{5, 1}, 295},
		{"time that stands still", []time.Duration{34 * time.Millisecond, 34 * time.Millisecond}, []int{1, 0}, 0},
		{"time that goes back gives nothing", []time.Duration{34 * time.Millisecond, 0}, []int{1, 0}, 0},
	} {
		clk := newClock(start, 30)
		for i, at := range c.at {
			if got := clk.due(start.Add(at)); got != c.ticks[i] {
				t.Errorf("%s: %d ticks at %v, want %d", c.why, got, at, c.ticks[i])
			}
		}
		if clk.skipped != c.skipped {
			t.Errorf("%s: %d skipped, want %d", c.why, clk.skipped, c.skipped)
		}
	}
}

func BenchmarkHostTick(b *testing.B) {
	tb, host, _ := hosted(b)
	for range 3 {
		if err := tb.peer().Connect(host.LocalAddr()); err != nil {
			b.Fatal(err)
		}
	}
	for range 1000 {
		if _, err := host.Spawn("player", "", "server"); err != nil {
			b.Fatal(err)
		}
	}
	tb.turns(100)
	b.ReportAllocs()
	for b.Loop() {
		cells := host.world.Tables[0].Cells
		for i := 1; i < len(cells); i += 30 {
			cells[i] = int32(host.world.Tick & 0xffff)
		}
		tb.turn()
	}
}
