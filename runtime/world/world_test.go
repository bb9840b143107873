package world

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A World is compared with a map under random inserts and removes.
func TestTablesAgainstAMap(t *testing.T) {
	l := testLayout(t)
	r := rand.New(rand.NewPCG(5, 6))
	type entity struct {
		typ int
		h   Head
		row []int32
	}
	for round := 0; round < 20; round++ {
		w, model := New(l), map[uint32]entity{}
		for i := 0; i < 300; i++ {
			id := uint32(1 + r.IntN(100))
			if old, ok := model[id]; ok {
				if r.IntN(2) == 0 {
					if !w.Remove(id) {
						t.Fatalf("entity %d is there, and Remove did not find it", id)
					}
					delete(model, id)
				} else if typ, row, ok := w.Find(id); !ok || typ != old.typ || *w.Head(typ, row) != old.h || !slices.Equal(w.Row(l, typ, row), old.row) {
					t.Fatalf("entity %d is not what was inserted", id)
				}
				continue
			}
			if w.Remove(id) {
				t.Fatalf("Remove found entity %d, which is not there", id)
			}
			typ := r.IntN(len(l.Types))
			e := entity{typ, Head{ID: id, OwnGen: r.Uint32()}, randomRow(r, &l.Types[typ])}
			if row := w.Insert(l, typ, e.h, e.row); w.Head(typ, row).ID != id {
				t.Fatalf("Insert returned the row of another entity")
			}
			model[id] = e
		}
		if w.Len() != len(model) {
			t.Fatalf("%d entities, want %d", w.Len(), len(model))
		}
		for i := range w.Tables {
			if !slices.IsSortedFunc(w.Tables[i].Heads, func(a, b Head) int { return int(a.ID) - int(b.ID) }) {
				t.Fatal("heads must be in the order of ids")
			}
		}
		c := New(l)
		c.CopyFrom(w)
		if !Equal(c, w) || l.Hash(c, 0) != l.Hash(w, 0) {
			t.Fatal("a copy must be equal and have the same hash")
		}
	}
}

func TestInsertRefusesCallersMistakes(t *testing.T) {
	l := testLayout(t)
	for why, act := range map[string]func(*World){
		"the id 0":          func(w *World) { w.Insert(l, 0, Head{}, nil) },
		"a known id":        func(w *World) { w.Insert(l, 0, Head{ID: 1}, nil); w.Insert(l, 1, Head{ID: 1}, nil) },
		"a row of no width": func(w *World) { w.Insert(l, 0, Head{ID: 1}, []int32{}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Insert of %s must panic: it is a mistake of the caller", why)
				}
			}()
			act(New(l))
		}()
	}
}

// mover is a Simulation of one line: what is one's own moves.
type mover struct{ total int32 }

func (m *mover) Step(w *World, own []uint32, in []Input, out func(Effect)) {
	for _, id := range own {
		typ, row, ok := w.Find(id)
		if !ok {
			continue
		}
		n := len(w.Tables[typ].Cells) / len(w.Tables[typ].Heads)
		w.Tables[typ].Cells[row*n] += int32(len(in)) + m.total
		out(Effect{Kind: EffectCue, ID: id})
	}
}

// forgetful breaks the rule: it remembers something between steps.
type forgetful struct{ mover }

func (f *forgetful) Step(w *World, own []uint32, in []Input, out func(Effect)) {
	f.total++
	f.mover.Step(w, own, in, out)
}

// trespasser breaks the other: it writes rows of others.
type trespasser struct{ mover }

func (s *trespasser) Step(w *World, _ []uint32, in []Input, out func(Effect)) {
	s.mover.Step(w, []uint32{1, 2}, in, out)
}

func TestConformFindsEachBrokenRule(t *testing.T) {
	l := testLayout(t)
	w := New(l)
	w.Insert(l, 0, Head{ID: 1, OwnGen: 1}, nil)
	w.Insert(l, 0, Head{ID: 2, OwnGen: 1}, nil)
	in := []Input{{Peer: 1}}
	if err := Conform(l, w, &mover{}, []uint32{1}, in, 10); err != nil {
		t.Errorf("a simulation that keeps the rules: %v", err)
	}
	if Conform(l, w, &forgetful{}, []uint32{1}, in, 10) == nil {
		t.Error("a step that depends on what was stepped before must be found")
	}
	if Conform(l, w, &trespasser{}, []uint32{1}, in, 10) == nil {
		t.Error("a step that writes another's row must be found")
	}
}

func TestNothingAllocatesWhenWarm(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	l := testLayout(t)
	w, c := New(l), New(l)
	for id := uint32(1); id <= 50; id++ {
		w.Insert(l, int(id)%2, Head{ID: id, OwnGen: 1}, nil)
	}
	buf, row := make([]byte, 0, 4096), l.Types[0].Default()
	m := l.Types[0].All()
	var sum uint64
	if n := testing.AllocsPerRun(100, func() {
		c.CopyFrom(w)
		buf = l.AppendRow(buf[:0], 0, w.Row(l, 0, 0), m)
		_, _ = l.ReadRow(buf, 0, m, row)
		sum += l.Hash(w, 1)
		w.Find(25)
	}); n != 0 {
		t.Errorf("%v allocations a turn, want 0", n)
	}
}

func BenchmarkHash1000(b *testing.B) {
	l := testLayout(b)
	w := New(l)
	for id := uint32(1); id <= 1000; id++ {
		w.Insert(l, 0, Head{ID: id, OwnGen: 1}, nil)
	}
	b.ReportAllocs()
	for b.Loop() {
		l.Hash(w, 1)
	}
}

func BenchmarkAppendRow(b *testing.B) {
	l := testLayout(b)
	row := randomRow(rand.New(rand.NewPCG(1, 1)), &l.Types[0])
	buf := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		buf = l.AppendRow(buf[:0], 0, row, l.Types[0].All())
	}
}

func BenchmarkReadRow(b *testing.B) {
	l := testLayout(b)
	row := randomRow(rand.New(rand.NewPCG(1, 1)), &l.Types[0])
	buf := l.AppendRow(nil, 0, row, l.Types[0].All())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.ReadRow(buf, 0, l.Types[0].All(), row); err != nil {
			b.Fatal(err)
		}
	}
}
