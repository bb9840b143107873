package transport

import (
	"errors"
	"time"

	"demi.network/runtime/fault"
)

// Errors of Link and Host. They are shared values, so that a refused send
// allocates nothing. Those with a code are equal, for errors.Is, to every
// fault.Error of that code; an implementation may return its own.
var (
	// ErrUnknownPeer: the peer was never connected, is not connected yet, or
	// is gone.
	ErrUnknownPeer error = fault.New(fault.NotConnected, "no such peer")
	// ErrChannel: the connection has no channel of that number, which is the
	// caller's mistake.
	ErrChannel error = fault.New(fault.Internal, "no such channel")
	// ErrTooLarge: the message or datagram exceeds the size limit.
	ErrTooLarge error = fault.New(fault.MessageTooLarge, "over the size limit")
	// ErrBacklog: the peer's queue is full; nothing was queued.
	ErrBacklog error = fault.New(fault.Backlog, "the peer's queue is full")
	// ErrFull: every connection slot is in use.
	ErrFull error = fault.New(fault.Full, "no free slot")
	// ErrClosed: the host or link was closed.
	ErrClosed = errors.New("transport: closed")
)

// Waiter is what a Link has when its caller can sleep on it: Wait returns when
// a datagram can be drained or at until, whichever is first; the zero time
// waits for a datagram only. It may return early.
type Waiter interface {
	Wait(until time.Time)
}
