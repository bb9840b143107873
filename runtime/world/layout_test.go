package world

import (
	"testing"
	"testing/fstest"

	"demi.network/contract"
)

const testContract = `{"format_version": 1, "id": "network-contract://t/world", "replicated_prefabs": {
 "body": {"prefab": "prefab://body", "components": {
  "A": {"on": {"type": "bool"}, "hp": {"type": "int", "minimum": 0, "maximum": 100, "visible_to": "owner"},
        "fine": {"type": "float", "step": 0.5, "sub_bits": 8, "minimum": -10, "maximum": 10, "write_by": "owner"},
        "tint": {"type": "color", "visible_to": "server"}, "q": {"type": "quat", "write_by": "all"},
        "keys": {"type": "int", "visible_to": "owner_and_server"}},
  "Transform2D": {"position": {"write_by": "owner"}, "rotation": {}}}},
 "crate": {"prefab": "prefab://crate", "components": {"Transform2D": {"position": {"write_by": "owner"}}}}}}`

func loadContract(t testing.TB, text string) *contract.Contract {
	t.Helper()
	c, problems := contract.LoadFile(fstest.MapFS{"c.json": {Data: []byte(text)}}, "c.json")
	if c == nil {
		t.Fatalf("the test's contract must load:\n%v", problems)
	}
	return c
}

func testLayout(t testing.TB) *Layout { return NewLayout(loadContract(t, testContract)) }

// names lists the fields a mask selects.
func names(t *Type, m Mask) string {
	s := ""
	for f := range t.Fields {
		if m.Has(f) {
			s += t.Fields[f].Path + " "
		}
	}
	return s
}

func TestMasksFollowTheContract(t *testing.T) {
	l := testLayout(t)
	body := &l.Types[l.Type("body")]
	const (
		everybody = "A.fine A.on A.q Transform2D.position Transform2D.rotation "
		owner     = "A.fine A.hp A.keys A.on A.q Transform2D.position Transform2D.rotation "
		all       = "A.fine A.hp A.keys A.on A.q A.tint Transform2D.position Transform2D.rotation "
	)
	for _, c := range []struct {
		why         string
		owner, peer uint32
		see, write  string
	}{
		{"the server sees and, owning it, writes everything", 0, 0, all, all},
		{"a client sees of the server's entity what is for all", 0, 2, everybody, ""},
		{"an owner sees what is for owners, and writes what is an owner's", 2, 2, owner, "A.fine A.q Transform2D.position "},
		{"another client sees that too, and writes nothing, whatever all may write", 2, 3, everybody, ""},
		{"the server does not write what a client owner writes", 2, 0, all, "A.hp A.keys A.on A.q A.tint Transform2D.rotation "},
	} {
		if got := names(body, body.VisibleTo(c.owner, c.peer)); got != c.see {
			t.Errorf("%s: sees %q, want %q", c.why, got, c.see)
		}
		if got := names(body, body.WritableBy(c.owner, c.peer)); got != c.write {
			t.Errorf("%s: writes %q, want %q", c.why, got, c.write)
		}
	}
	if l.Type("nobody") != -1 || body.Field("A.nothing") != -1 {
		t.Error("an unknown name must give -1")
	}
}

func TestDefaultsOfARow(t *testing.T) {
	l := testLayout(t)
	ty := &l.Types[l.Type("body")]
	row := ty.Default()
	if got := ty.Value(ty.Field("A.q"), row); got != (contract.FieldValue{0, 0, 0, 1}) {
		t.Errorf("a quaternion starts as the identity, got %v", got)
	}
	row[0] = 77
	if ty.Default()[0] == 77 {
		t.Error("a default row handed out must not be the layout's own")
	}
}
