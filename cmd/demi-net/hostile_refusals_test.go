package main

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"demi.network/contract"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
	"demi.network/session"
)

// ordeal is a host under attack, and the attacker's view of it.
type ordeal struct {
	t     *testing.T
	host  *process
	addr  netip.AddrPort
	con   *contract.Contract
	read  int               // lines of the host's log
	tally map[string]uint64 // refusals that the host must have counted
}

// refusal waits for the host's next word about refusals. h, if any, lives on
// meanwhile.
func (o *ordeal) refusal(h *hand) (count int, text string) {
	o.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		lines := o.host.logged()
		for ; o.read < len(lines); o.read++ {
			if rest, ok := strings.CutPrefix(lines[o.read], "refused "); ok {
				o.read++
				_, err := fmt.Sscanf(rest, "%d", &count)
				if err != nil {
					o.t.Fatal(err)
				}
				_, text, _ = strings.Cut(rest, " ")
				return count, text
			}
		}
		if err := h.turn(5 * time.Millisecond); err != nil {
			o.t.Fatal(err)
		}
	}
	o.t.Fatalf("the host has refused nothing\n%s", o.host.said())
	return 0, ""
}

// refuses demands that the next thing that the host refuses is this one.
func (o *ordeal) refuses(h *hand, want session.Reason) {
	o.t.Helper()
	o.tally[want.String()]++
	if n, text := o.refusal(h); n != 1 || !strings.HasPrefix(text, want.String()+": ") {
		o.t.Errorf("the host refuses %d, %q, want one for %s", n, text, want)
	}
}

// TestAHostileClientIsRefusedExactly lets a client that was written by hand try
// everything in the table of refusals of docs/session.md against a host
// process. Each gets its own reason, once; none reaches Lua; the game goes on
// for an honest client.
func TestAHostileClientIsRefusedExactly(t *testing.T) {
	t.Parallel()
	dir := project(t, files{"assets/network/small.network.json": hostileContract, "scripts/game.lua": hostileGame})
	honestDir := project(t, files{"assets/network/small.network.json": hostileContract, "scripts/game.lua": chatter})
	o := &ordeal{t: t, host: withReport(t, "host", dir, "--port", "0"), con: contractOf(t, dir), tally: map[string]uint64{}}
	o.addr = netip.MustParseAddrPort(o.host.address())
	honest := withReport(t, "join", o.addr.String(), honestDir)
	honest.event("active")

	o.strangers()
	o.newcomers()
	eve := joinHand(t, o.addr, o.con, "eve")
	own, back, gone := o.crates(eve)
	table := trespasses(eve, own, back, gone)
	for _, tc := range table {
		t.Run(tc.name, func(t *testing.T) {
			o.t = t
			if !eve.send(tc.ch, tc.mode, tc.frame) {
				t.Fatal("the transport did not take it")
			}
			o.refuses(eve, tc.want)
			if eve.over || eve.goodbye != "" {
				t.Fatal("one refused frame must not end the connection")
			}
		})
		o.t = t
	}
	o.tooMany()
	o.coverage(table)
	o.gameGoesOn(eve)

	if code := honest.quit(); code != 0 {
		t.Errorf("the honest client ended with %d\n%s", code, honest.said())
	}
	if code := o.host.quit(); code != 0 {
		t.Errorf("the host ended with %d\n%s", code, o.host.said())
	}
	o.reports(honest)
}

// crates waits for what the game gives a joiner.
func (o *ordeal) crates(h *hand) (own, back, gone byte) {
	o.t.Helper()
	find := func(owner, gen uint32) (n byte) {
		for id, e := range h.entities {
			if e.owner == owner && e.gen == gen && byte(id) > n {
				n = byte(id)
			}
		}
		return n
	}
	// The game gives them to a joiner in one go: own, back, gone in a row.
	h.must(o.t, "get crates", func() bool {
		own, back = find(h.sender, 1), find(0, 2)
		return own > 0 && back == own+1 && h.records > 0 && h.tick > 0
	})
	return own, back, own + 2
}

// strangers are those whose first word is wrong already.
func (o *ordeal) strangers() {
	t := o.t
	for _, data := range []uint32{0, 7} { // the engine's own dialect, and nobody
		h, err := dialHand(o.addr, o.con, data)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(h.close)
		o.refuses(h, session.ReasonProtocol)
		if err := h.until(func() bool { return h.over }); err != nil || h.code != fault.Version {
			t.Errorf("connect data %d ends with %q, %v, want %s", data, h.code, err, fault.Version)
		}
	}
	for _, tc := range []struct {
		name  string
		want  session.Reason
		ch    transport.Channel
		mode  transport.Mode
		frame []byte
	}{
		{"a message", session.ReasonNotJoined, 0, transport.Reliable, []byte{frameMessage, 0, 0, 0}},
		{"a publication", session.ReasonNotJoined, 1, transport.Sequenced, []byte{framePublication, 0, 0, 0}},
		{"a ready", session.ReasonNotJoined, 0, transport.Reliable, []byte{frameReady, 0, 0, 0, 0, 0}},
		{"a diff", session.ReasonInvalidOperation, 0, transport.Reliable, []byte{frameDiff, 0, 0}},
	} {
		h := connectHand(t, o.addr, o.con)
		h.send(tc.ch, tc.mode, tc.frame)
		o.refuses(h, tc.want)
		if h.join("late"); h.until(func() bool { return h.active }) != nil {
			t.Errorf("%s before the hello must not keep one out", tc.name)
		}
		h.reliable(h.frame(frameGoodbye, 12, 0, 0))
		h.must(t, "leave", func() bool { return h.over })
	}
}

// newcomers say hello and are turned away, or are not through yet.
func (o *ordeal) newcomers() {
	t := o.t
	other := contractOf(t, project(t, files{"assets/network/small.network.json": edit(t, hostileContract, `"rate_limit": 5,`, `"rate_limit": 6,`)}))
	for _, tc := range []struct {
		name   string
		con    *contract.Contract
		hello  greeting
		spoil  int // bytes to cut off
		want   fault.Code
		reason session.Reason
	}{
		{"another version", o.con, greeting{protocol: 2}, 0, fault.Version, session.ReasonProtocol},
		{"another contract", other, greeting{}, 0, fault.ContractMismatch, session.ReasonContractMismatch},
		{"half a hello", o.con, greeting{}, 9, fault.Protocol, session.ReasonTruncated},
		{"another scene", o.con, greeting{scene: &contract.Digest{1}}, 0, fault.SceneMismatch, session.ReasonNone},
		{"a name of a new line", o.con, greeting{name: "a\nb"}, 0, fault.Name, session.ReasonNone},
		{"the contract, to play", o.con, greeting{wants: 2}, 0, fault.Refused, session.ReasonNone},
	} {
		h := connectHand(t, o.addr, tc.con)
		b := h.hello(tc.hello)
		h.reliable(b[:len(b)-tc.spoil])
		h.must(t, tc.name, func() bool { return h.refused != "" })
		if h.refused != tc.want || h.text == "" {
			t.Errorf("%s is refused with %s %q, want %s and a text", tc.name, h.refused, h.text, tc.want)
		}
		if tc.reason != session.ReasonNone {
			o.refuses(h, tc.reason)
		}
		if tc.want == fault.ContractMismatch {
			o.mismatch(h)
		}
		if err := h.until(func() bool { return h.over }); err != nil || h.code != tc.want {
			t.Errorf("%s ends with %q, %v, want %s", tc.name, h.code, err, tc.want)
		}
	}

	// Welcomed, and not ready: the hand of a client that says no ready.
	h := connectHand(t, o.addr, nil)
	h.con = o.con
	b := h.hello(greeting{name: "slow"})
	h.con = nil
	h.reliable(b)
	h.must(t, "be welcomed", func() bool { return h.epoch != 0 })
	h.con = o.con
	h.reliable(b)
	o.refuses(h, session.ReasonInvalidOperation)
	h.say("echo", "1")
	o.refuses(h, session.ReasonNotJoined)
	h.publish()
	o.refuses(h, session.ReasonNotJoined)
	h.epoch += 256 // the byte is right, the rest is not
	h.reliable(h.ready())
	o.refuses(h, session.ReasonStaleEpoch)
	h.epoch -= 256
	h.reliable(h.ready())
	h.must(t, "become active", func() bool { return h.active })

	// An observer owns nothing and says nothing.
	w := connectHand(t, o.addr, o.con)
	w.reliable(w.hello(greeting{name: "watch", wants: 1}))
	w.must(t, "observe", func() bool { return w.active })
	w.say("echo", "1")
	o.refuses(w, session.ReasonUnauthorizedSender)

	// Full: the honest client, slow, and two more.
	two := []*hand{joinHand(t, o.addr, o.con, "third"), joinHand(t, o.addr, o.con, "fourth")}
	late := connectHand(t, o.addr, o.con)
	late.join("fifth")
	late.must(t, "be refused", func() bool { return late.refused != "" })
	if late.refused != fault.Full {
		t.Errorf("a fifth player is refused with %s, want %s", late.refused, fault.Full)
	}
	for _, h := range two {
		h.reliable(h.frame(frameGoodbye, 12, 0, 0))
		h.must(t, "leave", func() bool { return h.over })
	}
}

// mismatch checks that the host named what differs, and tells it as well.
func (o *ordeal) mismatch(h *hand) {
	var defined []string
	for _, k := range h.keys {
		if k.definition != "" {
			defined = append(defined, k.section+"/"+k.name)
		}
	}
	if len(defined) != 1 || defined[0] != "messages/chat" {
		o.t.Errorf("the refuse defines %q, want messages/chat alone: the client has the others", defined)
	}
	line := "messages/chat/rate_limit: 6 here, 5 there"
	h.reliable(append([]byte{frameDiff, 0, 1, byte(len(line))}, line...))
}

// tooMany sends twice what chat's bucket holds: two seconds' worth.
func (o *ordeal) tooMany() {
	h := joinHand(o.t, o.addr, o.con, "loud")
	for range 20 {
		h.say("chat", `{"text":"x"}`)
	}
	refused := 0
	for refused < 10 {
		n, text := o.refusal(h)
		if !strings.HasPrefix(text, session.ReasonRateLimited.String()+": ") {
			o.t.Errorf("too many chats are refused with %q", text)
		}
		refused += n
	}
	o.tally[session.ReasonRateLimited.String()] += uint64(refused)
	if refused != 10 {
		o.t.Errorf("%d of 20 chats were refused, want 10: a host's bucket holds two seconds' worth of five", refused)
	}
}

// coverage holds the list of reasons to what was tried.
func (o *ordeal) coverage(table []trespass) {
	elsewhere := map[session.Reason]string{
		session.ReasonNotServer: "a client's script", session.ReasonUnknownPrefab: "the host's script", session.ReasonUnknownEntity: "the host's script",
		session.ReasonDuplicateEntity: "the host's script", session.ReasonInvalidOwner: "the host's script", session.ReasonEntityLimit: "the host's script",
		session.ReasonEarly: "a client that hears of what it does not know yet", session.ReasonBacklog: "a sender's own queue",
		session.ReasonRules: "an embedder's Rules",
	}
	for r := session.ReasonNone + 1; r.String() != "invalid"; r++ {
		if (o.tally[r.String()] == 0) == (elsewhere[r] == "") {
			o.t.Errorf("%s: the host counted %d, and it is listed as what only %q runs into", r, o.tally[r.String()], elsewhere[r])
		}
	}
	if len(table) < 55 {
		o.t.Errorf("the table has %d rows", len(table))
	}
}

// gameGoesOn waits for two more words of the honest client, and for snapshots.
func (o *ordeal) gameGoesOn(h *hand) {
	was, seen := o.heard("chat", "peer1"), h.seen
	h.must(o.t, "hear the honest client", func() bool { return o.heard("chat", "peer1") >= was+2 && h.seen > seen+10 })
}

// heard counts what of a message reached Lua.
func (o *ordeal) heard(message, sender string) (n int) {
	for _, line := range o.host.logged() {
		if line == "lua: "+message+" from "+sender {
			n++
		}
	}
	return n
}

// reports compares the host's counters with what was tried, and looks for
// anything that reached Lua.
func (o *ordeal) reports(honest *process) {
	t := o.t
	r := o.host.reported()
	for reason, n := range o.tally {
		if r.Refusals[reason] != n {
			t.Errorf("the report counts %d refused for %s, want %d", r.Refusals[reason], reason, n)
		}
	}
	if len(r.Refusals) != len(o.tally) {
		t.Errorf("the report has the refusals %v, want %v", r.Refusals, o.tally)
	}
	for name, m := range r.Messages.ByName {
		for sender, n := range m.From {
			loud := name == "chat" && n == 10 // what the rate allowed
			if honestly := name == "chat" && sender == "peer1"; !honestly && !loud {
				t.Errorf("%d of %s from %s reached the game", n, name, sender)
			}
		}
	}
	if r.LateTicks > 0 {
		t.Logf("the host skipped %d ticks", r.LateTicks)
	}
	for _, e := range r.Errors {
		if e.Code == string(fault.Script) {
			t.Errorf("the host's script failed: %s", e.Text)
		}
	}
	var differs bool
	for _, e := range r.Errors {
		differs = differs || strings.Contains(fmt.Sprint(e.Data), "messages/chat/rate_limit: 6 here, 5 there")
	}
	if !differs {
		t.Error("the host's report does not say what differs")
	}
	h := honest.reported()
	if len(h.Errors) > 0 || h.Messages.Rejected > 0 || h.Snapshots.Received < 10 {
		t.Errorf("the honest client has errors %v, %d rejected, %d snapshots", h.Errors, h.Messages.Rejected, h.Snapshots.Received)
	}
}

// TestViolationsEndWithTheDoor: limits.on_violation counts, and after kick the
// client is dropped with a reason that it gets to read.
func TestViolationsEndWithTheDoor(t *testing.T) {
	t.Parallel()
	text := edit(t, hostileContract, `"maximum_string_bytes": 128`, `"maximum_string_bytes": 128, "on_violation": {"warn": 5, "throttle": 10, "kick": 20}`)
	dir := project(t, files{"assets/network/small.network.json": text, "scripts/game.lua": hostileGame})
	host := withReport(t, "host", dir, "--port", "0")
	eve := joinHand(t, netip.MustParseAddrPort(host.address()), contractOf(t, dir), "mallory")
	sent := 0
	for ; sent < 200 && eve.goodbye == ""; sent++ {
		eve.reliable(eve.frame(frameMessage, 100))
		if err := eve.turn(2 * time.Millisecond); err != nil {
			t.Fatal(err)
		}
		if sent < 20 && eve.over {
			t.Fatalf("dropped after %d violations, and the budget is 20", sent+1)
		}
	}
	eve.must(t, "be shown the door", func() bool { return eve.goodbye != "" })
	if eve.goodbye != fault.Flood || !strings.Contains(eve.text, session.ReasonUnknownMessage.String()) {
		t.Errorf("the goodbye is %s %q, want %s and the last reason", eve.goodbye, eve.text, fault.Flood)
	}
	left := "left: peer1 " + string(fault.Flood)
	for deadline := time.Now().Add(patience); !slices.Contains(host.logged(), left); {
		if eve.turn(5*time.Millisecond) != nil || time.Now().After(deadline) {
			t.Fatalf("the game never heard %q\n%s", left, host.said())
		}
	}
	if code := host.quit(); code != 0 {
		t.Errorf("the host ended with %d\n%s", code, host.said())
	}
	r := host.reported()
	if len(r.Leaves) != 1 || r.Leaves[0].Code != string(fault.Flood) || r.Refusals[session.ReasonUnknownMessage.String()] < 21 {
		t.Errorf("the report has the leaves %v and the refusals %v, want one leave for %s after 21", r.Leaves, r.Refusals, fault.Flood)
	}
}
