// Package payload owns message payloads: Value (a reusable tape, no tree),
// Plan (a compiled schema), Sink (the one set of rules that every source of
// values is put through) and the sources wire and JSON; luabind's Lua source
// drives the same Sink. It knows no message, no session and no Lua.
package payload
