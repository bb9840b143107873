package session

import (
	"time"

	"demi.network/contract"
	"demi.network/runtime/fault"
)

// Diagnostics is a look at a session.
type Diagnostics struct {
	Phase     Phase
	Epoch     uint32
	Local     Sender
	Peers     int            // active players and observers; at a client 1 when active
	Sent      uint64         // messages accepted for sending
	Received  uint64         // messages delivered to the game or relayed
	Rejected  uint64         // frames, messages and acts refused, all reasons together
	Dropped   uint64         // unpolled events that gave way to newer ones
	Refusals  []RefusalCount // those above zero, by message and reason
	LastError string         // the newest refusal: word, message, file:line, who
	RTT       time.Duration  // at a client
}

// RefusalCount is one counter of refusals.
type RefusalCount struct {
	Reason  Reason
	Message string      // "" = not about a declared message
	Place   fault.Place // of the message's rule
	Count   uint64
}

// counters count refusals by rule and reason, and keep the newest. Everything
// is made at the start, so that a refusal allocates nothing.
type counters struct {
	con      *contract.Contract
	refusals [][reasonCount]Refusal // [0]: no message; [i+1]: message i
	counts   [][reasonCount]uint64
	sent     uint64
	received uint64
	rejected uint64
	last     lastRefusal
}

// stranger stands in counters for a connection that has no number yet.
const stranger Sender = 1<<32 - 1

// lastRefusal is what last_error says, put into words only when asked for.
type lastRefusal struct {
	refusal *Refusal
	local   bool   // refused here, before sending
	from    Sender // whose message it was
	n       uint32 // the entity it named
	payload []byte // what did not pass, for reasons found in a payload
	text    string // what a source or the game's rules said
}

func newCounters(con *contract.Contract) counters {
	n := len(con.Messages) + 1
	c := counters{con: con, refusals: make([][reasonCount]Refusal, n), counts: make([][reasonCount]uint64, n)}
	for i := range c.refusals {
		for r := range c.refusals[i] {
			c.refusals[i][r].Reason = Reason(r)
			if i > 0 {
				c.refusals[i][r].Message = &con.Messages[i-1]
			}
		}
	}
	return c
}

// refuse counts a refusal and returns it.
func (c *counters) refuse(r Reason, m *contract.Message, from Sender, n uint32) *Refusal {
	i := 0
	if m != nil {
		i = m.Index + 1
	}
	c.rejected++
	c.counts[i][r]++
	c.last.refusal, c.last.from, c.last.n = &c.refusals[i][r], from, n
	c.last.local, c.last.payload, c.last.text = false, c.last.payload[:0], ""
	return c.last.refusal
}

// local counts a refusal of something that this side wanted to do.
func (c *counters) local(r Reason, m *contract.Message, n uint32, text string) *Refusal {
	ref := c.refuse(r, m, 0, n)
	c.last.local, c.last.text = true, text
	return ref
}

// note counts a refusal that was made elsewhere.
func (c *counters) note(r *Refusal) *Refusal {
	if r == nil {
		return nil
	}
	return c.local(r.Reason, r.Message, 0, "")
}

// list returns the counters above zero, by message and reason.
func (c *counters) list() []RefusalCount {
	var list []RefusalCount
	for i := range c.counts {
		for r, n := range c.counts[i] {
			if n > 0 {
				ref := &c.refusals[i][r]
				rc := RefusalCount{Reason: Reason(r), Place: ref.Place(), Count: n}
				if ref.Message != nil {
					rc.Message = ref.Message.Name
				}
				list = append(list, rc)
			}
		}
	}
	return list
}

// lastError puts the newest refusal into words. cd finds again what was wrong
// in a payload.
func (c *counters) lastError(epoch uint32, cd *codec) string {
	l := &c.last
	if l.refusal == nil {
		return ""
	}
	s := l.refusal.Error()
	switch {
	case l.text != "":
		s += ": " + l.text
	case len(l.payload) > 0 && l.refusal.Message != nil:
		if detail := cd.explain(l.refusal.Message, l.payload); detail != "" {
			s += ": " + detail
		}
	}
	if !l.local {
		from := l.from.String()
		if l.from == stranger {
			from = "a newcomer"
		}
		s += " (from " + from
		if l.n != 0 {
			s += ", about " + NetworkID(epoch, l.n)
		}
		return s + ")"
	}
	if l.n != 0 {
		s += " (about " + NetworkID(epoch, l.n) + ")"
	}
	return s
}
