package harness

import (
	"fmt"

	"demi.network/contract"
)

// Scene is a runtime.Scene in memory: entities with the fields that their
// prefab replicates, and nothing else.
type Scene struct {
	prefabs  map[string]*contract.Prefab
	entities map[string]*entity // never ranged over
}

type entity struct {
	prefab *contract.Prefab
	values []contract.FieldValue // by contract.Field.Index
}

// NewScene returns an empty scene that knows the prefabs of a contract.
func NewScene(c *contract.Contract) *Scene {
	s := &Scene{prefabs: map[string]*contract.Prefab{}, entities: map[string]*entity{}}
	for i := range c.Prefabs {
		s.prefabs[c.Prefabs[i].Prefab] = &c.Prefabs[i]
	}
	return s
}

// Create makes an entity with the contract's default values. Two keys with one
// prefab:// id are told apart no further: the later key's fields count.
func (s *Scene) Create(prefab, id string) error {
	p := s.prefabs[prefab]
	switch {
	case p == nil:
		return fmt.Errorf("harness: no prefab %q", prefab)
	case s.entities[id] != nil:
		return fmt.Errorf("harness: the entity %q exists", id)
	}
	e := &entity{prefab: p, values: make([]contract.FieldValue, len(p.Fields))}
	for i := range p.Fields {
		e.values[i] = p.Fields[i].Default
	}
	s.entities[id] = e
	return nil
}

// Destroy removes an entity.
func (s *Scene) Destroy(id string) { delete(s.entities, id) }

// Has says whether an entity exists.
func (s *Scene) Has(id string) bool { return s.entities[id] != nil }

// Len returns the number of entities.
func (s *Scene) Len() int { return len(s.entities) }

// Read returns a field.
func (s *Scene) Read(id, field string) (contract.FieldValue, bool) {
	if v := s.find(id, field); v != nil {
		return *v, true
	}
	return contract.FieldValue{}, false
}

// Write sets a field.
func (s *Scene) Write(id, field string, v contract.FieldValue) bool {
	at := s.find(id, field)
	if at != nil {
		*at = v
	}
	return at != nil
}

func (s *Scene) find(id, field string) *contract.FieldValue {
	e := s.entities[id]
	if e == nil {
		return nil
	}
	for i := range e.prefab.Fields {
		if e.prefab.Fields[i].Path == field {
			return &e.values[i]
		}
	}
	return nil
}
