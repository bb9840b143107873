package runtime

import "demi.network/contract"

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
