package main

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"demi.network/contract"
	"demi.network/internal/app"
	"demi.network/internal/enet"
	"demi.network/internal/wire"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
	"demi.network/runtime/udp"
)

// The kinds of docs/wire.md, § Frames.
const (
	frameHello       = 1
	frameWelcome     = 2
	frameRefuse      = 3
	frameDiff        = 4
	frameReady       = 5
	frameActive      = 6
	frameGoodbye     = 7
	frameSpawn       = 8
	frameDespawn     = 9
	frameOwnership   = 10
	frameStart       = 11
	frameMessage     = 12
	frameRelay       = 13
	framePublication = 14
	frameSnapshot    = 15
)

// hand is a client that was written from docs/wire.md: it speaks frames byte
// by byte, has no rules of its own, and does whatever a test wants. That it can
// join and play proves the document; that the host bears it, the host.
type hand struct {
	link *transport.UDP
	enet *enet.Host
	peer transport.Peer
	con  *contract.Contract

	connected bool
	over      bool
	code      fault.Code // of the disconnect, "" = none
	refused   fault.Code // of a refuse
	goodbye   fault.Code
	text      string       // of either
	keys      []refusedKey // of a refuse

	epoch    uint32
	sender   uint32
	active   bool
	received uint32 // counted frames of channel 0
	records  uint32
	entities map[uint32]spawned
	tick     uint32 // of the newest snapshot
	seen     int    // snapshots
	relays   []relayed
	problem  error // what the host sent and docs/wire.md does not have
}

type spawned struct{ typ, owner, gen uint32 }

type refusedKey struct {
	section, name string
	definition    string
}

type relayed struct {
	message string
	sender  uint32
	payload []byte
	at      time.Time
}

// dialHand starts a connection with that connect data.
func dialHand(addr netip.AddrPort, con *contract.Contract, data uint32) (*hand, error) {
	link, err := transport.DialUDP(addr)
	if err != nil {
		return nil, err
	}
	e, err := enet.New(link, enet.Config{MaxPeers: 1, Channels: 4, ConnectData: data, Random: udp.Entropy, Throttle: enet.Throttle{Off: true}})
	if err != nil {
		return nil, errors.Join(err, link.Close())
	}
	h := &hand{link: link, enet: e, con: con, entities: map[uint32]spawned{}}
	h.peer, err = e.Dial(time.Now(), addr)
	return h, err
}

func (h *hand) close() { _ = h.enet.Close() }

// connectHand dials and waits until the connection stands.
func connectHand(t *testing.T, addr netip.AddrPort, con *contract.Contract) *hand {
	t.Helper()
	h, err := dialHand(addr, con, udp.ConnectData)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.close)
	h.must(t, "connect", func() bool { return h.connected })
	if _, err := h.enet.Flush(time.Now()); err != nil { // what tells the host that it stands
		t.Fatal(err)
	}
	return h
}

// joinHand is a hand that is active.
func joinHand(t *testing.T, addr netip.AddrPort, con *contract.Contract, name string) *hand {
	t.Helper()
	h := connectHand(t, addr, con)
	h.join(name)
	h.must(t, "become active", func() bool { return h.active })
	return h
}

func (h *hand) join(name string) { h.reliable(h.hello(greeting{name: name})) }

// must turns until done, and fails when the host does not bring it about.
func (h *hand) must(t *testing.T, what string, done func() bool) {
	t.Helper()
	if err := h.until(done); err != nil {
		t.Fatalf("%s: %v (refused %q, goodbye %q, disconnected %q: %s)", what, err, h.refused, h.goodbye, h.code, h.text)
	}
}

func (h *hand) until(done func() bool) error {
	for deadline := time.Now().Add(patience); !done(); {
		if time.Now().After(deadline) {
			return errors.New("it never happened")
		}
		if h.over {
			return errors.New("the connection is over")
		}
		if err := h.turn(5 * time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// turn sends what is queued, waits that long for something and takes it in.
func (h *hand) turn(wait time.Duration) error {
	now := time.Now()
	next, err := h.enet.Flush(now)
	if err != nil {
		return err
	}
	if soon := now.Add(wait); next.IsZero() || next.After(soon) {
		next = soon
	}
	h.link.Wait(next)
	now = time.Now()
	for ev, ok := h.enet.Poll(now); ok; ev, ok = h.enet.Poll(now) {
		switch ev.Kind {
		case transport.Connected:
			h.connected = true
		case transport.Disconnected:
			h.over = true
			if ev.Code != 0 {
				h.code = fault.FromWire(uint16(ev.Code))
			}
		case transport.Message:
			h.take(now, ev)
		}
	}
	return h.problem
}

// take reads one frame of the host as the document has it.
func (h *hand) take(now time.Time, ev transport.Event) {
	c := wire.Reader(ev.Data)
	var kind, epoch uint8
	c.U8(&kind)
	c.U8(&epoch)
	if ev.Channel == 0 && kind >= frameActive && kind <= frameRelay {
		h.received++
	}
	switch kind {
	case frameWelcome:
		h.welcome(&c)
	case frameRefuse:
		h.refuse(&c)
	case frameActive:
		var tick, records uint32
		c.V32(&tick)
		c.V32(&records)
		if records != h.records {
			h.problem = fmt.Errorf("active speaks of %d records, and %d came", records, h.records)
		}
		h.active = true
		h.publish()
	case frameGoodbye:
		var code uint16
		c.U16(&code)
		c.Text(&h.text, 512)
		h.goodbye = fault.FromWire(code)
	case frameSpawn, frameDespawn, frameOwnership:
		h.record(kind, &c)
	case frameStart:
		return
	case frameMessage, frameRelay:
		h.message(now, kind, &c)
		return
	case frameSnapshot:
		var received, records uint32
		c.V32(&received)
		c.V32(&records)
		c.U32(&h.tick)
		h.seen++
		h.publish()
		return
	default:
		h.problem = fmt.Errorf("the host sent a frame of kind %d", kind)
	}
	if err := c.End(); err != nil {
		h.problem = fmt.Errorf("frame %d: %w: %x", kind, err, ev.Data)
	}
}

func (h *hand) welcome(c *wire.Coder) {
	var protocol uint16
	var tick, rate, players uint32
	var name, build, document string
	var lease []byte
	c.U16(&protocol)
	c.V32(&h.sender)
	c.U32(&h.epoch)
	c.V32(&tick)
	c.V32(&rate)
	c.V32(&players)
	c.Text(&name, 128)
	c.Text(&build, 64)
	c.Bytes(&lease, 32)
	c.Text(&document, 480<<10)
	if h.con != nil {
		h.reliable(h.ready())
	}
}

func (h *hand) refuse(c *wire.Coder) {
	var protocol, code uint16
	var truncated, sent bool
	n := 0
	c.U16(&protocol)
	c.U16(&code)
	c.Text(&h.text, 512)
	c.Bool(&truncated)
	c.Count(&n, 1024, 19)
	for range n {
		var k refusedKey
		var digest [16]byte
		c.Text(&k.section, 256)
		c.Text(&k.name, 256)
		c.Fixed(digest[:])
		if c.Bool(&sent); sent {
			c.Text(&k.definition, 4096)
		}
		h.keys = append(h.keys, k)
	}
	h.refused = fault.FromWire(code)
}

// record takes a frame of life-cycle records.
func (h *hand) record(kind uint8, c *wire.Coder) {
	var n, typ, owner, gen uint32
	var row []byte
	switch kind {
	case frameSpawn:
		count := 0
		for c.Count(&count, 4915, 5); count > 0; count-- {
			c.V32(&n)
			c.V32(&typ)
			c.V32(&owner)
			c.V32(&gen)
			c.Bytes(&row, 1280)
			h.entities[n] = spawned{typ, owner, gen}
			h.records++
		}
		return
	case frameDespawn:
		c.V32(&n)
		c.V32(&gen)
		delete(h.entities, n)
	case frameOwnership:
		c.V32(&n)
		c.V32(&owner)
		c.V32(&gen)
		c.Bytes(&row, 1280)
		h.entities[n] = spawned{h.entities[n].typ, owner, gen}
	}
	h.records++
}

func (h *hand) message(now time.Time, kind uint8, c *wire.Coder) {
	var index, n, gen, view uint32
	m := relayed{at: now}
	if c.V32(&index); int(index) >= len(h.con.Messages) {
		h.problem = fmt.Errorf("message %d is not declared", index)
		return
	}
	rule := &h.con.Messages[index]
	if rule.Target != contract.TargetNone {
		c.V32(&n)
		c.V32(&gen)
	}
	if rule.Rewind {
		c.V32(&view)
	}
	if kind == frameRelay {
		c.V32(&m.sender)
	}
	m.message, m.payload = rule.Name, append(m.payload, c.Rest()...)
	h.relays = append(h.relays, m)
}

// contractOf loads the contract of a project.
func contractOf(t *testing.T, dir string) *contract.Contract {
	t.Helper()
	p, _, files, err := app.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	con, problems := contract.Load(p.FS, p)
	if err := problems.Err(); err != nil {
		t.Fatalf("%v\n%v", err, problems)
	}
	return con
}

// logged returns the lines that a process has printed to stderr so far.
func (p *process) logged() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Split(strings.TrimSuffix(p.stderr.String(), "\n"), "\n")
}

// TestWireBelowTheFrames compares what docs/wire.md says of ENet with the code.
func TestWireBelowTheFrames(t *testing.T) {
	b, err := os.ReadFile("../../docs/wire.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("| connect data | 0x%08X |", udp.ConnectData),
		fmt.Sprintf("| largest datagram, UDP payload | %d bytes |", transport.MaxDatagram),
	} {
		if !strings.Contains(string(b), want) {
			t.Errorf("docs/wire.md does not say %q", want)
		}
	}
	// The packet of the largest size is taken, one byte more is not.
	dir := project(t, nil)
	host := start(t, "host", dir, "--port", "0")
	h := connectHand(t, netip.MustParseAddrPort(host.address()), contractOf(t, dir))
	for _, tc := range []struct {
		size int
		ok   bool
	}{{1 << 20, true}, {1<<20 + 1, false}} {
		if !strings.Contains(string(b), fmt.Sprintf("| largest packet taken | %d bytes |", 1<<20)) {
			t.Fatal("docs/wire.md does not say what the largest packet is")
		}
		if ok := h.send(0, transport.Reliable, make([]byte, tc.size)); ok != tc.ok {
			t.Errorf("a packet of %d bytes is sent: %t, want %t", tc.size, ok, tc.ok)
		}
	}
	if ok := h.send(4, transport.Reliable, []byte{1, 0}); ok {
		t.Error("a connection has a fifth channel; docs/wire.md has four")
	}
}
