package netsim

import (
	"math/rand/v2"
	"net/netip"
	"time"
)

// Fate is what a path did to one datagram.
type Fate uint8

const (
	// Passed: it arrives once.
	Passed Fate = iota
	// Doubled: it arrives twice.
	Doubled
	// Lost: by chance.
	Lost
	// Overflowed: the queue for the path's rate was full.
	Overflowed
	// TooBig: larger than the path's MTU.
	TooBig
	// Severed: the path is cut.
	Severed
	// Filtered: the network's Filter dropped it.
	Filtered
	// Unreachable: nobody was at the address when it arrived.
	Unreachable
)

// String returns the fate's name.
func (f Fate) String() string {
	switch f {
	case Passed:
		return "passed"
	case Doubled:
		return "doubled"
	case Lost:
		return "lost"
	case Overflowed:
		return "overflowed"
	case TooBig:
		return "too big"
	case Severed:
		return "severed"
	case Filtered:
		return "filtered"
	case Unreachable:
		return "unreachable"
	}
	return "invalid"
}

// lane is the state of one direction: its random numbers, whether it is in a
// run of losses, and when its wire is free again.
type lane struct {
	rng   *rand.PCG
	inRun bool
	busy  time.Time
}

// newLane derives the lane's random numbers from the seed and the two ends
// alone, so that a path added to a network changes nothing on the others.
func newLane(seed uint64, from, to netip.AddrPort) *lane {
	h := uint64(14695981039346656037)
	mix := func(a netip.AddrPort) {
		b := a.Addr().As16()
		for _, c := range b {
			h = (h ^ uint64(c)) * 1099511628211
		}
		h = (h ^ uint64(a.Port())) * 1099511628211
	}
	mix(from)
	mix(to)
	return &lane{rng: rand.NewPCG(seed, h)}
}

// roll returns a number in [0, 1).
func (l *lane) roll() float64 { return float64(l.rng.Uint64()>>11) / (1 << 53) }

// plan decides the fate of a datagram of size bytes sent now: when it arrives,
// and when its copy does if it is Doubled. Every datagram takes the same
// number of random numbers, whatever s says, so that changing one property of
// a path leaves the dice of the others alone.
func (l *lane) plan(now time.Time, s *Spec, size int) (f Fate, at, again time.Time) {
	loss, dup, hold := l.roll(), l.roll(), l.roll()
	early, early2, extra := l.roll(), l.roll(), l.roll()
	if s.MTU > 0 && size > s.MTU {
		return TooBig, at, again
	}
	at = now
	if s.Rate > 0 {
		if l.busy.Before(now) {
			l.busy = now
		}
		queue := s.Queue
		if queue == 0 {
			queue = DefaultQueue
		}
		waiting := l.busy.Sub(now).Seconds() * float64(s.Rate) / 8
		if waiting > float64(queue) {
			return Overflowed, at, again
		}
		wire := float64(size+headerBytes) * 8 / float64(s.Rate)
		l.busy = l.busy.Add(time.Duration(wire * float64(time.Second)))
		at = l.busy
	}
	if l.loses(s, loss) {
		return Lost, at, again
	}
	f, again = Passed, at
	at = delayed(now, at, s, early)
	if hold < s.Reorder {
		at = at.Add(time.Millisecond + time.Duration(extra*float64(19*time.Millisecond)))
	}
	if dup < s.Duplicate {
		return Doubled, at, delayed(now, again, s, early2)
	}
	return f, at, again
}

// loses moves the Gilbert model one step and says whether this one is lost.
func (l *lane) loses(s *Spec, roll float64) bool {
	if s.Burst <= 1 || s.Loss <= 0 || s.Loss >= 1 {
		l.inRun = false
		return roll < s.Loss
	}
	// A run goes on with 1-1/burst; it begins so often that Loss of all are in one.
	// With one datagram between two runs at the least, a great share needs long runs.
	burst := max(s.Burst, s.Loss/(1-s.Loss))
	if l.inRun {
		l.inRun = roll >= 1/burst
	} else {
		l.inRun = roll < s.Loss/(burst*(1-s.Loss))
	}
	return l.inRun
}

// delayed adds latency and jitter, roll 0…1, and never goes back before now.
func delayed(now, at time.Time, s *Spec, roll float64) time.Time {
	at = at.Add(s.Latency + time.Duration((2*roll-1)*float64(s.Jitter)))
	if at.Before(now) {
		return now
	}
	return at
}
