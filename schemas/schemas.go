// Package schemas holds the JSON Schemas of every file that demi-net reads or
// writes, and the stubs of its Lua modules, as data: editors use the files, the
// contract package embeds them. It holds no code that validates.
//
// Beside the draft-07 keywords the files carry three of ours, which validators
// skip: x-demi-code (the problem code for what is wrong at or below this
// place), x-demi-synonyms (keys of an object, or values of an enum, that people
// write by mistake, and what the format calls them) and x-demi-refusals (what is refused at run time because
// of this rule).
package schemas

import "embed"

// FS holds the schema files by name, "network-contract.schema.json" and so on.
//
//go:embed *.schema.json
var FS embed.FS

// Lua holds the stubs of the modules that scripts require, "lua/session.lua" and
// so on, for the Lua language server. Where they name a function or a field, it
// exists; a test holds them to the bindings.
//
//go:embed lua/*.lua
var Lua embed.FS

// Names of the schema files in FS.
const (
	NetworkContract = "network-contract.schema.json"
	DataSchema      = "data-schema.schema.json"
	Asset           = "asset.schema.json"
	Project         = "project.schema.json"
	Report          = "report.schema.json"
)

// Base is the URL that the files' $id begin with. Nothing is ever fetched
// from it.
const Base = "https://demi.network/schemas/"
