package runtime_test

import (
	"errors"
	"testing"

	"demi.network/contract"
	"demi.network/internal/scene"
	"demi.network/runtime"
)

// The headless engine is the Scene that most peers have.
func TestTheHeadlessSceneConforms(t *testing.T) {
	s := scene.New()
	const prefab = `{"format_version": 1, "id": "prefab://crate", "name": "Crate", "entities": [
	 {"id": "ent_crate", "name": "Crate", "components": {"Transform2D": {"position": [1, 2]}}}]}`
	if err := s.LoadPrefab("prefabs/crate.prefab.json", []byte(prefab)); err != nil {
		t.Fatal(err)
	}
	if err := runtime.Conform(s, "prefab://crate", "Transform2D.position", contract.FieldValue{3, 4}); err != nil {
		t.Error(err)
	}
}

// sloppy is a Scene that breaks one rule.
type sloppy struct {
	*scene.Scene
	rule string
}

func (s sloppy) Create(prefab, id string) error {
	if s.rule == "takes an id twice" && s.Has(id) {
		return nil
	}
	if s.rule == "refuses what it should make" {
		return errors.New("no")
	}
	return s.Scene.Create(prefab, id)
}

func (s sloppy) Destroy(id string) {
	if s.rule != "destroys nothing" {
		s.Scene.Destroy(id)
	}
}

func (s sloppy) Write(entity, field string, v contract.FieldValue) bool {
	return s.Scene.Write(entity, field, v) || s.rule == "accepts any field"
}

func (s sloppy) Read(entity, field string) (contract.FieldValue, bool) {
	v, ok := s.Scene.Read(entity, field)
	if s.rule == "rounds" {
		v[0] = float64(int(v[0]))
	}
	return v, ok
}

func TestConformFindsEachBrokenRule(t *testing.T) {
	for _, rule := range []string{"takes an id twice", "refuses what it should make", "destroys nothing", "accepts any field", "rounds"} {
		s := scene.New()
		if err := s.LoadPrefab("p.json", []byte(`{"format_version": 1, "id": "prefab://p", "name": "P", "entities": [
		 {"id": "e", "name": "E", "components": {"Transform2D": {}}}]}`)); err != nil {
			t.Fatal(err)
		}
		if runtime.Conform(sloppy{s, rule}, "prefab://p", "Transform2D.position", contract.FieldValue{0.5}) == nil {
			t.Errorf("a scene that %s must not conform", rule)
		}
	}
}
