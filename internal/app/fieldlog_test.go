package app_test

import (
	"net/netip"
	"sync"
	"testing"
	"time"

	"demi.network/contract/payload"
	"demi.network/internal/app"
	"demi.network/runtime/fault"
)

// TestFieldLogB106OneDoorForManyGoroutines: eight goroutines call the peer's
// API while the host ticks and a client plays, every call through Do, some of
// them from inside another. No race, no deadlock, every accepted call is made,
// and after Close none is accepted. An interpreter state used from two ends
// kills a process; this is why there is one door.
func TestFieldLogB106OneDoorForManyGoroutines(t *testing.T) {
	host, _, err := app.New(arenaConfig(t, app.Host), start)
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	cfg := arenaConfig(t, app.Join)
	cfg.Targets = []netip.AddrPort{host.Peer().LocalAddr()}
	client, _, err := app.New(cfg, start)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	hello := func(s *payload.Sink) error {
		s.BeginObject()
		s.Name("text")
		s.String("hello")
		s.End()
		return s.Err()
	}
	const callers, calls = 8, 300
	var callersLeft sync.WaitGroup
	made, accepted := 0, make([]int, callers) // made belongs to the loop
	for c := range callers {
		callersLeft.Add(1)
		go func() {
			defer callersLeft.Done()
			for range calls {
				if host.Do(func() {
					made++
					p := host.Peer()
					_, _ = p.Spawn("medkit", "", "")
					_ = p.Transfer("net:1:1", "peer1")
					_ = p.Send("announce", "", hello)
					_ = p.Diagnostics()
					_, _ = p.Poll()
					host.Do(func() { made++ }) // from inside: waits for the next turn
				}) {
					accepted[c]++
				}
			}
		}()
	}
	done := make(chan struct{})
	go func() { callersLeft.Wait(); close(done) }()
	now := start
	for over := false; !over; {
		select {
		case <-done:
			over = true
		default:
		}
		now = now.Add(5 * time.Millisecond)
		for _, a := range []*app.App{host, client} {
			if _, err := a.Turn(now); err != nil {
				t.Fatal(err)
			}
		}
	}
	host.Stop(fault.Shutdown, "over")
	if err := host.Close(); err != nil {
		t.Error(err)
	}
	want := 0
	for _, n := range accepted {
		want += n
	}
	if want == 0 || made < want {
		t.Errorf("%d calls were accepted and %d made", want, made)
	}
	if host.Do(func() { t.Error("a closed App calls nothing") }) {
		t.Error("a closed App accepts a call")
	}
}
