package session_test

import (
	"bufio"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
	"demi.network/session"
)

var update = flag.Bool("update", false, "write what scenarios print into testdata/*.txt; commit only what you understand")

// TestScenarios runs every testdata/*.txt: lines of commands, a line of dashes,
// and what the commands printed. What commands there are is said in
// testdata/README.md.
func TestScenarios(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txt")
	if len(files) < 10 {
		t.Fatalf("%d scenarios: some are missing", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			s := newStage(t)
			got := runScenario(t, s, file)
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(want) {
				t.Errorf("%s says otherwise (go test ./session -run Scenarios -update shows how):\n%s", file, firstDifference(string(want), got))
			}
		})
	}
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range w {
		if i >= len(g) || w[i] != g[i] {
			have := "nothing"
			if i < len(g) {
				have = g[i]
			}
			return fmt.Sprintf("line %d:\nwant %s\ngot  %s", i+1, w[i], have)
		}
	}
	return "more than expected: " + g[len(w)]
}

// runScenario executes a file and returns it with the outputs that came.
func runScenario(t *testing.T, s *stage, file string) string {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out strings.Builder
	sc := bufio.NewScanner(f)
	output := false
	for sc.Scan() {
		line := sc.Text()
		switch {
		case line == "----":
			output = true
			fmt.Fprintf(&out, "----\n%s\n", s.log.String())
			s.log.Reset()
		case output && line == "":
			output = false
		case output:
		default:
			fmt.Fprintln(&out, line)
			if line != "" && !strings.HasPrefix(line, "#") {
				s.command(line)
			}
		}
	}
	return strings.TrimRight(out.String(), "\n") + "\n"
}

// command executes one line.
func (s *stage) command(line string) {
	s.t.Helper()
	words := strings.Fields(line)
	args := words[1:]
	rest := func(n int) string { // the line after n words
		r := line
		for range n {
			_, r, _ = strings.Cut(strings.TrimLeft(r, " "), " ")
		}
		return r
	}
	switch words[0] {
	case "host":
		s.hostCommand(args)
	case "join":
		s.joinCommand(args)
	case "dial":
		data := session.ConnectData
		if len(args) > 1 {
			data = number(args[1])
		}
		s.stranger(args[0], data)
	case "run":
		d, err := time.ParseDuration(args[0])
		if err != nil {
			s.t.Fatal(err)
		}
		s.run(d)
	case "spawn":
		s.spawnCommand(args)
	case "transfer":
		s.print(s.server.Transfer(s.now, number(args[0]), sender(s.t, args[1])))
	case "despawn":
		s.print(s.server.Despawn(s.now, number(args[0])))
	case "start":
		s.printErr(s.server.StartSession(s.now, text(s.t, rest(1))))
	case "send":
		s.sendCommand(args[0], args[1], args[2], rest(4))
	case "raw":
		b, err := hex.DecodeString(strings.ReplaceAll(rest(3), " ", ""))
		if err != nil {
			s.t.Fatal(err)
		}
		s.raw(s.node(args[0]), args[1], b)
	case "rawhost":
		b, err := hex.DecodeString(strings.ReplaceAll(rest(2), " ", ""))
		if err != nil {
			s.t.Fatal(err)
		}
		ch, mode := channel(s.t, args[0])
		for p := range s.server.Peers {
			if err := s.link.Send(p.Link, ch, mode, b); err != nil {
				s.t.Fatal(err)
			}
		}
	case "kick":
		s.print(s.server.Kick(s.now, sender(s.t, args[0]), rest(2)))
	case "shutdown":
		s.server.Shutdown(s.now, rest(1))
	case "open":
		s.server.SetOpen(args[0] == "true")
	case "ready":
		s.print(s.node(args[0]).client.Ready(s.now))
	case "leave":
		s.node(args[0]).client.Leave(s.now, fault.Left, rest(2))
	case "kill":
		n := s.node(args[0])
		_ = n.link.Close()
		n.link = nil
	case "frames":
		s.frames = args[0] == "on"
	case "events":
		s.quiet = args[0] == "off"
	default:
		s.look(words[0], args)
	}
}

// look are the commands that change nothing.
func (s *stage) look(what string, args []string) {
	s.t.Helper()
	switch what {
	case "entities":
		layout := layoutOf(s.con)
		if args[0] == "host" {
			s.log.WriteString(entities(s.truth, layout))
		} else {
			s.log.WriteString(entities(s.node(args[0]).world, layout))
		}
	case "same":
		want := entities(s.truth, layoutOf(s.con))
		for _, n := range s.nodes {
			if n.client != nil && n.client.Phase() == session.PhaseActive {
				fmt.Fprintf(&s.log, "%s: same entities and owners: %t\n", n.label, heads(want) == heads(entities(n.world, layoutOf(s.con))))
			}
		}
	case "errors":
		d := s.diagnostics(args[0])
		for _, r := range d.Refusals {
			fmt.Fprintf(&s.log, "%s %s: %d\n", r.Reason, r.Message, r.Count)
		}
		fmt.Fprintf(&s.log, "last: %s\n", d.LastError)
	case "phase":
		fmt.Fprintf(&s.log, "%s: %s\n", args[0], s.diagnostics(args[0]).Phase)
	case "peers":
		for p := range s.server.Peers {
			fmt.Fprintf(&s.log, "%s %q %s owns %d, records %d\n", p.Sender, p.Name, p.Phase, p.Owned, p.Records)
		}
	default:
		s.t.Fatalf("unknown command %q", what)
	}
}

func (s *stage) diagnostics(who string) session.Diagnostics {
	if who == "host" {
		return s.server.Diagnostics()
	}
	return s.node(who).client.Diagnostics()
}

// option splits "key=value".
func option(word string) (key, value string) {
	key, value, _ = strings.Cut(word, "=")
	return key, value
}

func (s *stage) hostCommand(args []string) {
	var players int
	var wait time.Duration
	again := false
	for _, a := range args {
		switch key, value := option(a); key {
		case "players":
			players, _ = strconv.Atoi(value)
		case "ready":
			wait, _ = time.ParseDuration(value)
		case "again":
			again = true
		case "rules":
			s.rules = testRules{}
		default:
			s.t.Fatalf("host: unknown option %q", a)
		}
	}
	change := func(c *session.ServerConfig) {
		if players > 0 {
			c.MaxPlayers = players
		}
		c.ReadyTimeout = wait
	}
	if again {
		s.open(change)
		return
	}
	s.host(load(s.t, "arena.json"), change)
}

func (s *stage) joinCommand(args []string) {
	con := s.con
	var hold, observer, unchecked bool
	name := args[0]
	for _, a := range args[1:] {
		switch key, value := option(a); key {
		case "contract":
			con = load(s.t, value)
		case "bare":
			con, observer = nil, true
		case "observer":
			observer = true
		case "hold":
			hold = true
		case "unchecked":
			unchecked = true
		case "name":
			if unquoted, err := strconv.Unquote(value); err == nil {
				value = unquoted
			}
			name = value
		default:
			s.t.Fatalf("join: unknown option %q", a)
		}
	}
	s.join(args[0], con, func(c *session.ClientConfig) {
		c.PlayerName, c.HoldReady, c.Observer, c.Unchecked = name, hold, observer, unchecked
	})
}

func (s *stage) spawnCommand(args []string) {
	count := 1
	if len(args) > 2 {
		count = int(number(args[2]))
	}
	for range count {
		n, r := s.server.Spawn(s.now, layoutOf(s.con).Type(args[0]), sender(s.t, args[1]), nil)
		if r != nil {
			s.print(r)
		} else if count == 1 {
			fmt.Fprintf(&s.log, "-> %d\n", n)
		}
	}
}

func (s *stage) sendCommand(who, name, target, js string) {
	if n, err := strconv.ParseUint(target, 10, 32); err == nil {
		target = s.id(uint32(n))
	}
	if target == "-" {
		target = ""
	}
	if who == "host" {
		s.printErr(s.server.Send(s.now, name, target, text(s.t, js)))
		return
	}
	s.printErr(s.node(who).client.Send(s.now, name, target, text(s.t, js)))
}

// raw sends bytes as they are: the caller writes kind and epoch itself.
func (s *stage) raw(n *node, where string, b []byte) {
	ch, mode := channel(s.t, where)
	if err := n.link.Send(n.peer, ch, mode, b); err != nil {
		s.t.Fatal(err)
	}
	_, _ = n.link.Flush(s.now)
}

// channel reads "0", "1", "2", "3", "3u" (unsequenced) or "3r" (reliable).
func channel(t testing.TB, word string) (transport.Channel, transport.Mode) {
	switch word {
	case "0":
		return 0, transport.Reliable
	case "1", "2", "3":
		return transport.Channel(word[0] - '0'), transport.Sequenced
	case "3u":
		return 3, transport.Unsequenced
	case "3r":
		return 3, transport.Reliable
	}
	t.Fatalf("channel %q", word)
	return 0, 0
}

func (s *stage) print(r *session.Refusal) {
	if r != nil {
		fmt.Fprintf(&s.log, "-> %s\n", r)
	}
}

func (s *stage) printErr(err error) {
	if err != nil {
		fmt.Fprintf(&s.log, "-> %s\n", err)
	}
}

func number(word string) uint32 {
	n, _ := strconv.ParseUint(word, 10, 32)
	return uint32(n)
}

func sender(t testing.TB, word string) session.Sender {
	p, ok := session.ParseSender(word)
	if !ok {
		t.Fatalf("%q is no sender", word)
	}
	return p
}

// testRules refuses who is called "nobody" and what is about entity 1.
type testRules struct{}

func (testRules) Admit(a session.Applicant) error {
	if a.Name == "nobody" {
		return fault.New(fault.Refused, "nobody is not welcome")
	}
	return nil
}

func (testRules) Accept(from session.Sender, m *session.Event) error {
	if m.N == 1 {
		return fault.New(fault.Refused, "leave number one alone")
	}
	return nil
}

// heads drops the columns from a listing of entities: what is visible differs
// from peer to peer.
func heads(listing string) string {
	var b strings.Builder
	for _, line := range strings.Split(listing, "\n") {
		head, _, _ := strings.Cut(line, " [")
		b.WriteString(head + "\n")
	}
	return b.String()
}
