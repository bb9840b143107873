package session

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"strings"
	"testing"

	"demi.network/contract"
	"demi.network/internal/wire"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestFrames holds every frame to its bytes, both ways: the struct, the bytes
// and the text say the same; every shorter prefix and one byte more are
// refused.
func TestFrames(t *testing.T) {
	digest := contract.Digest{0xd1, 0xd2}
	pad := strings.Repeat("00", 14)
	for _, tc := range []struct {
		kind  kind
		frame coded
		empty func() coded
		bytes string
		text  string
	}{
		{kindHello, &hello{Protocol: 1, Wants: wantsObserver, Build: "b1", Name: "ann", Meaning: [32]byte{0xaa, 0xbb}, Scene: digest,
			Sections: []sectionPrint{{Name: "id", Digest: digest, Prints: []uint32{1, 0x01020304}}}, Ticket: []byte{9}, Token: []byte{}, Received: 300},
			func() coded { return &hello{} },
			"01 07 0100 01 02 6231 03 616e6e aabb" + strings.Repeat("00", 30) + "d1d2" + pad + "01 02 6964 d1d2" + pad + "02 01000000 04030201 01 09 00 ac02",
			`hello protocol=1 name="ann" build="b1" wants=1 meaning=aabb0000 sections=1`},
		{kindWelcome, &welcome{Protocol: 1, Sender: 2, Epoch: 0x01020307, Tick: 300, TickRate: 30, Players: 8, Name: "ann", Build: "b", Lease: []byte{}, Document: "{}"},
			func() coded { return &welcome{} },
			"02 07 0100 02 07030201 ac02 1e 08 03 616e6e 01 62 00 02 7b7d",
			`welcome peer2 epoch=16909063 tick=300 rate=30 players=8 name="ann" document=2`},
		{kindRefuse, &refuse{Protocol: 1, Code: 9, Text: "no", Truncated: true, Keys: []keyPrint{{Section: "m", Name: "shot", Digest: digest, Sent: true, Definition: "1"}, {Section: "m", Name: "x", Digest: digest}}},
			func() coded { return &refuse{} },
			"03 07 0100 0900 02 6e6f 01 02 01 6d 04 73686f74 d1d2" + pad + "01 01 31 01 6d 01 78 d1d2" + pad + "00",
			`refuse E_NET_CONTRACT_MISMATCH protocol=1 keys=2 truncated=true text="no"`},
		{kindDiff, &diff{Lines: []string{"a", "b"}}, func() coded { return &diff{} }, "04 07 02 01 61 01 62", `diff ["a" "b"]`},
		{kindReady, &ready{Epoch: 0x01020307}, func() coded { return &ready{} }, "05 07 07030201", "ready epoch=16909063"},
		{kindActive, &active{Tick: 300, Records: 5}, func() coded { return &active{} }, "06 07 ac02 05", "active tick=300 records=5"},
		{kindGoodbye, &goodbye{Code: 5, Text: "out"}, func() coded { return &goodbye{} }, "07 07 0500 03 6f7574", `goodbye E_NET_KICKED text="out"`},
		{kindSpawn, &spawns{Records: []spawn{{N: 300, Type: 1, Owner: 2, Gen: 1, Row: []byte{0xab}}, {N: 301, Gen: 1, Row: []byte{}}}}, func() coded { return &spawns{} },
			"08 07 02 ac02 01 02 01 01 ab ad02 00 00 01 00", "spawn 300(type=1 owner=peer2 gen=1 row=ab) 301(type=0 owner=server gen=1 row=)"},
		{kindDespawn, &despawn{N: 300, Gen: 2}, func() coded { return &despawn{} }, "09 07 ac02 02", "despawn 300 gen=2"},
		{kindOwnership, &ownership{N: 1, Owner: 2, Gen: 3, Row: []byte{0xab, 0xcd}}, func() coded { return &ownership{} }, "0a 07 01 02 03 02 abcd", "ownership 1 owner=peer2 gen=3 row=abcd"},
	} {
		want := unhex(t, tc.bytes)
		got := appendFrame(nil, tc.kind, 7, tc.frame)
		if !bytes.Equal(got, want) {
			t.Errorf("%s writes\n%x, want\n%x", tc.kind, got, want)
			continue
		}
		if text := FrameText(want, nil); text != tc.text {
			t.Errorf("%s is described as\n%s, want\n%s", tc.kind, text, tc.text)
		}
		body := want[headerBytes:]
		back := tc.empty()
		if !decode(body, back) || !reflect.DeepEqual(back, tc.frame) {
			t.Errorf("%s reads back as %+v, want %+v", tc.kind, back, tc.frame)
		}
		for n := range body {
			if decode(body[:n], tc.empty()) {
				t.Errorf("%s: %d of %d bytes are read as a whole frame", tc.kind, n, len(body))
			}
		}
		if decode(append(bytes.Clone(body), 0), tc.empty()) {
			t.Errorf("%s: a byte too many is read as a whole frame", tc.kind)
		}
	}
}

// TestOtherVersionsCanTellEachOtherApart: what a frame of another version says
// after its head is nobody's business.
func TestOtherVersionsCanTellEachOtherApart(t *testing.T) {
	var h hello
	if !decode(unhex(t, "0200 ffffffffff"), &h) || h.Protocol != 2 {
		t.Errorf("a hello of version 2 must be read as far as its version: %+v", h)
	}
	var r refuse
	if !decode(unhex(t, "0300 0100 02 6e6f ffffff"), &r) || r.Protocol != 3 || r.Code != 1 || r.Text != "no" {
		t.Errorf("a refuse of version 3 must be read as far as its text: %+v", r)
	}
}

func TestMessageFrames(t *testing.T) {
	con := &contract.Contract{Messages: []contract.Message{
		{Index: 0, Name: "plain"},
		{Index: 1, Name: "about", Target: contract.TargetEntity},
		{Index: 2, Name: "aim", Target: contract.TargetOwnedEntity, Rewind: true},
	}}
	for _, tc := range []struct {
		kind  kind
		m     message
		bytes string
		text  string
	}{
		{kindMessage, message{Index: 0, payload: []byte{0xee}}, "0c 07 00 ee", "message plain payload=ee"},
		{kindMessage, message{Index: 1, N: 300, Gen: 2, payload: []byte{}}, "0c 07 01 ac02 02", "message about entity=300 gen=2 payload="},
		{kindMessage, message{Index: 2, N: 1, Gen: 2, View: 300, payload: []byte{1}}, "0c 07 02 01 02 ac02 01", "message aim entity=1 gen=2 view=300 payload=01"},
		{kindRelay, message{Index: 2, N: 1, Gen: 2, View: 300, Sender: 4, payload: []byte{1}}, "0d 07 02 01 02 ac02 04 01", "relay aim entity=1 gen=2 view=300 sender=peer4 payload=01"},
	} {
		tc.m.rule = &con.Messages[tc.m.Index]
		want := unhex(t, tc.bytes)
		if got := tc.m.append(nil, tc.kind, 7, con); !bytes.Equal(got, want) {
			t.Errorf("%s writes %x, want %x", tc.text, got, want)
		}
		var back message
		if !back.read(want[headerBytes:], con, tc.kind == kindRelay) || !reflect.DeepEqual(back, tc.m) {
			t.Errorf("%s reads back as %+v", tc.text, back)
		}
		if text := FrameText(want, con); text != tc.text {
			t.Errorf("described as %s, want %s", text, tc.text)
		}
		for n := 0; n < len(want)-headerBytes-len(tc.m.payload); n++ {
			if back.read(want[headerBytes:headerBytes+n], con, tc.kind == kindRelay) {
				t.Errorf("%s: %d bytes are read as a message", tc.text, n)
			}
		}
	}
	var m message
	if !m.read([]byte{3, 1, 2}, con, false) || m.rule != nil {
		t.Error("an index that the contract lacks must be read, without a rule")
	}
}

// TestKindTable: each kind has a rule that can be met.
func TestKindTable(t *testing.T) {
	for k := kindNone + 1; k < kindCount; k++ {
		r := &kindRules[k]
		if r.name == "" || r.from == 0 || r.phases == 0 || r.on == 0 || r.min < headerBytes || r.max != 0 && r.max < r.min {
			t.Errorf("kind %d: %+v", k, r)
		}
		if r.counted && r.on&on(channelReliable) == 0 {
			t.Errorf("%s is counted as reliable, and never is", r.name)
		}
		if r.phases.has(PhaseClosed) {
			t.Errorf("%s is legal on a closed connection", r.name)
		}
	}
}

// TestPhaseMoves goes through every pair of phases.
func TestPhaseMoves(t *testing.T) {
	legal := map[string]bool{}
	for _, m := range []string{
		"closed connected", "connected authenticated", "authenticated ready", "ready active", "active ready",
		"authenticated reconnecting", "ready reconnecting", "active reconnecting", "reconnecting authenticated",
		"connected closed", "authenticated closed", "ready closed", "active closed", "reconnecting closed", "closed closed",
	} {
		legal[m] = true
	}
	for a := PhaseClosed; a < phaseCount; a++ {
		for b := PhaseClosed; b < phaseCount; b++ {
			moved := func() (ok bool) {
				defer func() { ok = recover() == nil }()
				m := machine{phase: a}
				m.set(b, 5)
				return
			}()
			if moved != legal[a.String()+" "+b.String()] {
				t.Errorf("%s to %s: %t", a, b, moved)
			}
		}
	}
	if Phase(99).String() != "invalid" {
		t.Error("a number that is no phase")
	}
}

func TestSendersAndNetworkIDs(t *testing.T) {
	for _, s := range []Sender{0, 1, 42, 1<<32 - 1} {
		if back, ok := ParseSender(s.String()); !ok || back != s {
			t.Errorf("%s reads back as %s", s, back)
		}
	}
	for _, bad := range []string{"", "peer", "peer0", "peer01", "peer-1", "peer4294967296", "Server", "server ", "peer 1", "1"} {
		if s, ok := ParseSender(bad); ok {
			t.Errorf("%q is read as %s", bad, s)
		}
	}
	if id := NetworkID(7, 1<<32-1); id != "net:7:4294967295" {
		t.Error(id)
	}
	for _, bad := range []string{"", "net:", "net:1", "net:1:", "net:01:1", "net:1:0", "net:0:1", "net:1:1:1", "net:1:+1", "net: 1:1", "NET:1:1", "net:1:99999999999"} {
		if e, n, ok := ParseNetworkID(bad); ok {
			t.Errorf("%q is read as %d %d", bad, e, n)
		}
	}
	if e, n, ok := ParseNetworkID("net:7:12"); !ok || e != 7 || n != 12 {
		t.Error("net:7:12")
	}
}

func TestNextEpoch(t *testing.T) {
	prev := uint32(0)
	for random := uint32(0); random < 2000; random++ {
		e := NextEpoch(random, prev)
		if e&0xff == 0 || e&0xff == prev&0xff {
			t.Fatalf("NextEpoch(%d, %d) = %d: the low byte must not be 0 and must change", random, prev, e)
		}
		prev = e
	}
}

// FuzzFrame decodes any bytes as every kind of frame: no panic, and what reads
// writes back to the same bytes.
func FuzzFrame(f *testing.F) {
	for _, s := range []string{
		"0107 0100 00 00 03 616e6e", "0207 0100 02 07030201 00 1e 08 00 00 00 00", "0507 07030201", "0707 0500 03 6f7574",
		"0807 02 ac02 01 02 01 01 ab ad02 00 00 01 00", "0a07 01 02 03 02 abcd", "0c07 02 01 02 ac02 01", "0d07 02 01 02 ac02 04 01", "0e07 00 00 ff", "0407 02 01 61 01 62",
	} {
		f.Add(unhex(f, s))
	}
	con := &contract.Contract{Messages: []contract.Message{{Index: 0, Name: "plain"}, {Index: 1, Name: "about", Target: contract.TargetEntity}, {Index: 2, Name: "aim", Target: contract.TargetOwnedEntity, Rewind: true}}}
	f.Fuzz(func(t *testing.T, b []byte) {
		if s := FrameText(b, con); s == "" || strings.ContainsAny(s, "\n\x1b") {
			t.Fatalf("%q describes %x", s, b)
		}
		if len(b) < headerBytes {
			return
		}
		for k, empty := range map[kind]func() coded{
			kindHello: func() coded { return &hello{} }, kindWelcome: func() coded { return &welcome{} }, kindRefuse: func() coded { return &refuse{} },
			kindDiff: func() coded { return &diff{} }, kindReady: func() coded { return &ready{} }, kindActive: func() coded { return &active{} },
			kindGoodbye: func() coded { return &goodbye{} }, kindSpawn: func() coded { return &spawns{} }, kindDespawn: func() coded { return &despawn{} },
			kindOwnership: func() coded { return &ownership{} },
		} {
			if kind(b[0]) != k {
				continue
			}
			x := empty()
			if !decode(b[headerBytes:], x) {
				continue
			}
			if h, ok := x.(*hello); ok && h.Protocol != Protocol {
				continue
			}
			if r, ok := x.(*refuse); ok && r.Protocol != Protocol {
				continue
			}
			c := wire.Writer(nil)
			x.code(&c)
			if !bytes.Equal(c.Written(), b[headerBytes:]) {
				t.Fatalf("%s: %x reads as %+v, which writes %x", k, b, x, c.Written())
			}
		}
	})
}
