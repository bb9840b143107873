package session

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"demi.network/contract"
	"demi.network/contract/payload"
	"demi.network/runtime/world"
)

func TestBucket(t *testing.T) {
	var b bucket
	take := func(at nanos, n int) (taken int) {
		for range n {
			if b.take(at, 10, 2, 1) {
				taken++
			}
		}
		return taken
	}
	for _, tc := range []struct {
		at   nanos
		ask  int
		want int
		why  string
	}{
		{0, 30, 20, "a new bucket is full: two seconds' worth"},
		{0, 1, 0, "nothing comes back in no time"},
		{second / 10, 5, 1, "a tenth of a second is one token at ten a second"},
		{second/10 + second, 30, 10, "a second is ten"},
		{second, 5, 0, "time that runs backwards gives nothing"},
		{1000 * second, 100, 20, "a long rest fills it, and no more"},
		{1000*second + 5*second/2, 100, 20, "so does any rest of two seconds"},
	} {
		if got := take(tc.at, tc.ask); got != tc.want {
			t.Errorf("at %d ms: %d of %d, want %d: %s", tc.at/1e6, got, tc.ask, tc.want, tc.why)
		}
	}
	var dear bucket
	if !dear.take(0, 10, 2, 20) || dear.take(0, 10, 2, 1) {
		t.Error("cost must count")
	}
	var fast bucket // the largest rate of a contract, over years
	if !fast.take(1<<62, 10000, 2, 1) || !fast.take(1<<62+second, 10000, 2, 20000) {
		t.Error("large rates and times must not overflow")
	}
}

// TestBucketAgainstModel compares the bucket with a list of what was taken: in
// no window is more let through than the bucket holds plus the rate.
func TestBucketAgainstModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b bucket
	const rate, seconds = 7, 2
	var taken []nanos
	now := nanos(0)
	for range 5000 {
		now += nanos(rng.IntN(3e8))
		if b.take(now, rate, seconds, 1) {
			taken = append(taken, now)
		}
	}
	for i := range taken {
		for j := i; j < len(taken); j++ {
			allowed := rate*seconds + float64(taken[j]-taken[i])/1e9*rate + 1e-6
			if float64(j-i+1) > allowed {
				t.Fatalf("%d in %v s: more than %v", j-i+1, float64(taken[j]-taken[i])/1e9, allowed)
			}
			if j-i > 200 {
				break
			}
		}
	}
}

func TestWindow(t *testing.T) {
	var w window
	want := map[nanos]int{}
	rng := rand.New(rand.NewPCG(3, 4))
	now := nanos(0)
	for range 3000 {
		now += nanos(rng.IntN(2e9))
		if rng.IntN(50) == 0 {
			now += 30 * second
		}
		w.add(now)
		want[now/second]++
		n := 0
		for s := now/second - 9; s <= now/second; s++ {
			n += want[s]
		}
		if got := w.total(now); got != n {
			t.Fatalf("at second %d: %d, want %d", now/second, got, n)
		}
	}
}

func TestGuardLevels(t *testing.T) {
	v := contract.Violations{Warn: 2, Throttle: 4}
	var g guard
	var got []Level
	for range 8 {
		got = append(got, g.violate(0, v))
	}
	if want := []Level{0, 0, LevelWarn, 0, LevelThrottle, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("levels reached %v, want %v: each is news once, and kick 0 is never", got, want)
	}
	con := &contract.Contract{Limits: contract.Limits{MessagesPerSecond: 10}}
	let := func(g guard) (n int) {
		for range 100 {
			if g.frame(0, kindMessage, con) {
				n++
			}
		}
		return n
	}
	if free, slow := let(guard{}), let(g); free != 20 || slow != 5 {
		t.Errorf("free %d, throttled %d: want 20 and a quarter of it", free, slow)
	}
	if g.settle(20*second, v) != LevelNone {
		t.Error("after ten seconds nothing is held against a peer")
	}
}

func lifeOf(events []Event) (list []string) {
	for _, ev := range events {
		list = append(list, fmt.Sprint(ev.Kind, " ", ev.N, " ", ev.Owner, " ", ev.Gen))
	}
	return list
}

func drain(b *inbox, c *codec) (list []Event) {
	for ev, ok := b.poll(c); ok; ev, ok = b.poll(c) {
		list = append(list, ev)
	}
	return list
}

func TestInboxCompactsPerEntity(t *testing.T) {
	con := &contract.Contract{}
	c := newCodec(con)
	rule := &contract.Message{Name: "m", Schema: payload.Any(), MaximumBytes: 100}
	var b inbox
	b.push(Event{Kind: EventOwnership, N: 1, Owner: 5, Gen: 2}, nil)
	b.push(Event{Kind: EventSpawned, N: 10, Owner: 1, Gen: 1}, nil)
	b.message(&message{rule: rule, N: 10, payload: []byte{0}}, 1)
	b.push(Event{Kind: EventOwnership, N: 10, Owner: 2, Gen: 2}, nil)
	b.push(Event{Kind: EventDespawned, N: 10, Gen: 3}, nil)
	b.push(Event{Kind: EventSpawned, N: 11, Owner: 1, Gen: 1}, nil)
	b.push(Event{Kind: EventOwnership, N: 11, Owner: 2, Gen: 2}, nil)
	b.push(Event{Kind: EventOwnership, N: 11, Owner: 3, Gen: 3}, nil)
	b.push(Event{Kind: EventOwnership, N: 1, Owner: 6, Gen: 3}, nil)
	b.push(Event{Kind: EventOwnership, N: 2, Owner: 6, Gen: 3}, nil)
	b.push(Event{Kind: EventDespawned, N: 2, Gen: 4}, nil)
	b.push(Event{Kind: EventPeerJoined, Sender: 1}, nil)
	b.push(Event{Kind: EventPeerLeft, Sender: 1}, nil)
	b.compact()
	want := []string{
		"entity_spawned 11 peer3 3",
		"ownership_changed 1 peer6 3",
		"entity_despawned 2 server 4",
		"peer_joined 0 server 0",
		"peer_left 0 server 0",
	}
	if got := lifeOf(drain(&b, &c)); !slices.Equal(got, want) {
		t.Errorf("compacted to %q, want %q", got, want)
	}
	if b.dropped != 1 {
		t.Errorf("%d dropped, want the one message about what came and went", b.dropped)
	}
}

// TestInboxLeadsToTheTruth plays random lives: a script that polls late ends
// with the same entities and owners as one that heard of everything.
func TestInboxLeadsToTheTruth(t *testing.T) {
	con := &contract.Contract{}
	c := newCodec(con)
	seeds := uint64(30)
	if RaceDetector {
		seeds = 6
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 0))
		var b inbox
		truth, script := map[uint32]string{}, map[uint32]string{}
		gens := map[uint32]uint32{}
		apply := func(m map[uint32]string, ev Event) {
			switch ev.Kind {
			case EventSpawned, EventOwnership:
				if _, known := m[ev.N]; ev.Kind == EventOwnership && !known || ev.Kind == EventSpawned && known {
					t.Fatalf("seed %d: %s of %d, known %t", seed, ev.Kind, ev.N, known)
				}
				m[ev.N] = fmt.Sprint(ev.Owner, ev.Gen)
			case EventDespawned:
				if _, known := m[ev.N]; !known {
					t.Fatalf("seed %d: the end of %d, which was never known", seed, ev.N)
				}
				delete(m, ev.N)
			}
		}
		last := uint32(0)
		var alive []uint32
		most := 0
		for range 20000 {
			var ev Event
			switch r := rng.IntN(10); {
			case r < 4 && len(alive) < 200 || len(alive) == 0:
				last++
				alive = append(alive, last)
				gens[last] = 1
				ev = Event{Kind: EventSpawned, N: last, Owner: Sender(rng.IntN(5)), Gen: 1}
			case r < 7:
				n := alive[rng.IntN(len(alive))]
				gens[n]++
				ev = Event{Kind: EventOwnership, N: n, Owner: Sender(rng.IntN(5)), Gen: gens[n]}
			default:
				i := rng.IntN(len(alive))
				n := alive[i]
				alive = append(alive[:i], alive[i+1:]...)
				ev = Event{Kind: EventDespawned, N: n, Gen: gens[n] + 1}
				b.depart(n, []int32{int32(n)})
			}
			apply(truth, ev)
			b.push(ev, nil)
			most = max(most, len(b.life)-b.lifeHead)
			if rng.IntN(3000) == 0 {
				for _, ev := range drain(&b, &c) {
					apply(script, ev)
				}
			}
		}
		for _, ev := range drain(&b, &c) {
			apply(script, ev)
		}
		if len(b.departed) != 0 {
			t.Fatalf("seed %d: rows of %d entities are kept although their ends were told", seed, len(b.departed))
		}
		if fmt.Sprint(truth) != fmt.Sprint(script) {
			t.Fatalf("seed %d: the script has %d entities, the truth is %d", seed, len(script), len(truth))
		}
		if most > 2*compactAt {
			t.Fatalf("seed %d: %d events were kept of at most 200 entities", seed, most)
		}
	}
}

func TestInboxKeepsTheNewestMessages(t *testing.T) {
	con := &contract.Contract{}
	c := newCodec(con)
	rule := &contract.Message{Name: "m", Schema: payload.Any(), MaximumBytes: 1 << 20}
	plan := payload.Any()
	num := func(i int64) []byte {
		var v payload.Value
		var s payload.Sink
		s.Reset(plan, payload.Limits{}, &v)
		s.Int(i)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return plan.AppendWire(nil, &v)
	}
	var b inbox
	const extra = 1000
	for i := range int64(MaxMessages + extra) {
		if i == 100 {
			b.push(Event{Kind: EventPeerJoined, Sender: 7}, nil)
		}
		b.message(&message{rule: rule, payload: num(i)}, 1)
	}
	got := drain(&b, &c)
	if len(got) != MaxMessages+1 || b.dropped != extra || got[0].Kind != EventPeerJoined {
		t.Fatalf("%d events, %d dropped, first %s", len(got), b.dropped, got[0].Kind)
	}
	// By bytes: payloads of 1 MiB, of which four fit.
	big := make([]byte, 1<<20)
	for range 10 {
		b.message(&message{rule: rule, payload: big}, 1)
	}
	if n := len(b.messages) - b.head; n != MaxInboxBytes>>20 || b.bytes.size() != MaxInboxBytes {
		t.Errorf("%d large messages are kept, want %d", n, MaxInboxBytes>>20)
	}
	if cap(b.bytes.buf) > 3*MaxInboxBytes {
		t.Errorf("%d bytes of memory for at most %d", cap(b.bytes.buf), MaxInboxBytes)
	}
}

func TestInboxForgetsOldNewsAndOldVisits(t *testing.T) {
	con := &contract.Contract{}
	c := newCodec(con)
	var b inbox
	const visits = 6000
	for i := range visits {
		b.push(Event{Kind: EventPeerJoined, Sender: Sender(i + 1)}, nil)
		b.push(Event{Kind: EventRefused, Sender: Sender(i + 1)}, nil)
		b.push(Event{Kind: EventTurnedAway}, nil)
		b.push(Event{Kind: EventPeerLeft, Sender: Sender(i + 1)}, nil)
	}
	b.push(Event{Kind: EventPeerJoined, Sender: visits + 1}, nil)
	b.compact()
	joined := map[Sender]bool{}
	news := 0
	for _, ev := range drain(&b, &c) {
		switch ev.Kind {
		case EventPeerJoined:
			joined[ev.Sender] = true
		case EventPeerLeft:
			if !joined[ev.Sender] {
				t.Fatal("a leave without its joining")
			}
			delete(joined, ev.Sender)
		default:
			news++
		}
	}
	if len(joined) != 1 || !joined[visits+1] || news > maxNews {
		t.Errorf("who is here: %v, news %d", joined, news)
	}
	if b.dropped == 0 {
		t.Error("what was left out must be counted")
	}
}

// TestRegistryAgainstModel compares the registry with a map.
func TestRegistryAgainstModel(t *testing.T) {
	l := &world.Layout{Types: make([]world.Type, 3)}
	w := world.New(l)
	r := newRegistry(l, w)
	type ent struct {
		typ   int
		owner Sender
		gen   uint32
	}
	model := map[uint32]ent{}
	rng := rand.New(rand.NewPCG(9, 9))
	for range 4000 {
		switch n := uint32(rng.IntN(int(r.last) + 2)); rng.IntN(3) {
		case 0:
			e := ent{rng.IntN(3), Sender(rng.IntN(4)), 1}
			r.insert(e.typ, world.Head{ID: r.last + 1 + uint32(rng.IntN(2)), OwnGen: 1, Owner: uint32(e.owner)}, nil)
			model[r.last] = e
		case 1:
			if typ, row, ok := r.find(n); ok {
				r.remove(typ, row)
				delete(model, n)
				if !r.gone(n) {
					t.Fatal("what was removed has gone")
				}
			}
		case 2:
			if typ, row, ok := r.find(n); ok {
				e := model[n]
				e.owner, e.gen = Sender(rng.IntN(4)), e.gen+1
				r.give(typ, row, e.owner, e.gen)
				model[n] = e
			}
		}
		if len(model) > 60 {
			for n := range model {
				typ, row, _ := r.find(n)
				r.remove(typ, row)
				delete(model, n)
				break
			}
		}
	}
	owned := map[Sender]int{}
	var ids []uint32
	for n, e := range model {
		owned[e.owner]++
		ids = append(ids, n)
		typ, row, ok := r.find(n)
		if h := w.Head(typ, row); !ok || typ != e.typ || Sender(h.Owner) != e.owner || h.OwnGen != e.gen {
			t.Fatalf("entity %d: %+v, want %+v", n, h, e)
		}
	}
	slices.Sort(ids)
	var walked []uint32
	for cursor := uint32(0); ; {
		typ, row, ok := r.after(cursor)
		if !ok {
			break
		}
		cursor = w.Head(typ, row).ID
		walked = append(walked, cursor)
	}
	if !slices.Equal(walked, ids) || r.live != len(ids) || fmt.Sprint(r.owned) != fmt.Sprint(owned) {
		t.Errorf("walk %v, want %v; live %d; owned %v, want %v", walked, ids, r.live, r.owned, owned)
	}
	for o := Sender(0); o < 4; o++ {
		if got := r.of(o); len(got) != owned[o] || !slices.IsSorted(got) {
			t.Errorf("%s owns %v, want %d", o, got, owned[o])
		}
	}
	if r.gone(0) || r.gone(r.last+1) {
		t.Error("what never was has not gone")
	}
}
