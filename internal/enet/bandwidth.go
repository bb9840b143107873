package enet

// hostBandwidth is the limits of the host, in bytes a second; 0 is no limit.
type hostBandwidth struct {
	incoming, outgoing uint32
	limited            int    // peers that announced a limit of their own
	announce           bool   // the shares of the peers have changed
	epoch              millis // of the running interval
}

// peerBandwidth is what a peer announced, and what is queued for it.
type peerBandwidth struct {
	limits bandwidthCommand
	queued uint64 // bytes of data since the interval began
	fixed  bool   // its share of the interval is settled
}

const bandwidthInterval millis = 1000

// sharePasses is how often what some peers cannot use is shared out again:
// peers that announce nicely graded rates could have us do it for each of them.
const sharePasses = 16

// windowFor returns how many bytes may be in flight between two sides that
// limit themselves to a and b bytes a second (wire.md § 6.2).
func windowFor(a, b uint32) int {
	slower := min(a, b)
	if slower == 0 {
		slower = max(a, b)
	}
	if slower == 0 {
		return maxWindow
	}
	return int(clampWindow(slower / maxWindow * minWindow))
}

// BandwidthLimit sets both limits in mid-life; the peers are told within a
// second. 0 is no limit.
func (h *Host) BandwidthLimit(incoming, outgoing uint32) {
	h.band.incoming, h.band.outgoing = incoming, outgoing
	h.band.announce = true
	for _, p := range h.slots.peers {
		if p != nil && p.state == stateConnected {
			p.out.window = windowFor(outgoing, p.band.limits.incoming)
		}
	}
}

// setPeerBandwidth takes what a peer announces.
func (h *Host) setPeerBandwidth(p *peer, b bandwidthCommand) {
	if (p.band.limits.incoming != 0) != (b.incoming != 0) {
		if b.incoming != 0 {
			h.band.limited++
		} else {
			h.band.limited--
			p.path.throttle.setLimit(throttleScale)
		}
	}
	p.band.limits = b
	p.out.window = windowFor(h.band.outgoing, b.incoming)
}

// partWith forgets what a peer announced. The others may share its part, if it
// had one.
func (h *Host) partWith(p *peer) {
	h.setPeerBandwidth(p, bandwidthCommand{})
	if h.band.incoming != 0 && p.state != stateAcceptingConnect && p.state != stateConnecting {
		h.band.announce = true
	}
}

func (h *Host) onBandwidthLimit(p *peer, b bandwidthCommand) {
	h.setPeerBandwidth(p, b)
	if p.out.unsent() {
		h.mark(p)
	}
}

// active says that intervals matter.
func (b *hostBandwidth) active() bool { return b.outgoing != 0 || b.limited > 0 || b.announce }

// due returns when the running interval ends.
func (b *hostBandwidth) due() millis {
	if !b.active() {
		return never
	}
	return b.epoch + bandwidthInterval
}

// shareBandwidth ends an interval (wire.md § 15).
func (h *Host) shareBandwidth() {
	elapsed := h.clock.now - h.band.epoch
	if elapsed < bandwidthInterval {
		return
	}
	h.band.epoch = h.clock.now
	if !h.band.active() {
		h.connected(func(p *peer) { p.band.queued = 0 })
		return
	}
	// After a stall no more than two intervals' worth may be spent.
	h.shareOutgoing(uint64(min(elapsed, 2*bandwidthInterval)))
	if h.band.announce {
		h.band.announce = false
		h.announceBandwidth()
	}
}

// connected calls f with every connected peer, in slot order.
func (h *Host) connected(f func(*peer)) {
	for _, p := range h.slots.peers {
		if p != nil && p.state == stateConnected {
			f(p)
		}
	}
}

// shareOutgoing sets how much of the unreliable data each peer may get. Peers
// that cannot take their part of the whole get what they can take, and the
// rest is shared among the others.
func (h *Host) shareOutgoing(elapsed uint64) {
	const unlimited = 1 << 62
	budget := uint64(unlimited)
	if h.band.outgoing != 0 {
		budget = uint64(h.band.outgoing) * elapsed / 1000
	}
	total := uint64(0)
	h.connected(func(p *peer) {
		p.band.fixed = false
		total += p.band.queued
	})
	ratio := uint64(throttleScale)
	for again := true; again; {
		again = false
		ratio = throttleScale
		if total > budget {
			ratio = budget * throttleScale / total
		}
		h.connected(func(p *peer) {
			can := uint64(p.band.limits.incoming) * elapsed / 1000
			if p.band.fixed || p.band.limits.incoming == 0 || ratio*p.band.queued/throttleScale <= can {
				return
			}
			p.path.throttle.setLimit(uint32(max(1, can*throttleScale/p.band.queued)))
			p.band.fixed, again = true, true
			total -= p.band.queued
			budget -= min(can, budget)
		})
	}
	h.connected(func(p *peer) {
		if !p.band.fixed {
			p.path.throttle.setLimit(uint32(ratio))
		}
		p.band.queued = 0
	})
}

// announceBandwidth tells every peer its part of the incoming limit: an equal
// one, but for those that cannot send as much.
func (h *Host) announceBandwidth() {
	left, rest := 0, uint64(h.band.incoming)
	h.connected(func(p *peer) {
		p.band.fixed = false
		left++
	})
	share := uint64(0)
	again := true
	for pass := 0; again && left > 0 && pass < sharePasses; pass++ {
		again = false
		share = rest / uint64(left)
		h.connected(func(p *peer) {
			out := uint64(p.band.limits.outgoing)
			if p.band.fixed || h.band.incoming == 0 || out == 0 || out >= share {
				return
			}
			p.band.fixed, again = true, true
			rest -= out
			left--
		})
	}
	h.connected(func(p *peer) {
		in := uint32(share)
		if p.band.fixed {
			in = p.band.limits.outgoing
		}
		c := p.out.addControl(&h.pools, kindBandwidthLimit, flagAcknowledge)
		bandwidthCommand{in, h.band.outgoing}.put(c.bytes[4:])
		h.mark(p)
	})
}
