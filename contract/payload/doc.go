// Package payload owns message payloads: Value (a reusable tape, no tree),
// Plan (a compiled schema), Sink (the one set of rules that every source of
// values is put through) and the sources wire and JSON; luabind's Lua source
// drives the same Sink. It knows no message, no session and no Lua.
//
// # Schemas
//
// A DataSchema is JSON Schema (draft 2020-12) cut down to what can be checked
// in one pass and explained in one sentence: type, enum, const, minimum,
// maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, minItems,
// maxItems, items, required, properties, additionalProperties, $defs and $ref.
// $schema, $comment, title, description, default and format_version are
// allowed and mean nothing. Every other keyword is an [Issue] when the schema is
// compiled, never a rule that is silently not enforced.
//
// Differences from the draft, all on purpose:
//
//   - minLength and maxLength count UTF-8 bytes, as the engine does, not code
//     points: they bound memory and packets.
//   - enum and const list null, booleans, numbers and strings only.
//   - $ref is local and stands alone: annotations and $defs may be beside it.
//   - type may be a list. null reaches a script as nil, so a member may be null,
//     but an array can hold none: its null would be a hole.
//   - additionalProperties may be a schema, which then holds for the members that
//     are not declared; in the engine's own files it is a boolean.
//   - A whole number that is spelled out and that no double equals is refused, in
//     schemas and in payloads. There is one zero: -0 is 0.
//
// # Wire form
//
// The wire form has no names and no kinds where the schema fixes them. A
// varint is unsigned LEB128 in its shortest form; zigzag maps 0, -1, 1, -2 … to
// 0, 1, 2, 3 …; other numbers are little-endian. One value has one form, and
// everything else is refused as malformed. What a place looks like depends on
// its schema:
//
//	null; integer with one possible value      nothing
//	enum, const                                place among the constants that the schema's other
//	                                           rules allow, as varint; nothing when there is one
//	boolean                                    0 or 1; in an object a bit of the header
//	integer, at most 256 possible values       value - smallest, one byte
//	integer with a minimum                     value - smallest, as varint
//	integer                                    zigzag varint
//	number                                     tagged, see below
//	string                                     length as varint, bytes
//	array                                      count as varint, unless minItems = maxItems; items
//	object                                     header, declared members in the byte order of their
//	                                           names, count of others as varint, the others; no
//	                                           count and no others when additionalProperties is false
//	several types, or none                     tagged
//
// An integer beyond 2^53 is written as the word after the last that an integer
// up to 2^53 can have (2^54+1 in zigzag, 2^53 - smallest + 1 above a minimum) and
// a float64.
//
// An object's header has a bit for each declared member that is not required
// (it is there) and then, if it is a boolean, one for its value; in the order of
// members, lowest bit first, in as few bytes as they need; spare bits are 0.
// Each of the other members is its name (length as varint, bytes) and its
// value, in strictly rising byte order of names, none of them declared.
//
// Tags:
//
//	00 … bf   the integer tag - 64
//	c1 … c7   an integer as zigzag in 1 … 7 bytes, as few as it needs
//	c8        float32, for a number that is one exactly
//	c9        float64
//	ca        null
//	cb, cc    false, true
//	cd        array of 8 items or more: count as varint, items
//	ce        object of 8 other members or more: their count as varint, then as above without the count
//	cf        string of 32 bytes or more: length as varint, bytes
//	d0 … ef   string of tag - d0 bytes
//	f0 … f7   array of tag - f0 items
//	f8 … ff   object of tag - f8 other members
package payload
