package main

import (
	"math"
	"strings"

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
