package enet

import (
	"net/netip"

	"demi.network/runtime/transport"
)

// admission limits how often one network may try to connect. Networks share a
// fixed number of buckets, found by a keyed hash, so that spoofed addresses
// cost no memory.
type admission struct {
	buckets []bucket
	seed    uint32
}

type bucket struct {
	thousandths int64 // of a CONNECT that may be spent
	at          millis
}

const admissionBuckets = 1024 // a power of two

// allow says whether ip's network may send another CONNECT, at rate a second
// with bursts of twice that.
func (a *admission) allow(ip netip.Addr, rate int, now millis) bool {
	if a.buckets == nil {
		a.buckets = make([]bucket, admissionBuckets)
		for i := range a.buckets {
			a.buckets[i].thousandths = 2000 * int64(rate)
		}
	}
	b := &a.buckets[a.hash(ip)%admissionBuckets]
	b.thousandths = min(b.thousandths+int64(min(now-b.at, 2000))*int64(rate), 2000*int64(rate))
	b.at = now
	if b.thousandths < 1000 {
		return false
	}
	b.thousandths -= 1000
	return true
}

// hash folds the network prefix of ip: /24 of IPv4, /56 of IPv6.
func (a *admission) hash(ip netip.Addr) uint32 {
	b := ip.As16()
	prefix := b[:7]
	if ip.Is4() {
		prefix = b[12:15]
	}
	x := a.seed ^ 0x9E3779B9
	for _, c := range prefix {
		x = (x ^ uint32(c)) * 0x85EBCA6B
		x ^= x >> 13
	}
	return x ^ x>>16
}

// admit finds a slot for someone who wants to connect, or returns nil when a
// limit forbids it. Unfinished handshakes make room, oldest first: an attacker
// who cannot answer pushes out only those who have not answered either. The
// newest connection with the same remote slot is before, if there is one: the
// new one is going to replace it and needs no room of its own.
func (h *Host) admit(from transport.Addr, before *peer) *peer {
	limits, list := &h.cfg.Handshakes, &h.slots.handshakes
	ip := h.link.Remote(from).Addr().Unmap()
	if !before.replaceable() && (h.slots.live >= h.cfg.MaxPeers || h.slots.perIP[ip] >= h.cfg.Limits.DuplicatePeers) {
		return nil
	}
	if !ip.IsLoopback() {
		if limits.Rate != noLimit && !h.admission.allow(ip, limits.Rate, h.clock.now) {
			return nil
		}
		if h.slots.perIP[ip] >= limits.PerIP {
			if oldest, n := list.oldestOf(ip); n >= limits.PerIP {
				h.evict(oldest)
			}
		}
	}
	if list.n >= limits.Total {
		h.evict(list.head)
	}
	p := h.slots.take()
	if p == nil && list.head != nil {
		h.evict(list.head)
		p = h.slots.take()
	}
	return p
}

// replaceable says that p or an older one is a connection.
func (p *peer) replaceable() bool {
	for ; p != nil; p = p.id.older {
		if p.live {
			return true
		}
	}
	return false
}

func (h *Host) evict(p *peer) {
	h.counters.Handshakes++
	h.free(p)
}

// handshakeDeadline returns when a handshake that begins now has taken too
// long. Without a limit of its own the connection's timeouts end it.
func (h *Host) handshakeDeadline() millis {
	if h.cfg.Handshakes.Timeout < 0 {
		return never - 1
	}
	return h.clock.now + ms(h.cfg.Handshakes.Timeout)
}

// overReplies says whether another n bytes would be more than a stranger may
// be sent for what came from his address.
func (h *Host) overReplies(p *peer, n int) bool {
	limit := h.cfg.Handshakes.Replies
	return p.state == stateAcceptingConnect && limit != noLimit &&
		p.traffic.bytesSent+uint64(n) > uint64(limit)*p.traffic.bytesReceived
}
