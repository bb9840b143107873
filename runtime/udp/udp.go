// Package udp owns the sockets of a Peer: ENet over batched UDP, through a
// simulated bad link when asked to. It is what an embedder gives to
// runtime.Config as Listen and Dial. It never interprets a message, and never
// starts a goroutine: whoever runs the loop sleeps in Wait.
package udp

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"net/netip"
	"time"

	"demi.network/internal/enet"
	"demi.network/internal/netsim"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
)

// ConnectData marks a connection of this protocol, so that a host can tell it
// from the engine's own dialect (data 0) before a byte of it is read.
const ConnectData = 0x444E0001

// channels is how many channels a connection has (docs/wire.md, Channels).
const channels = 4

// Link is an impairment of what is sent: latency, jitter, loss and so on. The
// zero Link impairs nothing.
type Link = netsim.Spec

// ParseLink reads a link spec, "rtt=80,jitter=4,loss=2%", or the name of a
// preset: lan, broadband, wifi, 4g, 3g, bad. Errors are fault.Usage and name
// the key.
func ParseLink(spec string) (Link, error) { return netsim.ParseSpec(spec) }

// Network opens the sockets of one Peer, one after the other: a new Listen or
// Dial forgets the socket before it, which the Peer closes. It belongs to the
// goroutine of the Peer.
type Network struct {
	Bind netip.Addr // what Listen listens on; the zero Addr = 127.0.0.1
	Link Link       // what this side's own datagrams go through
	Seed uint64     // of Link
	// Entropy draws connect ids and seeds; nil = the system's. Only tests want
	// one that repeats.
	Entropy func() uint32

	open transport.Link
}

// Listen opens a host's socket on a port; 0 lets the system choose. Errors are
// fault.Address and fault.Bind.
func (n *Network) Listen(port int) (transport.Host, error) {
	if port < 0 || port > 65535 {
		return nil, fault.New(fault.Address, "port %d is not in 0…65535", port)
	}
	addr := n.Bind
	if !addr.IsValid() {
		addr = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	link, err := transport.ListenUDP(netip.AddrPortFrom(addr, uint16(port)))
	if err != nil {
		return nil, err
	}
	// How many may come in is the session's question, which answers with a
	// code; a slot costs nothing until somebody uses it.
	return n.host(link, enet.Config{Accept: true, MaxPeers: enet.MaxPeers})
}

// Dial opens a client's socket, connected to its target. Errors are fault.Bind
// and fault.Address.
func (n *Network) Dial(to netip.AddrPort) (transport.Host, error) {
	link, err := transport.DialUDP(to)
	if err != nil {
		return nil, err
	}
	return n.host(link, enet.Config{MaxPeers: 1})
}

func (n *Network) host(link transport.Link, cfg enet.Config) (transport.Host, error) {
	if n.Link != (Link{}) {
		link = netsim.Wrap(link, n.Link, n.Seed)
	}
	cfg.Channels, cfg.ConnectData, cfg.Random = channels, ConnectData, n.Entropy
	if cfg.Random == nil {
		cfg.Random = Entropy
	}
	h, err := enet.New(link, cfg)
	if err != nil {
		return nil, errors.Join(err, link.Close())
	}
	n.open = link
	return h, nil
}

// Wait sleeps until a datagram can be read or until, whichever is first; it
// may return early. False: no socket is open, and the caller has to pass the
// time itself.
func (n *Network) Wait(until time.Time) bool {
	w, ok := n.open.(transport.Waiter)
	if ok {
		w.Wait(until)
	}
	return ok
}

// Close closes the newest socket; closing it again is no fault.
func (n *Network) Close() error {
	if n.open == nil {
		return nil
	}
	err := n.open.Close()
	n.open = nil
	return err
}

// Entropy draws 32 bits from the system's random numbers: what a program gives
// to runtime.Config for its epochs.
func Entropy() uint32 {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return binary.LittleEndian.Uint32(b[:])
}
