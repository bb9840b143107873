package luabind

import (
	"fmt"
	"runtime/metrics"

	lua "github.com/yuin/gopher-lua"
)

// memory charges the growth of the heap to the running callback. The process
// counter of allocated bytes only grows, so what it gained while a callback ran
// bounds from above what the state can have gained. Only when that bound could
// pass the limit is the state itself measured, and the bound starts anew from
// the result. Garbage therefore never counts, and one state's data never counts
// for another.
type memory struct {
	limit   int64
	held    int64 // reachable bytes when last measured
	grown   int64 // allocated in callbacks since then
	mark    uint64
	pending int64 // allocated by guarded functions since the last look
	sample  [1]metrics.Sample
}

// lookAfter is how many bytes a guarded function may take between two looks.
const lookAfter = 1 << 20

func (m *memory) init(limit int64) {
	m.limit = limit
	m.sample[0].Name = "/gc/heap/allocs:bytes"
}

// allocated reads the process counter (about 0.2 microseconds).
func (m *memory) allocated() uint64 {
	metrics.Read(m.sample[:])
	return m.sample[0].Value.Uint64()
}

// begin starts charging: what was allocated since the last callback was not
// this state's doing.
func (m *memory) begin() { m.mark = m.allocated() }

// advance adds what was allocated since the mark and reports whether the
// state must be measured.
func (m *memory) advance() (measure bool) {
	now := m.allocated()
	m.grown += int64(now - m.mark)
	m.mark = now
	m.pending = 0
	return m.grown > max(m.limit-m.held, m.limit/16)
}

// look is called by the meter.
func (s *State) look() {
	if s.mem.advance() {
		s.measure(0)
	}
}

// measure finds out what the state holds and trips the meter when that and
// extra bytes are over the limit.
func (s *State) measure(extra int64) {
	m := &s.mem
	m.held = s.footprint(m.limit)
	m.grown, m.pending = 0, 0
	m.mark = m.allocated()
	if m.held+extra > m.limit {
		s.meter.trip(MemorySpent, fmt.Sprintf("the memory limit of %s is exceeded", mebibytes(m.limit)))
	}
}

// reserve is called before a guarded function takes n bytes at once. It raises
// the error instead when the state has no room for them.
func (s *State) reserve(L *lua.LState, n int64) {
	if n < 4096 {
		return // below what the looks between instructions see soon enough
	}
	s.meter.charge(L, n>>6) // copying costs time as well
	m := &s.mem
	if m.pending += n; m.pending < lookAfter && m.held+m.grown+m.pending < m.limit {
		return
	}
	if m.advance() || m.held+m.grown+n > m.limit {
		s.measure(n)
	}
	if s.meter.stopped != 0 {
		s.meter.raise(L)
	}
}

func mebibytes(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
