package main

import (
	"slices"
	"strings"
	"testing"

	"demi.network/runtime"
	"demi.network/runtime/fault"
)

// sound is evidence of a demo in which everything went well: ann (peer1), bob
// (peer2), mal (peer3) and cat (peer4) came in this order.
func sound() evidence {
	hashes := func(n int) (list []runtime.TickHash) {
		for i := range n {
			list = append(list, runtime.TickHash{Tick: uint32(i), Hash: uint64(i) * 7})
		}
		return list
	}
	spawn := func(tick uint32, id, prefab string) runtime.SpawnReport {
		return runtime.SpawnReport{Tick: tick, ID: id, Prefab: prefab, Owner: "server"}
	}
	late := func(tick uint32, id, prefab string) runtime.SpawnReport {
		s := spawn(tick, id, prefab)
		s.Late = true
		return s
	}
	client := func(n string) runtime.Report {
		return runtime.Report{Role: "client", SenderID: "peer" + n, Epoch: 9, Hashes: hashes(demoAtLeast)}
	}
	ev := evidence{
		stranger: childEnd{Exit: 1, Code: string(fault.ContractMismatch), Message: "differs: messages/shot/rate_limit: 112 here, 12 there"},
		ann:      client("1"), bob: client("2"), mal: client("3"), cat: client("4"),
	}
	ev.host = runtime.Report{Role: "host", SenderID: "server", Epoch: 9,
		Errors:   []runtime.ErrorReport{{Code: string(fault.ContractMismatch), Text: "which says: messages/shot/rate_limit: 112 here, 12 there"}},
		Refusals: map[string]uint64{"unauthorized_sender": 3},
		Messages: runtime.MessageReport{ByName: map[string]runtime.MessageCount{demoForbidden: {Sent: 8}}},
		Spawns: []runtime.SpawnReport{spawn(1, "net:9:1", "beacon"), spawn(5, "net:9:2", "player"), spawn(5, "net:9:3", "shot"),
			spawn(6, "net:9:4", "player"), spawn(200, "net:9:5", "player")},
		Despawns:   []runtime.DespawnReport{{Tick: 50, ID: "net:9:3"}, {Tick: 300, ID: "net:9:2"}},
		Ownerships: []runtime.OwnershipReport{{Tick: 60, ID: "net:9:1", Owner: "peer1", Generation: 2}, {Tick: 300, ID: "net:9:1", Owner: "server", Generation: 3}},
		Leaves:     []runtime.LeaveReport{{Tick: 300, SenderID: "peer1", Code: string(fault.Left), Entities: []string{"net:9:1", "net:9:2"}}},
	}
	for _, n := range []string{"1", "2", "3", "4"} {
		ev.host.Peers = append(ev.host.Peers, runtime.PeerReport{SenderID: "peer" + n, JoinTick: 150, Hashes: hashes(2 * demoAtLeast)})
	}
	ev.mal.Messages.ByName = map[string]runtime.MessageCount{demoForbidden: {Sent: 4}}
	ev.bob.Messages.ByName = map[string]runtime.MessageCount{demoForbidden: {Received: 8, From: map[string]uint64{"server": 8}}}
	ev.bob.Ownerships = slices.Clone(ev.host.Ownerships)
	ev.bob.Despawns = []runtime.DespawnReport{{Tick: 300, ID: "net:9:2"}}
	ev.cat.Spawns = []runtime.SpawnReport{late(150, "net:9:1", "beacon"), late(150, "net:9:2", "player"), late(150, "net:9:4", "player"), spawn(200, "net:9:5", "player")}
	return ev
}

// TestEachRowOfTheDemoCanFail takes one thing at a time out of sound evidence:
// the row that it belongs to fails, and no other.
func TestEachRowOfTheDemoCanFail(t *testing.T) {
	rows := judge(sound())
	if i := slices.IndexFunc(rows, func(r row) bool { return !r.OK }); i >= 0 {
		t.Fatalf("sound evidence fails %+v", rows[i])
	}
	const refusal, forbidden, late, transfer, policy, equal = 0, 1, 2, 3, 4, 5
	for _, tc := range []struct {
		why   string
		spoil func(*evidence)
		fails int
	}{
		{"the stranger got in", func(e *evidence) { e.stranger = childEnd{} }, refusal},
		{"the stranger ended with another exit code", func(e *evidence) { e.stranger.Exit = 2 }, refusal},
		{"the stranger was refused for something else", func(e *evidence) { e.stranger.Code = string(fault.Full) }, refusal},
		{"the stranger does not name the message", func(e *evidence) { e.stranger.Message = "differs" }, refusal},
		{"the host does not name the message", func(e *evidence) { e.host.Errors[0].Text = "differs" }, refusal},
		{"the host reports no refusal", func(e *evidence) { e.host.Errors = nil }, refusal},

		{"mal sent nothing", func(e *evidence) { e.mal.Messages.ByName = nil }, forbidden},
		{"the host refused nothing", func(e *evidence) { e.host.Refusals = nil }, forbidden},
		{"the host refused more than was sent", func(e *evidence) { e.host.Refusals["unauthorized_sender"] = 5 }, forbidden},
		{"bob got it from mal", func(e *evidence) { e.bob.Messages.ByName[demoForbidden].From["peer3"] = 1 }, forbidden},
		{"ann got it from mal", func(e *evidence) {
			e.ann.Messages.ByName = map[string]runtime.MessageCount{demoForbidden: {Received: 1, From: map[string]uint64{"peer3": 1}}}
		}, forbidden},
		{"bob got more of it than the host sent", func(e *evidence) { e.host.Messages.ByName[demoForbidden] = runtime.MessageCount{Sent: 7} }, forbidden},
		{"bob's script was not listening", func(e *evidence) { e.bob.Messages.ByName = nil }, forbidden},

		{"cat was given nothing", func(e *evidence) { e.cat.Spawns = nil }, late},
		{"cat was not given one", func(e *evidence) { e.cat.Spawns = e.cat.Spawns[1:] }, late},
		{"cat was given one that had gone", func(e *evidence) { e.host.Despawns[1].Tick = 150 }, late},
		{"cat heard of them in another order", func(e *evidence) { e.cat.Spawns[0], e.cat.Spawns[1] = e.cat.Spawns[1], e.cat.Spawns[0] }, late},
		{"cat heard of another prefab", func(e *evidence) { e.cat.Spawns[0].Prefab = "shot" }, late},
		{"cat heard of them as news", func(e *evidence) {
			for i := range e.cat.Spawns {
				e.cat.Spawns[i].Late = false
			}
		}, late},
		{"there was next to nothing to be late for", func(e *evidence) { e.host.Spawns, e.cat.Spawns = e.host.Spawns[:2], e.cat.Spawns[:2] }, late},

		{"bob saw no transfer", func(e *evidence) { e.bob.Ownerships = e.bob.Ownerships[1:] }, transfer},
		{"bob saw another generation", func(e *evidence) { e.bob.Ownerships[0].Generation = 3 }, transfer},
		{"bob saw another owner", func(e *evidence) { e.bob.Ownerships[0].Owner = "peer2" }, transfer},
		{"a transfer raised no generation", func(e *evidence) { e.bob.Ownerships[0].Generation, e.host.Ownerships[0].Generation = 1, 1 }, transfer},

		{"the host did not see ann leave", func(e *evidence) { e.host.Leaves = nil }, policy},
		{"ann left with nothing", func(e *evidence) { e.host.Leaves[0].Entities = nil }, policy},
		{"ann's player stayed", func(e *evidence) { e.bob.Despawns = nil }, policy},
		{"what was to return went", func(e *evidence) { e.bob.Despawns = append(e.bob.Despawns, runtime.DespawnReport{ID: "net:9:1"}) }, policy},
		{"what was to return did not", func(e *evidence) { e.bob.Ownerships = e.bob.Ownerships[:1] }, policy},

		{"bob held something else", func(e *evidence) { e.bob.Hashes[5].Hash++ }, equal},
		{"cat has compared too little", func(e *evidence) { e.cat.Hashes = e.cat.Hashes[1:] }, equal},
		{"ann has compared nothing", func(e *evidence) { e.ann.Hashes = nil }, equal},
		{"the reports are of two sessions", func(e *evidence) { e.ann.Epoch = 8 }, equal},
	} {
		ev := sound()
		tc.spoil(&ev)
		for i, r := range judge(ev) {
			if r.OK == (i == tc.fails) {
				t.Errorf("%s: the row %q is %t: %s", tc.why, r.Check, r.OK, r.Found)
			}
		}
	}
	for _, r := range judge(evidence{}) {
		if r.OK {
			t.Errorf("without any report the row %q is ok: %s", r.Check, r.Found)
		}
	}
	out := &output{stdout: &strings.Builder{}, stderr: &strings.Builder{}}
	if err := printRows(out, rows); err != nil {
		t.Errorf("a table without a failure gave %v", err)
	}
	rows[3].OK = false
	if err := printRows(out, rows); fault.CodeOf(err).Exit() != 1 {
		t.Errorf("a table with a failure gave %v, want an error of exit 1", err)
	}
}
