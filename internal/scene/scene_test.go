package scene

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"demi.network/contract"
	"demi.network/runtime/fault"
)

// mustLoad returns a scene with these prefab and scene texts.
func mustLoad(t testing.TB, sceneText string, prefabs ...string) *Scene {
	t.Helper()
	s := New()
	for _, p := range prefabs {
		if err := s.LoadPrefab("p.prefab.json", []byte(p)); err != nil {
			t.Fatal(err)
		}
	}
	if sceneText != "" {
		if err := s.LoadScene("s.scene.json", []byte(sceneText)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

const crate = `{"format_version": 1, "id": "prefab://crate", "name": "Crate", "entities": [
	{"id": "root", "name": "Crate", "components": {"Transform2D": {"position": [1, 2]}, "Stats": {"worth": 7, "deep": {"er": [1, 2]}}}},
	{"id": "lid", "components": {"Transform2D": {"rotation": 0.5}, "LuaScript": {"module": "script://scripts/lid.lua"}}}]}`

// ffa loads the published shooter of the engine, as it is.
func ffa(t testing.TB) *Scene {
	t.Helper()
	read := func(name string) string {
		b, err := os.ReadFile("testdata/demi-ffa/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	return mustLoad(t, read("scenes/arena.scene.json"), read("prefabs/player.prefab.json"))
}

func TestThePublishedShooterLoads(t *testing.T) {
	s := ffa(t)
	if s.ID != "scene://multiplayer_ffa_shooter/arena" || s.Name != "Neon FFA Arena" || s.Count() != 12 {
		t.Errorf("got scene %q %q with %d entities, want the arena with 12", s.ID, s.Name, s.Count())
	}
	var ids []string
	for r := range s.All() {
		ids = append(ids, s.EntityID(r))
	}
	if ids[0] != "ent_camera" || ids[11] != "ent_player" {
		t.Errorf("entities must come in the order of the file, got %v", ids)
	}
	game, _ := s.Find("ent_game")
	if s.Module(game) != "script://scripts/game.lua" {
		t.Errorf("the game's script is %q", s.Module(game))
	}
	camera, _ := s.Find("ent_camera")
	if d, ok := s.Component(camera, "Camera2D"); !ok || len(d.Keys) != 2 {
		t.Error("components the engine half knows must be kept whole")
	}
	if v, ok := s.Read("ent_player", "Sprite.color"); !ok || v != (contract.FieldValue{0.2, 0.9, 0.75, 0.2}) {
		t.Errorf("Sprite.color is %v %v", v, ok)
	}
	if v, ok := s.Read("ent_cover_left", "Transform2D.scale"); !ok || v != (contract.FieldValue{1, 1}) {
		t.Errorf("a scale that the file leaves out must be 1, got %v %v", v, ok)
	}
}

func TestInstancesOfAPrefab(t *testing.T) {
	s := mustLoad(t, "", crate)
	if err := s.Create("prefab://crate", "a"); err != nil {
		t.Fatal(err)
	}
	if err := s.Create("prefab://crate", "b"); err != nil {
		t.Fatal(err)
	}
	if !s.Has("a") || !s.Has("a/lid") || s.Count() != 4 {
		t.Fatalf("an instance is its root and its parts, got %d entities", s.Count())
	}
	if !s.Write("a", "Transform2D.position", contract.FieldValue{9, 9}) {
		t.Fatal("a position must be writable")
	}
	if v, _ := s.Read("b", "Transform2D.position"); v != (contract.FieldValue{1, 2}) {
		t.Errorf("instances must not share values: b is at %v", v)
	}
	lid, _ := s.Find("b/lid")
	root, _ := s.Find("b")
	if s.Module(lid) == "" {
		t.Error("instances must know their scripts")
	}
	before := s.Revision()
	s.Destroy("b")
	if s.Has("b") || s.Has("b/lid") || s.Alive(lid) || s.Revision() == before {
		t.Error("destroying a root must destroy the parts and be seen in Revision")
	}
	if err := s.Create("prefab://crate", "b"); err != nil {
		t.Fatal("an id is free again after Destroy: ", err)
	}
	if s.Alive(root) {
		t.Error("an old handle must not stand for a new entity with the same id")
	}
	if v, ok := s.ReadField(root, Position2D); ok {
		t.Errorf("an old handle read %v", v)
	}
}

func TestWhatCannotBeCreated(t *testing.T) {
	s := mustLoad(t, "", crate)
	if err := s.Create("prefab://crate", "taken"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ why, prefab, id string }{
		{"an unknown prefab", "prefab://nothing", "x"},
		{"a key of no contract", "crate", "x"},
		{"a taken id", "prefab://crate", "taken"},
		{"a taken id of a part", "prefab://crate", "half"},
		{"an empty id", "prefab://crate", ""},
		{"an endless id", "prefab://crate", strings.Repeat("x", MaxIDBytes+1)},
		{"an endless id of a part", "prefab://crate", strings.Repeat("x", MaxIDBytes)},
	} {
		if c.id == "half" {
			if _, err := s.Add(Entity{ID: "half/lid"}); err != nil {
				t.Fatal(err)
			}
		}
		before := s.Count()
		if err := s.Create(c.prefab, c.id); fault.CodeOf(err) != fault.Scene {
			t.Errorf("%s: got %v, want E_NET_SCENE", c.why, err)
		}
		if s.Count() != before {
			t.Errorf("%s: a refused Create must leave nothing behind", c.why)
		}
	}
}

func TestASceneHasALimit(t *testing.T) {
	s := mustLoad(t, "", crate)
	for i := 0; ; i++ {
		if err := s.Create("prefab://crate", fmt.Sprint("n", i)); err != nil {
			if s.Count() != MaxEntities || fault.CodeOf(err) != fault.Scene {
				t.Errorf("creation ended at %d entities with %v, want %d", s.Count(), err, MaxEntities)
			}
			break
		}
	}
}

func TestUseContract(t *testing.T) {
	s := mustLoad(t, "", crate)
	if err := s.Create("prefab://crate", "early"); err != nil {
		t.Fatal(err)
	}
	err := s.UseContract(&contract.Contract{Prefabs: []contract.Prefab{{Key: "box", Prefab: "prefab://crate", Fields: []contract.Field{
		{Path: "Transform2D.position", Type: contract.TypeVec2},
		{Path: "Stats.worth", Type: contract.TypeInt},
		{Path: "Stats.deep.er", Type: contract.TypeVec2},
		{Path: "Other.spin", Type: contract.TypeQuat},
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Create("box", "late"); err != nil {
		t.Error("Create must take the contract's key: ", err)
	}
	for _, id := range []string{"early", "late"} {
		for path, want := range map[string]contract.FieldValue{
			"Stats.worth": {7}, "Stats.deep.er": {1, 2}, "Other.spin": {0, 0, 0, 1},
		} {
			if v, ok := s.Read(id, path); !ok || v != want {
				t.Errorf("%s %s is %v %v, want %v: declared fields come from the component, else are zero", id, path, v, ok, want)
			}
		}
	}
	if !s.Write("late", "Other.spin", contract.FieldValue{1}) {
		t.Error("a declared field needs no component to be written")
	}
	if _, err := s.Declare("Stats.worth", contract.TypeVec3); fault.CodeOf(err) != fault.Scene {
		t.Errorf("one path cannot have two types, got %v", err)
	}
}

func TestWritesThatAreRefused(t *testing.T) {
	s := ffa(t)
	for _, c := range []struct {
		why, entity, field string
		v                  contract.FieldValue
	}{
		{"no such entity", "nobody", "Transform2D.position", contract.FieldValue{}},
		{"no such field", "ent_player", "Transform2D.posotion", contract.FieldValue{}},
		{"no dot", "ent_player", "position", contract.FieldValue{}},
		{"no such component", "ent_game", "Transform2D.position", contract.FieldValue{}},
		{"not a number", "ent_player", "Transform2D.position", contract.FieldValue{0, nan()}},
		{"infinite", "ent_player", "Rigidbody2D.velocity", contract.FieldValue{inf()}},
	} {
		before, _ := s.Read(c.entity, c.field)
		if s.Write(c.entity, c.field, c.v) {
			t.Errorf("%s: Write must be false", c.why)
		}
		if after, _ := s.Read(c.entity, c.field); after != before {
			t.Errorf("%s: a refused write changed %v to %v", c.why, before, after)
		}
	}
	if !s.Write("ent_player", "Transform2D.position", contract.FieldValue{1, 2, nan(), 4}) {
		t.Error("numbers beyond a field's columns must not matter")
	}
	if v, _ := s.Read("ent_player", "Transform2D.position"); v != (contract.FieldValue{1, 2}) {
		t.Errorf("numbers beyond a field's columns must not be kept: %v", v)
	}
}

func TestComponentsAtRunTime(t *testing.T) {
	s := mustLoad(t, "", crate)
	r, err := s.Add(Entity{ID: "e", Components: []Component{{"Transform2D", MapOf()}, {"Mood", MapOf(Member{"happy", BoolOf(true)})}, {"CircleCollider2D", MapOf(Member{"radius", NumberOf(0)})}}})
	if err != nil {
		t.Fatal(err)
	}
	s.WriteField(r, Position2D, contract.FieldValue{3, 4})
	if err := s.Set(r, "Mood", "happy", BoolOf(false)); err != nil {
		t.Fatal(err)
	}
	if d, ok := s.Get(r, "Mood", "happy"); !ok || d.Bool {
		t.Error("Set must change what Get returns")
	}
	if err := s.Set(r, "Transform2D", "note", TextOf("here")); err != nil {
		t.Fatal(err)
	}
	if d, _ := s.Get(r, "Transform2D", "position"); !slices.EqualFunc(d.Items, []float64{3, 4}, func(d Data, f float64) bool { return d.Number == f }) {
		t.Errorf("a change beside a field must not reset it, got %v", d)
	}
	if err := s.Set(r, "Transform2D", "position", NumbersOf(1)); fault.CodeOf(err) != fault.Scene {
		t.Errorf("a field must refuse a wrong shape, got %v", err)
	}
	if err := s.Set(r, "CircleCollider2D", "radius", NumberOf(2)); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Raycast(-10, 4, 1, 0, 100, "", ""); !ok {
		t.Error("a collider that grew at run time must be found by rays")
	}
	if err := s.Set(r, "CircleCollider2D", "radius", TextOf("big")); fault.CodeOf(err) != fault.Scene {
		t.Errorf("a collider must refuse a wrong shape, got %v", err)
	}
	if _, ok := s.Raycast(-10, 4, 1, 0, 100, "", ""); !ok {
		t.Error("a refused change must change nothing")
	}
	if err := s.Set(r, "Absent", "x", NumberOf(1)); fault.CodeOf(err) != fault.Scene {
		t.Errorf("a component that the entity lacks cannot be changed, got %v", err)
	}
}

func TestHotPathsDoNotAllocate(t *testing.T) {
	s := ffa(t)
	r, _ := s.Find("ent_player")
	check := func(what string, f func()) {
		t.Helper()
		f()
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s allocates %v times a call", what, n)
		}
	}
	check("ReadField", func() { s.ReadField(r, Position2D) })
	check("WriteField", func() { s.WriteField(r, Position2D, contract.FieldValue{1, 2}) })
	check("Read", func() { s.Read("ent_player", "Transform2D.position") })
	check("Write", func() { s.Write("ent_player", "Rigidbody2D.velocity", contract.FieldValue{1, 2}) })
	check("Raycast", func() { s.Raycast(0, 0, 1, 0.3, 50, "arena_wall", "ent_player") })
	check("Step", func() { s.Step(1.0/30, nil) })
	check("Input", func() { s.Input.Begin(); s.Input.Value("x") })
}

// TestFieldsAreWhatTheContractSaysTheyAre: both packages list the built-in
// fields and the zeros of types, and a host's rows start with the contract's.
func TestFieldsAreWhatTheContractSaysTheyAre(t *testing.T) {
	s := New()
	list := contract.BuiltinFields()
	if len(list) != len(builtin) {
		t.Errorf("the contract knows %d built-in fields, the scene %d", len(list), len(builtin))
	}
	for _, f := range list {
		if id, ok := s.Field(f.Path); !ok || s.FieldType(id) != f.Type {
			t.Errorf("%s is %v here, %v in a contract", f.Path, s.FieldType(id), f.Type)
		}
	}
	const text = `{"format_version": 1, "id": "network-contract://t/t", "replicated_prefabs": {"p": {"prefab": "prefab://p", "components": {"C": {
		"b": {"type": "bool"}, "i": {"type": "int"}, "f": {"type": "float", "step": 1}, "a": {"type": "angle"}, "v": {"type": "vec2"},
		"w": {"type": "vec3"}, "q": {"type": "quat"}, "c": {"type": "color"}}}}}}`
	c, problems := contract.LoadText("c.json", []byte(text))
	if c == nil {
		t.Fatal(problems)
	}
	if err := s.UseContract(c); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(Entity{ID: "e"}); err != nil {
		t.Fatal(err)
	}
	for _, f := range c.Prefabs[0].Fields {
		if v, ok := s.Read("e", f.Path); !ok || v != f.Default {
			t.Errorf("%s starts as %v in the scene and as %v in rows", f.Path, v, f.Default)
		}
	}
	if _, err := s.Declare("C.b", contract.TypeInt); fault.CodeOf(err) != fault.Scene {
		t.Errorf("a bool and an int have one column each, but are two types: %v", err)
	}
}

// TestSetIsBounded: what scripts put into components has limits, and is given
// back with its entity.
func TestSetIsBounded(t *testing.T) {
	s := New()
	fill := func(id string) error {
		r, err := s.Add(Entity{ID: id, Components: []Component{{"Notes", MapOf()}}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 55 {
			if err := s.Set(r, "Notes", fmt.Sprint("note", i), TextOf(strings.Repeat("x", 1000))); err != nil {
				return err
			}
		}
		return s.Set(r, "Notes", "note0", TextOf("short")) // replaces, and takes less
	}
	if err := fill("first"); err != nil {
		t.Fatal(err)
	}
	r, _ := s.Find("first")
	err := s.Set(r, "Notes", "long", TextOf(strings.Repeat("x", MaxSetComponent)))
	if fault.CodeOf(err) != fault.Scene || !strings.Contains(err.Error(), "Notes") {
		t.Errorf("a component over the limit: %v", err)
	}
	if _, ok := s.Get(r, "Notes", "long"); ok {
		t.Error("what is refused must not be there")
	}
	n := 1
	for ; n < MaxEntities; n++ {
		if err = fill(fmt.Sprint("e", n)); err != nil {
			break
		}
	}
	if fault.CodeOf(err) != fault.Scene || n > MaxSetTotal/60_000 {
		t.Fatalf("%d entities of 60 KB each: %v", n, err)
	}
	s.Destroy("e1")
	if err := fill("another"); err != nil {
		t.Errorf("there is room again: %v", err)
	}
	for i := range n + 1 {
		s.Destroy(fmt.Sprint("e", i))
	}
	s.Destroy("first")
	s.Destroy("another")
	if s.Count() != 0 || s.entities.added != 0 {
		t.Errorf("%d entities are left, and %d bytes", s.Count(), s.entities.added)
	}
}
