package session

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
)

// peer is one connection at the host, welcomed or not.
type peer struct {
	machine
	link     transport.Peer
	sender   Sender // 0 until welcomed
	name     string
	observer bool
	refused  refusedHello
	stream   stream
	walk     walk
	guard    guard
	report   refusalReport
	doom     doom
	stats    transport.Stats // as of the last Advance
	heard    time.Time       // when it connected, and later when its transport last heard of it
}

// stream counts the reliable frames of a connection: what a resume would have
// to continue. Both sides count the same frames.
type stream struct {
	sent     uint32 // counted frames sent
	received uint32 // counted frames received
	acked    uint32 // of those sent, how many the other side says it received
	records  uint32 // life-cycle records sent
	applied  uint32 // of those, how many the other side says it applied
	queued   int    // reliable commands that the transport has not got rid of
}

// refusedHello is a peer that was turned away and may still say what differs.
type refusedHello struct {
	code fault.Code
	name string
	text string
}

// walk is the retained spawns on their way to a joiner, in the order of ids.
// Live records go to it for ids up to the cursor only: the walk covers the
// others.
type walk struct{ cursor uint32 }

// refusalReport gathers refused messages, so that the game hears of them once
// a second at most.
type refusalReport struct {
	count  int
	last   *Refusal
	issued nanos
}

// doom is an end that waits for Advance, since it must not happen while the
// peers are being walked.
type doom struct {
	code fault.Code
	text string
}

// hears says that life-cycle records of entity n go to the peer now.
func (p *peer) hears(n uint32) bool {
	return p.phase == PhaseActive || p.phase == PhaseReady && n <= p.walk.cursor
}

func (p *peer) condemn(code fault.Code, text string) {
	if p.doom.code == "" {
		p.doom = doom{code, text}
	}
}

// directory is everybody at the host. It is walked in the order of connecting
// (all) or joining (seated), never by ranging over the map.
type directory struct {
	links   map[transport.Peer]*peer
	all     []*peer
	seated  []*peer // welcomed, by rising sender
	newest  Sender  // the last number given out
	players int     // seated that are not observers
}

func (d *directory) add(p *peer) {
	d.links[p.link] = p
	d.all = append(d.all, p)
}

// seat gives a peer the next number.
func (d *directory) seat(p *peer) {
	d.newest++
	p.sender = d.newest
	d.seated = append(d.seated, p)
	if !p.observer {
		d.players++
	}
}

func (d *directory) remove(p *peer) {
	delete(d.links, p.link)
	d.all = without(d.all, p)
	if p.sender != 0 {
		d.seated = without(d.seated, p)
		if !p.observer {
			d.players--
		}
	}
}

func without(list []*peer, p *peer) []*peer {
	for i, q := range list {
		if q == p {
			return append(list[:i:i], list[i+1:]...)
		}
	}
	return list
}

// find returns a seated peer.
func (d *directory) find(s Sender) *peer {
	at, ok := slices.BinarySearchFunc(d.seated, s, func(p *peer, s Sender) int { return cmp.Compare(p.sender, s) })
	if !ok {
		return nil
	}
	return d.seated[at]
}

// pending counts connections that were not welcomed.
func (d *directory) pending() int { return len(d.all) - len(d.seated) }

// oldestPending returns the connection that has waited longest for a welcome;
// there is one when pending is not 0.
func (d *directory) oldestPending() *peer {
	for _, p := range d.all {
		if p.sender == 0 {
			return p
		}
	}
	panic("session: BUG: no connection is pending")
}

func (d *directory) observers() int { return len(d.seated) - d.players }

func (d *directory) active() int {
	n := 0
	for _, p := range d.seated {
		if p.phase == PhaseActive {
			n++
		}
	}
	return n
}

// called says whether a seated peer has that name, upper and lower case aside.
func (d *directory) called(name string) bool {
	for _, p := range d.seated {
		if strings.EqualFold(p.name, name) {
			return true
		}
	}
	return false
}
