package harness

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"demi.network/contract"
	"demi.network/contract/payload"
	"demi.network/runtime"
	"demi.network/runtime/fault"
	"demi.network/session"
)

var update = flag.Bool("update", false, "write what the scenarios print into their files")

// TestScenarios plays testdata/*.txt: commands above the line of dashes, what
// peers saw and were told below it. Every scenario is played twenty times and
// must print the same bytes each time: the whole stack, from the scene through
// session, rows, ENet and the link, depends on the seed alone.
func TestScenarios(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txt")
	if len(files) == 0 {
		t.Fatal("no scenarios in testdata")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			script, want, _ := strings.Cut(string(text), "----\n")
			got := perform(t, script)
			if *update {
				if err := os.WriteFile(file, []byte(script+"----\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				want = got
			}
			if got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			runs := 20
			before := goruntime.NumGoroutine()
			if testing.Short() || raceEnabled {
				runs = 3
			}
			for i := 1; i < runs; i++ {
				if again := perform(t, script); again != got {
					t.Fatalf("run %d differs from the first:\n%s\nfirst:\n%s", i+1, again, got)
				}
			}
			if after := goruntime.NumGoroutine(); after != before {
				t.Errorf("%d goroutines after %d games, %d before: nothing here may start one", after, runs, before)
			}
		})
	}
}

// stage performs one scenario.
type stage struct {
	*play
	out    strings.Builder
	peers  map[string]*Peer
	ids    map[string]string // scene entity at the host → network id
	seed   uint64
	link   string
	driven []driver
}

// driver moves an entity by dx a tick, while the peer owns it.
type driver struct {
	peer, entity string
	dx           float64
}

func perform(t *testing.T, script string) string {
	s := &stage{peers: map[string]*Peer{}, ids: map[string]string{}, seed: 1}
	for n, line := range strings.Split(script, "\n") {
		f := strings.Fields(line)
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		if s.play == nil && f[0] != "seed" && f[0] != "link" {
			s.play = newPlay(t, s.seed, s.link)
		}
		if err := s.command(f[0], f[1:]); err != nil {
			t.Fatalf("line %d: %s: %v", n+1, line, err)
		}
	}
	return s.out.String()
}

func (s *stage) say(format string, args ...any) { fmt.Fprintf(&s.out, format+"\n", args...) }

// result prints what an act returned.
func (s *stage) result(err error) error {
	var r *session.Refusal
	switch {
	case errors.As(err, &r):
		s.say("  refused: %s", r.Reason)
	case err != nil:
		s.say("  refused: %v", err)
	}
	return nil
}

func (s *stage) watch(p *Peer) {
	s.peers[p.Name] = p
	p.OnEvent = func(ev session.Event) { s.say("%6.3f %s: %s", s.Elapsed().Seconds(), p.Name, ev) }
	p.OnTick = func() { s.drive(p) }
}

// drive moves and publishes what a peer is told to drive.
func (s *stage) drive(p *Peer) {
	for _, d := range s.driven {
		id := s.ids[d.entity]
		local, ok := p.LocalEntity(id)
		if d.peer != p.Name || !ok || !p.HasAuthority(id) {
			continue
		}
		v, _ := p.Scene.Read(local, position)
		v[0] += d.dx
		p.Scene.Write(local, position, v)
		if err := p.UpdateEntity(id, p.TickInterval().Seconds()); err != nil {
			s.say("  %s: update %s: %v", p.Name, d.entity, err)
		}
	}
}

func (s *stage) command(name string, a []string) error {
	arg := func(i int) string {
		if i < len(a) {
			return a[i]
		}
		return ""
	}
	host := s.peers["host"]
	switch name {
	case "seed":
		n, err := strconv.ParseUint(arg(0), 10, 64)
		s.seed = n
		return err
	case "link":
		s.link = arg(0)
	case "host":
		s.watch(s.Host())
	case "join":
		s.watch(s.Join(arg(0)))
	case "run":
		d, err := time.ParseDuration(arg(0))
		if err == nil {
			s.Step(d)
		}
		return err
	case "spawn":
		id, err := host.Spawn(arg(0), arg(1), arg(2))
		if err == nil {
			s.ids[arg(1)] = id
		}
		return s.result(err)
	case "transfer":
		return s.result(host.Transfer(s.ids[arg(0)], arg(1)))
	case "despawn":
		return s.result(host.Despawn(s.ids[arg(0)]))
	case "drive":
		dx, err := strconv.ParseFloat(arg(2), 64)
		s.driven = append(s.driven, driver{arg(0), arg(1), dx})
		return err
	case "rest":
		s.driven = slices.DeleteFunc(s.driven, func(d driver) bool { return d.peer == arg(0) && d.entity == arg(1) })
	case "set":
		return s.set(s.peers[arg(0)], arg(1), arg(2), arg(3))
	case "see":
		return s.see(a)
	case "send":
		return s.result(s.peers[arg(0)].Send(arg(1), s.ids[arg(3)], text(arg(2))))
	case "start":
		return s.result(host.StartSession(text(arg(0))))
	case "leave":
		s.peers[arg(0)].Close(fault.Left, "gone fishing")
	case "kick":
		return s.result(host.Kick(arg(0), strings.Join(a[1:], " ")))
	case "same":
		s.same(arg(0))
	default:
		return fmt.Errorf("no such command")
	}
	return nil
}

// text is a Source of {"text": t}.
func text(t string) session.Source {
	return func(k *payload.Sink) error {
		if k.BeginObject() {
			k.Key([]byte("text"))
			k.Text([]byte(t))
			k.End()
		}
		return k.Err()
	}
}

// set writes a field of an entity in a peer's scene and publishes it.
func (s *stage) set(p *Peer, name, field, value string) error {
	id := s.ids[name]
	local, ok := p.LocalEntity(id)
	x, err := strconv.ParseFloat(value, 64)
	if !ok || err != nil || !p.Scene.Write(local, field, contract.FieldValue{x}) {
		return fmt.Errorf("not there: %v", err)
	}
	return s.result(p.UpdateEntity(id, 1))
}

// see prints a field of an entity as each peer has it.
func (s *stage) see(a []string) error {
	if len(a) < 3 {
		return fmt.Errorf("see ENTITY FIELD PEER…")
	}
	line := fmt.Sprintf("%6.3f %s.%s:", s.Elapsed().Seconds(), a[0], a[1])
	for _, name := range a[2:] {
		p := s.peers[name]
		owner, ok := p.Owner(s.ids[a[0]])
		if !ok {
			line += fmt.Sprintf("  %s -", name)
			continue
		}
		line += fmt.Sprintf("  %s %s (%s)", name, see(p, s.ids[a[0]], a[1]), owner)
	}
	s.say("%s", line)
	return nil
}

// same compares every client's hashes with the host's and prints the entities.
func (s *stage) same(atLeast string) {
	least, _ := strconv.Atoi(atLeast)
	host := s.peers["host"].Report()
	for _, p := range s.Harness.peers {
		r := p.Report()
		if r.Role != runtime.Joined.String() {
			continue
		}
		c := runtime.Converged(host, r)
		s.say("%6.3f %s: same=%v at least %d; %d entities", s.Elapsed().Seconds(), p.Name, c.OK(least), least, len(r.Entities))
	}
}
