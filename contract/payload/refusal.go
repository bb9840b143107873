package payload

import (
	"errors"
	"fmt"
	"strconv"

	"demi.network/contract/jsontext"
)

// Reason is why a payload was refused, in the engine's vocabulary.
type Reason uint8

// The reasons. Accepted is no refusal.
const (
	Accepted          Reason = iota
	Truncated                // the bytes end inside the value
	Malformed                // the bytes are no value: trailing or impossible bytes, text that is not UTF-8, a key twice
	Oversized                // more bytes than Limits.Bytes
	ExcessiveDepth           // more containers inside one another than Limits.Depth
	ExcessiveElements        // more items and members than Limits.Elements
	StringTooLong            // a string or name longer than Limits.StringBytes
	NonFinite                // NaN or an infinity
	SchemaViolation          // a well-formed value that the schema forbids
	reasonCount
)

var reasonNames = [reasonCount]string{
	"accepted", "truncated", "malformed", "oversized", "excessive_depth", "excessive_elements",
	"string_too_long", "non_finite", "schema_violation",
}

// String returns the reason as counters and last_error spell it.
func (r Reason) String() string {
	if r < reasonCount {
		return reasonNames[r]
	}
	return "unknown"
}

// rule is what exactly was broken; it picks the sentence and the keyword.
type rule uint8

const (
	ruleNone rule = iota
	ruleBytes
	ruleDepth
	ruleElements
	ruleStringBytes
	ruleFinite
	ruleInexact
	ruleUTF8
	ruleTruncated
	ruleTrailing
	ruleSpelling
	ruleJSON
	ruleDuplicate
	ruleDeclared
	ruleIncomplete
	ruleType
	ruleEnum
	ruleMinimum
	ruleMaximum
	ruleMinLength
	ruleMaxLength
	ruleMinItems
	ruleMaxItems
	ruleRequired
	ruleAdditional
	ruleHole
	ruleSource
)

// keyword returns the schema keyword that a broken rule of n stands under, ""
// when it is not a single one.
func (r rule) keyword(n *schema) string {
	switch r {
	case ruleType:
		return "type"
	case ruleEnum:
		return n.enumWord
	case ruleMinimum:
		if n.minExclusive {
			return "exclusiveMinimum"
		}
		return "minimum"
	case ruleMaximum:
		if n.maxExclusive {
			return "exclusiveMaximum"
		}
		return "maximum"
	case ruleMinLength:
		return "minLength"
	case ruleMaxLength:
		return "maxLength"
	case ruleMinItems:
		return "minItems"
	case ruleMaxItems:
		return "maxItems"
	case ruleRequired:
		return "required"
	case ruleAdditional:
		return "additionalProperties"
	}
	return ""
}

// Refusal is why a payload was refused. Making one costs nothing: it keeps
// what the Sink knows, and words are found only when asked for. It is valid
// until its Sink, or the Value that was being filled, is used again.
type Refusal struct {
	reason Reason
	rule   rule
	schema *schema
	detail int64 // of the rule: a property's index, a length, a fault
	kind   Kind  // ruleType: what was given
	text   string
	sink   *Sink
}

// Reason returns the reason for counters.
func (r *Refusal) Reason() Reason { return r.reason }

// ReasonOf returns the reason of an error of this package, Accepted for nil,
// and Malformed for an error of somebody else.
func ReasonOf(err error) Reason {
	if err == nil {
		return Accepted
	}
	var r *Refusal
	if errors.As(err, &r) {
		return r.reason
	}
	return Malformed
}

// Error returns reason, path and text in one line.
func (r *Refusal) Error() string {
	path := r.Path()
	if path == "" {
		return r.reason.String() + ": " + r.Text()
	}
	return r.reason.String() + ": " + path + ": " + r.Text()
}

// Path returns the JSON pointer of the refused value in the payload; "" is the
// payload itself.
func (r *Refusal) Path() string {
	var b []byte
	for i := range r.sink.depth {
		f := &r.sink.stack[i]
		if !f.object {
			if !f.pending {
				break // refused at its end, not in an item
			}
			b = strconv.AppendInt(append(b, '/'), int64(f.count), 10)
			continue
		}
		if f.field == noField {
			break
		}
		b = append(b, '/')
		b = append(b, jsontext.EscapeToken(string(r.sink.fieldName(f)))...)
	}
	return string(b)
}

// SchemaPath returns the JSON pointer, within the schema's document, of the
// rule that was broken; of its schema when no single keyword was; "" for
// limits and malformed bytes.
func (r *Refusal) SchemaPath() string {
	if r.reason != SchemaViolation || r.schema == nil {
		return ""
	}
	word := r.rule.keyword(r.schema)
	if word == "" {
		return r.schema.pointer
	}
	return r.schema.pointer + "/" + word
}

// Text returns what is wrong in one sentence without a place.
func (r *Refusal) Text() string {
	lim := &r.sink.lim
	switch r.rule {
	case ruleBytes:
		return fmt.Sprintf("more than %d bytes", lim.Bytes)
	case ruleDepth:
		return fmt.Sprintf("more than %d levels of nesting", lim.Depth)
	case ruleElements:
		return fmt.Sprintf("more than %d items and members", lim.Elements)
	case ruleStringBytes:
		return fmt.Sprintf("%d bytes of text, the limit is %d", r.detail, lim.StringBytes)
	case ruleFinite:
		return "the number is not finite"
	case ruleInexact:
		return "a double cannot hold this integer exactly"
	case ruleUTF8:
		return "the text is not valid UTF-8"
	case ruleTruncated:
		return "the bytes end inside the value"
	case ruleTrailing:
		return "bytes follow the end of the value"
	case ruleSpelling:
		return "the bytes are not the spelling of a value"
	case ruleJSON:
		return fmt.Sprintf("not JSON at byte %d: %s", r.detail>>8, jsontext.Fault(r.detail&0xff))
	case ruleDuplicate:
		return "the name is given twice"
	case ruleDeclared:
		return "a declared name among the additional ones"
	case ruleIncomplete:
		return "the value is not complete"
	case ruleSource:
		return r.text
	}
	return r.schemaText()
}

func (r *Refusal) schemaText() string {
	n := r.schema
	switch r.rule {
	case ruleType:
		return fmt.Sprintf("expected %s, got %s", n.typeWords(), r.kind)
	case ruleEnum:
		return "not one of the values that the schema lists"
	case ruleMinimum:
		if n.minExclusive {
			return "must be greater than " + jsontext.Spell(n.minimum)
		}
		return "must be at least " + jsontext.Spell(n.minimum)
	case ruleMaximum:
		if n.maxExclusive {
			return "must be less than " + jsontext.Spell(n.maximum)
		}
		return "must be at most " + jsontext.Spell(n.maximum)
	case ruleMinLength:
		return fmt.Sprintf("%d bytes of text, at least %d are asked for", r.detail, n.minLength)
	case ruleMaxLength:
		return fmt.Sprintf("%d bytes of text, at most %d are allowed", r.detail, n.maxLength)
	case ruleMinItems:
		return fmt.Sprintf("%d items, at least %d are asked for", r.detail, n.minItems)
	case ruleMaxItems:
		return fmt.Sprintf("more than %d items", n.maxItems)
	case ruleRequired:
		return fmt.Sprintf("%q is required", n.props[r.detail].name)
	case ruleHole:
		return "an array cannot hold null"
	case ruleAdditional:
		return "the schema does not allow this name"
	}
	return "refused"
}
