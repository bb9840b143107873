package main

import (
	"io"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"demi.network/internal/app"
	"demi.network/runtime"
	"demi.network/runtime/fault"
	"demi.network/session"
)

// pair is a host and a client in this process, on real sockets and a clock of
// the test's.
type pair struct {
	t            *testing.T
	now          time.Time
	host, client *app.App
}

func newPair(t *testing.T, dir string) *pair {
	t.Helper()
	p := &pair{t: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	p.host = p.open(dir, app.Config{Role: app.Host})
	at := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), p.host.Peer().LocalAddr().Port())
	p.client = p.open(dir, app.Config{Role: app.Join, Targets: []netip.AddrPort{at}})
	return p
}

func (p *pair) open(dir string, cfg app.Config) *app.App {
	p.t.Helper()
	project, _, files, err := app.Load(dir)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { files.Close() })
	cfg.Project, cfg.Seed = project, 1
	a, _, err := app.New(cfg, p.now)
	if err == nil {
		err = a.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { a.Close() })
	return a
}

// until turns both, a millisecond after the other, until done says so.
func (p *pair) until(why string, done func() bool) {
	p.t.Helper()
	for range 10_000 {
		p.now = p.now.Add(time.Millisecond)
		for _, a := range []*app.App{p.host, p.client} {
			if _, err := a.Turn(p.now); err != nil {
				p.t.Fatal(err)
			}
		}
		if done() {
			return
		}
	}
	p.t.Fatalf("ten seconds were not enough until %s", why)
}

// TestALongSessionEndsAsItEnded: a client that has played for longer than a
// join may take is told by its host that it shuts down. That is a clean end,
// also in the moment before the script has heard of it.
func TestALongSessionEndsAsItEnded(t *testing.T) {
	pair := newPair(t, project(t, nil))
	p := &player{out: &output{stdout: io.Discard, stderr: io.Discard}, app: pair.client, stop: newStopper(nil), flags: &playFlags{}, role: app.Join}
	defer p.stop.close()
	pair.until("the client is active", func() bool { return pair.client.Peer().Phase() == session.PhaseActive })
	const long = joinTime + time.Second
	if end, over := p.over(long); over {
		t.Fatalf("an active client goes on, got %v", end)
	}
	pair.host.Stop(fault.Shutdown, "enough")
	pair.until("the client ends", func() bool {
		end, over := p.over(long)
		if end != nil {
			t.Fatalf("the end is %v, want none: a shutdown is a clean end", end)
		}
		return over
	})
}

// TestAJoinThatGetsNowhereEnds: the time for it counts from the newest attempt,
// and from each step on. A game that loads may take its time.
func TestAJoinThatGetsNowhereEnds(t *testing.T) {
	pair := newPair(t, project(t, nil))
	pair.client.Peer().Configure(runtime.Options{HoldReady: true})
	p := &player{out: &output{stdout: io.Discard, stderr: io.Discard}, app: pair.client, stop: newStopper(nil), flags: &playFlags{}, role: app.Join}
	defer p.stop.close()
	goesOn := func(why string, elapsed time.Duration) {
		t.Helper()
		if end, over := p.over(elapsed); over {
			t.Fatalf("%s: it goes on, got %v", why, end)
		}
	}
	const late = joinTime + time.Millisecond
	goesOn("there is time left", joinTime)
	if end, over := p.over(late); !over || fault.CodeOf(end) != fault.Timeout {
		t.Errorf("got %v, %t, want %s", end, over, fault.Timeout)
	}
	p.since = time.Second
	goesOn("the second address was tried a second later and has its own time", late)
	pair.until("the client is welcome", func() bool { return pair.client.Peer().Phase() == session.PhaseAuthenticated })
	goesOn("the game loads", late)
	goesOn("it still does", 10*joinTime)
	if err := pair.client.Peer().Ready(); err != nil {
		t.Fatal(err)
	}
	goesOn("it is ready after a long time", 20*joinTime)
	if end, over := p.over(20*joinTime + late); !over || fault.CodeOf(end) != fault.Timeout {
		t.Errorf("a host that sends nothing more: got %v, %t, want %s", end, over, fault.Timeout)
	}
}

// TestASecondSignalEndsTheGoodbye: the host does not answer any more, and the
// person at the client does not want to wait for it.
func TestASecondSignalEndsTheGoodbye(t *testing.T) {
	pair := newPair(t, project(t, nil))
	p := &player{out: &output{stdout: io.Discard, stderr: io.Discard}, app: pair.client, stop: newStopper(nil), flags: &playFlags{}, role: app.Join}
	defer p.stop.close()
	pair.until("the client is active", func() bool { return pair.client.Peer().Phase() == session.PhaseActive })
	p.stop.signals <- os.Interrupt
	p.stop.signals <- os.Interrupt
	if end, over := p.over(0); !over || end != nil {
		t.Fatalf("got %v, %t: the first signal asks for a clean end", end, over)
	}
	p.leave(fault.Left, "left")
	if pair.client.Stopped() {
		t.Error("a goodbye that nobody has answered is over only when its time is: the second signal was not heard")
	}
}

// TestStdinIsHeardToTheEnd: lines that are no command, however long and many,
// do not use up the ear for quit.
func TestStdinIsHeardToTheEnd(t *testing.T) {
	in, out := io.Pipe()
	s := newStopper(in)
	defer s.close()
	go func() {
		long := strings.Repeat("x", 1<<16)
		for range 40 {
			io.WriteString(out, long+"quit\nno\n")
		}
		io.WriteString(out, " quit \n")
		out.Close()
	}()
	for range 80 {
		if l := <-s.lines; l == "quit" {
			t.Fatal("the end of a long line is no command")
		}
	}
	if l := <-s.lines; l != "quit" {
		t.Errorf("the last line is %q, want quit", l)
	}
}

// TestAHostIsAnnouncedWhenItOpens: a script may host later than at its start,
// and again.
func TestAHostIsAnnouncedWhenItOpens(t *testing.T) {
	t.Parallel()
	p := start(t, "run", project(t, files{"scripts/game.lua": strings.Replace(`local Session = require("demi.network.session")
local Game, ticks = {}, 0
function Game:on_update()
  ticks = ticks + 1
  if ticks == 3 or ticks == 9 then Session.host(PORT) end
  if ticks == 6 then Session.disconnect() end
end
return Game
`, "PORT", itoa(freePort(t)), 1)}), "--ticks", "12")
	var seen []any
	for m := range p.lines {
		if m["event"] == "listening" {
			seen = append(seen, m["address"])
		}
	}
	if len(seen) != 2 {
		t.Errorf("announced %v, want a line for each of the two sessions\n%s", seen, p.said())
	}
}
