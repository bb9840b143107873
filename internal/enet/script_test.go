package enet

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"demi.network/internal/netsim"
	"demi.network/runtime/transport"
)

// FuzzPeers lets the input write a script for two peers: what they send, and
// what the network does to each datagram. Whatever happens to datagrams as
// wholes, messages arrive in order and once, byte for byte; corrupted ones may
// change a message but break nothing.
func FuzzPeers(f *testing.F) {
	f.Add([]byte("connect and send a little"))
	f.Add(bytes.Repeat([]byte{0, 3, 9, 17, 33, 65, 120, 240, 255}, 40))
	f.Add(bytes.Repeat([]byte{0x01, 0x22, 0x43, 0x64, 0x85, 0xa6, 0xc7, 0xe0}, 60))
	f.Add([]byte{0, 0, 8, 8, 8, 7, 7, 7, 1, 1, 1, 6, 6, 6, 2, 3, 2, 3, 9, 9})
	f.Fuzz(func(t *testing.T, script []byte) {
		runScript(t, script[:min(len(script), 2000)], false)
		runScript(t, script[:min(len(script), 2000)], true)
	})
}

// scripted is one run of a script.
type scripted struct {
	t       *testing.T
	w       *world
	ends    [2]*end
	peers   [2]transport.Peer
	corrupt bool // datagrams may be changed, so that their content proves nothing
	fate    byte // of the next datagrams
	held    []netsim.Record
	sent    [2][3]int // messages by side and mode
	got     [2][3]int
	over    [2]bool
}

func runScript(t *testing.T, script []byte, corrupt bool) {
	s := &scripted{t: t, w: newWorld(t, 1), corrupt: corrupt}
	cfg := Config{Accept: true, Timeouts: Timeouts{Minimum: time.Second, Maximum: 2 * time.Second}, Throttle: Throttle{Off: true}}
	for i := range s.ends {
		s.ends[i] = s.w.add(cfg)
	}
	s.w.net.Filter = s.filter
	var err error
	if s.peers[0], err = s.ends[0].h.Dial(s.w.now, s.ends[1].h.LocalAddr()); err != nil {
		t.Fatal(err)
	}
	for _, b := range script {
		s.do(b)
		s.check()
	}
	s.fate = 0
	// Left alone, everything arrives or ends.
	for range 500 {
		s.w.step(20 * time.Millisecond)
		s.check()
	}
	for i, e := range s.ends {
		if p := s.peers[i]; p != 0 && e.h.slots.find(p) != nil && !s.over[0] && !s.over[1] && !corrupt {
			if q := e.h.Stats(p).Queued; q > 1 {
				t.Fatalf("side %d: %d commands are stuck on a perfect link", i, q)
			}
			if s.sent[i][0] != s.got[1-i][0] && e.h.slots.find(p).state == stateConnected {
				t.Fatalf("side %d sent %d reliable messages, %d arrived", i, s.sent[i][0], s.got[1-i][0])
			}
		}
		e.h.Reset(s.peers[i])
	}
	s.w.net.Filter = func(time.Time, netip.AddrPort, netip.AddrPort, []byte) netsim.Verdict { return netsim.Drop }
	s.w.run(10*time.Second, 200*time.Millisecond)
	for _, e := range s.ends {
		checkIdle(t, "after the script", e.h)
	}
}

// do performs one byte of the script: the low bits say what, the high ones how.
func (s *scripted) do(b byte) {
	i, arg := int(b>>3&1), int(b>>4)
	e, p := s.ends[i], s.peers[i]
	switch b & 7 {
	case 0:
		s.w.run(time.Duration(1+arg*3)*time.Millisecond, time.Millisecond)
	case 1, 2, 3:
		mode := transport.Mode(b&7 - 1)
		n := [16]int{0, 1, 2, 3, 20, 100, 500, 1000, 1168, 1169, 1200, 2000, 2336, 2337, 5000, 20000}[arg]
		if e.h.Send(p, transport.Channel(mode), mode, scriptMessage(s.sent[i][mode], n)) == nil {
			s.sent[i][mode]++
		}
	case 4:
		s.fate = byte(arg)
	case 5:
		for _, r := range s.held {
			s.w.net.Inject(s.w.now, r.From, r.To, r.Bytes)
		}
		s.held = s.held[:0]
	case 6:
		s.w.turn(e)
	case 7:
		switch {
		case arg == 15:
			e.h.Disconnect(p, 1)
			s.over[i] = true
		case arg == 14:
			e.h.DisconnectLater(p, 1)
			s.over[i] = true
		case arg == 13:
			e.h.Drop(p, 1)
			s.over[i] = true
		default:
			s.w.now = s.w.now.Add(time.Duration(arg*arg) * 10 * time.Millisecond)
		}
	}
}

// filter does to a datagram what the script says: lose, double, hold back or
// corrupt it.
func (s *scripted) filter(now time.Time, from, to netip.AddrPort, b []byte) netsim.Verdict {
	keep := netsim.Record{From: from, To: to, Bytes: append([]byte(nil), b...)}
	switch {
	case s.fate < 8:
	case s.fate < 10:
		return netsim.Drop
	case s.fate < 12:
		s.w.net.Inject(now, from, to, keep.Bytes)
	case s.fate < 14:
		if len(s.held) < 64 {
			s.held = append(s.held, keep)
		}
		return netsim.Drop
	case s.corrupt && len(b) > 0:
		b[(int(s.fate)*7+len(b))%len(b)] ^= s.fate
	}
	return netsim.Impair
}

// scriptMessage is n bytes that say which message of its kind it is.
func scriptMessage(number, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(number*31 + i*7 + n)
	}
	return b
}

func (s *scripted) check() {
	for i, e := range s.ends {
		for _, ev := range e.events {
			switch ev.Kind {
			case transport.Connected:
				if s.peers[i] == 0 {
					s.peers[i] = ev.Peer
				}
			case transport.Disconnected:
				s.over[i] = true
			case transport.Message:
				if s.corrupt || ev.Peer != s.peers[i] {
					continue
				}
				s.matches(i, ev)
			}
		}
		e.events = e.events[:0]
	}
}

// matches finds the message among those that may come next on its channel.
func (s *scripted) matches(i int, ev transport.Event) {
	mode := int(ev.Channel)
	last := s.sent[1-i][mode]
	for n := s.got[i][mode] * b2i(mode != 2); n < last; n++ {
		if bytes.Equal(ev.Data, scriptMessage(n, len(ev.Data))) {
			s.got[i][mode] = n + 1
			return
		}
		if mode == 0 {
			break // reliable: this one and no other
		}
	}
	s.t.Fatalf("side %d: %d bytes on channel %d are none of the messages that may come now (%d of %d)",
		i, len(ev.Data), mode, s.got[i][mode], last)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
