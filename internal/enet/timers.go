package enet

import "time"

// millis is time as ENet counts it: milliseconds since the Host's first turn,
// plus an origin. Unlike C's 32-bit counter it does not wrap; the wire carries
// its low 16 bits.
type millis int64

const never millis = 1<<63 - 1

// clock turns the caller's time into milliseconds, once per turn.
type clock struct {
	base  time.Time // of millisecond 0
	now   millis
	exact time.Time // what the caller said
	began bool
}

// clockOrigin is what the clock shows at first, so that no sent time is
// negative.
const clockOrigin = 1 << 16

// set moves the clock to now. Time never goes back: an earlier now counts as
// the latest one.
func (c *clock) set(now time.Time) {
	if !c.began {
		c.began = true
		c.base = now.Add(-clockOrigin * time.Millisecond)
	} else if now.Before(c.exact) {
		return
	}
	c.exact = now
	c.now = millis(now.Sub(c.base) / time.Millisecond)
}

// when returns the first moment at which the clock shows m.
func (c *clock) when(m millis) time.Time {
	return c.base.Add(time.Duration(m) * time.Millisecond)
}

// ms rounds a duration up to whole milliseconds.
func ms(d time.Duration) millis {
	whole := millis(d / time.Millisecond)
	if d%time.Millisecond > 0 {
		whole++
	}
	return whole
}

// timers is a heap of peers by a moment that is not later than the peer's next
// deadline. Deadlines that move away are not followed until they come up, so
// that a busy peer costs nothing here.
type timers struct{ heap []timerNode }

type timerNode struct {
	at millis
	p  *peer
}

// hint makes sure that p comes up at the latest at the given moment.
func (t *timers) hint(p *peer, at millis) {
	if p.timer < 0 {
		if at == never {
			return
		}
		p.timer = len(t.heap)
		t.heap = append(t.heap, timerNode{at, p})
		t.up(p.timer)
		return
	}
	if at < t.heap[p.timer].at {
		t.heap[p.timer].at = at
		t.up(p.timer)
	}
}

// remove takes p out.
func (t *timers) remove(p *peer) {
	i := p.timer
	if i < 0 {
		return
	}
	p.timer = -1
	last := len(t.heap) - 1
	moved := t.heap[last]
	t.heap[last] = timerNode{}
	t.heap = t.heap[:last]
	if i < last {
		t.heap[i] = moved
		moved.p.timer = i
		t.down(i)
		t.up(moved.p.timer)
	}
}

// due removes and returns a peer whose moment has come, or nil.
func (t *timers) due(now millis) *peer {
	if len(t.heap) == 0 || t.heap[0].at > now {
		return nil
	}
	p := t.heap[0].p
	t.remove(p)
	return p
}

// next returns the earliest true deadline of all peers.
func (t *timers) next() millis {
	for len(t.heap) > 0 {
		top := &t.heap[0]
		at := top.p.deadline()
		if at <= top.at {
			return top.at
		}
		if at == never {
			t.remove(top.p)
			continue
		}
		top.at = at
		t.down(0)
	}
	return never
}

func (t *timers) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if t.heap[parent].at <= t.heap[i].at {
			return
		}
		t.swap(i, parent)
		i = parent
	}
}

func (t *timers) down(i int) {
	for {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(t.heap); c++ {
			if t.heap[c].at < t.heap[least].at {
				least = c
			}
		}
		if least == i {
			return
		}
		t.swap(i, least)
		i = least
	}
}

func (t *timers) swap(i, j int) {
	t.heap[i], t.heap[j] = t.heap[j], t.heap[i]
	t.heap[i].p.timer, t.heap[j].p.timer = i, j
}
