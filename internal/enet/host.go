package enet

import (
	"net/netip"
	"time"

	"demi.network/runtime/transport"
)

// Host is the transport.Host of ENet. It is not safe for concurrent use: it
// belongs to the goroutine that calls it. A turn is: Poll until false, act,
// Flush.
type Host struct {
	cfg   Config
	link  transport.Link
	batch transport.Batcher // the link, if it gathers datagrams; else nil
	recv  func(transport.Addr, []byte)

	clock     clock
	turn      turn
	slots     slotTable
	timers    timers
	scratch   scratch
	dirty     []*peer // have something to send
	inbox     inbox
	held      int // cost of incomplete and early messages of all peers
	queued    int // cost of messages in the inbox
	admission admission
	band      hostBandwidth

	pools    pools
	out      builder
	coder    *rangeCoder // nil: no compression
	counters Counters
}

var _ transport.Host = (*Host)(nil)

// New returns a Host over link, which belongs to it from then on: Close closes
// the link. A Config out of its ranges is a fault.Config.
func New(link transport.Link, cfg Config) (*Host, error) {
	cfg, err := cfg.withDefaults(link)
	if err != nil {
		return nil, err
	}
	h := &Host{cfg: cfg, link: link}
	h.batch, _ = link.(transport.Batcher)
	h.recv = h.receive
	h.pools.seed = cfg.Random()
	h.admission.seed = cfg.Random()
	h.band.incoming, h.band.outgoing = cfg.IncomingBandwidth, cfg.OutgoingBandwidth
	slots := cfg.MaxPeers
	if cfg.Accept {
		slots = min(slots+cfg.Handshakes.Total, MaxPeers)
	}
	h.slots.init(slots)
	if cfg.Compress {
		h.coder = &rangeCoder{}
	}
	return h, nil
}

// Stats implements transport.Host.
func (h *Host) Stats(id transport.Peer) transport.Stats {
	p := h.slots.find(id)
	if p == nil {
		return transport.Stats{}
	}
	s := transport.Stats{
		RTT:    time.Duration(p.path.rtt) * time.Microsecond,
		RTTVar: time.Duration(p.path.rttVar) * time.Microsecond,
		Loss:   p.path.loss.mean,

		BytesSent: p.traffic.bytesSent, BytesReceived: p.traffic.bytesReceived,
		PacketsSent: p.traffic.packetsSent, PacketsRecv: p.traffic.packetsReceived,
		InFlight: p.out.inTransit, Queued: p.out.count, Throttled: p.traffic.throttled,
	}
	if p.traffic.heard != 0 {
		s.LastHeard = h.clock.when(p.traffic.heard)
	}
	return s
}

// Counters returns what the Host received and refused so far.
func (h *Host) Counters() Counters { return h.counters }

// PeerCount returns how many connections there are: standing ones, dialled
// ones that nobody answered yet, and those that are ending, but no unfinished
// incoming handshakes. A host that has dropped everyone may close at 0.
func (h *Host) PeerCount() int { return h.slots.live }

// Remote implements transport.Host. It is the zero AddrPort for an unknown
// peer.
func (h *Host) Remote(id transport.Peer) netip.AddrPort {
	if p := h.slots.find(id); p != nil {
		return h.link.Remote(p.id.addr)
	}
	return netip.AddrPort{}
}

// LocalAddr implements transport.Host.
func (h *Host) LocalAddr() netip.AddrPort { return h.link.LocalAddr() }

// Throttle sets how unreliable messages of a connection are thinned out, in
// both directions; the other side is told. It does nothing on a peer that is
// not connected.
func (h *Host) Throttle(id transport.Peer, t Throttle) {
	p := h.slots.find(id)
	if p == nil || p.state != stateConnected {
		return
	}
	p.path.throttle.configure(t.withDefaults())
	c := p.out.addControl(&h.pools, kindThrottleConfigure, flagAcknowledge)
	p.path.throttle.conf.put(c.bytes[4:])
	h.mark(p)
}

// Timeout sets when silence ends one connection, from now on; fields of zero or
// less mean the default, Drop is not looked at.
func (h *Host) Timeout(id transport.Peer, t Timeouts) {
	if p := h.slots.find(id); p != nil {
		t.Minimum, t.Maximum, t.Ping = max(t.Minimum, 0), max(t.Maximum, 0), max(t.Ping, 0)
		p.path.silence.configure(t.withDefaults())
		h.timers.hint(p, p.deadline())
	}
}

// Ping asks a connected peer for an answer now, whatever the interval.
func (h *Host) Ping(id transport.Peer) {
	if p := h.slots.find(id); p != nil && p.state == stateConnected {
		p.out.addControl(&h.pools, kindPing, flagAcknowledge)
		h.mark(p)
	}
}

// Close tells every peer once that the connection is over, with code 0, and
// closes the link. Who is still being accepted is told as well: it may take the
// connection for open already. The Host must not be used afterwards.
func (h *Host) Close() error {
	for _, p := range h.slots.peers {
		if p == nil || p.state == stateFree {
			continue
		}
		if takesData.has(p.state) || p.state == stateAcceptingConnect {
			h.goodbye(p, 0)
		}
		h.free(p)
	}
	if h.batch != nil {
		if err := h.batch.Flush(); err != nil {
			h.counters.LinkRefused++
		}
	}
	return h.link.Close()
}
