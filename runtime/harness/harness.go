// Package harness owns games of several Peers in memory: the whole stack, from
// ENet over an impaired network to the scene, on a virtual clock. It is for
// tests, ours and an embedder's: two seconds of play over a bad link take
// milliseconds, and equal seeds give equal bytes.
//
// It never reads a clock, never opens a socket and never starts a goroutine.
package harness

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"demi.network/contract"
	"demi.network/internal/enet"
	"demi.network/internal/netsim"
	"demi.network/runtime"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
	"demi.network/session"
)

// Config says what is played. Contract is needed.
type Config struct {
	Contract *contract.Contract
	Seed     uint64
	Link     string // how every direction behaves, as --link: "rtt=80,jitter=4,loss=2%"; "" = perfect
}

// Harness is a network with peers. It belongs to one goroutine.
type Harness struct {
	cfg   Config
	net   *netsim.Network
	rand  *rand.Rand
	start time.Time
	now   time.Time
	peers []*Peer
	host  netip.AddrPort
	ports int // handed out
}

// firstPort is where the ports of clients begin.
const firstPort = 49152

// Peer is a runtime.Peer with its scene. OnEvent and OnTick, if set, are the
// game: every tick first gives the events, then the tick, between BeginTick
// and EndTick. Without OnEvent events are taken and dropped. A game that polls
// for itself in OnTick, as scripts do, sets Polls.
type Peer struct {
	*runtime.Peer
	Name    string
	Scene   *Scene
	OnEvent func(session.Event)
	OnTick  func()
	Polls   bool

	next time.Time
	addr netip.AddrPort // of its newest socket
	err  error
}

// grain is the shortest step of the virtual clock.
const grain = 100 * time.Microsecond

// New returns a harness without peers. The error is a bad Link.
func New(cfg Config) (*Harness, error) {
	spec, err := netsim.ParseSpec(cfg.Link)
	if err != nil {
		return nil, err
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	h := &Harness{
		cfg: cfg, net: netsim.New(cfg.Seed), rand: rand.New(rand.NewPCG(cfg.Seed, 0x68617266)),
		start: start, now: start,
	}
	h.net.Impair(spec)
	return h, nil
}

// Peer adds a closed peer. change, if not nil, may alter its configuration.
func (h *Harness) Peer(name string, change func(*runtime.Config)) *Peer {
	p := &Peer{Name: name, Scene: NewScene(h.cfg.Contract), next: h.now}
	cfg := runtime.Config{
		Contract: h.cfg.Contract, Scene: p.Scene, PlayerName: name, Entropy: h.rand.Uint32,
		Listen: func(port int) (transport.Host, error) { return h.open(p, port, true) },
		Dial:   func(netip.AddrPort) (transport.Host, error) { return h.open(p, 0, false) },
	}
	if change != nil {
		change(&cfg)
	}
	p.Peer = runtime.New(cfg, h.now)
	h.peers = append(h.peers, p)
	return p
}

// Host adds a peer called "host" that hosts.
func (h *Harness) Host() *Peer {
	p := h.Peer("host", nil)
	p.err = p.Peer.Host(0)
	h.host = p.LocalAddr()
	return p
}

// Join adds a peer that joins the newest Host.
func (h *Harness) Join(name string) *Peer {
	p := h.Peer(name, nil)
	p.err = p.Connect(h.host)
	return p
}

// HostAddr is the address of the newest Host.
func (h *Harness) HostAddr() netip.AddrPort { return h.host }

// Err returns the first error of Host, Join or a broken socket.
func (h *Harness) Err() error {
	for _, p := range h.peers {
		if p.err != nil {
			return fmt.Errorf("%s: %w", p.Name, p.err)
		}
	}
	return nil
}

func (h *Harness) open(p *Peer, port int, accept bool) (transport.Host, error) {
	if port == 0 {
		// As an operating system does: a port that was free is not handed out
		// again at once, when the other side may still speak to it.
		h.ports++
		port = firstPort + h.ports%(65536-firstPort)
	}
	if port < 0 || port > 65535 {
		return nil, fault.New(fault.Bind, "no such port: %d", port)
	}
	link, err := h.net.Listen(netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(port)))
	if err != nil {
		return nil, err
	}
	p.addr = link.LocalAddr()
	return enet.New(link, enet.Config{Accept: accept, MaxPeers: 256, ConnectData: session.ConnectData, Random: h.rand.Uint32})
}

// Now is the virtual time.
func (h *Harness) Now() time.Time { return h.now }

// Elapsed is the virtual time since New.
func (h *Harness) Elapsed() time.Duration { return h.now.Sub(h.start) }

// Step plays for d: from one moment at which something is due to the next.
func (h *Harness) Step(d time.Duration) {
	h.Until(d, func() bool { return false })
}

// Until plays until done says so, for d at most, and returns what it said.
func (h *Harness) Until(d time.Duration, done func() bool) bool {
	end := h.now.Add(d)
	for {
		for _, p := range h.peers {
			p.turn(h.now)
		}
		if done() {
			return true
		}
		if !h.now.Before(end) {
			return false
		}
		h.now = h.soonest(end)
	}
}

// soonest is the next time at which something is due.
func (h *Harness) soonest(end time.Time) time.Time {
	next := end
	for _, p := range h.peers {
		if p.next.Before(next) {
			next = p.next
		}
	}
	if at, ok := h.net.Next(); ok && at.Before(next) {
		next = at
	}
	if least := h.now.Add(grain); next.Before(least) {
		next = least
	}
	return next
}

// turn is one turn of a peer's loop.
func (p *Peer) turn(now time.Time) {
	for n := p.Advance(now); n > 0; n-- {
		p.BeginTick()
		for !p.Polls {
			ev, ok := p.Poll()
			if !ok {
				break
			}
			if p.OnEvent != nil {
				p.OnEvent(ev)
			}
		}
		if p.OnTick != nil {
			p.OnTick()
		}
		p.EndTick()
	}
	next, err := p.Flush(now)
	if err != nil && p.err == nil {
		p.err = err
	}
	p.next = next
}

// Impair changes how the link behaves from now on, for all directions.
func (h *Harness) Impair(link string) error {
	spec, err := netsim.ParseSpec(link)
	if err == nil {
		h.net.Impair(spec)
	}
	return err
}

// Cut severs (or, with false, mends) what from sends to to.
func (h *Harness) Cut(from, to *Peer, cut bool) { h.net.CutPath(from.addr, to.addr, cut) }
