// Package contract owns the network contract: it loads projects, manifests,
// contracts and payload schemas from an fs.FS, finds every fault with its
// place, and compiles what is sound into tables that never change.
//
// The way of a file: strict JSON text with places (contract/jsontext), the
// JSON Schema of its kind (schemas), what a schema cannot say (messages.go,
// fields.go, prefabs.go), the defaults that the schema states (defaults.go),
// the tables (tables.go), and from the completed document its canonical form,
// hashes and digests (meaning.go). The engine's own hash is over the text
// (compatibility.go).
//
// It opens no file outside the file system it is given and no network, reads
// bounded amounts, keeps no state between calls, and knows no session, no
// world and no Lua: a contract can be checked without a game.
package contract
