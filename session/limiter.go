package session

import "demi.network/contract"

const second nanos = 1e9

// bucket is a token bucket. It keeps what is spent, so the zero bucket is
// full. One token is 10^9, so that time in nanoseconds times a rate needs no
// division.
type bucket struct {
	spent int64
	at    nanos
}

// take spends cost tokens of a bucket that refills at rate a second and holds
// seconds' worth. When there are not enough, nothing is spent.
func (b *bucket) take(now nanos, rate, seconds, cost int) bool {
	capacity := int64(rate) * int64(seconds) * int64(second)
	elapsed := min(max(now-b.at, 0), nanos(seconds)*second)
	spent := max(b.spent-int64(elapsed)*int64(rate), 0)
	if spent+int64(cost)*int64(second) > capacity {
		b.spent, b.at = spent, now
		return false
	}
	b.spent, b.at = spent+int64(cost)*int64(second), now
	return true
}

// window counts what happened in the last ten seconds, to a second.
type window struct {
	counts [10]uint32
	newest int64 // the second that the newest count is of
}

func (w *window) roll(now nanos) {
	s := int64(now / second)
	if s-w.newest >= int64(len(w.counts)) {
		w.counts = [10]uint32{}
		w.newest = s
	}
	for ; w.newest < s; w.newest++ {
		w.counts[(w.newest+1)%int64(len(w.counts))] = 0
	}
}

func (w *window) add(now nanos) {
	w.roll(now)
	w.counts[w.newest%int64(len(w.counts))]++
}

func (w *window) total(now nanos) int {
	w.roll(now)
	n := 0
	for _, c := range w.counts {
		n += int(c)
	}
	return n
}

// Sizes of the buckets. A host's hold two seconds' worth, so that what a link
// held back and then released is not refused; a sender's own hold one.
const (
	hostBurst   = 2
	senderBurst = 1
	// throttledCost is what a message costs a peer that is being throttled.
	throttledCost = 4
	// floodSlack is how many frames the flood guard refuses in ten seconds,
	// beside ten seconds' worth of messages, before the peer is dropped.
	floodSlack = 1000
)

// guard bounds what one peer may cost: the flood guard before anything is
// decoded, the rate of each message, and the budgets of on_violation.
type guard struct {
	messages   bucket   // Message frames: limits.maximum_messages_per_second
	control    bucket   // every other frame
	rates      []bucket // by message
	flooded    window   // frames that the flood guard refused
	violations window   // refused for a reason that is not quiet
	level      Level
}

// controlRate is how many frames other than messages a peer may send a second:
// a publication each tick with room to spare, and the handshake.
func controlRate(c *contract.Contract) int { return 64 + 2*c.Simulation.TickRate }

// frame asks the flood guard about a frame. It is the fifth check, and covers
// every phase: a peer that has not joined floods no more freely.
func (g *guard) frame(now nanos, k kind, c *contract.Contract) bool {
	ok := false
	if k == kindMessage {
		cost := 1
		if g.level == LevelThrottle {
			cost = throttledCost
		}
		ok = g.messages.take(now, c.Limits.MessagesPerSecond, hostBurst, cost)
	} else {
		ok = g.control.take(now, controlRate(c), hostBurst, 1)
	}
	if !ok {
		g.flooded.add(now)
	}
	return ok
}

// flood says that the peer has spent what the flood guard forgives.
func (g *guard) flood(now nanos, c *contract.Contract) bool {
	return g.flooded.total(now) > floodSlack+10*c.Limits.MessagesPerSecond
}

// rate asks a message's own bucket.
func (g *guard) rate(now nanos, m *contract.Message, burst int) bool {
	return g.rates[m.Index].take(now, m.RateLimit, burst, 1)
}

// violate counts a violation and returns the level that it newly reaches, or
// LevelNone.
func (g *guard) violate(now nanos, v contract.Violations) Level {
	g.violations.add(now)
	before := g.level
	if l := g.settle(now, v); l > before {
		return l
	}
	return LevelNone
}

// settle finds the level that the last ten seconds amount to.
func (g *guard) settle(now nanos, v contract.Violations) Level {
	n := g.violations.total(now)
	g.level = LevelNone
	for _, b := range [...]struct {
		budget int
		level  Level
	}{{v.Warn, LevelWarn}, {v.Throttle, LevelThrottle}, {v.Kick, LevelKick}} {
		if b.budget > 0 && n > b.budget {
			g.level = b.level
		}
	}
	return g.level
}
