package runtime

import (
	"demi.network/runtime/fault"
	"demi.network/session"
)

// A report keeps the first maxSpawns spawns, the first maxLeaves leaves and
// the first maxErrors errors of a session; later ones are not listed.
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
	leaves    []LeaveReport
	errors    []ErrorReport
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
