package netsim

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"demi.network/runtime/transport"
)

// gathering is a Link that gathers and can be waited on, as UDP is.
type gathering struct {
	*Link
	flushed int
	waited  time.Time
}

func (g *gathering) Flush() error         { g.flushed++; return nil }
func (g *gathering) Wait(until time.Time) { g.waited = until }

func TestWrappedHoldsBackAndSaysWhen(t *testing.T) {
	n := New(1)
	a, b := &gathering{Link: n.Link(addr(1))}, n.Link(addr(2))
	w := Wrap(a, Spec{Latency: 40 * time.Millisecond}, 1)
	_ = w.Send(epoch, to(2), []byte("slow"))
	w.SetSpec(Spec{})
	_ = w.Send(epoch, to(2), []byte("fast"))
	if s := fmt.Sprint(got(b, epoch)); s != "[1:fast]" {
		t.Errorf("arrived: %s; the change of spec is for what is sent after it", s)
	}
	due := epoch.Add(40 * time.Millisecond)
	if next := w.Drain(epoch, func(transport.Addr, []byte) {}); !next.Equal(due) {
		t.Errorf("Drain wants to be called again at %v, want %v, when the held datagram is due", next, due)
	}
	w.Wait(epoch.Add(time.Hour))
	if !a.waited.Equal(due) {
		t.Errorf("Wait sleeps until %v, want %v", a.waited, due)
	}
	w.Wait(epoch.Add(time.Millisecond))
	if !a.waited.Equal(epoch.Add(time.Millisecond)) {
		t.Errorf("Wait sleeps until %v, longer than it was asked to", a.waited)
	}
	flushed := a.flushed
	w.Drain(due, func(transport.Addr, []byte) {})
	if a.flushed == flushed {
		t.Error("a datagram released by Drain stays in the batch below until somebody flushes")
	}
	if s := fmt.Sprint(got(b, due)); s != "[1:slow]" {
		t.Errorf("arrived: %s", s)
	}
	w.Wait(time.Time{})
	if !a.waited.IsZero() {
		t.Error("with nothing held back, Wait must wait for a datagram only")
	}
}

func TestWrappedIsSeeded(t *testing.T) {
	play := func(seed uint64) string {
		n := New(1)
		b := n.Link(addr(2))
		bad, _ := preset("bad")
		w := Wrap(n.Link(addr(1)), bad, seed)
		var out strings.Builder
		for i := range 1500 {
			now := epoch.Add(time.Duration(i) * time.Millisecond)
			_ = w.Send(now, to(2), fmt.Append(nil, i))
			w.Drain(now, func(transport.Addr, []byte) {})
			fmt.Fprintln(&out, got(b, now))
		}
		return out.String()
	}
	if a, b := play(1), play(1); a != b {
		t.Error("one seed gave two transcripts")
	}
	if play(1) == play(2) {
		t.Error("two seeds gave one transcript")
	}
}

func TestWrappedIsBounded(t *testing.T) {
	n := New(1)
	w := Wrap(n.Link(addr(1)), Spec{Latency: time.Hour / 60}, 1)
	for range MaxHeld + 5 {
		_ = w.Send(epoch, to(2), nil)
	}
	if w.held.len() != MaxHeld || w.Counters().Fate[Overflowed] != 5 {
		t.Errorf("%d held, %d overflowed", w.held.len(), w.Counters().Fate[Overflowed])
	}
}
