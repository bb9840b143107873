package harness

import (
	"fmt"
	"testing"
	"time"

	"demi.network/contract"
)

// crowd is a host with n entities, of which a tenth move, and four clients.
func crowd(t testing.TB, n int) (p *play, tick func()) {
	p = newPlay(t, 1, "rtt=40,loss=1%")
	host := p.Host()
	p.join("a", "b", "c", "d")
	var ids []string
	for i := 0; i < n; i++ {
		ids = append(ids, p.spawn(host, "crate", fmt.Sprint("k", i), "server"))
	}
	names := make([]string, n)
	for i := range ids {
		names[i], _ = host.LocalEntity(ids[i])
	}
	host.OnTick = func() {
		for i := 0; i < n; i += 10 {
			host.Scene.Write(names[i], position, contract.FieldValue{float64(host.Tick()) * 0.01})
			if err := host.UpdateEntity(ids[i], 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	return p, func() { p.Step(33333 * time.Microsecond) }
}

// A tick of the whole stack, from the scene to the datagrams and back, for a
// host and four clients, allocates nothing once warm.
func TestATickAllocatesNothingWhenWarm(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	_, tick := crowd(t, 100)
	for range 6000 { // also fills the rings of hashes
		tick()
	}
	if n := testing.AllocsPerRun(300, tick); n > 0 {
		t.Errorf("%v allocations a tick, want 0", n)
	}
}

func BenchmarkTick(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			_, tick := crowd(b, n)
			for range 100 {
				tick()
			}
			b.ReportAllocs()
			for b.Loop() {
				tick()
			}
		})
	}
}
