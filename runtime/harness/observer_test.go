package harness

import (
	"errors"
	"strings"
	"testing"
	"time"

	"demi.network/runtime"
	"demi.network/runtime/fault"
	"demi.network/session"
)

// observer adds a peer that has no contract, no scene and plays nothing.
func (p *play) observer(name string) *Peer {
	return p.Peer(name, func(c *runtime.Config) {
		c.Contract, c.Scene, c.Listen, c.Observer = nil, nil, nil, true
	})
}

// One who only watches brings nothing along: the host gives it the contract,
// and from then on it holds what every client holds.
func TestObserverTakesTheHostsContract(t *testing.T) {
	p := newPlay(t, 41, badLink)
	host := p.Host()
	c := p.join("ann", "ben")
	ids := []string{p.spawn(host, "player", "a", "peer1"), p.spawn(host, "player", "b", "peer2"), p.spawn(host, "crate", "k", "server")}
	walk(c[0], ids[0], 0.1)
	walk(c[1], ids[1], -0.2)
	walk(host, ids[2], 0.05)
	p.Step(time.Second)

	eve := p.observer("eve")
	var heard []string
	eve.OnEvent = func(ev session.Event) {
		switch ev.Kind {
		case session.EventDocument:
			heard = append(heard, "document")
		case session.EventMessage:
			heard = append(heard, ev.Message.Name+" from "+ev.Sender.String())
		default:
			heard = append(heard, ev.Kind.String())
		}
	}
	p.must(eve.Connect(p.HostAddr()))
	if !p.Until(4*time.Second, func() bool { return eve.Phase() == session.PhaseActive }) {
		t.Fatalf("the observer is %s: %s", eve.Phase(), eve.Diagnostics().LastError)
	}
	p.Step(100 * time.Millisecond)
	p.must(c[0].Send("chat", "", text("hello")))
	p.must(host.Send("over", "", nil))
	p.Step(500 * time.Millisecond)
	p.must(host.Transfer(ids[2], "peer1"))
	p.must(host.Despawn(ids[1]))
	p.Step(4 * time.Second)

	want := "document entity_spawned entity_spawned entity_spawned connected chat from peer1 over from server ownership_changed entity_despawned"
	got := strings.Join(heard, " ")
	if got != want && got != strings.Replace(want, "chat from peer1 over from server", "over from server chat from peer1", 1) {
		t.Errorf("the observer heard\n%s, want\n%s", got, want)
	}
	if h, mine := host.Report().ContractHash, eve.Report().ContractHash; h != mine || eve.Contract().MeaningHash != host.Contract().MeaningHash {
		t.Errorf("the observer's contract is %s, the host's %s", mine, h)
	}
	if !sameEntities(host, eve) {
		t.Error("the observer does not have the host's entities")
	}
	p.converge(100, host, c[0], c[1], eve)
	honest(t, eve)
	honest(t, host)

	var r *session.Refusal
	if err := eve.Send("chat", "", text("me too")); !errors.As(err, &r) || r.Reason != session.ReasonUnauthorizedSender {
		t.Errorf("an observer's message: %v, want unauthorized_sender", err)
	}
	if err := host.Transfer(ids[0], eve.SenderID()); !errors.As(err, &r) || r.Reason != session.ReasonInvalidOwner {
		t.Errorf("giving an entity to an observer: %v, want invalid_owner", err)
	}
	if err := eve.Peer.Host(0); fault.CodeOf(err) != fault.Phase {
		t.Errorf("an observer that hosts: %v, want %s", err, fault.Phase)
	}
	eve.Close(fault.Left, "seen enough")
	p.Step(500 * time.Millisecond)
	if c[0].Phase() != session.PhaseActive || len(host.Report().Leaves) != 1 {
		t.Errorf("an observer's leave is a leave and disturbs nobody: %+v", host.Report().Leaves)
	}
}

// An observer goes from one game to another that has another contract.
func TestObserverMovesOn(t *testing.T) {
	p := newPlay(t, 42, "rtt=40")
	eve := p.observer("eve")
	for i, text := range []string{testContract, strings.Replace(testContract, `"over"`, `"done"`, 1)} {
		p.cfg.Contract = loadContract(t, text)
		host := p.Host()
		p.must(eve.Connect(p.HostAddr()))
		p.Step(time.Second)
		if eve.Phase() != session.PhaseActive || (eve.Contract().Message("done") != nil) != (i == 1) {
			t.Fatalf("game %d: %s, contract %s", i, eve.Phase(), eve.Contract().ID)
		}
		host.Close(fault.Shutdown, "next")
		p.Step(time.Second)
		if end := eve.Ending(); end == nil || end.Code != fault.Shutdown {
			t.Fatalf("game %d: the observer was told %v", i, end)
		}
	}
}

// What a host calls its contract is a stranger's text.
func TestObserverRefusesABrokenContract(t *testing.T) {
	p := newPlay(t, 43, "")
	broken := *p.cfg.Contract
	for _, document := range []string{"", "{", `{"format_version": 1}`, strings.Repeat("[", 10000)} {
		broken.Document = document
		p.cfg.Contract = &broken
		host := p.Host()
		eve := p.observer("eve")
		p.must(eve.Connect(p.HostAddr()))
		p.Step(time.Second)
		if end := eve.Ending(); end == nil || end.Code != fault.Config || eve.Mode() != runtime.Offline {
			t.Errorf("a host's contract %.20q: the observer is %s and ended with %v, want %s", document, eve.Mode(), end, fault.Config)
		}
		host.Close(fault.Shutdown, "")
	}
}

// A game that never polls: the program around it learns of the end at once, and
// the report says why.
func TestEndingIsKnownWithoutPolling(t *testing.T) {
	for _, c := range []struct {
		why    string
		end    func(p *play, host, ann *Peer)
		code   fault.Code
		text   string
		within time.Duration
	}{
		{"kicked", func(p *play, host, ann *Peer) { p.must(host.Kick("peer1", "too loud")) }, fault.Kicked, "too loud", 100 * time.Millisecond},
		{"shutdown", func(p *play, host, ann *Peer) { host.Close(fault.Shutdown, "good night") }, fault.Shutdown, "good night", 100 * time.Millisecond},
		{"silence", func(p *play, host, ann *Peer) { p.Harness.Cut(host, ann, true) }, fault.Timeout, "nothing was heard of the host for 5 s", 5200 * time.Millisecond},
	} {
		p := newPlay(t, 44, "rtt=40")
		host := p.Host()
		ann := p.join("ann")[0]
		ann.Polls = true // and does not
		if ann.Ending() != nil {
			t.Errorf("%s: a session that runs has no ending", c.why)
		}
		c.end(p, host, ann)
		if !p.Until(c.within, func() bool { return ann.Ending() != nil }) {
			t.Errorf("%s: nothing is known after %v", c.why, c.within)
			continue
		}
		r := ann.Report()
		if end := ann.Ending(); end.Code != c.code || end.Text != c.text || r.Ending != string(c.code) {
			t.Errorf("%s: ended with %v, the report says %q", c.why, end, r.Ending)
		}
		if want := c.code != fault.Shutdown; (len(r.Errors) == 1) != want {
			t.Errorf("%s: the report's errors: %+v", c.why, r.Errors)
		}
		ann.Close(fault.Left, "the program ends")
		if end, r := ann.Ending(), ann.Report(); end.Code != c.code || r.Ending != string(c.code) {
			t.Errorf("%s: closing afterwards must not change why: %v, %q", c.why, end, r.Ending)
		}
		ev, ok := ann.Poll()
		if !ok || ev.Kind != session.EventDisconnected || ev.Code != c.code || ev.Text != c.text {
			t.Errorf("%s: the game is still told once: %v %v", c.why, ok, ev)
		}
		if _, more := ann.Poll(); more {
			t.Errorf("%s: and not twice", c.why)
		}
	}
}

// Doors that are closed, and a client that loads for too long.
func TestClosedDoorsAndSlowLoaders(t *testing.T) {
	p := newPlay(t, 45, "rtt=40")
	host := p.Peer("host", func(c *runtime.Config) { c.ReadyTimeout = 3 * time.Second })
	p.must(host.Peer.Host(0))
	p.host = host.LocalAddr()
	ann := p.join("ann")[0]
	p.must(host.SetOpen(false))
	ben := p.Join("ben")
	p.Step(time.Second)
	if end := ben.Ending(); end == nil || end.Code != fault.Refused || ann.Phase() != session.PhaseActive {
		t.Errorf("a newcomer at closed doors: %v, want %s; who is in stays: %s", end, fault.Refused, ann.Phase())
	}
	p.must(host.SetOpen(true))
	ben.Configure(runtime.Options{HoldReady: true})
	p.must(ben.Connect(p.HostAddr()))
	p.Step(time.Second)
	if ben.Phase() != session.PhaseAuthenticated {
		t.Fatalf("a client that holds its readiness back is %s", ben.Phase())
	}
	p.Step(3 * time.Second)
	if end := ben.Ending(); end == nil || end.Code != fault.Timeout || end.Text != "it did not become ready in time" {
		t.Errorf("3 s of loading where 3 s are allowed: %v", end)
	}
	p.must(ben.Connect(p.HostAddr()))
	p.Step(2 * time.Second)
	p.must(ben.Ready())
	p.Step(time.Second)
	if ben.Phase() != session.PhaseActive {
		t.Errorf("2 s of loading, then ready: %s", ben.Phase())
	}
	var r *session.Refusal
	for _, err := range []error{ben.Ready(), host.Ready(), ann.SetOpen(false)} {
		if !errors.As(err, &r) {
			t.Errorf("ready twice, of a host, and doors closed by a client must be refused: %v", err)
		}
	}
}
