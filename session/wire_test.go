package session

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"demi.network/contract"
	"demi.network/runtime/world"
)

// aliases are the document's names of fields that the code calls otherwise.
var aliases = map[string]string{"n": "entity", "gen": "generation"}

// fieldName is how the document spells the name of a struct's field.
func fieldName(s string) string {
	name := strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(s, "$1 $2"))
	if a, ok := aliases[name]; ok {
		return a
	}
	return name
}

// TestWireFrames compares the table of frames with the code.
func TestWireFrames(t *testing.T) {
	d := readWireDoc(t)
	var want []string
	for k := kindNone + 1; k < kindCount; k++ {
		r := &kindRules[k]
		from, chans, most := frameCells(k)
		want = append(want, fmt.Sprintf("| %d | `%s` | %s | %s | %d … %s |", k, r.name, from, chans, r.min, most))
	}
	if !reflect.DeepEqual(d.frames, want) {
		t.Errorf("docs/wire.md, Frames, says\n%s\nand the code\n%s", strings.Join(d.frames, "\n"), strings.Join(want, "\n"))
	}
}

// TestWireConstants compares the other figures of the document with the code.
func TestWireConstants(t *testing.T) {
	b, err := os.ReadFile("../docs/wire.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("This is protocol version %d.", Protocol),
		fmt.Sprintf("| connect data | 0x%08X |", ConnectData),
		fmt.Sprintf("maximum_message_bytes` and %d more", messageOverhead),
		fmt.Sprintf("ours sends the first %d of all sections |", maxPrints),
		"its order: `" + strings.Join(contract.SectionNames(), "`, `") + "`",
	} {
		if !bytes.Contains(b, []byte(want)) {
			t.Errorf("docs/wire.md does not say %q", want)
		}
	}
}

// structs are the frames that one struct codes, with what their lists are made
// of; the others have tests of their own below.
var structs = map[string]func() coded{
	"hello": func() coded { return &hello{} }, "welcome": func() coded { return &welcome{} }, "refuse": func() coded { return &refuse{} },
	"diff": func() coded { return &diff{} }, "ready": func() coded { return &ready{} }, "active": func() coded { return &active{} },
	"goodbye": func() coded { return &goodbye{} }, "spawn": func() coded { return &spawns{} }, "despawn": func() coded { return &despawn{} },
	"ownership": func() coded { return &ownership{} }, "publication": func() coded { return &opaque{} }, "snapshot": func() coded { return &opaque{} },
}

// TestWireFieldNames: every field of a frame stands in the document, under its
// name and in its place.
func TestWireFieldNames(t *testing.T) {
	d := readWireDoc(t)
	parts := map[string]any{"section": sectionPrint{}, "key": keyPrint{}, "record": spawn{}}
	for name, empty := range structs {
		parts[name] = reflect.ValueOf(empty()).Elem().Interface()
	}
	for name, s := range parts {
		var want []string
		for i := range reflect.TypeOf(s).NumField() {
			want = append(want, fieldName(reflect.TypeOf(s).Field(i).Name))
		}
		if _, isOpaque := s.(opaque); isOpaque {
			want = append(want, "body")
		}
		var got []string
		for _, f := range d.fields[name] {
			got = append(got, f.name)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("docs/wire.md, %s, has the fields %q, the code %q", name, got, want)
		}
	}
	for k := kindNone + 1; k < kindCount; k++ {
		if len(d.fields[k.String()]) == 0 {
			t.Errorf("docs/wire.md has no fields of %s", k)
		}
	}
}

// TestWireFields writes random frames from the tables: the code must read each
// and write the same bytes again, so that types and order are the document's.
func TestWireFields(t *testing.T) {
	d := readWireDoc(t)
	for name, empty := range structs {
		for seed := range uint64(200) {
			w := docWriter{d: &d, random: rand.New(rand.NewPCG(seed, 3))}
			w.part(name)
			f := empty()
			if o, ok := f.(*opaque); ok {
				got, rest, ok := readOpaque(w.out)
				if *o = (opaque{got.Received, got.Records}); !ok || !bytes.HasSuffix(w.out, rest) {
					t.Fatalf("%s: the code does not read what the document writes: %x", name, w.out)
				}
				if back := appendFrame(nil, kindSnapshot, 0, o)[headerBytes:]; !bytes.Equal(append(back, rest...), w.out) {
					t.Fatalf("%s: the document writes\n%x, the code\n%x", name, w.out, back)
				}
				continue
			}
			if !decode(w.out, f) {
				t.Fatalf("%s: the code does not read what the document writes: %x", name, w.out)
			}
			if back := appendFrame(nil, kindHello, 0, f)[headerBytes:]; !bytes.Equal(back, w.out) {
				t.Fatalf("%s: the document writes\n%x, the code\n%x", name, w.out, back)
			}
		}
	}
}

// TestWireLimits gives each text, bytes and list the size that the document
// allows, which must be read, and one more, which must not.
func TestWireLimits(t *testing.T) {
	d := readWireDoc(t)
	inside := map[string]string{"section": "hello", "key": "refuse", "record": "spawn"}
	probed := 0
	for part, fields := range d.fields {
		frame := part
		if f, ok := inside[part]; ok {
			frame = f
		}
		empty := structs[frame]
		if empty == nil {
			continue
		}
		for _, f := range fields {
			m := atMost.FindStringSubmatch(f.typ)
			if m == nil {
				continue
			}
			probes := map[string]string{part + "." + f.name: m[2]}
			if item := nestedText.FindStringSubmatch(strings.TrimPrefix(m[1], "list of ")); item != nil {
				probes["diff.line"] = item[1]
			}
			for probe, limit := range probes {
				most, _ := strconv.Atoi(limit)
				for _, size := range []int{most, most + 1} {
					w := docWriter{d: &d, random: rand.New(rand.NewPCG(1, 4)), probe: probe, size: size}
					w.part(frame)
					if ok := decode(w.out, empty()); ok != (size == most) {
						t.Errorf("docs/wire.md, %s: with a size of %d the code reads it: %t; the limit should be %d", probe, size, ok, most)
					}
				}
				probed++
			}
		}
	}
	if probed < 20 {
		t.Errorf("%d limits were tried: the tables have more", probed)
	}
}

// TestWireMessages does the same for messages and relays, whose fields depend
// on the contract.
func TestWireMessages(t *testing.T) {
	d := readWireDoc(t)
	con := &contract.Contract{Messages: []contract.Message{
		{Index: 0, Name: "plain"},
		{Index: 1, Name: "about", Target: contract.TargetEntity},
		{Index: 2, Name: "aim", Target: contract.TargetOwnedEntity, Rewind: true},
		{Index: 3, Name: "back", Rewind: true},
	}}
	for i := range con.Messages {
		rule := &con.Messages[i]
		for _, k := range []kind{kindMessage, kindRelay} {
			w := docWriter{d: &d, random: rand.New(rand.NewPCG(uint64(i), 5)),
				has: map[string]bool{"the message has a target": rule.Target != contract.TargetNone, "the message has `rewind`": rule.Rewind}}
			fields := d.fields[k.String()]
			w.varint(uint64(i))
			for _, f := range fields[1:] {
				w.field(k.String(), f)
			}
			var m message
			if !m.read(w.out, con, k == kindRelay) {
				t.Fatalf("%s %s: the code does not read what the document writes: %x", k, rule.Name, w.out)
			}
			if back := m.append(nil, k, 0, con)[headerBytes:]; !bytes.Equal(back, w.out) {
				t.Errorf("%s %s: the document writes\n%x, the code\n%x", k, rule.Name, w.out, back)
			}
			if want := map[kind]string{kindMessage: "index entity generation view payload", kindRelay: "index entity generation view sender payload"}[k]; fieldList(fields) != want {
				t.Errorf("docs/wire.md, %s, has the fields %s, want %s", k, fieldList(fields), want)
			}
		}
	}
}

func fieldList(fields []wireField) string {
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	return strings.Join(names, " ")
}

// TestWireExamples reads the annotated examples.
func TestWireExamples(t *testing.T) {
	d := readWireDoc(t)
	c, problems := contract.LoadFile(os.DirFS("testdata"), "arena.json")
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"hello", "welcome", "spawn", "message", "relay"} {
		e := d.blocks[name]
		if len(e.bytes) == 0 {
			t.Errorf("docs/wire.md has no example called %s", name)
			continue
		}
		if got := FrameText(e.bytes, c); got != e.reads || kind(e.bytes[0]).String() != name {
			t.Errorf("the example %s reads\n%s, and the document says\n%s", name, got, e.reads)
		}
	}
	var m message
	if !m.read(d.blocks["message"].bytes[headerBytes:], c, false) {
		t.Fatal("the example of a message does not parse")
	}
	cd := newCodec(c)
	if r := cd.decode(m.rule, m.payload, &cd.read); r != ReasonNone || cd.read.String() != `{"dir":[1,0]}` {
		t.Errorf("the example's payload is %s, refused for %s", &cd.read, r)
	}
	layout := world.NewLayout(c)
	var s spawns
	decode(d.blocks["spawn"].bytes[headerBytes:], &s)
	for i, want := range [][]int32{{300, -10, 500}, {0, 0, 0}} {
		rec := &s.Records[i]
		typ := &layout.Types[rec.Type]
		cells := make([]int32, typ.Stride)
		rest, err := layout.ReadRow(rec.Row, int(rec.Type), typ.VisibleTo(rec.Owner, 2), cells)
		for j := range cells {
			cells[j] >>= typ.Columns[j].SubBits
		}
		if err != nil || len(rest) > 0 {
			t.Errorf("row %d of the example does not parse: %v, %x is left", i, err, rest)
		}
		sortedByPath(t, typ)
		if typ.Key == "crate" {
			want = want[:typ.Stride]
		}
		if !reflect.DeepEqual(cells, want) {
			t.Errorf("row %d of the example holds %v, want %v", i, cells, want)
		}
	}
	if text := hex.EncodeToString(d.blocks["welcome"].bytes[1:2]); text != "07" {
		t.Errorf("the epoch byte of the examples is %s, and the epoch 0x01020307", text)
	}
}

// sortedByPath holds the document's order of columns to the layout.
func sortedByPath(t *testing.T, typ *world.Type) {
	t.Helper()
	for i := 1; i < len(typ.Fields); i++ {
		if typ.Fields[i-1].Path >= typ.Fields[i].Path {
			t.Errorf("%s: %s stands before %s", typ.Key, typ.Fields[i-1].Path, typ.Fields[i].Path)
		}
	}
}
