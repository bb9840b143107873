package runtime

import (
	"demi.network/contract"
	"demi.network/runtime/fault"
	"demi.network/session"
)

// A report keeps the first maxSpawns spawns, despawns and changes of owner, the
// first maxLeaves leaves and the first maxErrors errors of a session; later
// ones are not listed.
const (
	maxSpawns = 4096
	maxLeaves = 1024
	maxErrors = 64
)

// history is what a Peer remembers of a session for reports and diagnostics.
type history struct {
	ticks     uint64
	clamped   uint64
	notFinite uint64
	spawns    []SpawnReport
	despawns  []DespawnReport
	owners    []OwnershipReport
	leaves    []LeaveReport
	errors    []ErrorReport
	messages  []messageCount    // by contract.Message.Index
	refusals  map[string]uint64 // of acts while offline
	lastError string            // newest of those
}

func (h *history) spawn(p *Peer, n uint32, typ int, owner session.Sender, late bool) {
	if len(h.spawns) < maxSpawns {
		h.spawns = append(h.spawns, SpawnReport{
			Tick: p.Tick(), ID: p.networkID(n), Prefab: p.layout.Types[typ].Key, Owner: owner.String(), Late: late,
		})
	}
}

func (h *history) despawn(p *Peer, n uint32) {
	if len(h.despawns) < maxSpawns {
		h.despawns = append(h.despawns, DespawnReport{Tick: p.Tick(), ID: p.networkID(n)})
	}
}

// ownership notes who owns n now.
func (h *history) ownership(p *Peer, n uint32, owner session.Sender, gen uint32) {
	if len(h.owners) < maxSpawns {
		h.owners = append(h.owners, OwnershipReport{Tick: p.Tick(), ID: p.networkID(n), Owner: owner.String(), Generation: gen})
	}
}

// messageCount counts one message of the contract.
type messageCount struct {
	sent, received uint64
	from           []uint64 // by sender, delivered to the game; later numbers than maxSenders share the last
}

// maxSenders bounds the senders that messages are counted by.
const maxSenders = 256

func (h *history) message(p *Peer, m *contract.Message) *messageCount {
	if h.messages == nil {
		h.messages = make([]messageCount, len(p.con.Messages))
	}
	return &h.messages[m.Index]
}

func (h *history) received(p *Peer, m *contract.Message, from session.Sender) {
	c := h.message(p, m)
	c.received++
	at := min(int(from), maxSenders-1)
	for len(c.from) <= at {
		c.from = append(c.from, 0)
	}
	c.from[at]++
}

// messageReports lists the messages that were sent or delivered.
func (h *history) messageReports(p *Peer) map[string]MessageCount {
	list := map[string]MessageCount{}
	for i := range h.messages {
		c := &h.messages[i]
		if c.sent == 0 && c.received == 0 {
			continue
		}
		r := MessageCount{Sent: c.sent, Received: c.received, From: map[string]uint64{}}
		for who, n := range c.from {
			if n > 0 {
				r.From[session.Sender(who).String()] = n
			}
		}
		list[p.con.Messages[i].Name] = r
	}
	return list
}

func (h *history) leave(p *Peer, ev *session.Event) {
	if len(h.leaves) == maxLeaves {
		return
	}
	l := LeaveReport{Tick: p.Tick(), SenderID: ev.Sender.String(), Code: string(ev.Code), Entities: []string{}}
	for _, n := range ev.Entities {
		l.Entities = append(l.Entities, p.networkID(n))
	}
	h.leaves = append(h.leaves, l)
}

func (h *history) note(code fault.Code, text string, data map[string]any) {
	if len(h.errors) < maxErrors {
		h.errors = append(h.errors, ErrorReport{Code: string(code), Text: text, Data: data})
	}
}

// fail notes an error that a caller is told of as well.
func (h *history) fail(err error) {
	h.lastError = err.Error()
	h.note(fault.CodeOf(err), err.Error(), nil)
}

// offline notes a refusal when there is no session to count it.
func (h *history) offline(r *session.Refusal) {
	if h.refusals == nil {
		h.refusals = map[string]uint64{}
	}
	h.refusals[r.Reason.String()]++
	h.lastError = r.Error()
}
