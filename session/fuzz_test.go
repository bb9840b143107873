package session_test

import (
	"bytes"
	"testing"
	"time"

	"demi.network/contract"
	"demi.network/runtime/transport"
	"demi.network/session"
)

// script reads operations from fuzz bytes.
type script struct{ b []byte }

func (s *script) next() byte {
	if len(s.b) == 0 {
		return 0
	}
	c := s.b[0]
	s.b = s.b[1:]
	return c
}

func (s *script) take(n int) []byte {
	n = min(n, len(s.b))
	c := bytes.Clone(s.b[:n])
	s.b = s.b[n:]
	return c
}

// FuzzSession plays a script against a host that also has an honest client:
// a hostile client sends, repeats and corrupts frames, connects and goes, while
// the host acts. Whatever happens, nothing panics, the honest client ends with
// what the host has, and the hostile one never speaks for another.
func FuzzSession(f *testing.F) {
	f.Add([]byte{0, 1, 0, 1, 0, 0, 3, 0, 30, 6, 5, 3, 5, 0, 3, 1, 9, 2})
	f.Add([]byte{4, 4, 0, 1, 5, 1, 0, 0, 0, 3, 12, 1, 0, 5, 'h', 'e', 'l', 'l', 'o', 2, 2, 6})
	f.Add([]byte{7, 0, 12, 1, 6, 1, 1, 0, 65, 64, 8, 3, 3, 3, 6, 6, 9})
	con := load(f, "arena.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 400 {
			return
		}
		p := &hostileScript{script: script{b}, stage: newStage(t)}
		p.host(con, nil)
		honest := p.joined("honest")
		p.eve = p.join("eve", con, func(c *session.ClientConfig) { c.Unchecked = true })
		p.run(50 * time.Millisecond)
		for len(p.b) > 0 {
			p.step()
		}
		p.run(300 * time.Millisecond)
		if p.server.Phase() == session.PhaseActive {
			if honest.client.Phase() != session.PhaseActive {
				t.Fatalf("the honest client is %s: %s", honest.client.Phase(), p.log.String())
			}
			if want, got := heads(entities(p.truth, layoutOf(con))), heads(entities(honest.world, layoutOf(con))); want != got {
				t.Fatalf("the honest client has\n%s, the host\n%s", got, want)
			}
		}
		for _, ev := range honest.events {
			if ev.Kind == session.EventMessage && ev.Message.From == contract.ActorServer && ev.Sender != session.ServerSender {
				t.Fatalf("a client spoke as the host: %s", ev)
			}
			if ev.Kind == session.EventMessage && ev.Sender == 1 {
				t.Fatalf("somebody spoke as the honest client: %s", ev)
			}
		}
	})
}

type hostileScript struct {
	script
	*stage
	eve  *node
	last []byte
	ch   transport.Channel
	mode transport.Mode
}

// step plays one operation.
func (p *hostileScript) step() {
	switch p.next() % 10 {
	case 0: // any bytes
		p.where()
		p.last = p.take(int(p.next()) % 64)
		p.shoot()
	case 1: // a frame of this session
		p.where()
		k, n := p.next(), int(p.next())%48
		p.last = append([]byte{k % 17, byte(p.epoch)}, p.take(n)...)
		p.shoot()
	case 2: // again
		p.shoot()
	case 3: // a little different
		if len(p.last) > 0 {
			p.last[int(p.next())%len(p.last)] ^= 1 << (p.next() % 8)
			p.shoot()
		}
	case 4:
		_, _ = p.server.Spawn(p.now, int(p.next())%4, session.Sender(p.next()%4), nil)
	case 5:
		_ = p.server.Transfer(p.now, uint32(p.next())%16, session.Sender(p.next()%4))
	case 6:
		p.run(time.Duration(p.next()%8+1) * 10 * time.Millisecond)
	case 7: // a message that the client itself composes
		names := []string{"chat", "shot", "over", "poke", "push", "echo", "steer", "whisper", "claim", "wind"}
		js := []string{`{}`, `{"text":"x"}`, `{"dir":[1,0]}`, `7`, `[[[[[[1]]]]]]`, `"x"`}
		_ = p.eve.client.Send(p.now, names[int(p.next())%len(names)], p.id(uint32(p.next())%16), text(p.t, js[int(p.next())%len(js)]))
	case 8:
		_ = p.server.Despawn(p.now, uint32(p.next())%16)
	case 9: // drop the connection, and come again
		if len(p.nodes) < 8 {
			if p.next()%2 == 0 {
				p.eve.client.Leave(p.now, "E_NET_LEFT", "")
				p.once()
			}
			_ = p.eve.link.Close()
			p.eve.link = nil
			p.eve = p.join("eve", p.con, func(c *session.ClientConfig) { c.Unchecked, c.HoldReady = true, p.next()%2 == 0 })
		}
	}
}

func (p *hostileScript) where() {
	c := p.next()
	p.ch = transport.Channel(c % 5)
	p.mode = transport.Mode(c / 5 % 3)
}

func (p *hostileScript) shoot() {
	if p.eve.link != nil {
		_ = p.eve.link.Send(p.eve.peer, p.ch, p.mode, p.last)
	}
}

// FuzzClient lets a host say anything to a client: no panic, bounded memory,
// and the World stays one that can be read.
func FuzzClient(f *testing.F) {
	f.Add([]byte{0, 8, 9, 1, 5, 0, 0, 1, 3, 0, 0, 0})
	f.Add([]byte{0, 10, 4, 1, 2, 5, 0, 0, 9, 2, 1, 9, 0, 13, 5, 0, 1, 0, 2, 1})
	f.Add([]byte{2, 15, 3, 0, 0, 1})
	con := load(f, "arena.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 400 {
			return
		}
		s := newStage(t)
		s.host(con, nil)
		ann := s.joined("ann")
		s.spawned("crate", 1)
		s.run(30 * time.Millisecond)
		link := peerLink(s, 1)
		p := script{b}
		for len(p.b) > 0 {
			w := p.next()
			k, n := p.next(), int(p.next())%64
			frame := append([]byte{k % 17, byte(s.epoch)}, p.take(n)...)
			_ = s.link.Send(link, transport.Channel(w%5), transport.Mode(w/5%3), frame)
			if w%3 == 0 {
				s.run(10 * time.Millisecond)
			}
		}
		s.run(50 * time.Millisecond)
		if ann.world.Len() > 5000 {
			t.Fatalf("%d entities out of %d bytes", ann.world.Len(), len(b))
		}
		entities(ann.world, layoutOf(con))
		ann.client.Diagnostics()
	})
}
