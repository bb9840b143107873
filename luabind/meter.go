package luabind

import (
	"context"
	"fmt"
	"time"

	lua "github.com/yuin/gopher-lua"

	"demi.network/runtime/fault"
)

// lookEvery is how many instructions pass between two looks at the memory.
// The most one instruction can take unseen is a table of 511 slots, some
// 40 KiB, so a limit is passed by at most 20 MiB.
const lookEvery = 512

// meter counts instructions. It is the context.Context of every thread of a
// State: the virtual machine asks Done once per instruction, which is the only
// hook it has. Done returns nil until something is spent, because a channel
// that is open would cost a goroutine per coroutine; from then on a closed one,
// so that every instruction of every thread fails, also those of handlers that
// try to catch the error.
type meter struct {
	fuse   int64 // instructions until the next look
	left   int64 // instructions after that
	budget int64 // what the callback began with, for the text
	price  int64 // of an instruction; more than 1 while there are long texts

	stopped ErrorKind // BudgetSpent or MemorySpent once tripped, else 0
	place   fault.Place
	text    string

	closed chan struct{}
	look   func() // takes a look at the memory; may trip the meter
	thread func() *lua.LState
}

// begin starts a callback with a fresh budget.
func (m *meter) begin(budget int64) {
	m.budget = budget
	m.fuse = min(lookEvery, budget)
	m.left = budget - m.fuse
	m.stopped, m.place, m.text = 0, fault.Place{}, ""
}

// spent returns what the callback has taken of its budget.
func (m *meter) spent() int64 { return min(m.budget, m.budget-m.left-m.fuse) }

// trip ends the callback. The first reason stands.
func (m *meter) trip(kind ErrorKind, text string) {
	if m.stopped != 0 {
		return
	}
	m.stopped, m.text = kind, text
	m.place = placeOf(m.thread())
	m.fuse, m.left = 0, 0
}

// Done implements context.Context; see meter.
func (m *meter) Done() <-chan struct{} {
	if m.fuse -= m.price; m.fuse > 0 {
		return nil
	}
	return m.refill()
}

func (m *meter) refill() <-chan struct{} {
	if m.stopped == 0 {
		m.left += m.fuse
		m.fuse = min(lookEvery, m.left)
		m.left -= m.fuse
		if m.fuse <= 0 {
			m.trip(BudgetSpent, fmt.Sprintf("the instruction budget of %d is spent", m.budget))
		} else {
			m.look()
		}
	}
	if m.stopped != 0 {
		return m.closed
	}
	return nil
}

// charge takes n instructions for work done in Go, and raises the error when
// they are not there.
func (m *meter) charge(L *lua.LState, n int64) {
	if m.fuse -= n; m.fuse <= 0 && m.refill() != nil {
		m.raise(L)
	}
}

// raise raises the error of a tripped meter.
func (m *meter) raise(L *lua.LState) { L.RaiseError("%s", m.text) }

// Err implements context.Context: the text the machine raises.
func (m *meter) Err() error {
	if m.stopped == 0 {
		return nil
	}
	return spent(m.text)
}

// Deadline and Value implement context.Context.
func (*meter) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value implements context.Context.
func (*meter) Value(any) any { return nil }

type spent string

func (s spent) Error() string { return string(s) }

var _ context.Context = (*meter)(nil)
