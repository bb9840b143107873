package enet

import "math/bits"

// pools recycles what a Host needs per message: buffers, outgoing commands and
// incoming packets. Everything in them belongs to one Host.
type pools struct {
	buffers  [bufferClasses][][]byte
	commands *outCommand
	packets  *inPacket
	seed     uint32
}

const (
	minBuffer     = 32
	bufferClasses = 9       // 32, 64, … 8192
	maxIdle       = 4 << 20 // bytes kept unused in one class; beyond it the collector gets them
)

// buffer returns n bytes with any contents.
func (s *pools) buffer(n int) []byte {
	if n == 0 {
		return nil
	}
	c := bufferClass(n)
	if c >= bufferClasses {
		return make([]byte, n)
	}
	free := s.buffers[c]
	if k := len(free); k > 0 {
		b := free[k-1]
		s.buffers[c] = free[:k-1]
		return b[:n]
	}
	return make([]byte, n, minBuffer<<c)
}

// release takes back what buffer returned.
func (s *pools) release(b []byte) {
	c := bufferClass(cap(b))
	if c >= bufferClasses || cap(b) != minBuffer<<c || len(s.buffers[c])<<c > maxIdle/minBuffer {
		return
	}
	s.buffers[c] = append(s.buffers[c], b)
}

func bufferClass(n int) int {
	if n <= minBuffer {
		return 0
	}
	return bits.Len(uint(n-1)) - bits.Len(minBuffer-1)
}

const poolBlock = 32 // objects made at a time

func (s *pools) command() *outCommand {
	if s.commands == nil {
		block := make([]outCommand, poolBlock)
		for i := range block {
			block[i].next = s.commands
			s.commands = &block[i]
		}
	}
	c := s.commands
	s.commands = c.next
	*c = outCommand{}
	return c
}

func (s *pools) freeCommand(c *outCommand) {
	s.release(c.bytes)
	*c = outCommand{next: s.commands}
	s.commands = c
}

func (s *pools) packet() *inPacket {
	if s.packets == nil {
		s.packets = &inPacket{}
	}
	p := s.packets
	s.packets = p.next
	p.next = nil
	p.parts.seed = s.seed
	return p
}

func (s *pools) freePacket(p *inPacket) {
	s.release(p.data)
	for i := range p.parts.slots {
		if p.parts.n > 0 && p.parts.slots[i].key != 0 {
			s.release(p.parts.slots[i].value)
		}
	}
	parts := p.parts
	parts.clear()
	*p = inPacket{parts: parts, next: s.packets}
	s.packets = p
}
