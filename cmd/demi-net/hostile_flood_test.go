package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"demi.network/contract"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
	"demi.network/runtime/udp"
	"demi.network/session"
)

// Figures of the flood.
const (
	floodRate  = 10000           // packets a second
	floodTime  = 5 * time.Second // all kinds together
	floodSlack = 1000            // frames that docs/session.md, Limits, forgives in ten seconds, beside the messages
)

// floodKind is one way to be a nuisance. send sends one packet.
type floodKind struct {
	name   string
	reason session.Reason // ReasonNone: it never reaches the session
	send   func(f *flooder)
}

var floodKinds = []floodKind{
	{"unknown message", session.ReasonUnknownMessage, func(f *flooder) {
		f.unreliable(f.hand.frame(frameMessage, 100, 0x41))
	}},
	{"schema-invalid", session.ReasonSchemaViolation, func(f *flooder) {
		f.unreliable(f.hand.declared("wave", []byte{200}))
	}},
	{"wrong epoch", session.ReasonStaleEpoch, func(f *flooder) {
		b := f.hand.declared("wave", []byte{1})
		b[1]++
		f.unreliable(b)
	}},
	{"unowned publication", session.ReasonUnauthorizedTarget, func(f *flooder) {
		f.tick++ // the host's crate is entity 1
		f.hand.send(1, transport.Sequenced, f.hand.frame(framePublication, 0, 0, byte(f.tick), byte(f.tick>>8), byte(f.tick>>16), 0, 1,
			0, 1, 1, byte(f.hand.sender), 0, 2, 2))
	}},
	{"truncated", session.ReasonTruncated, func(f *flooder) {
		f.unreliable([]byte{frameMessage})
	}},
	{"garbage below ENet", session.ReasonNone, func(f *flooder) {
		b := make([]byte, f.random.IntN(1200))
		for i := range b {
			b[i] = byte(f.random.Uint32())
		}
		if len(b) > 8 && f.random.IntN(2) == 0 {
			copy(b, []byte{0x8f, 0xff, 0, 0, 0x82, 0xff, 0, 1}) // looks like a CONNECT
		}
		_, _ = f.raw.Write(b) // a full socket buffer is no fault
	}},
}

// flooder comes back whenever it is thrown out.
type flooder struct {
	addr   netip.AddrPort
	con    *contract.Contract
	random *rand.Rand
	raw    *net.UDPConn
	tick   uint32

	hand   *hand
	frames int // on this connection
	sent   int
	kicks  map[string]int // by kind
	joins  int
	least  int // frames on the connection that was thrown out first
	err    error
}

func (f *flooder) unreliable(b []byte) { f.hand.send(3, transport.Sequenced, b) }

// run floods, kind after kind, each for its share of the time.
func (f *flooder) run() error {
	if !f.present("") {
		return f.err
	}
	start := time.Now()
	for i, k := range floodKinds {
		until := (i + 1) * floodRate * int(floodTime/time.Second) / len(floodKinds)
		for f.sent < until {
			due := min(int(time.Since(start).Seconds()*floodRate), until)
			for ; f.sent < due && f.present(k.name); f.sent++ {
				k.send(f)
				f.frames++
				if _, err := f.hand.enet.Flush(time.Now()); err != nil {
					return err
				}
			}
			if f.err != nil {
				return f.err
			}
			if err := f.hand.turn(time.Millisecond); err != nil {
				return err
			}
		}
	}
	f.hand.close()
	return nil
}

// present says that the flooder is in the game, and brings it there if not.
func (f *flooder) present(kind string) bool {
	if f.hand != nil && !f.hand.over {
		return true
	}
	if f.hand != nil {
		if f.hand.code == fault.Flood || f.hand.goodbye == fault.Flood {
			f.kicks[kind]++
			if f.least == 0 || f.frames < f.least {
				f.least = f.frames
			}
		}
		f.hand.close()
	}
	if f.hand, f.err = dialHand(f.addr, f.con, udp.ConnectData); f.err != nil {
		return false
	}
	h := f.hand
	if f.err = h.until(func() bool { return h.connected }); f.err != nil {
		return false
	}
	h.join("mallory")
	f.err = h.until(func() bool { return h.active })
	f.frames, f.joins = 0, f.joins+1
	return f.err == nil
}

// couple is two honest players of whom one says something ten times a second;
// how long it takes to the other is what a player feels of a flood.
type couple struct {
	host     *process
	ann, bob *hand
	said     []time.Time
	next     time.Time
	rss      []int  // KiB, ten times a second
	late     uint64 // ticks that were skipped while the host started
}

func newCouple(t *testing.T, dir string) *couple {
	t.Helper()
	c := &couple{host: withReport(t, "host", dir, "--port", "0")}
	addr, con := netip.MustParseAddrPort(c.host.address()), contractOf(t, dir)
	c.ann, c.bob = joinHand(t, addr, con, "ann"), joinHand(t, addr, con, "bob")
	c.late = c.skipped()
	return c
}

// skipped is how many ticks the host has skipped by now.
func (c *couple) skipped() (n uint64) {
	for _, line := range c.host.logged() {
		_, _ = fmt.Sscanf(line, "late: %d", &n)
	}
	return n
}

// turn plays a little.
func (c *couple) turn() error {
	if now := time.Now(); now.After(c.next) {
		c.next = now.Add(100 * time.Millisecond)
		c.ann.say("chat", fmt.Sprintf(`{"text":"%d"}`, len(c.said)))
		c.said = append(c.said, now)
		c.rss = append(c.rss, residentKiB(c.host.cmd.Process.Pid))
	}
	if err := c.ann.turn(500 * time.Microsecond); err != nil {
		return err
	}
	return c.bob.turn(500 * time.Microsecond)
}

// delays are those of the relays, in the order of size.
func (c *couple) delays() (list []time.Duration) {
	for _, m := range c.bob.relays {
		n := -1
		if _, err := fmt.Sscanf(string(m.payload[1:]), "%d", &n); err == nil && m.message == "chat" && m.sender == c.ann.sender && n < len(c.said) {
			list = append(list, m.at.Sub(c.said[n]))
		}
	}
	slices.Sort(list)
	return list
}

// residentKiB is the resident memory of a process; 0 where there is no /proc.
func residentKiB(pid int) (kib int) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), "VmRSS:")
	_, _ = fmt.Sscanf(rest, "%d", &kib)
	return kib
}

// floodContract is hostileContract with an unreliable message for everybody,
// and more chats.
func floodContract(t *testing.T) string {
	return edit(t, edit(t, hostileContract, `"rate_limit": 5,`, `"rate_limit": 20,`), `"messages": {`, `"messages": {
    "wave": {"from": "all", "to": "server", "reliability": "unreliable", "schema": {"type": "integer", "minimum": 0, "maximum": 100}},`)
}

// floodGame owns a crate and says a word about every message that is not chat,
// of which none should come, and about ticks that were skipped.
const floodGame = `local Session = require("demi.network.session")
local Game = {}
function Game:on_start() Session.spawn("crate", nil, "server") end
function Game:on_update()
  for _, e in ipairs(Session.process_events().events) do
    if e.name ~= "chat" and e.name ~= "peer_joined" and e.name ~= "peer_left" then Debug.log("lua: " .. e.name) end
  end
  local late = Session.diagnostics().late_ticks_skipped
  if late ~= (self.late or 0) then
    Debug.log("late: " .. late)
    self.late = late
  end
end
return Game
`

// TestTheHostBearsAFlood sends ten thousand bad packets a second for five
// seconds, of every kind: field log B47. Memory stays flat, no tick is skipped
// that a host without a flood does not skip on the same machine, the log stays
// short, the flooder is dropped within the budget of docs/session.md each time,
// and two honest players hardly notice.
func TestTheHostBearsAFlood(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("floods for five seconds")
	}
	dir := project(t, files{"assets/network/small.network.json": floodContract(t), "scripts/game.lua": floodGame})
	flooded, calm := newCouple(t, dir), newCouple(t, dir)
	raw, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(flooded.ann.enet.Remote(flooded.ann.peer)))
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	f := &flooder{addr: flooded.ann.enet.Remote(flooded.ann.peer), con: flooded.ann.con, random: rand.New(rand.NewPCG(47, 1)), raw: raw, kicks: map[string]int{}}
	var done atomic.Bool
	result := make(chan error, 1)
	go func() {
		result <- f.run()
		done.Store(true)
	}()
	start := time.Now()
	for !done.Load() {
		for _, c := range []*couple{flooded, calm} {
			if err := c.turn(); err != nil {
				t.Fatalf("an honest player: %v\n%s", err, c.host.said())
			}
		}
	}
	if err := <-result; err != nil {
		t.Fatalf("the flooder: %v\n%s", err, flooded.host.said())
	}
	t.Logf("%d packets in %v; thrown out %v of %d times, first after %d frames", f.sent, time.Since(start).Round(time.Millisecond), f.kicks, f.joins, f.least)

	checkDelays(t, flooded, calm)
	checkMemory(t, flooded)
	f.checkKicks(t)
	if lines := flooded.host.logged(); len(lines) > 20 || slices.ContainsFunc(lines, func(s string) bool { return strings.HasPrefix(s, "lua: ") }) {
		t.Errorf("the log has %d lines, or tells of bad messages that reached Lua:\n%s", len(lines), strings.Join(lines[:min(len(lines), 20)], "\n"))
	}
	_, _ = io.WriteString(calm.host.stdin, "quit\n") // so that both end at once
	for _, c := range []*couple{flooded, calm} {
		if code := c.host.quit(); code != 0 {
			t.Errorf("a host ended with %d\n%s", code, c.host.said())
		}
	}
	f.checkReports(t, flooded.host, calm.host)
	if with, without := flooded.skipped()-flooded.late, calm.skipped()-calm.late; with > without {
		t.Errorf("%d ticks were skipped under the flood, %d without it\n%s", with, without, flooded.host.said())
	}
}

// checkDelays compares what players felt with and without the flood.
func checkDelays(t *testing.T, flooded, calm *couple) {
	t.Helper()
	with, without := flooded.delays(), calm.delays()
	if len(with) < len(flooded.said)-2 || len(without) < len(calm.said)-2 || len(with) < 10 {
		t.Fatalf("%d of %d chats arrived, %d of %d without the flood: reliable ones must all", len(with), len(flooded.said), len(without), len(calm.said))
	}
	median, usual := with[len(with)/2], without[len(without)/2]
	worst, usualWorst := with[len(with)*95/100], without[len(without)*95/100]
	t.Logf("a chat takes %v, 95 %% at most %v, all at most %v; without the flood %v, %v and %v",
		median, worst, with[len(with)-1], usual, usualWorst, without[len(without)-1])
	if median > usual+50*time.Millisecond || worst > usualWorst+100*time.Millisecond {
		t.Errorf("chats take %v and %v (95 %%) under the flood, %v and %v without it", median, worst, usual, usualWorst)
	}
}

// checkMemory wants no growth: neither much over what the host had before, nor
// a slope.
func checkMemory(t *testing.T, c *couple) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	n := len(c.rss)
	before, early, late := c.rss[0], slices.Max(c.rss[:n/2]), slices.Max(c.rss[n/2:])
	t.Logf("resident: %d KiB before, at most %d in the first half and %d in the second", before, early, late)
	if raceDetector {
		return
	}
	if late > before+12<<10 || late > early+6<<10 {
		t.Errorf("the host's memory goes from %d KiB to %d and then %d: it must stay flat", before, early, late)
	}
}

// checkKicks holds the drops to the documented budget.
func (f *flooder) checkKicks(t *testing.T) {
	t.Helper()
	for _, k := range floodKinds {
		if (k.reason != session.ReasonNone) != (f.kicks[k.name] > 0) {
			t.Errorf("%s: thrown out %d times, and only what reaches the session is a reason for it", k.name, f.kicks[k.name])
		}
	}
	if budget := floodSlack + 10*f.con.Limits.MessagesPerSecond; f.least < budget {
		t.Errorf("thrown out after %d frames: the flood guard forgives %d in ten seconds", f.least, budget)
	}
}

// checkReports reads what the hosts counted.
func (f *flooder) checkReports(t *testing.T, flooded, calm *process) {
	t.Helper()
	r, control := flooded.reported(), calm.reported()
	for _, k := range floodKinds {
		if k.reason != session.ReasonNone && r.Refusals[k.reason.String()] == 0 {
			t.Errorf("%s: nothing is counted for %s: %v", k.name, k.reason, r.Refusals)
		}
	}
	if r.Refusals[session.ReasonRateLimited.String()] == 0 {
		t.Errorf("the flood guard refused nothing: %v", r.Refusals)
	}
	floods := 0
	for _, l := range r.Leaves {
		if l.Code == string(fault.Flood) {
			floods++
		}
	}
	kicks := 0
	for _, n := range f.kicks {
		kicks += n
	}
	if floods < kicks {
		t.Errorf("the report has %d leaves for %s, and the flooder was thrown out %d times", floods, fault.Flood, kicks)
	}
	for name, m := range r.Messages.ByName {
		if name != "chat" {
			t.Errorf("%d of %s reached the game", m.Received, name)
		}
	}
	if len(control.Refusals) > 0 {
		t.Errorf("honest players were refused: %v", control.Refusals)
	}
}
