// Package enet speaks ENet's protocol over any transport.Link: connections
// with ordered channels, reliable, sequenced and unsequenced messages. It is
// byte-compatible with the C library and owns its state machine; it carries
// bytes and never knows what a message means, who may send it, or how a
// datagram travels. It starts no goroutine and reads no clock.
package enet

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"net/netip"
	"time"

	"demi.network/runtime/transport"
)

var errUnfinished = errors.New("enet: not ready")

// Host is the transport.Host of ENet. It is not safe for concurrent use: it
// belongs to the goroutine that calls it.
type Host struct {
	cfg  Config
	link transport.Link
}

var _ transport.Host = (*Host)(nil)

// New returns a Host over link, which belongs to it from then on: Close closes
// the link. A Config out of its ranges is a fault.Config.
func New(link transport.Link, cfg Config) (*Host, error) {
	cfg, err := cfg.withDefaults(link)
	if err != nil {
		return nil, err
	}
	return &Host{cfg: cfg, link: link}, nil
}

// Dial implements transport.Host.
func (h *Host) Dial(now time.Time, to netip.AddrPort) (transport.Peer, error) { return 0, errUnfinished }

// Poll implements transport.Host.
func (h *Host) Poll(now time.Time) (transport.Event, bool) { return transport.Event{}, false }

// Send implements transport.Host.
func (h *Host) Send(p transport.Peer, ch transport.Channel, mode transport.Mode, b []byte) error {
	return errUnfinished
}

// Drop implements transport.Host.
func (h *Host) Drop(p transport.Peer, code uint32) {}

// Disconnect, DisconnectLater, DisconnectNow and Reset are the four ways of
// wire.md § 7.
func (h *Host) Disconnect(p transport.Peer, code uint32) {}

// DisconnectLater is Disconnect once everything queued is acknowledged.
func (h *Host) DisconnectLater(p transport.Peer, code uint32) {}

// DisconnectNow says goodbye once and forgets the peer.
func (h *Host) DisconnectNow(p transport.Peer, code uint32) {}

// Reset forgets the peer without a word.
func (h *Host) Reset(p transport.Peer) {}

// Stats implements transport.Host.
func (h *Host) Stats(p transport.Peer) transport.Stats { return transport.Stats{} }

// Remote implements transport.Host.
func (h *Host) Remote(p transport.Peer) netip.AddrPort { return netip.AddrPort{} }

// Flush implements transport.Host.
func (h *Host) Flush(now time.Time) (time.Time, error) { return time.Time{}, nil }

// LocalAddr implements transport.Host.
func (h *Host) LocalAddr() netip.AddrPort { return h.link.LocalAddr() }

// Close disconnects every peer at once and closes the link.
func (h *Host) Close() error { return h.link.Close() }

// PeerCount returns how many connections there are, unfinished ones included.
func (h *Host) PeerCount() int { return 0 }

// SetThrottle sets how unreliable messages of a connection are thinned out, in
// both directions.
func (h *Host) Throttle(p transport.Peer, t Throttle) {}

// Timeout sets when silence ends one connection. Zero fields mean the default.
func (h *Host) Timeout(p transport.Peer, t Timeouts) {}

// BandwidthLimit sets the limits of Config in mid-life and tells the peers.
func (h *Host) BandwidthLimit(incoming, outgoing uint32) {}

func cryptoRandom() uint32 {
	var b [4]byte
	rand.Read(b[:]) // never fails; see crypto/rand
	return binary.BigEndian.Uint32(b[:])
}
