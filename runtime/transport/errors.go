package transport

import (
	"errors"
	"time"
)

// Errors of Host.Send and Host.Dial. They are plain values, so that a refused
// send allocates nothing; compare with errors.Is.
var (
	// ErrUnknownPeer: the peer was never connected, is not connected yet, or
	// is gone.
	ErrUnknownPeer = errors.New("transport: no such peer")
	// ErrChannel: the connection has no channel of that number.
	ErrChannel = errors.New("transport: no such channel")
	// ErrTooLarge: the message or datagram exceeds the size limit.
	ErrTooLarge = errors.New("transport: message too large")
	// ErrBacklog: the peer's queue is full; nothing was queued.
	ErrBacklog = errors.New("transport: queue full")
	// ErrFull: every connection slot is in use.
	ErrFull = errors.New("transport: no free slot")
	// ErrClosed: the host or link was closed.
	ErrClosed = errors.New("transport: closed")
)

// Waiter is what a Link has when its caller can sleep on it: Wait returns when
// a datagram can be drained or at until, whichever is first; the zero time
// waits for a datagram only. It may return early.
type Waiter interface {
	Wait(until time.Time)
}
