package session_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"demi.network/contract"
	"demi.network/contract/payload"
	"demi.network/runtime/world"
	"demi.network/session"
)

// wireOf encodes a JSON text as the contract's message m has it; under no
// schema when m is nil.
func wireOf(t testing.TB, m *contract.Message, js string) []byte {
	t.Helper()
	p := payload.Any()
	if m != nil {
		p = m.Schema
	}
	var v payload.Value
	if err := p.DecodeJSON([]byte(js), payload.Limits{Depth: 60, Elements: 1e6, StringBytes: 1e6, Bytes: 1e7}, &v); err != nil {
		t.Fatalf("%s: %v", js, err)
	}
	return p.AppendWire(nil, &v)
}

// refusalCase is one thing that somebody does and must not get away with.
type refusalCase struct {
	name string
	want session.Reason
	// from the client to the host, or the reverse
	toClient bool
	channel  string
	bytes    func(s *stage) []byte
}

// theTable has every refusal that a frame can run into. Client eve is peer1,
// unchecked, and owns player 1; ben is peer2 and owns crate 2; crate 3 is the
// host's and has changed hands, flag 4 has gone.
func theTable(t *testing.T, con *contract.Contract) []refusalCase {
	raw := func(b ...byte) func(*stage) []byte { return func(*stage) []byte { return b } }
	frame := func(kind byte, rest ...byte) func(*stage) []byte {
		return func(s *stage) []byte { return append([]byte{kind, byte(s.epoch)}, rest...) }
	}
	msg := func(name string, target []byte, js string) func(*stage) []byte {
		m := con.Message(name)
		return func(s *stage) []byte {
			b := append([]byte{12, byte(s.epoch), byte(m.Index)}, target...)
			return append(b, wireOf(t, m, js)...)
		}
	}
	tail := func(f func(*stage) []byte, more ...byte) func(*stage) []byte {
		return func(s *stage) []byte { return append(f(s), more...) }
	}
	spoilt := func(kind byte, name string, head []byte, js string, at int, b ...byte) func(*stage) []byte {
		m := con.Message(name)
		return func(s *stage) []byte {
			p := wireOf(t, m, js)
			copy(p[at:], b)
			return append(append([]byte{kind, byte(s.epoch), byte(m.Index)}, head...), p...)
		}
	}
	nan := func() []byte {
		p := wireOf(t, nil, "1.1")
		for i := range 8 {
			p[len(p)-8+i] = byte(math.Float64bits(math.NaN()) >> (8 * i))
		}
		return p
	}()
	echo := func(js string) func(*stage) []byte { return msg("echo", nil, js) }
	deep := strings.Repeat("[", 5) + strings.Repeat("]", 5)
	many := "[" + strings.TrimSuffix(strings.Repeat("0,", 17), ",") + "]"
	long := `"` + strings.Repeat("a", 129) + `"`
	return []refusalCase{
		// kind
		{"one byte", session.ReasonTruncated, false, "0", raw(12)},
		{"no such kind", session.ReasonUnknownFrame, false, "0", frame(99)},
		{"kind 0", session.ReasonUnknownFrame, false, "3", frame(0)},
		{"a spawn from a client", session.ReasonUnauthorizedSender, false, "0", frame(8, 1, 9, 0, 0, 1, 0)},
		{"an ownership from a client", session.ReasonUnauthorizedSender, false, "0", frame(10, 1, 1, 5, 0)},
		{"a relay from a client (B20)", session.ReasonUnauthorizedSender, false, "0", frame(13, 0, 2, 0)},
		{"a ready from the host", session.ReasonUnauthorizedSender, true, "0", frame(5, 0, 0, 0, 0)},
		{"a message on the snapshots' channel", session.ReasonWrongChannel, false, "2", echo("1")},
		{"a publication on the reliable channel", session.ReasonWrongChannel, false, "0", frame(14, 0, 0)},
		{"an unsequenced publication", session.ReasonWrongChannel, false, "3u", frame(14, 0, 0)},
		// phase
		{"a hello of one who has joined", session.ReasonInvalidOperation, false, "0", raw(1, 0, 1, 0)},
		{"a ready of one who is active", session.ReasonInvalidOperation, false, "0", func(s *stage) []byte { return frame(5, byte(s.epoch), 0, 0, 0)(s) }},
		{"a welcome to one who has joined", session.ReasonInvalidOperation, true, "0", raw(2, 0, 1, 0)},
		// epoch
		{"a message of another session", session.ReasonStaleEpoch, false, "0", func(s *stage) []byte { b := echo("1")(s); b[1]++; return b }},
		{"a publication of another session", session.ReasonStaleEpoch, false, "1", func(s *stage) []byte { b := frame(14, 0, 0)(s); b[1]--; return b }},
		{"a snapshot of another session", session.ReasonStaleEpoch, true, "2", func(s *stage) []byte { b := frame(15, 0, 0)(s); b[1]--; return b }},
		// size
		{"a frame over any message's size", session.ReasonOversized, false, "0", tail(echo("1"), make([]byte, 4096)...)},
		{"a publication over its size", session.ReasonOversized, false, "1", tail(frame(14, 0, 0), make([]byte, 20<<10)...)},
		{"a payload over maximum_bytes", session.ReasonOversized, false, "0", tail(msg("chat", nil, `{"text":""}`), make([]byte, 300)...)},
		{"a publication without its head", session.ReasonTruncated, false, "1", frame(14, 0)},
		{"a publication that received what was not sent", session.ReasonTruncated, false, "1", frame(14, 0xff, 0x7f, 0)},
		{"a publication that applied what was not sent", session.ReasonTruncated, false, "1", frame(14, 0, 0xff, 0x7f)},
		// message known
		{"no such message", session.ReasonUnknownMessage, false, "0", frame(12, 200, 1, 0)},
		{"a message without its index", session.ReasonTruncated, false, "0", frame(12, 0x80)},
		{"a message without its generation", session.ReasonTruncated, false, "0", frame(12, byte(con.Message("poke").Index), 1)},
		{"a reliable message, unreliably", session.ReasonWrongChannel, false, "3", echo("1")},
		{"an unsequenced message in sequence", session.ReasonWrongChannel, false, "3", msg("steer", []byte{1, 1}, "1")},
		// sender
		{"the host's message from a client (B19)", session.ReasonUnauthorizedSender, false, "0", msg("over", nil, "{}")},
		{"push, which asks for the owner, on ben's", session.ReasonUnauthorizedSender, false, "0", msg("push", []byte{2, 1}, "{}")},
		// target
		{"a shot of ben's player", session.ReasonUnauthorizedTarget, false, "3", msg("shot", []byte{2, 1, 0}, `{"dir":[1,0]}`)},
		{"a poke at nothing", session.ReasonUnauthorizedTarget, false, "0", msg("poke", []byte{0, 1}, "{}")},
		{"a poke at what never was", session.ReasonUnauthorizedTarget, false, "0", msg("poke", []byte{99, 1}, "{}")},
		// generation
		{"a poke at what has gone (B24)", session.ReasonStaleGeneration, false, "0", msg("poke", []byte{4, 1}, "{}")},
		{"a poke at an older generation", session.ReasonStaleGeneration, false, "0", msg("poke", []byte{3, 1}, "{}")},
		{"a poke at a generation that is not yet", session.ReasonUnauthorizedTarget, false, "0", msg("poke", []byte{3, 9}, "{}")},
		// decode with schema
		{"a payload cut short", session.ReasonTruncated, false, "0", spoilt(12, "chat", nil, `{"text":"abc"}`, 0, 60)},
		{"a payload with more behind it", session.ReasonTruncated, false, "0", tail(msg("chat", nil, `{"text":"abc"}`), 0)},
		{"a text that is not UTF-8", session.ReasonTruncated, false, "0", spoilt(12, "chat", nil, `{"text":"abc"}`, 1, 0xff)},
		{"too deep", session.ReasonExcessiveDepth, false, "0", echo(deep)},
		{"too many", session.ReasonExcessiveElements, false, "0", echo(many)},
		{"a text too long for the contract", session.ReasonStringTooLong, false, "0", echo(long)},
		{"not a number", session.ReasonNonFinite, false, "0", frame(12, append([]byte{byte(con.Message("echo").Index)}, nan...)...)},
		{"a text too long for its schema", session.ReasonSchemaViolation, false, "0",
			frame(12, append([]byte{byte(con.Message("chat").Index), 65}, strings.Repeat("a", 65)...)...)},
		// at a client, from a host that does not check
		{"a client's message in the host's name", session.ReasonUnauthorizedSender, true, "0", func(s *stage) []byte {
			return append(frame(13, byte(con.Message("echo").Index), 0)(s), wireOf(t, nil, "1")...)
		}},
		{"the host's message in a client's name", session.ReasonUnauthorizedSender, true, "0", frame(13, byte(con.Message("over").Index), 2, 0)},
		{"a relayed shot of what is not yet known", session.ReasonEarly, true, "3", frame(13, byte(con.Message("shot").Index), 99, 1, 0, 2, 1, 0, 0)},
		{"what is for the host alone", session.ReasonUnauthorizedTarget, true, "0", frame(12, byte(con.Message("poke").Index), 2, 1, 0)},
		{"a chat that breaks the schema", session.ReasonTruncated, true, "0", frame(13, byte(con.Message("chat").Index), 2, 60, 'a')},
		{"a second spawn of one entity (B28)", session.ReasonDuplicateEntity, true, "0", frame(8, 1, 2, 0, 2, 1, 2, 0, 0)},
		{"a spawn of no prefab", session.ReasonUnknownPrefab, true, "0", frame(8, 1, 50, 9, 0, 1, 0)},
		{"a despawn of what never was", session.ReasonUnknownEntity, true, "0", frame(9, 50, 2)},
		{"a despawn of an older generation", session.ReasonStaleGeneration, true, "0", frame(9, 3, 1)},
		{"an ownership of an older generation", session.ReasonStaleGeneration, true, "0", frame(10, 3, 1, 1, 0)},
	}
}

// tableStage is where theTable plays.
func tableStage(t testing.TB) (s *stage, eve *node) {
	s = newStage(t)
	s.host(load(t, "arena.json"), nil)
	eve = s.joined("eve")
	s.joined("ben")
	must := func(_ uint32, r *session.Refusal) {
		if r != nil {
			t.Fatal(r)
		}
	}
	must(s.server.Spawn(s.now, layoutOf(s.con).Type("player"), 1, nil))
	must(s.server.Spawn(s.now, layoutOf(s.con).Type("crate"), 2, nil))
	must(s.server.Spawn(s.now, layoutOf(s.con).Type("crate"), 1, nil))
	must(s.server.Spawn(s.now, layoutOf(s.con).Type("flag"), 0, nil))
	s.server.Release(s.now) // clients have heard of all four before two of them change
	must(0, s.server.Transfer(s.now, 3, 0))
	must(0, s.server.Despawn(s.now, 4))
	s.run(1100 * time.Millisecond)
	eve.events = nil
	s.log.Reset()
	return s, eve
}

func TestEveryRefusalOfAFrameHasItsReasonAndChangesNothing(t *testing.T) {
	con := load(t, "arena.json")
	for _, tc := range theTable(t, con) {
		t.Run(tc.name, func(t *testing.T) {
			s, eve := tableStage(t)
			before, beforeClient := world.New(layoutOf(con)), world.New(layoutOf(con))
			before.CopyFrom(s.truth)
			beforeClient.CopyFrom(eve.world)
			who, label := "host", "host"
			if tc.toClient {
				who, label = "eve", "eve"
			}
			was := s.diagnostics(who)
			b := tc.bytes(s)
			if tc.toClient {
				ch, mode := channel(t, tc.channel)
				for p := range s.server.Peers {
					if p.Sender == 1 {
						_ = s.link.Send(p.Link, ch, mode, b)
					}
				}
			} else {
				s.raw(eve, tc.channel, b)
			}
			s.quiet = tc.toClient
			s.run(20 * time.Millisecond)
			d := s.diagnostics(who)
			if got := countOf(d, tc.want) - countOf(was, tc.want); got != 1 || d.Rejected != was.Rejected+1 {
				t.Errorf("%s counts %d of %s and %d rejected in all, want one: %s", label, got, tc.want, d.Rejected-was.Rejected, d.LastError)
			}
			if !strings.HasPrefix(d.LastError, tc.want.String()+": ") {
				t.Errorf("last_error is %q, which must begin with the reason %s", d.LastError, tc.want)
			}
			if d.Received != was.Received {
				t.Error("a refused message was delivered")
			}
			if !world.Equal(before, s.truth) || !world.Equal(beforeClient, eve.world) {
				t.Error("a refused frame changed the World")
			}
			if tc.toClient && len(eve.events) > 0 {
				t.Errorf("the client's game heard of it: %v", eve.events)
			}
			if !tc.toClient {
				for _, line := range strings.Split(strings.TrimSpace(s.log.String()), "\n") {
					if line != "" && !strings.HasPrefix(line, "host: refused peer1 1, the last: "+tc.want.String()) {
						t.Errorf("somebody heard of it: %s", line)
					}
				}
			}
			if eve.client.Phase() != session.PhaseActive {
				t.Error("one refused frame must not end the connection")
			}
		})
	}
}

func countOf(d session.Diagnostics, r session.Reason) (n uint64) {
	for _, c := range d.Refusals {
		if c.Reason == r {
			n += c.Count
		}
	}
	return n
}

// TestEveryReasonIsReachable holds the list of reasons to the tests: a reason
// that nothing can run into is no reason.
func TestEveryReasonIsReachable(t *testing.T) {
	seen := map[session.Reason]string{session.ReasonNone: "is none"}
	for _, tc := range theTable(t, load(t, "arena.json")) {
		seen[tc.want] = tc.name
	}
	elsewhere := map[session.Reason]string{
		session.ReasonProtocol:         "testdata/version.txt",
		session.ReasonContractMismatch: "testdata/contract.txt",
		session.ReasonNotJoined:        "testdata/duplicate-hello.txt",
		session.ReasonInvalidOwner:     "testdata/spawn.txt",
		session.ReasonEntityLimit:      "testdata/spawn.txt",
		session.ReasonRateLimited:      "testdata/rate.txt",
		session.ReasonRules:            "testdata/rules.txt",
		session.ReasonBacklog:          "TestFieldLogB60BacklogIsRefusedOrEndsThePeer",
		session.ReasonNotServer:        "the runtime's word for a client's spawn; TestNotedRefusalsShow",
	}
	for r, where := range elsewhere {
		if seen[r] == "" {
			seen[r] = where
		}
		if file, ok := strings.CutSuffix(where, ".txt"); ok && !bytes.Contains(readFile(t, file+".txt"), []byte("\n"+r.String()+" ")) && !bytes.Contains(readFile(t, file+".txt"), []byte("-> "+r.String())) {
			t.Errorf("%s does not show %s", where, r)
		}
	}
	for r := session.ReasonNone; r.String() != "invalid"; r++ {
		if seen[r] == "" {
			t.Errorf("no test runs into %s", r)
		}
		if back, ok := session.ParseReason(r.String()); !ok || back != r || r.Text() == "" {
			t.Errorf("%s has no unique word or no sentence", r)
		}
	}
}

func TestNotedRefusalsShow(t *testing.T) {
	s, eve := tableStage(t)
	r := eve.client.Note(session.Refuse(session.ReasonNotServer))
	if d := eve.client.Diagnostics(); r == nil || !strings.HasPrefix(d.LastError, "not_server: ") || countOf(d, session.ReasonNotServer) != 1 {
		t.Errorf("a refusal that the caller made must show: %q", d.LastError)
	}
	if s.server.Note(nil) != nil {
		t.Error("noting nothing must be nothing")
	}
	if session.Refuse(session.ReasonNone) != nil {
		t.Error("there is no refusal for no reason")
	}
}

func TestRefusalNamesRuleAndPlace(t *testing.T) {
	s, eve := tableStage(t)
	err := eve.client.Send(s.now, "over", "", text(t, "{}"))
	r, ok := err.(*session.Refusal)
	if !ok || r.Reason != session.ReasonUnauthorizedSender || r.Message.Name != "over" || r.Place().Line == 0 || r.Place().Path != "arena.json" {
		t.Fatalf("%v: want the reason, the message and the line of its rule", err)
	}
	if want := fmt.Sprintf("arena.json:%d:", r.Place().Line); !strings.Contains(eve.client.Diagnostics().LastError, want) {
		t.Errorf("last_error %q does not say %s", eve.client.Diagnostics().LastError, want)
	}
}
