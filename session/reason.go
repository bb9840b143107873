package session

import (
	"fmt"

	"demi.network/contract"
	"demi.network/runtime/fault"
)

// Reason says why a frame, a message or an act was refused. Its String is what
// diagnostics count by; docs/session.md lists them all.
type Reason uint8

// The reasons. Those above the line are the engine's words, the others ours.
const (
	ReasonNone               Reason = iota
	ReasonTruncated                 // does not parse: too short, trailing bytes, a value out of range
	ReasonProtocol                  // another protocol version
	ReasonContractMismatch          // another contract
	ReasonStaleEpoch                // of another session
	ReasonOversized                 // over the size bound of its kind, or the message's maximum_bytes
	ReasonExcessiveDepth            // payload nested deeper than maximum_payload_depth
	ReasonExcessiveElements         // payload with more than maximum_payload_elements
	ReasonStringTooLong             // payload text longer than maximum_string_bytes
	ReasonNonFinite                 // NaN or an infinity
	ReasonUnauthorizedSender        // the contract's from does not allow this sender
	ReasonUnknownMessage            // the contract does not declare it
	ReasonUnauthorizedTarget        // no such target, or not one this sender may name
	ReasonStaleGeneration           // the target has gone or changed hands since; quiet
	ReasonSchemaViolation           // the payload does not match the schema
	ReasonRateLimited               // over rate_limit, maximum_messages_per_second, or the flood guard
	ReasonInvalidOperation          // a call or frame at the wrong time
	ReasonNotServer                 // only the host may do this
	ReasonUnknownPrefab             // not a replicated prefab of the contract
	ReasonUnknownEntity             // no such entity
	ReasonDuplicateEntity           // the entity exists already
	ReasonInvalidOwner              // not the host and not an active player
	ReasonEntityLimit               // over maximum_owned_entities_per_peer
	// ---- ours
	ReasonUnknownFrame // a kind byte that no frame has
	ReasonWrongChannel // a frame on a channel or in a mode that is not its own
	ReasonNotJoined    // before the phase in which it is legal
	ReasonEarly        // names what this side has not heard of yet; quiet
	ReasonBacklog      // the reliable queue is full
	ReasonRules        // the game's Rules said no
	reasonCount
)

// reasonInfo describes a reason: the word, whether it is a peer's fault
// (counts as a violation) or quiet, and a sentence for Explain and the docs.
type reasonInfo struct {
	name  string
	quiet bool
	text  string
}

var reasons = [reasonCount]reasonInfo{
	ReasonNone:               {"none", true, "nothing was refused"},
	ReasonTruncated:          {"truncated", false, "the frame or payload does not parse: too short, trailing bytes, or a value out of range"},
	ReasonProtocol:           {"protocol", false, "the peer speaks another protocol version"},
	ReasonContractMismatch:   {"contract_mismatch", false, "the peer runs another contract"},
	ReasonStaleEpoch:         {"stale_epoch", false, "it belongs to another session"},
	ReasonOversized:          {"oversized", false, "it is over the size limit of its frame, or over the message's maximum_bytes"},
	ReasonExcessiveDepth:     {"excessive_depth", false, "the payload is nested deeper than limits.maximum_payload_depth"},
	ReasonExcessiveElements:  {"excessive_elements", false, "the payload has more elements than limits.maximum_payload_elements"},
	ReasonStringTooLong:      {"string_too_long", false, "a text in the payload is longer than limits.maximum_string_bytes"},
	ReasonNonFinite:          {"non_finite", false, "a number in the payload is NaN or infinite"},
	ReasonUnauthorizedSender: {"unauthorized_sender", false, "the rule's from does not allow this sender, or the frame is the host's alone"},
	ReasonUnknownMessage:     {"unknown_message", false, "the contract declares no such message"},
	ReasonUnauthorizedTarget: {"unauthorized_target", false, "the target is missing, never existed, or is not one this sender may name"},
	ReasonStaleGeneration:    {"stale_generation", true, "the target has gone or changed hands since it was named"},
	ReasonSchemaViolation:    {"schema_violation", false, "the payload does not match the message's schema"},
	ReasonRateLimited:        {"rate_limited", false, "over the message's rate_limit, limits.maximum_messages_per_second, or the flood guard"},
	ReasonInvalidOperation:   {"invalid_operation", false, "not possible at this time"},
	ReasonNotServer:          {"not_server", false, "only the host may do this"},
	ReasonUnknownPrefab:      {"unknown_prefab", false, "the contract replicates no such prefab"},
	ReasonUnknownEntity:      {"unknown_entity", false, "no such entity"},
	ReasonDuplicateEntity:    {"duplicate_entity", false, "the entity exists already"},
	ReasonInvalidOwner:       {"invalid_owner", false, "the owner is neither the host nor an active player"},
	ReasonEntityLimit:        {"entity_limit", false, "the owner has limits.maximum_owned_entities_per_peer already"},
	ReasonUnknownFrame:       {"unknown_frame", false, "no frame has this kind"},
	ReasonWrongChannel:       {"wrong_channel", false, "the frame came on a channel or in a mode that is not its own"},
	ReasonNotJoined:          {"not_joined", false, "the sender has not come far enough to send this"},
	ReasonEarly:              {"early", true, "it names an entity or a phase that this side has not reached yet"},
	ReasonBacklog:            {"backlog", false, "the queue of reliable frames is full"},
	ReasonRules:              {"rules", false, "the game's own rules refused it"},
}

// String returns the word that counters and last_error use.
func (r Reason) String() string {
	if r < reasonCount {
		return reasons[r].name
	}
	return "invalid"
}

// Quiet says that an honest peer runs into this reason by mere delay: it is
// counted, but is no violation.
func (r Reason) Quiet() bool { return r >= reasonCount || reasons[r].quiet }

// Text is one sentence that says what the reason means.
func (r Reason) Text() string {
	if r < reasonCount {
		return reasons[r].text
	}
	return ""
}

// ParseReason finds a reason by its word.
func ParseReason(s string) (Reason, bool) {
	for i := range reasons {
		if reasons[i].name == s {
			return Reason(i), true
		}
	}
	return ReasonNone, false
}

// Refusal is the error of a refused act. Refusals are made once, at the start
// of a session: returning one allocates nothing. Callers compare Reason.
type Refusal struct {
	Reason  Reason
	Message *contract.Message // the rule that refused; nil when none did
}

// Place is where the contract states the rule; the zero Place when no rule of
// the contract refused.
func (r *Refusal) Place() fault.Place {
	if r.Message == nil {
		return fault.Place{}
	}
	return r.Message.Place
}

// Error returns "reason: message "name" (file:line:column): sentence".
func (r *Refusal) Error() string { return Explain(r.Reason, r.Message) }

// Explain says in a sentence what a reason means and which rule of the
// contract is behind it. m may be nil.
func Explain(r Reason, m *contract.Message) string {
	s := r.String() + ": "
	if m != nil {
		s += "message " + m.Name
		if at := m.Place.String(); at != "" {
			s += " (" + at + ")"
		}
		s += ": "
	}
	return s + r.Text() + ruleFact(r, m)
}

// ruleFact quotes the part of a rule that a reason is about.
func ruleFact(r Reason, m *contract.Message) string {
	if m == nil {
		return ""
	}
	switch r {
	case ReasonRateLimited:
		return fmt.Sprintf("; rate_limit is %d", m.RateLimit)
	case ReasonOversized:
		return fmt.Sprintf("; maximum_bytes is %d", m.MaximumBytes)
	case ReasonUnauthorizedSender:
		return fmt.Sprintf("; from is %s, target %s", m.From, m.Target)
	case ReasonUnauthorizedTarget:
		return fmt.Sprintf("; target is %s, to %s", m.Target, m.To)
	case ReasonSchemaViolation:
		if m.SchemaID != "" {
			return "; schema is " + m.SchemaID
		}
	}
	return ""
}

// plain holds a refusal for each reason without a rule. It never changes.
var plain = func() (list [reasonCount]Refusal) {
	for i := range list {
		list[i].Reason = Reason(i)
	}
	return list
}()

// Refuse returns the refusal of a reason that no rule of the contract is
// behind; nil for ReasonNone. It does not allocate.
func Refuse(r Reason) *Refusal {
	if r == ReasonNone || r >= reasonCount {
		return nil
	}
	return &plain[r]
}
