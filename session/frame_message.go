package session

import (
	"fmt"

	"demi.network/contract"
	"demi.network/internal/wire"
)

// message is a Message or a Relay: index, entity and generation when the rule
// has a target, view tick when it rewinds, the original sender when relayed;
// the payload is the rest.
type message struct {
	Index  uint32
	N, Gen uint32
	View   uint32
	Sender uint32 // relay only

	rule    *contract.Message // nil: the contract has no such index
	payload []byte
}

// code reads or writes all but the payload. Which fields there are depends on
// the rule, so an unknown index ends the reading.
func (m *message) code(c *wire.Coder, con *contract.Contract, relay bool) {
	c.V32(&m.Index)
	if c.Err() != nil || int64(m.Index) >= int64(len(con.Messages)) {
		return
	}
	m.rule = &con.Messages[m.Index]
	if m.rule.Target != contract.TargetNone {
		c.V32(&m.N)
		c.V32(&m.Gen)
	}
	if m.rule.Rewind {
		c.V32(&m.View)
	}
	if relay {
		c.V32(&m.Sender)
	}
}

// appendMessage encodes a whole frame around an encoded payload.
func (m *message) append(dst []byte, k kind, epoch uint32, con *contract.Contract) []byte {
	c := wire.Writer(append(dst, byte(k), byte(epoch)))
	m.code(&c, con, k == kindRelay)
	return append(c.Written(), m.payload...)
}

// read decodes a frame's body; the payload aliases it.
func (m *message) read(body []byte, con *contract.Contract, relay bool) bool {
	*m = message{}
	c := wire.Reader(body)
	m.code(&c, con, relay)
	if c.Err() != nil {
		return false
	}
	m.payload = c.Rest()
	return true
}

func (m *message) text(k kind) string {
	s := fmt.Sprintf("%s %d", k, m.Index)
	if m.rule != nil {
		s = fmt.Sprintf("%s %s", k, m.rule.Name)
		if m.rule.Target != contract.TargetNone {
			s += fmt.Sprintf(" entity=%d gen=%d", m.N, m.Gen)
		}
		if m.rule.Rewind {
			s += fmt.Sprintf(" view=%d", m.View)
		}
		if k == kindRelay {
			s += " sender=" + Sender(m.Sender).String()
		}
	}
	return s + fmt.Sprintf(" payload=%x", m.payload)
}

// FrameText describes a frame of this protocol in one line, for logs, packet
// listings and tests. con may be nil; then messages show as numbers. It
// accepts any bytes.
func FrameText(b []byte, con *contract.Contract) string {
	if len(b) < headerBytes {
		return fmt.Sprintf("malformed %x", b)
	}
	k, body := kind(b[0]), b[headerBytes:]
	if k == kindMessage || k == kindRelay {
		if con == nil {
			con = &contract.Contract{}
		}
		var m message
		if !m.read(body, con, k == kindRelay) {
			return fmt.Sprintf("malformed %s %x", k, body)
		}
		return m.text(k)
	}
	return plainText(k, body)
}

// plainText describes every frame but messages.
func plainText(k kind, body []byte) string {
	var f interface {
		coded
		fmt.Stringer
	}
	switch k {
	case kindHello:
		f = &hello{}
	case kindWelcome:
		f = &welcome{}
	case kindRefuse:
		f = &refuse{}
	case kindDiff:
		f = &diff{}
	case kindReady:
		f = &ready{}
	case kindActive:
		f = &active{}
	case kindGoodbye:
		f = &goodbye{}
	case kindSpawn:
		f = &spawns{}
	case kindDespawn:
		f = &despawn{}
	case kindOwnership:
		f = &ownership{}
	case kindSessionStart:
		return fmt.Sprintf("session_start payload=%x", body)
	case kindPublication, kindSnapshot:
		var o opaque
		c := wire.Reader(body)
		o.code(&c)
		if c.Err() != nil {
			return fmt.Sprintf("malformed %s %x", k, body)
		}
		return fmt.Sprintf("%s received=%d records=%d body=%d", k, o.Received, o.Records, c.Len())
	default:
		return fmt.Sprintf("unknown frame %d %x", k, body)
	}
	if !decode(body, f) {
		return fmt.Sprintf("malformed %s %x", k, body)
	}
	return f.String()
}
