package enet

import (
	"hash/crc32"

	"demi.network/runtime/transport"
)

// Counters counts what a Host refused, over all peers, since it was made.
type Counters struct {
	Datagrams   uint64 // received
	Malformed   uint64 // shorter than their header, over 4096 bytes, bad checksum, not to be unpacked
	Unknown     uint64 // for no connection, from a wrong address, or of an old session
	Commands    uint64 // that the protocol does not allow where they came
	Overflow    uint64 // messages that a limit on waiting data kept out
	Connects    uint64 // CONNECTs that a limit refused
	Handshakes  uint64 // unfinished ones that expired or made room
	LinkRefused uint64 // datagrams that the link did not take
}

// receive handles one datagram (wire.md § 2). Nothing in it can do worse than
// be dropped.
func (h *Host) receive(from transport.Addr, b []byte) {
	if b == nil {
		h.addressGone(from)
		return
	}
	h.counters.Datagrams++
	d, ok := getDatagramHeader(b)
	size := d.size()
	if h.cfg.Checksum {
		size += checksumSize
	}
	if !ok || len(b) < size || len(b) > MaxMTU {
		h.counters.Malformed++
		return
	}
	p := h.addressee(from, d)
	if p == nil && (d.peerID != noPeerID || !h.cfg.Accept) {
		h.counters.Unknown++
		return
	}
	commands := b[size:]
	if d.compressed {
		if commands = h.unpack(commands, p == nil); commands == nil {
			h.counters.Malformed++
			return
		}
	}
	if h.cfg.Checksum && !h.checksumHolds(p, b[:size], d.size(), commands) {
		h.counters.Malformed++
		return
	}
	if p == nil {
		h.onConnect(from, commands, len(b))
		return
	}
	if p.id.broadcast && p.state == stateConnecting && p.id.addr != from {
		h.rebind(p, from)
	}
	p.traffic.bytesReceived += uint64(len(b))
	p.traffic.packetsReceived++
	p.traffic.heard = h.clock.now
	h.commands(p, d, commands)
	if p.state != stateFree {
		h.timers.hint(p, p.deadline())
	}
}

// addressee returns the peer a datagram is for, if it may have come from it.
func (h *Host) addressee(from transport.Addr, d datagramHeader) *peer {
	p := h.slots.at(d.peerID)
	if p == nil || !hears.has(p.state) {
		return nil
	}
	if p.id.addr != from && !(p.id.broadcast && p.state == stateConnecting) {
		return nil
	}
	if p.id.remoteID != noPeerID && d.session != p.id.inSession {
		return nil
	}
	return p
}

// checksumHolds computes the checksum over the header, with a seed in its
// place, and the uncompressed commands (wire.md § 13).
func (h *Host) checksumHolds(p *peer, head []byte, at int, commands []byte) bool {
	seeded := h.out.buf[:maxHeader] // nothing is being built now, and a local array would be allocated
	n := copy(seeded, head)
	seed := [checksumSize]byte{}
	if p != nil {
		seed = p.id.connectID
	}
	copy(seeded[at:], seed[:])
	sum := crc32.Update(crc32.ChecksumIEEE(seeded[:n]), crc32.IEEETable, commands)
	return be.Uint32(head[at:]) == sum
}

// commands handles the commands of a datagram until its end, or until one of
// them is refused: what was handled before stays.
func (h *Host) commands(p *peer, d datagramHeader, b []byte) {
	handle := p.handle
	for n := 0; len(b) >= headerSize && n < h.cfg.Limits.Commands; n++ {
		hd := getHeader(b)
		k := hd.kind()
		if k == kindNone || k >= kindCount || len(b) < fixedSize[k] {
			break
		}
		data := b[fixedSize[k]:]
		length := dataLength(k, b)
		if length > len(data) {
			break
		}
		v := h.command(p, hd, b, data[:length:length])
		if v == refused {
			break
		}
		if hd.op&flagAcknowledge != 0 {
			if !d.hasTime {
				break
			}
			if p.handle == handle {
				h.acknowledge(p, hd, d.time, v)
			}
		}
		if p.handle != handle || p.state == stateZombie {
			return
		}
		if b = data[length:]; len(b) == 0 {
			return
		}
	}
	h.counters.Commands++
}

// command applies one command. b begins at its header and holds at least its
// fixed part.
func (h *Host) command(p *peer, hd header, b, data []byte) verdict {
	k := hd.kind()
	switch k {
	case kindAcknowledge:
		return h.onAck(p, getAck(b))
	case kindVerifyConnect:
		return h.onVerify(p, getConnect(b))
	case kindDisconnect:
		return h.onDisconnect(p, hd, be.Uint32(b[4:]))
	case kindConnect:
		return refused
	}
	if !takesData.has(p.state) {
		return refused
	}
	switch k {
	case kindPing:
		return handled
	case kindBandwidthLimit:
		h.onBandwidthLimit(p, getBandwidth(b[4:]))
		return handled
	case kindThrottleConfigure:
		p.path.throttle.conf = getThrottle(b[4:])
		return handled
	}
	if int(hd.channel) >= len(p.channels) || len(data) > h.cfg.Limits.Packet {
		return refused
	}
	if p.state == stateDisconnectLater {
		return stored // we are leaving: acknowledged and thrown away
	}
	switch k {
	case kindReliable:
		return h.onReliable(p, hd, data)
	case kindUnreliable:
		return h.onUnreliable(p, hd, getNumber(b), data)
	case kindUnsequenced:
		return h.onUnsequenced(p, hd, getNumber(b), data)
	case kindFragment:
		return h.onFragment(p, hd, getFragment(b), data)
	default:
		return h.onUnreliableFragment(p, hd, getFragment(b), data)
	}
}

// onUnsequenced delivers at once: unsequenced messages wait for nothing.
func (h *Host) onUnsequenced(p *peer, hd header, group uint16, data []byte) verdict {
	if h.roomToQueue(p, len(data)) && p.in.unseq.take(group) {
		h.deliver(p, hd.channel, transport.Unsequenced, data)
	}
	return handled
}

// addressGone ends the connections of an address that the link has lost.
func (h *Host) addressGone(a transport.Addr) {
	for p := h.slots.byAddr[a]; p != nil; {
		next := p.id.nextAtAddr
		if hears.has(p.state) {
			h.end(p, transport.Closed, 0)
		}
		p = next
	}
}
