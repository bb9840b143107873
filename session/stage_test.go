package session_test

import (
	"fmt"
	"net/netip"
	"sort"
	"strings"
	"testing"
	"time"

	"demi.network/contract"
	"demi.network/contract/payload"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
	"demi.network/runtime/transport/hosttest"
	"demi.network/runtime/world"
	"demi.network/session"
)

// stage is a network with one host and any number of clients on a clock held
// in a variable. Everything that happens is written to log, in order.
type stage struct {
	t     testing.TB
	dial  func(port uint16) transport.Host // makes a transport at 10.0.0.1:port
	now   time.Time
	turn  time.Duration
	ports uint16

	con    *contract.Contract
	server *session.Server
	truth  *world.World
	link   transport.Host
	port   uint16
	epoch  uint32
	rules  session.Rules
	nodes  []*node
	log    strings.Builder
	quiet  bool // do not log events
	frames bool // log frames that arrive
	gone   []transport.Host
	left   []session.Event // every peer_left at the host
}

// node is a client.
type node struct {
	label  string
	con    *contract.Contract
	client *session.Client
	world  *world.World
	link   transport.Host
	peer   transport.Peer
	port   uint16
	deaf   bool // polls nothing
	events []session.Event
}

func newStage(t testing.TB) *stage {
	net := hosttest.NewNetwork()
	return &stage{
		t: t, now: time.Unix(1000, 0), turn: 10 * time.Millisecond,
		dial: func(port uint16) transport.Host { return net.Host(at(port)) },
	}
}

func at(port uint16) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 1}), port)
}

func (s *stage) nextPort() uint16 { s.ports++; return s.ports }

// host opens the session; change may edit the configuration.
func (s *stage) host(con *contract.Contract, change func(*session.ServerConfig)) {
	s.port = s.nextPort()
	s.con, s.link = con, s.dial(s.port)
	s.open(change)
}

func (s *stage) open(change func(*session.ServerConfig)) {
	layout := world.NewLayout(s.con)
	s.truth = world.New(layout)
	s.epoch = session.NextEpoch(s.epoch+1, s.epoch)
	cfg := session.ServerConfig{Contract: s.con, Layout: layout, World: s.truth, Host: s.link, Epoch: s.epoch, Build: "test", Rules: s.rules}
	if change != nil {
		change(&cfg)
	}
	s.server = session.NewServer(cfg, s.now)
}

// join makes a client; change may edit the configuration.
func (s *stage) join(label string, con *contract.Contract, change func(*session.ClientConfig)) *node {
	port := s.nextPort()
	n := &node{label: label, con: con, link: s.dial(port), port: port}
	var err error
	if n.peer, err = n.link.Dial(s.now, at(s.port)); err != nil {
		s.t.Fatal(err)
	}
	cfg := session.ClientConfig{Host: n.link, Peer: n.peer, PlayerName: label, Build: "test"}
	if con != nil {
		layout := world.NewLayout(con)
		n.world = world.New(layout)
		cfg.Contract, cfg.Layout, cfg.World = con, layout, n.world
	}
	if change != nil {
		change(&cfg)
	}
	n.client = session.NewClient(cfg, s.now)
	s.nodes = append(s.nodes, n)
	return n
}

// stranger connects and says nothing by itself.
func (s *stage) stranger(label string, data uint32) *node {
	port := s.nextPort()
	n := &node{label: label, link: s.dial(port), port: port}
	if h, ok := n.link.(*hosttest.Host); ok {
		h.ConnectData = data
	}
	var err error
	if n.peer, err = n.link.Dial(s.now, at(s.port)); err != nil {
		s.t.Fatal(err)
	}
	s.nodes = append(s.nodes, n)
	return n
}

func (s *stage) node(label string) *node {
	for _, n := range s.nodes {
		if n.label == label {
			return n
		}
	}
	s.t.Fatalf("no client %q", label)
	return nil
}

// run advances everything by d, a turn at a time.
func (s *stage) run(d time.Duration) {
	for end := s.now.Add(d); s.now.Before(end); {
		s.now = s.now.Add(s.turn)
		s.once()
	}
}

// once is one turn of every peer.
func (s *stage) once() {
	if s.server != nil {
		s.pump(s.link, "host", func(ev transport.Event) { s.server.Handle(s.now, ev) })
		s.server.Advance(s.now)
		s.poll()
	}
	for _, n := range s.nodes {
		if n.link == nil {
			continue
		}
		if n.client == nil {
			s.pump(n.link, n.label, func(ev transport.Event) {
				if ev.Kind == transport.Disconnected {
					fmt.Fprintf(&s.log, "%s: connection over, %s\n", n.label, fault.FromWire(uint16(ev.Code)))
				}
			})
			continue
		}
		s.pump(n.link, n.label, func(ev transport.Event) { n.client.Handle(s.now, ev) })
		n.client.Advance(s.now)
		s.pollClient(n)
	}
	for _, h := range s.gone {
		for _, ok := h.Poll(s.now); ok; _, ok = h.Poll(s.now) {
		}
		_, _ = h.Flush(s.now)
	}
}

func (s *stage) pump(h transport.Host, who string, f func(transport.Event)) {
	for ev, ok := h.Poll(s.now); ok; ev, ok = h.Poll(s.now) {
		if s.frames && ev.Kind == transport.Message {
			fmt.Fprintf(&s.log, "%s < %s\n", who, session.FrameText(ev.Data, s.con))
		}
		f(ev)
	}
	if _, err := h.Flush(s.now); err != nil {
		s.t.Fatalf("%s: %v", who, err)
	}
}

func (s *stage) poll() {
	for ev, ok := s.server.Poll(); ok; ev, ok = s.server.Poll() {
		s.note("host", ev)
		if ev.Kind == session.EventPeerLeft {
			s.left = append(s.left, ev)
		}
	}
	_, _ = s.link.Flush(s.now)
}

func (s *stage) pollClient(n *node) {
	if n.deaf {
		return
	}
	for ev, ok := n.client.Poll(); ok; ev, ok = n.client.Poll() {
		s.note(n.label, ev)
		if ev.Data != nil {
			ev.Data = ev.Data.Clone()
		}
		n.events = append(n.events, ev)
		if ev.Kind == session.EventDocument {
			c := s.con // what a compiler would make of the document
			layout := world.NewLayout(c)
			n.world = world.New(layout)
			n.client.Adopt(s.now, c, layout, n.world)
		}
	}
	_, _ = n.link.Flush(s.now)
}

func (s *stage) note(who string, ev session.Event) {
	if s.quiet {
		return
	}
	fmt.Fprintf(&s.log, "%s: %s\n", who, ev)
	if list, ok := ev.Details["differences"].([]any); ok {
		for _, d := range list {
			if m, ok := d.(map[string]any); ok {
				d = m["text"]
			}
			fmt.Fprintf(&s.log, "  %v\n", d)
		}
	}
}

// seen counts a client's events of a kind.
func (n *node) seen(k session.EventKind) (count int) {
	for _, ev := range n.events {
		if ev.Kind == k {
			count++
		}
	}
	return count
}

// entities describes a World: id, type, owner, generation and columns.
func entities(w *world.World, l *world.Layout) string {
	var lines []string
	for typ := range w.Tables {
		for row, h := range w.Tables[typ].Heads {
			lines = append(lines, fmt.Sprintf("%6d %s owner=%s gen=%d %v", h.ID, l.Types[typ].Key, session.Sender(h.Owner), h.OwnGen, w.Row(l, typ, row)))
		}
	}
	sort.Strings(lines)
	if len(lines) == 0 {
		return "none\n"
	}
	return strings.Join(lines, "\n") + "\n"
}

// text is a Source of a JSON text.
func text(t testing.TB, js string) session.Source {
	v := new(payload.Value)
	if err := payload.Any().DecodeJSON([]byte(js), payload.Limits{Depth: 60, Elements: 1e6, StringBytes: 1e6, Bytes: 1e7}, v); err != nil {
		t.Fatalf("%s: %v", js, err)
	}
	return session.ValueSource(v)
}

// id is the network id of entity n.
func (s *stage) id(n uint32) string { return session.NetworkID(s.epoch, n) }

// joined makes a client and runs until it is active.
func (s *stage) joined(label string) *node {
	s.t.Helper()
	n := s.join(label, s.con, nil)
	for i := 0; i < 60 && n.client.Phase() != session.PhaseActive; i++ {
		s.run(100 * time.Millisecond)
	}
	s.run(100 * time.Millisecond)
	if p := n.client.Phase(); p != session.PhaseActive {
		s.t.Fatalf("%s is %s, want active\n%s", label, p, s.log.String())
	}
	return n
}

func layoutOf(c *contract.Contract) *world.Layout { return world.NewLayout(c) }

// joinedFast is joined for a perfect network: a few turns are enough.
func (s *stage) joinedFast(label string) *node {
	s.t.Helper()
	n := s.join(label, s.con, nil)
	for i := 0; i < 8 && n.client.Phase() != session.PhaseActive; i++ {
		s.now = s.now.Add(s.turn)
		s.once()
	}
	if p := n.client.Phase(); p != session.PhaseActive {
		s.t.Fatalf("%s is %s, want active", label, p)
	}
	return n
}
