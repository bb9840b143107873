package runtime

import (
	"time"

	"demi.network/internal/replica"
	"demi.network/internal/wire"
	"demi.network/runtime/transport"
	"demi.network/runtime/world"
	"demi.network/session"
)

// client is what a Peer has while it joins or has joined a host. It keeps two
// Worlds: view is what the host says, and is what the proof is taken of; mine
// is what this peer publishes of the entities it owns. The echo of one's own
// columns arrives in view and never touches mine or the scene.
type client struct {
	sess    *session.Client
	link    transport.Peer
	stats   transport.Stats // newest that were not zero
	layout  *world.Layout
	view    *world.World
	mine    *world.World
	tracker *replica.Tracker  // of mine
	send    *replica.Sender   // nil until active
	recv    *replica.Receiver // nil until active
	proof   replica.Proof
	tick    uint32   // of publications
	started bool     // a snapshot was read: view.Tick is its tick, and no longer the Welcome's
	changed bool     // heads of view may have changed since the last adopt
	records uint32   // life-cycle records at the last adopt
	taken   []uint32 // entities whose values the scene must start from anew
	body    []byte
}

func newClient(sess *session.Client, link transport.Peer, l *world.Layout, view *world.World, tick uint32) *client {
	return &client{
		sess: sess, link: link, layout: l, view: view, mine: world.New(l),
		tracker: replica.NewTracker(l, replica.Up), tick: tick,
	}
}

func (c *client) me() uint32 { return uint32(c.sess.Sender()) }

func (c *client) active() bool { return c.sess.Phase() == session.PhaseActive }

// drain takes what has arrived.
func (c *client) drain(now time.Time, host transport.Host) {
	for {
		ev, ok := host.Poll(now)
		if !ok {
			break
		}
		if o, ok := c.sess.Handle(now, ev); ok && o.Kind == session.Snapshot {
			c.snapshot(o)
		}
	}
	c.sess.Advance(now)
	if !c.started {
		c.view.Tick = c.sess.Tick()
	}
	if st := host.Stats(c.link); st.PacketsRecv >= c.stats.PacketsRecv {
		c.stats = st
	}
	if c.changed || c.records != c.sess.Records() {
		c.adopt()
	}
}

// start makes the replication of a connection, once one's number is known.
func (c *client) start() {
	if c.recv == nil {
		c.send = replica.NewSender(c.layout, replica.Up, c.me())
		c.recv = replica.NewReceiver(c.layout, replica.Down, c.me())
	}
}

// snapshot reads the host's rows and notes what this peer now holds, when it
// is meant to hold the same as the host: nothing waits for a later snapshot,
// and the same life-cycle records have been applied.
func (c *client) snapshot(o session.Opaque) {
	c.start()
	out, err := c.recv.Read(c.view, o.Body)
	switch err {
	case nil:
	case replica.ErrStale:
		return
	case wire.ErrRange, wire.ErrTruncated, wire.ErrTrailing:
		c.sess.Note(session.Refuse(session.ReasonTruncated))
		return
	default:
		c.sess.Note(session.Refuse(session.ReasonOversized))
		return
	}
	c.changed = true
	c.view.Tick, c.started = out.Tick, true
	c.sess.SetView(out.Tick)
	c.send.Acked(out.Ack)
	if out.Complete && out.Whole && o.Records == c.sess.Records() {
		c.proof.Note(out.Tick, c.layout.Hash(c.view, c.me()))
	}
}

// adopt brings mine in line with what view says this peer owns. A row that is
// new, of a new generation, or overruled by the host starts from the host's
// values; nothing is published of it before this peer changes something.
func (c *client) adopt() {
	c.changed, c.records = false, c.sess.Records()
	me := c.me()
	if me == 0 {
		return
	}
	c.start()
	known := len(c.taken)
	for typ := range c.view.Tables {
		c.abandon(typ, me)
		for row := range c.view.Tables[typ].Heads {
			h := c.view.Head(typ, row)
			if h.Owner != me {
				continue
			}
			if at, ok := c.mine.FindIn(typ, h.ID); ok {
				if *c.mine.Head(typ, at) == *h {
					continue
				}
				c.mine.Remove(h.ID)
			}
			c.mine.Insert(c.layout, typ, *h, c.view.Row(c.layout, typ, row))
			c.taken = append(c.taken, h.ID)
		}
	}
	if added := c.taken[known:]; len(added) > 0 {
		c.tracker.Update(c.mine)
		c.send.Adopt(c.mine, c.tracker, added)
	}
}

// abandon takes out the rows of mine that are no longer this peer's.
func (c *client) abandon(typ int, me uint32) {
	for at := len(c.mine.Tables[typ].Heads) - 1; at >= 0; at-- {
		id := c.mine.Head(typ, at).ID
		if row, ok := c.view.FindIn(typ, id); !ok || c.view.Head(typ, row).Owner != me {
			c.mine.Remove(id)
		}
	}
}

// endTick sends the publication: what this peer wrote and the host has not
// acknowledged, and the acknowledgement of snapshots.
func (c *client) endTick(now time.Time) {
	c.tick++
	c.mine.Tick = c.tick
	if !c.active() {
		return
	}
	c.start()
	if !c.send.Due(c.tick) {
		return
	}
	c.tracker.Update(c.mine)
	c.body, _ = c.send.Write(c.body[:0], c.mine, c.tracker, c.recv, c.tick)
	c.sess.SendPublication(now, c.body)
}
