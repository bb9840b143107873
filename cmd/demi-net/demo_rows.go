package main

import (
	"fmt"
	"slices"
	"strings"

	"demi.network/runtime"
	"demi.network/runtime/fault"
)

// row is one line of the demo's table.
type row struct {
	Check string `json:"check"`
	OK    bool   `json:"ok"`
	Found string `json:"found"`
}

// demoAtLeast is the fewest snapshots of each client that must have been
// compared: about two seconds of play.
const demoAtLeast = 60

// judge reads each row from the reports of two processes or more. A row that
// has nothing to compare fails: a check that compares nothing is no check.
func judge(ev evidence) []row {
	return []row{
		contractRefusal(ev), forbiddenMessage(ev), lateJoin(ev), transferGeneration(ev), disconnectPolicy(ev), equalState(ev),
	}
}

func rowOf(check string, ok bool, format string, args ...any) row {
	return row{Check: check, OK: ok, Found: fmt.Sprintf(format, args...)}
}

// contractRefusal: the stranger ends with exit 1 and the host reports the same
// refusal, and both name the message whose rule differs.
func contractRefusal(ev evidence) row {
	name := "messages/" + demoChangedMessage
	host := ""
	for _, e := range ev.host.Errors {
		if e.Code == string(fault.ContractMismatch) {
			host = e.Text
		}
	}
	ok := ev.stranger.Exit == 1 && ev.stranger.Code == string(fault.ContractMismatch) &&
		strings.Contains(ev.stranger.Message, name) && strings.Contains(host, name)
	return rowOf("another contract is refused, and both sides name what differs", ok,
		"client: exit %d %q; host: %q", ev.stranger.Exit, ev.stranger.Message, host)
}

// forbiddenMessage: the host refused what mal sent without the local checks,
// and none of it reached bob, whose script counts every message it is given.
func forbiddenMessage(ev evidence) row {
	refused := ev.host.Refusals["unauthorized_sender"]
	sent := ev.mal.Messages.ByName[demoForbidden].Sent
	fromHost := ev.host.Messages.ByName[demoForbidden].Sent
	bob := ev.bob.Messages.ByName[demoForbidden].Received
	strangers := foreign(ev.bob, demoForbidden) + foreign(ev.ann, demoForbidden)
	ok := sent > 0 && refused > 0 && refused <= sent && bob > 0 && bob <= fromHost && strangers == 0
	return rowOf("a message that the contract forbids reaches nobody", ok,
		"mal sent %d, the host refused %d; ann and bob got %d of it from anybody but the host", sent, refused, strangers)
}

// demoForbidden is the message that only the host may send.
const demoForbidden = "announce"

// foreign counts messages of a name that came from another sender than the
// host.
func foreign(r runtime.Report, name string) (n uint64) {
	for sender, count := range r.Messages.ByName[name].From {
		if sender != "server" {
			n += count
		}
	}
	return n
}

// lateJoin: what cat was given when it joined is what the host had at that
// moment: every entity spawned before and not gone by then, in id order.
func lateJoin(ev evidence) row {
	var got []string
	var at uint32
	for _, s := range ev.cat.Spawns {
		if s.Late {
			got = append(got, s.ID+" "+s.Prefab)
			at = s.Tick
		}
	}
	joined, ok := joinTick(ev.host, ev.cat.SenderID)
	if !ok {
		return rowOf("a late joiner gets every live entity", false, "the host does not know %q", ev.cat.SenderID)
	}
	var want []string
	for _, s := range ev.host.Spawns {
		gone := slices.ContainsFunc(ev.host.Despawns, func(d runtime.DespawnReport) bool { return d.ID == s.ID && d.Tick <= joined })
		if s.Tick <= joined && !gone {
			want = append(want, s.ID+" "+s.Prefab)
		}
	}
	ok = len(want) >= 3 && slices.Equal(got, want)
	return rowOf("a late joiner gets every live entity, in id order", ok, "cat got %d at tick %d, the host had %d", len(got), at, len(want))
}

func joinTick(host runtime.Report, sender string) (uint32, bool) {
	for _, p := range host.Peers {
		if p.SenderID == sender {
			return p.JoinTick, true
		}
	}
	return 0, false
}

// transferGeneration: each change of ownership that bob saw is one that the
// host made, with the same owner and generation, and there was at least one to
// a player.
func transferGeneration(ev evidence) row {
	toPlayer, wrong := 0, 0
	best := runtime.OwnershipReport{}
	for _, o := range ev.bob.Ownerships {
		same := slices.ContainsFunc(ev.host.Ownerships, func(h runtime.OwnershipReport) bool {
			return h.ID == o.ID && h.Owner == o.Owner && h.Generation == o.Generation
		})
		if !same || o.Generation < 2 {
			wrong++
		}
		if o.Owner != "server" {
			toPlayer++
			best = o
		}
	}
	return rowOf("a transfer reaches the others with its new generation", toPlayer > 0 && wrong == 0,
		"bob saw %d changes of ownership, %d to a player (the last: %s to %s at generation %d), %d unknown to the host",
		len(ev.bob.Ownerships), toPlayer, best.ID, best.Owner, best.Generation, wrong)
}

// disconnectPolicy: when ann left, the host applied each prefab's policy to
// what she owned, and bob saw the same.
func disconnectPolicy(ev evidence) row {
	const check = "a leaving player's entities follow the disconnect policy"
	i := slices.IndexFunc(ev.host.Leaves, func(l runtime.LeaveReport) bool { return l.SenderID == ev.ann.SenderID })
	if i < 0 {
		return rowOf(check, false, "the host did not see %s leave", ev.ann.SenderID)
	}
	gone, returned, wrong := 0, 0, 0
	for _, id := range ev.host.Leaves[i].Entities {
		left := slices.ContainsFunc(ev.bob.Despawns, func(d runtime.DespawnReport) bool { return d.ID == id })
		back := slices.ContainsFunc(ev.bob.Ownerships, func(o runtime.OwnershipReport) bool { return o.ID == id && o.Owner == "server" })
		switch prefab := prefabOf(ev.host, id); {
		case prefab == "player" && left:
			gone++
		case prefab != "player" && back && !left:
			returned++
		default:
			wrong++
		}
	}
	return rowOf(check, gone == 1 && wrong == 0, "%s left with %d: bob saw %d despawned, %d returned to the host, %d otherwise",
		ev.ann.SenderID, len(ev.host.Leaves[i].Entities), gone, returned, wrong)
}

func prefabOf(r runtime.Report, id string) string {
	for _, s := range r.Spawns {
		if s.ID == id {
			return s.Prefab
		}
	}
	return ""
}

// equalState: every snapshot that was compared equals the host's own rows.
func equalState(ev evidence) row {
	c := runtime.Converged(ev.host, ev.ann, ev.bob, ev.cat)
	return rowOf("what clients hold equals what the host says they must", c.OK(demoAtLeast),
		"%d snapshots of %d clients compared, %d clients differ", c.Compared, c.Clients, len(c.Difference))
}

// printRows prints the table; a failed row makes the error.
func printRows(out *output, rows []row) error {
	failed := 0
	for _, r := range rows {
		word := "ok  "
		if !r.OK {
			word = "FAIL"
			failed++
		}
		out.event("row", map[string]any{"check": r.Check, "ok": r.OK, "found": r.Found}, fmt.Sprintf("%s  %s\n        %s", word, r.Check, r.Found))
	}
	if out.json {
		out.encode(map[string]any{"event": "report", "ok": failed == 0, "rows": rows})
	}
	if failed > 0 {
		return fault.New(fault.NotConverged, "%d of %d rows failed", failed, len(rows))
	}
	return nil
}
