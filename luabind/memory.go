package luabind

import (
	"fmt"
	"runtime/metrics"

	lua "github.com/yuin/gopher-lua"
)

// memory watches what a state's scripts may have taken. The process counter of
// allocated bytes only grows, so what it gained since the state was last
// measured bounds from above what the state can have gained. Only when that
// bound could pass the limit is the state itself measured, and the bound starts
// anew from the result. Garbage therefore never counts, nor do other states and
// the rest of the process: their allocations only make the next measurement
// come sooner.
type memory struct {
	limit   int64
	held    int64 // reachable bytes when last measured
	grown   int64 // allocated by the process since then
	mark    uint64
	pending int64 // allocated by guarded functions since the last look
	calls   int   // that ended since the last look
	buffers int64 // of running library functions, which no value refers to yet
	sample  [1]metrics.Sample
}

// lookAfter is how many bytes a guarded function may take between two looks.
const lookAfter = 1 << 20

func (m *memory) init(limit int64) {
	m.limit = limit
	m.sample[0].Name = "/gc/heap/allocs:bytes"
	m.mark = m.allocated()
}

// allocated reads the process counter (about 0.2 microseconds).
func (m *memory) allocated() uint64 {
	metrics.Read(m.sample[:])
	return m.sample[0].Value.Uint64()
}

// advance adds what was allocated since the mark and reports whether the
// state must be measured.
func (m *memory) advance() (measure bool) {
	now := m.allocated()
	m.grown += int64(now - m.mark)
	m.mark = now
	m.pending, m.calls = 0, 0
	return m.grown > max(m.limit-m.held, m.limit/16)
}

// look is called by the meter.
func (s *State) look() {
	if s.mem.advance() {
		s.measure(0)
	}
}

// glance is called when a callback ends, which may be before anyone looked.
// It looks at every 16th: one that short takes at most 20 MiB.
func (s *State) glance() {
	if s.mem.calls++; s.mem.calls >= 16 {
		s.look()
	}
}

// measure finds out what the state holds and trips the meter when that and
// extra bytes are over the limit.
func (s *State) measure(extra int64) {
	m := &s.mem
	m.held = s.footprint(m.limit)
	m.grown, m.pending = 0, 0
	m.mark = m.allocated()
	if m.held+m.buffers+extra > m.limit {
		s.meter.trip(MemorySpent, fmt.Sprintf("the memory limit of %s is exceeded", mebibytes(m.limit)))
	}
}

// reserve is called before a guarded function takes n bytes at once. It raises
// the error instead when the state has no room for them.
func (s *State) reserve(L *lua.LState, n int64) {
	if n < 4096 {
		return // below what the looks between instructions see soon enough
	}
	m := &s.mem
	if m.pending += n; m.pending >= lookAfter || m.held+m.grown+m.buffers+m.pending >= m.limit {
		if m.advance() || m.held+m.grown+m.buffers+n > m.limit {
			s.measure(n)
		}
		if s.meter.stopped != 0 {
			s.meter.raise(L)
		}
	}
	s.meter.charge(L, n>>6) // copying costs time as well
}

// buffer counts n bytes that a library function holds until it returns, and
// that calls it makes into scripts must not have again. The function defers
// the result.
func (s *State) buffer(L *lua.LState, n int64) (free func()) {
	s.reserve(L, n)
	s.mem.buffers += n
	return func() { s.mem.buffers -= n }
}

func mebibytes(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
