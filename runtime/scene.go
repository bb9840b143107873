package runtime

import (
	"fmt"

	"demi.network/contract"
)

// Scene is the embedder's engine: where replicated fields come from and go to.
// internal/scene is the headless one. A Peer calls it only from inside its own
// methods, on the caller's goroutine, and never keeps what it returns.
// Conform puts an implementation through these rules.
type Scene interface {
	// Create makes an entity named id from a prefab, given by its prefab://
	// id. It fails when the prefab is unknown or id is taken.
	Create(prefab, id string) error
	// Destroy removes an entity; an unknown id is no fault.
	Destroy(id string)
	// Has says whether an entity exists.
	Has(id string) bool
	// Read returns a field ("Transform2D.position") in engine units; false
	// when the entity, its component or the field is not there.
	Read(entity, field string) (contract.FieldValue, bool)
	// Write sets a field; false as for Read, and then nothing has changed.
	Write(entity, field string, v contract.FieldValue) bool
}

// Conform puts a Scene through the rules of the interface with a prefab that
// it knows and a field of it, and returns the first rule that is broken. It
// uses the entity id "conform".
func Conform(s Scene, prefab, field string, v contract.FieldValue) error {
	const id = "conform"
	if s.Has(id) {
		return fmt.Errorf("runtime: the scene has an entity %q before the test", id)
	}
	if _, ok := s.Read(id, field); ok || s.Write(id, field, v) {
		return fmt.Errorf("runtime: reading or writing an unknown entity must say false")
	}
	if err := s.Create(prefab, id); err != nil {
		return fmt.Errorf("runtime: Create: %w", err)
	}
	if !s.Has(id) {
		return fmt.Errorf("runtime: Has must know what Create made")
	}
	if s.Create(prefab, id) == nil {
		return fmt.Errorf("runtime: Create must refuse an id that is taken")
	}
	if !s.Write(id, field, v) {
		return fmt.Errorf("runtime: Write must accept %s", field)
	}
	if got, ok := s.Read(id, field); !ok || got != v {
		return fmt.Errorf("runtime: Read must return what was written: %v, got %v", v, got)
	}
	if s.Write(id, "No.such", v) {
		return fmt.Errorf("runtime: Write must refuse an unknown field")
	}
	s.Destroy(id)
	s.Destroy(id)
	if s.Has(id) {
		return fmt.Errorf("runtime: Destroy must remove the entity")
	}
	return nil
}
