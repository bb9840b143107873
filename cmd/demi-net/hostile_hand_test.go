package main

import (
	"hash/fnv"

	"demi.network/contract"
	"demi.network/contract/payload"
	"demi.network/internal/wire"
	"demi.network/runtime/transport"
)

// greeting is what a hello says; zero means what an honest client would say.
type greeting struct {
	protocol uint16
	wants    uint8
	name     string
	scene    *contract.Digest
}

func (h *hand) hello(g greeting) []byte {
	if g.protocol == 0 {
		g.protocol = 1
	}
	if g.name == "" {
		g.name = "hand"
	}
	if g.scene == nil {
		g.scene = &h.con.Scene
	}
	c := wire.Writer([]byte{frameHello, 0})
	build := "by hand"
	c.U16(&g.protocol)
	c.U8(&g.wants)
	c.Text(&build, 64)
	c.Text(&g.name, 1<<20)
	c.Fixed(h.con.MeaningHash[:])
	c.Fixed(g.scene[:])
	n := len(h.con.Sections)
	c.Count(&n, 16, 0)
	for i := range h.con.Sections {
		s := &h.con.Sections[i]
		c.Text(&s.Name, 256)
		c.Fixed(s.Digest[:])
		keys := len(s.Keys)
		c.Count(&keys, 1024, 0)
		for j := range s.Keys {
			f := fnv.New32a()
			f.Write([]byte(s.Keys[j].Name))
			f.Write(s.Keys[j].Digest[:])
			sum := f.Sum32()
			c.U32(&sum)
		}
	}
	return append(c.Written(), 0, 0, 0) // no ticket, no token, nothing received
}

func (h *hand) ready() []byte {
	c := wire.Writer([]byte{frameReady, byte(h.epoch)})
	c.U32(&h.epoch)
	return c.Written()
}

// frame is a frame of this session.
func (h *hand) frame(kind byte, body ...byte) []byte {
	return append([]byte{kind, byte(h.epoch)}, body...)
}

// send queues a frame in any way, sensible or not. A full queue is no fault: a
// flooder's own transport pushes back before the host does.
func (h *hand) send(ch transport.Channel, mode transport.Mode, b []byte) bool {
	return h.enet.Send(h.peer, ch, mode, b) == nil
}

func (h *hand) reliable(b []byte) { h.send(0, transport.Reliable, b) }

// say sends a declared message the way its contract says. target is entity and
// generation, and the view tick where the rule has one.
func (h *hand) say(name, js string, target ...byte) {
	h.carry(h.con.Message(name), h.declared(name, encoded(h.con, name, js), target...))
}

func (h *hand) carry(m *contract.Message, frame []byte) {
	ch, mode := transport.Channel(3), transport.Sequenced
	switch {
	case m.Reliable:
		ch, mode = 0, transport.Reliable
	case !m.Ordered:
		mode = transport.Unsequenced
	}
	h.send(ch, mode, frame)
}

// declared is the frame of a declared message around any payload.
func (h *hand) declared(name string, pay []byte, target ...byte) []byte {
	m := h.con.Message(name)
	b := append(h.frame(frameMessage, byte(m.Index)), target...)
	return append(b, pay...)
}

// publish acknowledges the newest snapshot, as every honest client does.
func (h *hand) publish(rows ...byte) {
	c := wire.Writer(h.frame(framePublication))
	tick := h.tick + 1
	c.V32(&h.received)
	c.V32(&h.records)
	c.U32(&tick)
	flags, bits := uint8(1), uint32(0)
	if h.tick > 0 {
		flags = 3
	}
	if c.U8(&flags); flags == 3 {
		c.U32(&h.tick)
		c.U32(&bits)
	}
	h.send(1, transport.Sequenced, append(c.Written(), rows...))
}

// encoded is a payload under the schema of a message, "" being none.
func encoded(con *contract.Contract, message, js string) []byte {
	p := payload.Any()
	if message != "" {
		p = con.Message(message).Schema
	}
	var v payload.Value
	if err := p.DecodeJSON([]byte(js), payload.Limits{Depth: 64, Elements: 1e6, StringBytes: 1e6, Bytes: 1e7}, &v); err != nil {
		panic(js + ": " + err.Error())
	}
	return p.AppendWire(nil, &v)
}
