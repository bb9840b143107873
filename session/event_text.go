package session

import (
	"fmt"
	"strings"

	"demi.network/contract/payload"
)

// String describes an event in one line, for logs, transcripts and tests.
func (e Event) String() string {
	var b strings.Builder
	b.WriteString(e.Kind.String())
	word := func(format string, args ...any) { fmt.Fprintf(&b, " "+format, args...) }
	switch e.Kind {
	case EventConnected, EventPeerJoined:
		word("%s %q", e.Sender, e.Name)
		if e.Observer {
			word("observer")
		}
	case EventDocument:
		word("%d bytes", len(e.Text))
	case EventDisconnected:
		word("%s: %s", e.Code, e.Text)
	case EventPeerLeft:
		word("%s %q %s: %s", e.Sender, e.Name, e.Code, e.Text)
		word("entities=%v", e.Entities)
	case EventSessionStarted:
		word("%s", e.Data)
	case EventSpawned:
		word("%d type=%d owner=%s gen=%d", e.N, e.Type, e.Owner, e.Gen)
	case EventDespawned:
		word("%d type=%d gen=%d", e.N, e.Type, e.Gen)
	case EventOwnership:
		word("%d owner=%s gen=%d", e.N, e.Owner, e.Gen)
	case EventMessage:
		word("%s from %s", e.Message.Name, e.Sender)
		if e.N != 0 {
			word("about %d gen=%d", e.N, e.Gen)
		}
		word("%s", e.Data)
	case EventRefused:
		word("%s %d, the last: %s", e.Sender, e.Count, Explain(e.Reason, e.Message))
	case EventViolation:
		word("%s %s: %s", e.Sender, e.Level, Explain(e.Reason, e.Message))
	case EventTurnedAway:
		word("%q %s: %s", e.Name, e.Code, e.Text)
	}
	return b.String()
}

// ValueSource is a Source that gives a value that exists: for messages made
// by programs rather than scripts. v must not change until the call returns.
func ValueSource(v *payload.Value) Source {
	return func(s *payload.Sink) error {
		v.Root().Describe(s)
		return s.Err()
	}
}
