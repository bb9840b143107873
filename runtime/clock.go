package runtime

import "time"

// clock says when fixed ticks are due. It never catches up on more than
// MaxCatchUp ticks at once: after a stall, or when ticks cost more than their
// time, the rest is skipped, so that a peer cannot fall ever further behind.
type clock struct {
	interval time.Duration
	next     time.Time
	skipped  uint64
}

func newClock(now time.Time, rate int) clock {
	interval := time.Second / time.Duration(rate)
	return clock{interval: interval, next: now.Add(interval)}
}

// due returns how many ticks are due at now, and counts the others skipped.
func (c *clock) due(now time.Time) int {
	if now.Before(c.next) {
		return 0
	}
	n := int64(now.Sub(c.next)/c.interval) + 1
	c.next = c.next.Add(time.Duration(n) * c.interval)
	if n > MaxCatchUp {
		c.skipped += uint64(n - MaxCatchUp)
		n = MaxCatchUp
	}
	return int(n)
}
