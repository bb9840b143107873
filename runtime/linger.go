package runtime

import (
	"time"

	"demi.network/runtime/transport"
)

// A closed session's transport is kept for lingerTime at most, so that
// goodbyes arrive, and maxLingering of them at once; the oldest is cut off for
// one more.
const (
	lingerTime   = time.Second
	maxLingering = 4
)

// lingering holds transports whose session is over.
type lingering struct{ list []lingerer }

type lingerer struct {
	host  transport.Host
	links []transport.Peer
	until time.Time
}

// add keeps host until links have heard, or too much time has passed.
func (l *lingering) add(now time.Time, host transport.Host, links []transport.Peer) {
	if len(l.list) == maxLingering {
		l.end(0)
	}
	l.list = append(l.list, lingerer{host: host, links: links, until: now.Add(lingerTime)})
	l.flush(now)
}

func (l *lingering) end(i int) {
	_ = l.list[i].host.Close() // the session is over: nobody is left to tell
	l.list = append(l.list[:i], l.list[i+1:]...)
}

// drain discards what still arrives.
func (l *lingering) drain(now time.Time) {
	for i := range l.list {
		for {
			if _, ok := l.list[i].host.Poll(now); !ok {
				break
			}
		}
	}
}

// flush sends what is due, ends what is done and returns when to be called
// again.
func (l *lingering) flush(now time.Time) (next time.Time) {
	for i := 0; i < len(l.list); {
		h := &l.list[i]
		at, err := h.host.Flush(now)
		if err != nil || !now.Before(h.until) || !h.waiting() {
			l.end(i)
			continue
		}
		next = earliest(next, earliest(at, h.until))
		i++
	}
	return next
}

// waiting says that some link has not been closed yet.
func (h *lingerer) waiting() bool {
	for _, p := range h.links {
		if h.host.Stats(p) != (transport.Stats{}) {
			return true
		}
	}
	return false
}

// cut ends all at once, after a last flush.
func (l *lingering) cut(now time.Time) {
	l.flush(now)
	for len(l.list) > 0 {
		l.end(0)
	}
}

// earliest of two times, of which the zero one means never.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
