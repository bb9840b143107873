// Package scene owns the headless engine: what a project's scenes and prefabs
// describe, the live entities with their components, replicated fields in
// engine units, 2D colliders with ray casts and a small body step, and input
// actions. It is what Lua services read and write on a dedicated host, and one
// implementation of runtime.Scene.
//
// It never draws, never reads a clock, never talks to a network and knows no
// session: who may write a field is decided above it. Nothing here is part of
// a hashed world, so a Scene may hold floats.
package scene

import (
	"strings"

	"demi.network/contract"
	"demi.network/runtime/fault"
)

// Limits of what a scene holds. A file or a call that goes beyond one is
// refused with fault.Scene; nothing grows past them.
const (
	MaxEntities   = 10_000  // live entities
	MaxPrefabs    = 1_000   // prefabs of a project
	MaxComponents = 64      // components of an entity
	MaxIDBytes    = 256     // bytes of an entity id or name
	MaxFileBytes  = 4 << 20 // bytes of a project, scene or prefab file
	MaxFields     = 4_096   // distinct field paths, built-in and declared
	MaxActions    = 256     // input actions of a project

	MaxSetComponent = 64 << 10 // bytes of a component that Set has changed
	MaxSetTotal     = 32 << 20 // bytes that Set has added to all components
)

// prefabScheme begins the id of every prefab.
const prefabScheme = "prefab://"

// Scene is the live state of one headless game. The zero value is not ready;
// use New or Open. Not safe for concurrent use: it belongs to the goroutine
// that runs the game.
type Scene struct {
	// ID and Name are the loaded scene file's; empty for New.
	ID   string
	Name string
	// Input holds the project's actions and their values.
	Input Input

	fields   fieldTable
	prefabs  prefabTable
	entities entityTable
	walls    []outline // scratch of Step: the fixed colliders
}

// New returns an empty scene that knows the built-in fields and no prefab.
func New() *Scene {
	return &Scene{
		fields:   newFieldTable(),
		prefabs:  prefabTable{byID: map[string]*Prefab{}, byKey: map[string]string{}},
		entities: entityTable{byID: map[string]uint32{}},
	}
}

// UseContract makes the scene serve a contract: every field that a replicated
// prefab declares becomes readable and writable, and Create accepts prefab
// keys as well as prefab:// ids. It may be called again with another contract;
// fields are only ever added.
func (s *Scene) UseContract(c *contract.Contract) error {
	for i := range c.Prefabs {
		p := &c.Prefabs[i]
		s.prefabs.byKey[p.Key] = p.Prefab
		for j := range p.Fields {
			f := &p.Fields[j]
			if _, err := s.Declare(f.Path, f.Type); err != nil {
				return err
			}
		}
	}
	return nil
}

// Create makes entities from a prefab, given by its prefab:// id or by its key
// in the contract. The prefab's first entity is the root and gets the id; the
// others get id + "/" + their own id, and live as long as the root. Errors:
// fault.Scene for an unknown prefab, a bad or taken id, or a full scene; then
// nothing was created.
func (s *Scene) Create(prefab, id string) error {
	p, err := s.findPrefab(prefab)
	if err != nil {
		return err
	}
	if err := s.checkRoom(len(p.parts)); err != nil {
		return err
	}
	for i := range p.parts {
		if err := s.checkID(partID(id, p, i)); err != nil {
			return err
		}
	}
	var root Ref
	for i := range p.parts {
		r := s.entities.add(partID(id, p, i), p.parts[i].clone())
		if i == 0 {
			root = r
		} else {
			s.entities.get(r).root = root
		}
	}
	return nil
}

// partID is the id of a prefab's i-th entity in the instance named id.
func partID(id string, p *Prefab, i int) string {
	if i == 0 {
		return id
	}
	return id + "/" + p.ids[i]
}

// Destroy removes an entity and, when it is the root of a prefab instance,
// the rest of the instance. An id that does not exist is fine: the wish is
// already true.
func (s *Scene) Destroy(id string) {
	r, ok := s.Find(id)
	if !ok {
		return
	}
	s.entities.remove(r)
}

// Has reports whether an entity with this id lives.
func (s *Scene) Has(id string) bool {
	_, ok := s.entities.byID[id]
	return ok
}

// Read returns a field in engine units by names. False: no such entity, no
// such field, or the entity lacks the component. It does not allocate.
func (s *Scene) Read(entity, field string) (contract.FieldValue, bool) {
	r, ok := s.Find(entity)
	if !ok {
		return contract.FieldValue{}, false
	}
	f, ok := s.Field(field)
	if !ok {
		return contract.FieldValue{}, false
	}
	return s.ReadField(r, f)
}

// Write sets a field in engine units by names. False as in Read, and when a
// number is not finite: a NaN in a position would spread. It does not
// allocate once the entity holds the field.
func (s *Scene) Write(entity, field string, v contract.FieldValue) bool {
	r, ok := s.Find(entity)
	if !ok {
		return false
	}
	f, ok := s.Field(field)
	return ok && s.WriteField(r, f, v)
}

// checkRoom refuses what would exceed MaxEntities.
func (s *Scene) checkRoom(n int) error {
	if len(s.entities.order)+n > MaxEntities {
		return fault.New(fault.Scene, "the scene is full: at most %d entities", MaxEntities)
	}
	return nil
}

// checkID refuses ids that no entity may get.
func (s *Scene) checkID(id string) error {
	switch {
	case id == "":
		return fault.New(fault.Scene, "an entity needs an id")
	case len(id) > MaxIDBytes:
		return fault.New(fault.Scene, "an entity id has %d bytes; at most %d are allowed", len(id), MaxIDBytes)
	case s.Has(id):
		return fault.New(fault.Scene, "an entity with the id %q exists already", id)
	}
	return nil
}

// findPrefab resolves a prefab:// id or a contract key.
func (s *Scene) findPrefab(name string) (*Prefab, error) {
	id := name
	if !strings.HasPrefix(name, prefabScheme) {
		byKey, ok := s.prefabs.byKey[name]
		if !ok {
			return nil, fault.New(fault.Scene, "no prefab has the key %q in the contract", name)
		}
		id = byKey
	}
	if p := s.prefabs.byID[id]; p != nil {
		return p, nil
	}
	return nil, fault.New(fault.Scene, "the project has no prefab %q", id)
}
