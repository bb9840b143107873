package replica

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"demi.network/internal/wire"
	"demi.network/runtime/world"
)

// A random host against a random link: whenever a body says that it is
// complete and is applied whole, the client holds what the host says, and when
// the link heals it holds everything.
func TestRandomPlayConverges(t *testing.T) {
	for seed := uint64(1); seed <= 30; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { randomPlay(t, rand.New(rand.NewPCG(seed, 7))) })
	}
}

func randomPlay(t *testing.T, r *rand.Rand) {
	p := newPair(t)
	next := uint32(1)
	var ids []uint32
	var flying [][]byte
	for tick := 0; tick < 300; tick++ {
		change := r.IntN(4) == 0 // existence: the client knows at once, as with an instant record
		switch {
		case change && (len(ids) == 0 || r.IntN(2) == 0):
			p.spawn([]string{"body", "crate"}[r.IntN(2)], next, r.Uint32N(3))
			typ, row, _ := p.host.w.Find(next)
			p.client.w.Insert(p.l, typ, *p.host.w.Head(typ, row), nil)
			ids = append(ids, next)
			next++
		case change && r.IntN(2) == 0:
			at := r.IntN(len(ids))
			p.host.w.Remove(ids[at])
			p.client.w.Remove(ids[at])
			ids = append(ids[:at], ids[at+1:]...)
		case change:
			typ, row, _ := p.host.w.Find(ids[r.IntN(len(ids))])
			h := p.host.w.Head(typ, row)
			h.OwnGen++
			h.Owner = r.Uint32N(3)
			_, at, _ := p.client.w.Find(h.ID)
			*p.client.w.Head(typ, at) = *h
			p.l.Types[typ].Copy(p.client.w.Row(p.l, typ, at), p.host.w.Row(p.l, typ, row), p.l.Types[typ].VisibleTo(h.Owner, 1))
		}
		for _, id := range ids {
			if r.IntN(3) == 0 {
				typ, _, _ := p.host.w.Find(id)
				p.set(id, r.IntN(p.l.Types[typ].Stride), r.Int32N(1000))
			}
		}
		// Existence changed under bodies in flight: a body of before may name
		// what the client no longer has, and its hash is of another world, as
		// the session's record count would tell.
		if change {
			clear(p.hashes)
			flying = nil
		}
		body := p.down()
		if r.IntN(4) > 0 {
			flying = append(flying, body)
		}
		for len(flying) > 0 && r.IntN(3) > 0 {
			at := r.IntN(len(flying))
			p.arrive(flying[at])
			flying = append(flying[:at], flying[at+1:]...)
		}
		if body := p.up(); r.IntN(3) > 0 {
			p.heard(body)
		}
	}
	for i := 0; i < 3; i++ {
		p.arrive(p.down())
		p.heard(p.up())
	}
	if p.l.Hash(p.client.w, 1) != p.l.Hash(p.host.w, 1) {
		t.Fatal("a healed link must bring equal state")
	}
	if p.checks < 20 {
		t.Fatalf("only %d hashes were compared", p.checks)
	}
}

func TestEveryPrefixAndTailOfABodyIsRefused(t *testing.T) {
	p := newPair(t)
	p.spawn("body", 1, 0)
	p.spawn("crate", 2, 1)
	p.know()
	body := p.down()
	whole := 0
	for n := 0; n <= len(body); n++ {
		w := world.New(p.l)
		w.CopyFrom(p.client.w)
		if _, err := NewReceiver(p.l, Down, 1).Read(w, body[:n]); err == nil {
			whole++
		}
	}
	// A body ends where its rows end: cutting off whole rows leaves a body.
	if whole != 3 {
		t.Errorf("%d prefixes were accepted, want those with 0, 1 and 2 rows", whole)
	}
	if _, err := NewReceiver(p.l, Down, 1).Read(world.New(p.l), append(body, 0)); err != wire.ErrTruncated {
		t.Errorf("a trailing byte: %v, want ErrTruncated", err)
	}
}

func fuzzBody(f *testing.F, d Direction) {
	p := newPair(f)
	p.spawn("body", 1, 1)
	p.spawn("body", 3, 2)
	p.spawn("crate", 2, 1)
	p.know()
	p.set(1, posX, 200)
	f.Add(p.down())
	p.client.send.Acked(Ack{})
	f.Add(p.up())
	p.arrive(p.down())
	f.Add(p.up())
	f.Add([]byte{})
	l, truth := p.l, p.host.w
	f.Fuzz(func(t *testing.T, b []byte) {
		w := world.New(l)
		w.CopyFrom(truth)
		recv := NewReceiver(l, d, 1)
		o, err := recv.Read(w, b)
		if err != nil {
			if !world.Equal(w, truth) {
				t.Fatal("a refused body must change nothing")
			}
			return
		}
		for typ := range w.Tables {
			for row := range w.Tables[typ].Heads {
				h, was := *w.Head(typ, row), *truth.Head(typ, row)
				if d == Down {
					h.Force = was.Force
				}
				if h != was {
					t.Fatal("a body must never change existence, owner or generation")
				}
				ty := &l.Types[typ]
				if hidden := ty.All() &^ d.mask(ty, was.Owner, 1); !l.SameRow(typ, w.Row(l, typ, row), truth.Row(l, typ, row), hidden) {
					t.Fatal("a body must never write a column outside its mask")
				}
				for c, v := range w.Row(l, typ, row) {
					if v>>ty.Columns[c].SubBits > ty.Columns[c].Maximum || v>>ty.Columns[c].SubBits < ty.Columns[c].Minimum {
						t.Fatal("a value out of range was written")
					}
				}
			}
		}
		NewSender(l, Down, 1).Acked(o.Ack)
		if _, err := recv.Read(w, b); err != ErrStale {
			t.Fatalf("the same body again: %v, want ErrStale", err)
		}
	})
}

func FuzzSnapshot(f *testing.F)    { fuzzBody(f, Down) }
func FuzzPublication(f *testing.F) { fuzzBody(f, Up) }

// busy is a world of n bodies of which a tenth move every tick.
func busy(t testing.TB, n uint32) (p *pair, tick func()) {
	p = newPair(t)
	for id := uint32(1); id <= n; id++ {
		p.spawn("body", id, 0)
	}
	p.know()
	var sums Sums
	var down, up []byte
	return p, func() {
		p.tick++
		for row := 0; row < int(n); row += 10 {
			p.host.w.Row(p.l, 0, row)[posX] = int32(p.tick & 0xffff)
		}
		p.host.tr.Update(p.host.w)
		sums.Update(p.l, p.host.w)
		down, _ = p.host.send.Write(down[:0], p.host.w, p.host.tr, p.host.recv, p.tick)
		o, err := p.client.recv.Read(p.client.w, down)
		if err != nil {
			t.Fatal(err)
		}
		p.client.send.Acked(o.Ack)
		p.client.tr.Update(p.client.w)
		up, _ = p.client.send.Write(up[:0], p.client.w, p.client.tr, p.client.recv, p.tick)
		if o, err = p.host.recv.Read(p.host.w, up); err != nil {
			t.Fatal(err)
		}
		p.host.send.Acked(o.Ack)
	}
}

func TestATickAllocatesNothingWhenWarm(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	_, tick := busy(t, 200)
	for i := 0; i < 200; i++ {
		tick()
	}
	if n := testing.AllocsPerRun(200, tick); n != 0 {
		t.Errorf("%v allocations a tick, want 0", n)
	}
}

func BenchmarkTick1000(b *testing.B) {
	p, tick := busy(b, 1000)
	b.ReportAllocs()
	for b.Loop() {
		tick()
	}
	b.ReportMetric(float64(p.host.send.Counts.Bytes)/float64(p.host.send.Counts.Bodies), "B/body")
}
