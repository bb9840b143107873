// Package session owns who is here and what they may do: phases, the
// handshake, the message pipeline, the registry of entities with owners and
// generations, retained spawns for late joiners, rate limits, refusals with
// reasons, kicks and goodbyes.
//
// A Server or Client sends through a transport.Host it was given, is fed that
// host's events with Handle, and returns news from Poll; it never calls back,
// but for the two questions of Rules. It never interprets a snapshot or a
// publication (their bodies are opaque bytes), never knows Lua, never reads a
// clock: time is an argument. Nothing here is safe for concurrent use.
//
// Frames, phases, the order of checks and every reason of a refusal are
// documented in docs/session.md, which a test compares with the code.
package session
