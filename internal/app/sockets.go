package app

import (
	"errors"
	"net/netip"
	"time"

	"demi.network/internal/enet"
	"demi.network/internal/netsim"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
)

// channels is how many channels a connection has: docs/wire.md, § Channels.
const channels = 4

// sockets owns the link of the session that is open, if any, and makes the
// next one when the runtime asks for it.
type sockets struct {
	cfg  *Config
	link transport.Link
}

// listen opens a host's socket. A negative port is the system's choice.
func (s *sockets) listen(port int) (transport.Host, error) {
	if port > 65535 {
		return nil, fault.New(fault.Address, "port %d is not in 0…65535", port)
	}
	addr := s.cfg.Bind
	if !addr.IsValid() {
		addr = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	udp, err := transport.ListenUDP(netip.AddrPortFrom(addr, uint16(max(port, 0))))
	if err != nil {
		return nil, err
	}
	// How many may come in is the session's question, which answers with a
	// code; a slot costs nothing until somebody uses it.
	return s.open(udp, enet.Config{Accept: true, MaxPeers: enet.MaxPeers})
}

// dial opens a client's socket, connected to its target.
func (s *sockets) dial(to netip.AddrPort) (transport.Host, error) {
	udp, err := transport.DialUDP(to)
	if err != nil {
		return nil, err
	}
	return s.open(udp, enet.Config{MaxPeers: 1})
}

func (s *sockets) open(link transport.Link, cfg enet.Config) (transport.Host, error) {
	if s.cfg.Link != (netsim.Spec{}) {
		link = netsim.Wrap(link, s.cfg.Link, s.cfg.Seed)
	}
	cfg.Channels, cfg.ConnectData, cfg.Random = channels, ConnectData, s.cfg.Entropy
	h, err := enet.New(link, cfg)
	if err != nil {
		return nil, errors.Join(err, link.Close())
	}
	s.link = link
	return h, nil
}

// wait sleeps on the open link. Without one there is nothing to read, and the
// caller's own clock has to pass the time.
func (s *sockets) wait(until time.Time) {
	if w, ok := s.link.(transport.Waiter); ok {
		w.Wait(until)
	}
}

func (s *sockets) close() error {
	if s.link == nil {
		return nil
	}
	err := s.link.Close()
	s.link = nil
	return err
}
