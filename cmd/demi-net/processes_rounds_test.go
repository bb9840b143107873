package main

import (
	"fmt"
	"net"
	"os"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// rounds hosts and stops, a few ticks each, in one process and on one port. A
// round is a whole session: metadata, an entity, a message. After the first and
// the last it rests, so that the test can look at the process.
const rounds = `local Session = require("demi.network.session")
local PORT, ROUNDS = %d, %d
local Game = {}
local function check(what, ok) if not ok then error(what .. ": " .. Session.diagnostics().last_error) end end
function Game:on_create() self.round, self.tick, self.epochs, self.rest = 0, 0, {}, 0 end
function Game:on_update()
  self.tick = self.tick + 1
  if self.rest > 0 then
    self.rest = self.rest - 1
  elseif Session.is_host() then
    if self.tick >= 3 then self:stop() end
  elseif self.round < ROUNDS then
    self.round, self.tick = self.round + 1, 0
    self:open()
  end
end
function Game:open()
  check("host", Session.host(PORT))
  Session.start_session({scene_id = "a", seed = self.round})
  self.id = Session.spawn("thing", "thing", "server")
  check("the first id of a session", self.id and self.id:match(":1$"))
  check("send", Session.send("over", nil, {winner = "nobody"}))
  local d = Session.diagnostics()
  check("counters start again", d.sent_messages == 1 and d.rejected_messages == 0)
  local epoch = "epoch " .. d.session_epoch -- a number would be a place in a list
  check("a new epoch", not self.epochs[epoch])
  self.epochs[epoch] = true
end
function Game:stop()
  Session.disconnect()
  check("nothing is left", Session.owner(self.id) == nil and Session.current_session() == nil and not Entity.exists("thing"))
  check("closed", Session.diagnostics().phase == "closed")
  Session.disconnect()
  check("twice is nothing", not Session.is_connected())
  check("send after the end", Session.send("over", nil, {}) == false)
  Debug.log("round " .. self.round .. " is over")
  if self.round == 1 or self.round == ROUNDS then self.rest = 15 end
end
return Game
`

// freePort is a UDP port that nobody has at this time.
func freePort(t *testing.T) int {
	t.Helper()
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return c.LocalAddr().(*net.UDPAddr).Port
}

// footprint is what a process holds of the system.
type footprint struct{ files, threads int }

func footprintOf(pid int) footprint {
	count := func(dir string) int {
		list, _ := os.ReadDir(fmt.Sprintf("/proc/%d/%s", pid, dir))
		return len(list)
	}
	return footprint{count("fd"), count("task")}
}

// afterRound waits until a round is over and says what the process holds then.
func afterRound(t *testing.T, p *process, n int) footprint {
	t.Helper()
	want := fmt.Sprintf("round %d is over", n)
	alarm := time.After(patience)
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case m, ok := <-p.lines:
			if !ok || m["event"] == "script_error" {
				t.Fatalf("before %q: %v\n%s", want, m, p.said())
			}
		case <-alarm:
			t.Fatalf("%q never came\n%s", want, p.said())
		case <-look.C:
			if strings.Contains(strings.Join(p.logged(), "\n"), want) {
				return footprintOf(p.cmd.Process.Pid)
			}
		}
	}
}

var goroutine = regexp.MustCompile(`(?m)^goroutine [1-9]\d* `)

// goroutines asks a process for its stacks, which ends it, and counts those
// that are not the language's own: its collector starts workers when it likes.
func goroutines(t *testing.T, p *process) int {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	p.exit()
	n := 0
	for _, stack := range strings.Split(p.said(), "\n\n") {
		if goroutine.MatchString(stack) && !strings.Contains(stack, "created by runtime.") {
			n++
		}
	}
	if n == 0 {
		t.Fatalf("no stack was printed\n%s", p.said())
	}
	return n
}

// TestFieldLogB11TwentyRoundsOfHosting: an editor hosts, stops and hosts again
// all day, in one process and on one port. Every round opens, has another epoch
// and begins from nothing; the last one leaves no more open files and goroutines
// than the first.
func TestFieldLogB11TwentyRoundsOfHosting(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("looks at /proc")
	}
	run := func(n int) *process {
		return start(t, "run", project(t, files{"scripts/game.lua": fmt.Sprintf(rounds, freePort(t), n)}))
	}
	once, often := run(1), run(20)
	afterRound(t, once, 1)
	first := afterRound(t, often, 1)
	last := afterRound(t, often, 20)
	if last.files > first.files+2 || last.files == 0 {
		t.Errorf("%d files are open after round 20, %d after the first", last.files, first.files)
	}
	if last.threads > first.threads+4 { // the language's own threads come and go
		t.Errorf("%d threads after round 20, %d after the first", last.threads, first.threads)
	}
	if a, b := goroutines(t, once), goroutines(t, often); b != a {
		t.Errorf("%d goroutines after round 20, %d after one round\n%s", b, a, often.said())
	}
}

// TestTheRoundsEndWell: the same with a client that is told each time, and a
// report at the end that is the last session's.
func TestTheRoundsEndWell(t *testing.T) {
	t.Parallel()
	p := withReport(t, "run", project(t, files{"scripts/game.lua": fmt.Sprintf(rounds, freePort(t), 3)}))
	afterRound(t, p, 3)
	if code := p.quit(); code != 0 {
		t.Errorf("the process ended with %d\n%s", code, p.said())
	}
	if r := p.reported(); len(r.Errors) != 0 || r.Phase != "closed" || r.Epoch == 0 || len(r.Spawns) != 1 {
		t.Errorf("the report is %+v, want the last session's: closed, an epoch, one spawn, no errors", r)
	}
}
