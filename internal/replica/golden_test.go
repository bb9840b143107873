package replica

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"demi.network/runtime/world"
)

// TestBodiesOfTheDocument reads docs/replication.md: the example there is what
// this package writes, byte by byte, and what it reads.
func TestBodiesOfTheDocument(t *testing.T) {
	doc, err := os.ReadFile("../../docs/replication.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(doc), "```body\n")
	text, _, closed := strings.Cut(text, "```")
	if !ok || !closed {
		t.Fatal("docs/replication.md must have an example in a block called body")
	}
	var want []byte
	for _, line := range strings.Split(text, "\n") {
		digits, _, _ := strings.Cut(line, "|")
		b, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(digits), " ", ""))
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		want = append(want, b...)
	}

	l := testLayout(t)
	w := world.New(l)
	body, crate := l.Type("body"), l.Type("crate")
	w.Insert(l, body, world.Head{ID: 7, OwnGen: 1, Owner: 2}, []int32{30, 100, 9999, 700, -60})
	w.Insert(l, body, world.Head{ID: 300, OwnGen: 2, Owner: 1, Force: 1}, []int32{30, 100, 9999, 0, 0})
	w.Insert(l, crate, world.Head{ID: 9, OwnGen: 1}, []int32{200, 64})
	tr := NewTracker(l, Down)
	tr.Update(w)
	up := NewReceiver(l, Up, 1)
	up.ack = Ack{Valid: true, Newest: 40, Bits: 5}
	got, _ := NewSender(l, Down, 1).Write(nil, w, tr, up, 42)
	if string(got) != string(want) {
		t.Errorf("the body is\n%x\nand the document says\n%x", got, want)
	}

	view := world.New(l)
	view.CopyFrom(w)
	for typ := range view.Tables {
		clear(view.Tables[typ].Cells)
	}
	o, err := NewReceiver(l, Down, 1).Read(view, want)
	if err != nil || !o.Whole || !o.Complete || o.Tick != 42 || o.Ack != (Ack{true, 40, 5}) {
		t.Errorf("reading the document's body: %+v, %v", o, err)
	}
	if l.Hash(view, 1) != l.Hash(w, 1) {
		t.Error("who reads the document's body must hold what was written")
	}
}
