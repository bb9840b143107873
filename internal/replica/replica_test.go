package replica

import (
	"errors"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"demi.network/contract"
	"demi.network/runtime/world"
)

const testContract = `{"format_version": 1, "id": "network-contract://t/replica", "replicated_prefabs": {
 "body": {"prefab": "prefab://body", "components": {
  "A": {"hp": {"type": "int", "minimum": 0, "maximum": 1000000}, "secret": {"type": "int", "visible_to": "server"},
        "ammo": {"type": "int", "visible_to": "owner"}},
  "Transform2D": {"position": {"write_by": "owner"}}}},
 "crate": {"prefab": "prefab://crate", "components": {"Transform2D": {"position": {"write_by": "owner"}}}}}}`

// Columns of "body", whose fields are in the order of their paths.
const (
	ammo = iota
	hp
	secret
	posX
	posY
)

func testLayout(t testing.TB) *world.Layout {
	t.Helper()
	c, problems := contract.LoadFile(fstest.MapFS{"c.json": {Data: []byte(testContract)}}, "c.json")
	if c == nil {
		t.Fatalf("the test's contract must load:\n%v", problems)
	}
	return world.NewLayout(c)
}

// side is one end: a World with what replicates it.
type side struct {
	w    *world.World
	tr   *Tracker
	send *Sender
	recv *Receiver
}

// pair is a host and client 1, whose bodies a test carries by hand.
type pair struct {
	t      testing.TB
	l      *world.Layout
	host   side
	client side
	tick   uint32
	hashes map[uint32]uint64 // what the client had to hold, for complete bodies
	checks int
}

func newPair(t testing.TB) *pair {
	l := testLayout(t)
	p := &pair{t: t, l: l, hashes: map[uint32]uint64{}}
	p.host = side{world.New(l), NewTracker(l, Down), NewSender(l, Down, 1), NewReceiver(l, Up, 1)}
	p.client = side{world.New(l), NewTracker(l, Up), NewSender(l, Up, 1), NewReceiver(l, Down, 1)}
	return p
}

// down makes the host's body for the next tick.
func (p *pair) down() []byte {
	p.tick++
	p.host.w.Tick = p.tick
	p.host.tr.Update(p.host.w)
	var sums Sums
	sums.Update(p.l, p.host.w)
	body, complete := p.host.send.Write(nil, p.host.w, p.host.tr, p.host.recv, p.tick)
	if complete {
		p.hashes[p.tick] = sums.For(1)
	}
	return body
}

// arrive hands a body to the client and checks the proof.
func (p *pair) arrive(body []byte) Outcome {
	p.t.Helper()
	o, err := p.client.recv.Read(p.client.w, body)
	if err != nil {
		if !errors.Is(err, ErrStale) {
			p.t.Fatalf("an honest body was refused: %v", err)
		}
		return o
	}
	p.client.send.Acked(o.Ack)
	if o.Whole && o.Complete {
		p.checks++
		if got := p.l.Hash(p.client.w, 1); got != p.hashes[o.Tick] {
			p.t.Fatalf("tick %d: the client holds %016x, must hold %016x", o.Tick, got, p.hashes[o.Tick])
		}
	}
	return o
}

// up carries an acknowledgement, and what the client published, to the host.
func (p *pair) up() []byte {
	p.client.tr.Update(p.client.w)
	body, _ := p.client.send.Write(nil, p.client.w, p.client.tr, p.client.recv, p.tick)
	return body
}

func (p *pair) heard(body []byte) {
	o, err := p.host.recv.Read(world.New(p.l), body) // rows do not count here
	if err == nil {
		p.host.send.Acked(o.Ack)
	}
}

// know tells the client of the host's entities, as session records do.
func (p *pair) know() {
	p.client.w.CopyFrom(p.host.w)
	for typ := range p.client.w.Tables {
		for row := range p.client.w.Tables[typ].Heads {
			copy(p.client.w.Row(p.l, typ, row), p.l.Types[typ].Default())
		}
	}
}

func (p *pair) spawn(typ string, id, owner uint32) {
	p.host.w.Insert(p.l, p.l.Type(typ), world.Head{ID: id, OwnGen: 1, Owner: owner}, nil)
}

func (p *pair) set(id uint32, column int, v int32) {
	typ, row, _ := p.host.w.Find(id)
	p.host.w.Row(p.l, typ, row)[column] = v
}

func TestWholeRowsUntilAcknowledged(t *testing.T) {
	p := newPair(t)
	p.spawn("body", 1, 0)
	p.spawn("crate", 2, 1)
	p.know()
	p.set(1, hp, 40)
	first := p.down()
	if second := p.down(); len(second) != len(first) {
		t.Errorf("an unacknowledged row must be sent again: %d bytes, then %d", len(first), len(second))
	}
	p.arrive(p.down())
	p.heard(p.up())
	quiet := p.down()
	if len(quiet) >= len(first) {
		t.Errorf("an acknowledged row must not be sent again: %d bytes, first %d", len(quiet), len(first))
	}
	p.arrive(quiet)
	if typ, row, _ := p.client.w.Find(1); p.client.w.Row(p.l, typ, row)[hp] != 40 {
		t.Error("the client must hold what the host set")
	}
}

func TestHiddenColumnsLeaveNoByteAndNoTiming(t *testing.T) {
	p := newPair(t)
	p.spawn("body", 1, 2) // another client's
	p.know()
	p.arrive(p.down())
	p.heard(p.up())
	still := len(p.down())
	p.set(1, secret, 123456)
	p.set(1, ammo, 654321)
	body := p.down()
	if len(body) != still {
		t.Errorf("a change of hidden columns made a body of %d bytes, want %d as before: nobody may see that it happened", len(body), still)
	}
	p.set(1, hp, 5)
	p.arrive(p.down())
	if typ, row, _ := p.client.w.Find(1); p.client.w.Row(p.l, typ, row)[secret] != 0 || p.client.w.Row(p.l, typ, row)[ammo] != 0 {
		t.Error("hidden columns must not reach the client with a row either")
	}
}

// The proof must be able to fail: one cell, on either side.
func TestOneFlippedCellIsFound(t *testing.T) {
	for _, onHost := range []bool{false, true} {
		p := newPair(t)
		p.spawn("body", 1, 1)
		p.know()
		p.arrive(p.down())
		p.heard(p.up())
		body := p.down()
		if onHost {
			p.set(1, posX, 1) // after the body was written: the host's row is not what was sent
			var s Sums
			s.Update(p.l, p.host.w)
			p.hashes[p.tick] = s.For(1)
		} else {
			typ, row, _ := p.client.w.Find(1)
			p.client.w.Row(p.l, typ, row)[posX]++
		}
		o, err := p.client.recv.Read(p.client.w, body)
		if err != nil || !o.Whole || !o.Complete {
			t.Fatalf("the body must be applied whole: %+v %v", o, err)
		}
		if p.l.Hash(p.client.w, 1) == p.hashes[o.Tick] {
			t.Errorf("flipped on host %v: one different cell and equal hashes", onHost)
		}
	}
}

func TestSumsAgreeWithTheHashOfAWorld(t *testing.T) {
	p := newPair(t)
	r := rand.New(rand.NewPCG(1, 1))
	for id := uint32(1); id <= 60; id++ {
		p.spawn([]string{"body", "crate"}[r.IntN(2)], id, r.Uint32N(5))
		p.set(id, 0, r.Int32N(1000))
	}
	var s Sums
	s.Update(p.l, p.host.w)
	if s.Server != p.l.Hash(p.host.w, 0) {
		t.Error("the host's own sum must be the hash of the world")
	}
	for peer := uint32(1); peer < 8; peer++ {
		if s.For(peer) != p.l.Hash(p.host.w, peer) {
			t.Errorf("what peer %d must hold is not what it would hash", peer)
		}
	}
}

// Field log B69: an entity moves, then rests; exactly the bodies with its last
// changes are lost. Whatever is lost, late, out of order or not yet known, the
// client has the value soon after.
func TestFieldLogB69LastChangeLost(t *testing.T) {
	for lost := 1; lost <= 10; lost++ {
		for _, way := range []string{"lost", "reordered", "unknown"} {
			p := newPair(t)
			p.spawn("body", 1, 0)
			if way != "unknown" {
				p.know()
			}
			var late [][]byte
			for i := 1; i <= 200; i++ {
				p.set(1, hp, int32(i))
				body := p.down()
				switch {
				case i <= 200-lost:
					p.arrive(body)
				case way == "reordered":
					late = append(late, body)
				}
				if i == 199 && way == "unknown" {
					p.know()
				}
				p.heard(p.up())
			}
			for i := len(late) - 1; i >= 0; i-- {
				p.arrive(late[i])
			}
			for i := 0; i < 3; i++ {
				p.arrive(p.down())
				p.heard(p.up())
			}
			typ, row, _ := p.client.w.Find(1)
			if got := p.client.w.Row(p.l, typ, row)[hp]; got != 200 {
				t.Errorf("last %d bodies %s: the client holds %d, want 200", lost, way, got)
			}
		}
	}
}

// Field log B70: the client hears but cannot answer. The same rows must not
// flood it, forged acknowledgements must not help it, and it catches up at once.
func TestFieldLogB70NoAcknowledgements(t *testing.T) {
	p := newPair(t)
	for id := uint32(1); id <= 20; id++ {
		p.spawn("body", id, 0)
	}
	p.know()
	normal, blocked := 0, 0
	for i := 0; i < 300; i++ {
		for id := uint32(1); id <= 20; id++ {
			p.set(id, posX, int32(i*20)+int32(id))
		}
		cut := i >= 100 && i < 100+135 // 4.5 s at 30 Hz
		if p.tick++; !p.host.send.Due(p.tick) {
			continue
		}
		p.tick--
		body := p.down()
		p.arrive(body)
		switch {
		case cut:
			blocked += len(body)
		default:
			if i < 100 {
				normal += len(body)
			}
			p.heard(p.up())
		}
	}
	if perTick, was := blocked/135, normal/100; perTick > 3*was {
		t.Errorf("%d bytes a tick without acknowledgements, %d with: more than three times", perTick, was)
	}
	before := p.host.send.Counts.ForgedAcks
	for _, a := range []Ack{{true, p.tick + 1, 0}, {true, p.tick + 1<<30, 5}} {
		p.host.send.Acked(a)
	}
	if got := p.host.send.Counts.ForgedAcks - before; got != 2 {
		t.Errorf("%d forged acknowledgements counted, want 2", got)
	}
	p.set(1, hp, 77)
	p.down() // lost
	p.host.send.Acked(Ack{Valid: true, Newest: p.tick + 9})
	p.arrive(p.down())
	if typ, row, _ := p.client.w.Find(1); p.client.w.Row(p.l, typ, row)[hp] != 77 {
		t.Error("a forged acknowledgement must not stop a row from being sent")
	}
}

// Field log B54: counters wrap, and a row that rested for long still changes.
func TestFieldLogB54TicksWrap(t *testing.T) {
	p := newPair(t)
	p.tick = 1<<32 - 50
	r := rand.New(rand.NewPCG(9, 9))
	p.spawn("body", 1, 0)
	p.spawn("body", 2, 0)
	p.know()
	steps := int32(3 * 65536)
	if raceEnabled {
		steps = 45000 // still past 2^32 and one change of the quiet entity
	}
	for i := int32(0); i < steps; i++ {
		p.set(1, posX, i)
		quiet := i%40000 == 39999
		if quiet {
			p.set(2, hp, i/40000+1)
		}
		for n := 0; n < 10; n++ {
			if body := p.down(); r.IntN(20) > 0 {
				p.arrive(body)
			}
			if body := p.up(); r.IntN(20) > 0 {
				p.heard(body)
			}
			if !quiet {
				break
			}
		}
		if quiet {
			if typ, row, _ := p.client.w.Find(2); p.client.w.Row(p.l, typ, row)[hp] != i/40000+1 {
				t.Fatalf("step %d: the quiet entity's change has not arrived within 10 ticks", i)
			}
		}
		if len(p.hashes) > 1000 {
			clear(p.hashes)
		}
	}
	if p.checks < int(steps)/2 {
		t.Errorf("only %d hashes were compared", p.checks)
	}
}

// Field log B71: values equal to a default, zero, and a new entity after an old
// one: a row says everything, whatever was there before.
func TestFieldLogB71DefaultsAndNewEntities(t *testing.T) {
	p := newPair(t)
	p.spawn("body", 1, 0)
	p.spawn("body", 2, 0)
	p.set(2, posX, 7)
	p.set(2, posX, 0) // in the same tick
	p.know()
	p.arrive(p.down())
	p.heard(p.up())
	p.host.w.Remove(1)
	p.client.w.Remove(1)
	p.spawn("body", 3, 0)
	p.client.w.Insert(p.l, 0, world.Head{ID: 3, OwnGen: 1}, []int32{9, 9, 9, 9, 9})
	for i := 0; i < 100; i++ {
		p.arrive(p.down())
		p.heard(p.up())
	}
	for _, id := range []uint32{2, 3} {
		typ, row, _ := p.client.w.Find(id)
		got := p.client.w.Row(p.l, typ, row)
		if got[hp] != 0 || got[posX] != 0 || got[posY] != 0 {
			t.Errorf("entity %d: %v, want zeros", id, got)
		}
	}
}

// A budget that is too small for everything still gets everything through, the
// longest waiting first, and says when it has.
func TestBudgetDefersAndCatchesUp(t *testing.T) {
	p := newPair(t)
	const n = 4000
	for id := uint32(1); id <= n; id++ {
		p.spawn("body", id, 0)
		p.set(id, posX, 1<<28+int32(id))
	}
	p.know()
	bodies := 0
	for {
		body := p.down()
		if bodies++; bodies > 40 {
			t.Fatal("a world of 4000 rows must get through in 40 bodies")
		}
		if len(body) > Budget+16 {
			t.Fatalf("a body of %d bytes is over the budget", len(body))
		}
		o := p.arrive(body)
		p.heard(p.up())
		if o.Complete {
			break
		}
	}
	if bodies < 3 || p.host.send.Counts.Deferred == 0 {
		t.Errorf("%d bodies: the test must overflow one", bodies)
	}
}
