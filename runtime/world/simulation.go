package world

import (
	"fmt"
	"slices"
)

// Input is what one peer wants in one tick.
type Input struct {
	Peer    uint32   // who
	Values  []int32  // by input index, in steps of contract.Input.Step
	Actions []Action // in the order they were made
}

// Action is one thing done in a tick, beside the held inputs.
type Action struct {
	Kind    uint16 // message index
	Payload []byte // encoded; the receiver of the action may not keep it
	View    uint32 // the tick its maker saw
}

// EffectKind is what an Effect is.
type EffectKind uint8

// The effects. They leave a step through its out function, so that a replayed
// step can throw them away.
const (
	EffectNone    EffectKind = iota
	EffectSpawn              // make an entity of Type at Cells for Owner, after the tick
	EffectDespawn            // remove ID after the tick
	EffectCue                // something to show or hear: Code, at ID
)

// Effect is news of a step that is not state. The server executes spawns and
// despawns after the tick; a client drops them.
type Effect struct {
	Kind  EffectKind
	ID    uint32
	Type  int
	Owner uint32
	Code  uint32
	Cells []int32 // valid until out returns
}

// Simulation makes the next World. Step depends on its arguments only: no
// clock, no randomness but w.Rand, nothing remembered between calls. own are
// the ids, rising, that this peer simulates; other rows are stand-ins, to be
// read and collided with, never written. A step never spawns or removes: it
// emits effects.
type Simulation interface {
	Step(w *World, own []uint32, in []Input, out func(Effect))
}

// Conform puts a Simulation through the rules of the interface, stepping a
// copy of w ticks times: the same arguments give the same World, whatever was
// stepped between; rows outside own and every head stay as they were. It
// returns the first rule that is broken.
func Conform(l *Layout, w *World, s Simulation, own []uint32, in []Input, ticks int) error {
	cur, again, before := New(l), New(l), New(l)
	cur.CopyFrom(w)
	drop := func(Effect) {}
	for i := 0; i < ticks; i++ {
		before.CopyFrom(cur)
		s.Step(cur, own, in, drop)
		cur.Tick = before.Tick + 1
		for n := 0; n < 2; n++ {
			again.CopyFrom(before)
			s.Step(again, own, in, drop)
			again.Tick = cur.Tick
			if !Equal(cur, again) {
				return fmt.Errorf("world: tick %d: stepping again from the same state gave another state", cur.Tick)
			}
			s.Step(again, own, in, drop) // must leave no trace in s
		}
		for typ := range cur.Tables {
			if !slices.Equal(cur.Tables[typ].Heads, before.Tables[typ].Heads) {
				return fmt.Errorf("world: tick %d: a step changed the heads of type %s", cur.Tick, l.Types[typ].Key)
			}
			for row, h := range cur.Tables[typ].Heads {
				if !slices.Contains(own, h.ID) && !slices.Equal(cur.Row(l, typ, row), before.Row(l, typ, row)) {
					return fmt.Errorf("world: tick %d: a step wrote entity %d, which is not its own", cur.Tick, h.ID)
				}
			}
		}
	}
	return nil
}

// Equal reports whether two Worlds are the same, bit for bit.
func Equal(a, b *World) bool {
	if a.Tick != b.Tick || a.Rand != b.Rand || len(a.Tables) != len(b.Tables) {
		return false
	}
	for i := range a.Tables {
		if !slices.Equal(a.Tables[i].Heads, b.Tables[i].Heads) || !slices.Equal(a.Tables[i].Cells, b.Tables[i].Cells) {
			return false
		}
	}
	return true
}
