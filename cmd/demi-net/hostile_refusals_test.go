package main

import (
	"fmt"
	"math"
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

// hostileContract has a message of every shape that a rule can have.
const hostileContract = `{
  "format_version": 1,
  "id": "network-contract://small/hostile",
  "limits": {
    "maximum_message_bytes": 1024, "maximum_messages_per_second": 100, "maximum_owned_entities_per_peer": 8,
    "maximum_payload_depth": 4, "maximum_payload_elements": 16, "maximum_string_bytes": 128
  },
  "session": {"max_players": 4},
  "replicated_prefabs": {
    "crate": {
      "prefab": "prefab://thing", "ownership": {"default": "server", "on_disconnect": "despawn"},
      "components": {"Transform2D": {"position": {"write_by": "owner"}, "rotation": {"write_by": "server"}}}
    }
  },
  "messages": {
    "chat": {"from": "all", "to": "all", "rate_limit": 5, "maximum_bytes": 256,
      "schema": {"type": "object", "required": ["text"], "additionalProperties": false, "properties": {"text": {"type": "string", "maxLength": 64}}}},
    "claim": {"from": "owner", "to": "server", "schema": {"type": "object"}},
    "echo": {"from": "all", "to": "all", "rate_limit": 1000},
    "over": {"from": "server", "to": "all", "schema": {"type": "object"}},
    "poke": {"from": "all", "to": "server", "target": "entity", "rate_limit": 200, "schema": {"type": "object"}},
    "push": {"from": "owner", "to": "all", "target": "entity", "schema": {"type": "object"}},
    "shot": {"from": "owner", "to": "all", "target": "owned_entity", "reliability": "unreliable", "rewind": true,
      "schema": {"type": "object", "required": ["dir"], "additionalProperties": false,
        "properties": {"dir": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "number", "minimum": -1, "maximum": 1}}}}},
    "steer": {"from": "owner", "to": "server", "target": "owned_entity", "reliability": "unreliable", "ordered": false, "rate_limit": 60,
      "schema": {"type": "integer", "minimum": -100, "maximum": 100}}
  }
}`

// hostileGame tells stderr of everything that reaches Lua, and of the newest
// refusal whenever one was counted. Whoever is called eve gets three crates: one
// of her own, one that she had to give back, one that has gone.
const hostileGame = `local Session = require("demi.network.session")
local Game = {}
function Game:on_create() self.rejected = 0 end
function Game:on_update()
  for _, e in ipairs(Session.process_events().events) do
    if e.name == "peer_left" then
      Debug.log("left: " .. e.sender_id .. " " .. e.data.code)
    elseif e.name == "peer_joined" and e.data.name == "eve" then
      Session.spawn("crate", nil, e.sender_id)
      Session.transfer(Session.spawn("crate", nil, e.sender_id), "server")
      Session.despawn(Session.spawn("crate", nil, e.sender_id))
    elseif e.name ~= "peer_joined" then
      Debug.log("lua: " .. e.name .. " from " .. e.sender_id)
    end
  end
  local d = Session.diagnostics()
  if d.rejected_messages ~= self.rejected then
    Debug.log("refused " .. d.rejected_messages - self.rejected .. " " .. d.last_error)
    self.rejected = d.rejected_messages
  end
end
return Game
`

// chatter is an honest client that says something twice a second.
const chatter = `local Session = require("demi.network.session")
local Game = {}
function Game:on_update()
  self.n = (self.n or 0) + 1
  Session.process_events()
  if self.n % 15 == 0 then Session.send("chat", nil, {text = "still here"}) end
end
return Game
`

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

// trespass is one thing that an active client sends and must not get away with.
type trespass struct {
	name  string
	want  session.Reason
	ch    transport.Channel
	mode  transport.Mode
	frame []byte
}

// trespasses are all that an active client can try. own is its crate, back the
// one it gave back (generation 2), gone one that has gone.
func trespasses(h *hand, own, back, gone byte) []trespass {
	rel, seq, uns := transport.Reliable, transport.Sequenced, transport.Unsequenced
	pay := func(message, js string) []byte { return encoded(h.con, message, js) }
	msg := h.declared
	echo := func(js string) []byte { return msg("echo", pay("echo", js)) }
	epoch := func(b []byte, d int) []byte { b[1] += byte(d); return b }
	nan := pay("", "1.1")
	for i := range 8 {
		nan[len(nan)-8+i] = byte(math.Float64bits(math.NaN()) >> (8 * i))
	}
	t := h.tick                        // of publications: each is newer than the one before, or it would be stale
	pub := func(rows ...byte) []byte { // received, records, tick, complete, rows
		t += 1000
		return h.frame(framePublication, append([]byte{0, 0, byte(t), byte(t >> 8), byte(t >> 16), byte(t >> 24), 1}, rows...)...)
	}
	return []trespass{
		{"one byte", session.ReasonTruncated, 0, rel, []byte{frameMessage}},
		{"nothing", session.ReasonTruncated, 0, rel, nil},
		{"no such kind", session.ReasonUnknownFrame, 0, rel, h.frame(99)},
		{"kind 0", session.ReasonUnknownFrame, 3, seq, h.frame(0)},
		{"a welcome", session.ReasonUnauthorizedSender, 0, rel, h.frame(frameWelcome, 1, 0)},
		{"a refuse", session.ReasonUnauthorizedSender, 0, rel, h.frame(frameRefuse, 1, 0, 0, 0, 0, 0)},
		{"an active", session.ReasonUnauthorizedSender, 0, rel, h.frame(frameActive, 0, 0)},
		{"a spawn", session.ReasonUnauthorizedSender, 0, rel, h.frame(frameSpawn, 1, 9, 0, 0, 1, 0)},
		{"a despawn", session.ReasonUnauthorizedSender, 0, rel, h.frame(frameDespawn, own, 2)},
		{"an ownership", session.ReasonUnauthorizedSender, 0, rel, h.frame(frameOwnership, back, byte(h.sender), 3, 0)},
		{"a session_start", session.ReasonUnauthorizedSender, 0, rel, h.frame(frameStart, 0xf8)},
		{"a relay in somebody's name", session.ReasonUnauthorizedSender, 0, rel, h.frame(frameRelay, byte(h.con.Message("echo").Index), 1, 0x41)},
		{"a snapshot", session.ReasonUnauthorizedSender, 2, seq, h.frame(frameSnapshot, 0, 0)},
		{"a message on the snapshots' channel", session.ReasonWrongChannel, 2, seq, echo("1")},
		{"a publication on the reliable channel", session.ReasonWrongChannel, 0, rel, pub()},
		{"a publication out of sequence", session.ReasonWrongChannel, 1, uns, pub()},
		{"a second hello", session.ReasonInvalidOperation, 0, rel, h.hello(greeting{})},
		{"a second ready", session.ReasonInvalidOperation, 0, rel, h.ready()},
		{"a diff that nobody asked for", session.ReasonInvalidOperation, 0, rel, h.frame(frameDiff, 0)},
		{"a message of another session", session.ReasonStaleEpoch, 0, rel, epoch(echo("1"), 1)},
		{"a publication of another session", session.ReasonStaleEpoch, 1, seq, epoch(pub(), -1)},
		{"a goodbye of another session", session.ReasonStaleEpoch, 0, rel, epoch(h.frame(frameGoodbye, 12, 0, 0), 1)},
		{"a frame larger than any message", session.ReasonOversized, 0, rel, append(echo("1"), make([]byte, 4096)...)},
		{"a publication over its size", session.ReasonOversized, 1, seq, append(pub(), make([]byte, 20<<10)...)},
		{"a goodbye over its size", session.ReasonOversized, 0, rel, append(h.frame(frameGoodbye, 12, 0, 0), make([]byte, 2000)...)},
		{"a publication without its head", session.ReasonTruncated, 1, seq, h.frame(framePublication, 0)},
		{"a publication that has received what was never sent", session.ReasonTruncated, 1, seq, h.frame(framePublication, 0xff, 0x7f, 0)},
		{"a publication that has applied what was never sent", session.ReasonTruncated, 1, seq, h.frame(framePublication, 0, 0xff, 0x7f)},
		{"a publication without a body", session.ReasonTruncated, 1, seq, h.frame(framePublication, 0, 0)},
		{"a publication of a type that is none", session.ReasonTruncated, 1, seq, pub(9, own, 1, byte(h.sender), 0, 0, 0)},
		{"a publication of the host's crate", session.ReasonUnauthorizedTarget, 1, seq, pub(0, back, 2, byte(h.sender), 0, 2, 2)},
		{"a publication cut in a row", session.ReasonTruncated, 1, seq, pub(0, own, 1, byte(h.sender), 0, 2)},
		{"a goodbye without its text", session.ReasonTruncated, 0, rel, h.frame(frameGoodbye, 12, 0, 5)},
		{"no such message", session.ReasonUnknownMessage, 0, rel, h.frame(frameMessage, 100, 0x41)},
		{"a message whose index does not end", session.ReasonTruncated, 0, rel, h.frame(frameMessage, 0x80)},
		{"an index spelt too long", session.ReasonTruncated, 0, rel, h.frame(frameMessage, 0x82, 0x00, 0x41)},
		{"a target without its generation", session.ReasonTruncated, 0, rel, h.frame(frameMessage, byte(h.con.Message("poke").Index), own)},
		{"a reliable message, unreliably", session.ReasonWrongChannel, 3, seq, echo("1")},
		{"an unreliable message, reliably", session.ReasonWrongChannel, 0, rel, msg("shot", pay("shot", `{"dir":[1,0]}`), own, 1, 0)},
		{"an unsequenced message in sequence", session.ReasonWrongChannel, 3, seq, msg("steer", pay("steer", "1"), own, 1)},
		{"the host's message", session.ReasonUnauthorizedSender, 0, rel, msg("over", pay("over", "{}"))},
		{"push, which is the owner's, of the host's crate", session.ReasonUnauthorizedSender, 0, rel, msg("push", pay("push", "{}"), back, 2)},
		{"a shot with the host's crate", session.ReasonUnauthorizedTarget, 3, seq, msg("shot", pay("shot", `{"dir":[1,0]}`), back, 2, 0)},
		{"a poke at nothing", session.ReasonUnauthorizedTarget, 0, rel, msg("poke", pay("poke", "{}"), 0, 1)},
		{"a poke at what never was", session.ReasonUnauthorizedTarget, 0, rel, msg("poke", pay("poke", "{}"), 99, 1)},
		{"a poke at a generation that is not yet", session.ReasonUnauthorizedTarget, 0, rel, msg("poke", pay("poke", "{}"), own, 7)},
		{"a poke at what has gone", session.ReasonStaleGeneration, 0, rel, msg("poke", pay("poke", "{}"), gone, 1)},
		{"a poke at an older generation", session.ReasonStaleGeneration, 0, rel, msg("poke", pay("poke", "{}"), back, 1)},
		{"steering what one gave back", session.ReasonStaleGeneration, 3, uns, msg("steer", pay("steer", "1"), back, 1)},
		{"a payload over maximum_bytes", session.ReasonOversized, 0, rel, append(msg("chat", pay("chat", `{"text":""}`)), make([]byte, 300)...)},
		{"a payload cut short", session.ReasonTruncated, 0, rel, msg("chat", []byte{60, 'a'})},
		{"a payload with more behind it", session.ReasonTruncated, 0, rel, msg("chat", append(pay("chat", `{"text":"a"}`), 0))},
		{"a text that is not UTF-8", session.ReasonTruncated, 0, rel, msg("chat", []byte{1, 0xff})},
		{"a length of 2^32-1", session.ReasonStringTooLong, 0, rel, msg("chat", []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 'a'})},
		{"a tag that is none", session.ReasonTruncated, 0, rel, msg("echo", []byte{0xc0})},
		{"a number spelt too long", session.ReasonTruncated, 0, rel, msg("echo", []byte{0xc2, 0x81, 0x00})},
		{"too deep", session.ReasonExcessiveDepth, 0, rel, echo("[[[[[]]]]]")},
		{"too many", session.ReasonExcessiveElements, 0, rel, echo("[" + strings.Repeat("0,", 16) + "0]")},
		{"a count of 2^32-1", session.ReasonExcessiveElements, 0, rel, msg("echo", []byte{0xcd, 0xff, 0xff, 0xff, 0xff, 0x0f})},
		{"a text too long for the contract", session.ReasonStringTooLong, 0, rel, echo(`"` + strings.Repeat("a", 129) + `"`)},
		{"not a number", session.ReasonNonFinite, 0, rel, msg("echo", nan)},
		{"a text too long for its schema", session.ReasonSchemaViolation, 0, rel, msg("chat", append([]byte{65}, strings.Repeat("a", 65)...))},
		{"a number out of its range", session.ReasonSchemaViolation, 3, seq, msg("shot", []byte{0x42, 0x40}, own, 1, 0)},
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
