package session

import (
	"time"

	"demi.network/runtime/fault"
)

// Diagnostics is a look at a session.
type Diagnostics struct {
	Phase     Phase
	Epoch     uint32
	Local     Sender
	Peers     int            // active players and observers; at a client 1 when active
	Sent      uint64         // messages accepted for sending
	Received  uint64         // messages delivered to the game or relayed
	Rejected  uint64         // frames, messages and acts refused, all reasons together
	Dropped   uint64         // unpolled messages that gave way to newer ones
	Refusals  []RefusalCount // those above zero, by message and reason
	LastError string         // the newest refusal: word, message, file:line, who
	RTT       time.Duration  // at a client
}

// RefusalCount is one counter of refusals.
type RefusalCount struct {
	Reason  Reason
	Message string      // "" = not about a declared message
	Place   fault.Place // of the message's rule
	Count   uint64
}
