package scene

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"demi.network/contract"
	"demi.network/runtime/fault"
)

func entityWith(components string) string {
	return `{"format_version": 1, "id": "scene://s", "entities": [` + "\n" + `{"id": "a", "components": ` + components + `}]}`
}

func TestWhatIsWrongWithASceneIsPlaced(t *testing.T) {
	for _, c := range []struct {
		why, text, pointer string
		line, column       int
		says               string
	}{
		{"no JSON", `{`, "", 1, 2, "ends"},
		{"no object", `[]`, "", 1, 1, "object"},
		{"another version", `{"format_version": 2, "id": "scene://s", "entities": []}`, "/format_version", 1, 20, "must be 1"},
		{"no version", `{"id": "scene://s", "entities": []}`, "", 1, 1, "must be 1"},
		{"no id", `{"format_version": 1, "entities": []}`, "", 1, 1, "id is missing"},
		{"a prefab's id", `{"format_version": 1, "id": "prefab://s", "entities": []}`, "/id", 1, 29, "scene://"},
		{"no entities", `{"format_version": 1, "id": "scene://s"}`, "", 1, 1, "must be a list"},
		{"entities that are none", `{"format_version": 1, "id": "scene://s", "entities": {}}`, "/entities", 1, 54, "must be a list"},
		{"an entity that is none", `{"format_version": 1, "id": "scene://s", "entities": [7]}`, "/entities/0", 1, 55, "object"},
		{"a duplicate key", `{"format_version": 1, "id": "scene://s", "id": "scene://t", "entities": []}`, "", 0, 0, "twice"},
		{"a number out of range", entityWith(`{"Mass": {"kg": 1e999}}`), "", 2, 0, "too large"},
		{"components that are none", entityWith(`[]`), "/entities/0/components", 2, 27, "object"},
		{"a component that is none", entityWith(`{"Transform2D": 3}`), "/entities/0", 2, 1, "Transform2D must be an object"},
		{"a position of one number", entityWith(`{"Transform2D": {"position": [1]}}`), "/entities/0/components/Transform2D/position", 2, 56, "2 numbers"},
		{"a rotation in words", entityWith(`{"Transform2D": {"rotation": "left"}}`), "/entities/0/components/Transform2D/rotation", 2, 56, "number"},
		{"a flip in words", entityWith(`{"Sprite": {"flip_x": "yes"}}`), "/entities/0/components/Sprite/flip_x", 2, 0, "true or false"},
		{"an unknown body", entityWith(`{"Rigidbody2D": {"body_type": "soft"}}`), "/entities/0/components/Rigidbody2D/body_type", 2, 57, "dynamic"},
		{"a radius in words", entityWith(`{"CircleCollider2D": {"radius": "big"}}`), "/entities/0/components/CircleCollider2D/radius", 2, 59, "number"},
		{"a size of three", entityWith(`{"BoxCollider2D": {"size": [1, 2, 3]}}`), "/entities/0/components/BoxCollider2D/size", 2, 54, "2 numbers"},
		{"a script without a module", entityWith(`{"LuaScript": {}}`), "/entities/0", 2, 1, "script://"},
	} {
		err := New().LoadScene("scenes/s.json", []byte(c.text))
		var e *fault.Error
		if !errors.As(err, &e) || e.Code != fault.Scene {
			t.Errorf("%s: got %v, want E_NET_SCENE", c.why, err)
			continue
		}
		if !strings.Contains(e.Text, c.says) {
			t.Errorf("%s: the message is %q, want something of %q", c.why, e.Text, c.says)
		}
		if e.Place.Path != "scenes/s.json" || c.pointer != "" && e.Place.Pointer != c.pointer ||
			c.line != 0 && e.Place.Line != c.line || c.column != 0 && e.Place.Column != c.column {
			t.Errorf("%s: placed at %v %s, want %d:%d %s", c.why, e.Place, e.Place.Pointer, c.line, c.column, c.pointer)
		}
		if list, _ := e.Data["problems"].([]any); len(list) == 0 {
			t.Errorf("%s: the error must list its problems", c.why)
		}
	}
}

func TestAllFaultsOfAFileAtOnce(t *testing.T) {
	text := `{"format_version": 1, "id": "scene://s", "entities": [
		{"id": "a", "components": {"Transform2D": {"scale": 1}}},
		{"id": "a"}, {"id": ""}, {"id": "b", "name": 4}]}`
	err := New().LoadScene("s", []byte(text))
	var e *fault.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	if list := e.Data["problems"].([]any); len(list) != 2 {
		t.Errorf("shape faults come together: %d of %v", len(list), list)
	}
	many := `{"format_version": 1, "id": "scene://s", "entities": [` + strings.Repeat("1,", 200) + `1]}`
	errors.As(New().LoadScene("s", []byte(many)), &e)
	if list := e.Data["problems"].([]any); len(list) != maxProblems || !strings.Contains(e.Text, "and 200 more") {
		t.Errorf("%d problems listed, text %q: the list is bounded, the count is not", len(list), e.Text)
	}
}

func TestWhatIsWrongWithAPrefab(t *testing.T) {
	part := `{"id": "r", "components": {"Transform2D": {"position": [1, 2]}}}`
	for why, text := range map[string]string{
		"no entities":    `{"format_version": 1, "id": "prefab://p", "entities": []}`,
		"a scene's id":   `{"format_version": 1, "id": "scene://p", "entities": [` + part + `]}`,
		"only a scheme":  `{"format_version": 1, "id": "prefab://", "entities": [` + part + `]}`,
		"two of one id":  `{"format_version": 1, "id": "prefab://p", "entities": [` + part + `,` + part + `]}`,
		"a known prefab": `{"format_version": 1, "id": "prefab://crate", "entities": [` + part + `]}`,
		"a wrong field":  `{"format_version": 1, "id": "prefab://p", "entities": [{"id": "r", "components": {"Sprite": {"color": [1]}}}]}`,
	} {
		s := mustLoad(t, "", crate)
		if err := s.LoadPrefab("p", []byte(text)); fault.CodeOf(err) != fault.Scene {
			t.Errorf("%s: got %v, want E_NET_SCENE", why, err)
		}
	}
}

func TestUnknownThingsAreKeptAndIgnored(t *testing.T) {
	s := mustLoad(t, `{"format_version": 1, "id": "scene://s", "hud": "x.json", "editor": {"zoom": 3}, "entities": [
		{"id": "a", "tags": ["x"], "components": {"Zorp": {"z": null, "a": [true, "b", {"c": 1}]}}}]}`)
	r, _ := s.Find("a")
	d, ok := s.Component(r, "Zorp")
	if !ok || d.Keys[0].Key != "z" || d.Keys[0].Value.Kind != Null || d.Keys[1].Value.Items[2].Keys[0].Value.Number != 1 {
		t.Errorf("an unknown component must be kept in its order, got %+v", d)
	}
}

func TestOpenAProject(t *testing.T) {
	fsys := fstest.MapFS{
		"prefabs/c.prefab.json": {Data: []byte(crate)},
		"scenes/a.scene.json":   {Data: []byte(`{"format_version": 1, "id": "scene://a", "name": "A", "entities": [{"id": "e"}]}`)},
		"scenes/big.json":       {Data: make([]byte, MaxFileBytes+1)},
		"scenes/other.json":     {Data: []byte(`{"format_version": 1, "id": "scene://x", "entities": []}`)},
	}
	p := &contract.Project{
		FS: fsys, MainScene: "scene://a",
		Scenes: []contract.SceneRef{
			{ID: "scene://a", Path: "scenes/a.scene.json"}, {ID: "scene://big", Path: "scenes/big.json"},
			{ID: "scene://gone", Path: "scenes/gone.json"}, {ID: "scene://dir", Path: "scenes"}, {ID: "scene://other", Path: "scenes/other.json"},
		},
		Prefabs: []contract.PrefabRef{{ID: "prefab://crate", Path: "prefabs/c.prefab.json"}},
		Actions: []contract.Action{{Name: "fire", Type: "button"}, {Name: "move_x", Type: "axis1d", Context: "gameplay"}},
	}
	s, err := Open(p, "")
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "A" || !slices.Contains(s.Prefabs(), "prefab://crate") || !s.Input.Known("fire") || s.Input.Actions()[1].Kind != Axis1D {
		t.Errorf("the main scene, prefabs and actions must be there: %+v", s)
	}
	for why, id := range map[string]string{
		"unknown": "scene://b", "too large": "scene://big", "missing": "scene://gone", "a folder": "scene://dir", "another id": "scene://other",
	} {
		if _, err := Open(p, id); fault.CodeOf(err) != fault.Scene {
			t.Errorf("%s: got %v, want E_NET_SCENE", why, err)
		}
	}
	var e *fault.Error
	if _, err := Open(p, "scene://b"); !errors.As(err, &e) || !strings.Contains(e.Hint, "scene://a, scene://big") {
		t.Errorf("who asks for an unknown scene is told which there are: %+v", e)
	}
	if _, err := Open(&contract.Project{FS: fsys}, ""); !errors.As(err, &e) || !strings.Contains(e.Text, "no scene to start in") || !strings.Contains(e.Hint, "main_scene") {
		t.Errorf("who has no scene is told how to name one: %+v", e)
	}
}

// FuzzLoad feeds files to the scene and prefab readers: whatever they hold,
// loading ends, and what loaded can be played.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"scenes/arena.scene.json", "prefabs/player.prefab.json"} {
		b, err := os.ReadFile("testdata/demi-ffa/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(crate))
	f.Add([]byte(entityWith(`{"Transform2D": {"scale": [1e308, 1e308]}, "BoxCollider2D": {"size": [1e308, 1]}, "Rigidbody2D": {}}`)))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := New()
		if err := s.LoadPrefab("p", text); err == nil {
			for i := range 3 {
				if err := s.Create(s.Prefabs()[0], fmt.Sprint("e", i)); err != nil {
					t.Fatal("what loaded must be creatable: ", err)
				}
			}
			s.Destroy("e1")
			if s.Has("e1") {
				t.Fatal("what was destroyed must be gone")
			}
		} else if fault.CodeOf(err) != fault.Scene {
			t.Fatalf("an error without the scene's code: %v", err)
		}
		if err := s.LoadScene("s", text); err != nil && fault.CodeOf(err) != fault.Scene {
			t.Fatalf("an error without the scene's code: %v", err)
		}
		s.Step(1.0/30, nil)
		s.Raycast(0, 0, 1, 0.5, 1e9, "", "")
		for r := range s.All() {
			for id := range FieldID(len(builtin)) {
				if v, ok := s.ReadField(r, id); ok {
					for _, n := range v {
						if !finite(n) {
							t.Fatalf("%s has %v in %v", s.EntityID(r), v, builtin[id].key)
						}
					}
				}
			}
		}
	})
}

func TestOpenThePublishedShooter(t *testing.T) {
	p, problems := contract.LoadProject(os.DirFS("testdata/demi-ffa"))
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(p, "")
	if err != nil {
		t.Fatal(err)
	}
	if s.Count() != 12 || !slices.Contains(s.Prefabs(), "prefab://player") || !s.Input.Known("host_match") || len(s.Input.Actions()) != 7 {
		t.Errorf("%d entities, actions %v", s.Count(), s.Input.Actions())
	}
}
