// Package runtime composes the layers into a Peer: one participant that is
// closed, hosts, or is a client of a host. It moves events up, from the
// transport through the session and replication to the caller, and state down,
// from the scene into rows and from rows onto the wire, on a fixed tick. It
// has no rule and no format of its own, reads no clock, starts no goroutine,
// and knows no script language.
//
// One turn of a loop:
//
//	for n := peer.Advance(now); n > 0; n-- {
//		peer.BeginTick()
//		… Poll events, run game code, UpdateEntity …
//		peer.EndTick()
//	}
//	next, err := peer.Flush(now)
package runtime

import (
	"cmp"
	"net/netip"
	"time"

	"demi.network/contract"
	"demi.network/contract/payload"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
	"demi.network/runtime/world"
	"demi.network/session"
)

// Mode says what a Peer is doing.
type Mode uint8

// The three modes.
const (
	Offline Mode = iota
	Hosting
	Joined // a client: connected, or on the way
)

// String returns "offline", "host" or "client", as diagnostics spell it.
func (m Mode) String() string {
	switch m {
	case Offline:
		return "offline"
	case Hosting:
		return "host"
	case Joined:
		return "client"
	}
	return "invalid"
}

// Peer is one participant. It belongs to one goroutine. It is meant to be
// used again: Host, Close, Host gives a new session each time, with a new
// epoch and with ids from 1.
type Peer struct {
	cfg    Config
	opts   Options            // resolved
	con    *contract.Contract // of the Config, or the host's
	layout *world.Layout
	now    time.Time // of the newest turn
	clock  clock

	mode   Mode           // set by open and shut only
	host   transport.Host // nil when offline
	srv    *server        // while Hosting
	cli    *client        // while Joined
	world  *world.World   // the truth of a host, the view of a client
	epoch  uint32         // of the newest hosted session
	opened time.Time      // when the mode was last left Offline

	binds   bindings
	scratch []int32        // a row
	ended   *session.Event // what a Close of a client leaves for Poll
	linger  lingering
	log     history
	last    *Report      // of the session that ended last
	ending  *fault.Error // and why
	turns   uint64       // fixed ticks since New
}

// New returns a closed Peer. A Config without Dial, or without contract or
// Listen where it is not an observer's, is the caller's mistake and panics. now
// is the time of the first turn.
func New(cfg Config, now time.Time) *Peer {
	if cfg.Dial == nil || !cfg.Observer && (cfg.Contract == nil || cfg.Listen == nil) {
		panic("runtime: BUG: a Config needs Contract, Listen and Dial")
	}
	p := &Peer{cfg: cfg, now: now}
	p.use(cmp.Or(cfg.Contract, &contract.Contract{}))
	p.Configure(Options{})
	return p
}

// Configure changes options; they hold from the next Host or Connect on,
// SendInterval and HoldReady at once.
func (p *Peer) Configure(o Options) {
	if !(o.SendInterval >= 0) {
		o.SendInterval = 0
	} else if o.SendInterval == 0 {
		o.SendInterval = defaultSendInterval
	}
	if o.Port == 0 {
		o.Port = DefaultPort
	}
	if o.MaxPeers <= 0 {
		o.MaxPeers = p.cfg.MaxPlayers
	}
	p.opts = o
}

// Host opens a session on port; 0 is Options.Port, -1 a port of the system's
// choice. Errors: fault.Bind…, fault.AlreadyHosting, fault.Phase while a
// client or for an observer, whatever Config.Listen returns.
func (p *Peer) Host(port int) error {
	p.reap()
	switch p.mode {
	case Hosting:
		return p.fail(fault.New(fault.AlreadyHosting, "this peer hosts a session already"))
	case Joined:
		return p.fail(fault.New(fault.Phase, "a client cannot host; disconnect first"))
	}
	if p.cfg.Observer {
		return p.fail(fault.New(fault.Phase, "an observer hosts nothing"))
	}
	switch port {
	case 0:
		port = p.opts.Port
	case -1:
		port = 0
	}
	p.linger.cut(p.now) // the last session's socket may hold the port
	host, err := p.cfg.Listen(port)
	if err != nil {
		return p.fail(err)
	}
	p.epoch = session.NextEpoch(p.entropy(), p.epoch)
	p.open(Hosting, host)
	sess := session.NewServer(session.ServerConfig{
		Contract: p.con, Layout: p.layout, World: p.world, Host: host, Epoch: p.epoch,
		Build: p.cfg.Build, MaxPlayers: p.opts.MaxPeers, ReadyTimeout: p.cfg.ReadyTimeout, Rules: p.cfg.Rules,
	}, p.now)
	p.srv = newServer(sess, p.layout, p.world)
	p.world.Tick = p.cfg.FirstTick
	return nil
}

// Connect starts joining a host. Connected or Disconnected arrives from Poll.
// Errors: fault.AlreadyHosting, fault.Phase while a client, whatever
// Config.Dial returns.
func (p *Peer) Connect(to netip.AddrPort) error {
	p.reap()
	switch p.mode {
	case Hosting:
		return p.fail(fault.New(fault.AlreadyHosting, "a host cannot join; close the session first"))
	case Joined:
		return p.fail(fault.New(fault.Phase, "this peer is a client already; disconnect first"))
	}
	host, err := p.cfg.Dial(to)
	if err != nil {
		return p.fail(err)
	}
	link, err := host.Dial(p.now, to)
	if err != nil {
		_ = host.Close() // the dial's error is the one to report
		return p.fail(err)
	}
	if p.bare() {
		p.use(&contract.Contract{}) // another host may have another one
	}
	p.open(Joined, host)
	sess := session.NewClient(session.ClientConfig{
		Contract: p.cfg.Contract, Layout: p.layout, World: p.world, Host: host, Peer: link,
		PlayerName: p.cfg.PlayerName, Build: p.cfg.Build, Observer: p.cfg.Observer, Unchecked: p.cfg.Unchecked,
		HoldReady: !p.bare(), // Advance decides, by Options.HoldReady; who has no contract has no scene
	}, p.now)
	p.cli = newClient(sess, link, p.layout, p.world, p.cfg.FirstTick)
	return nil
}

// open leaves Offline.
func (p *Peer) open(m Mode, host transport.Host) {
	p.mode, p.host, p.opened = m, host, p.now
	p.ended, p.last, p.ending = nil, nil, nil
	p.log = history{}
	p.clock.skipped = 0
	p.world.Reset(p.layout)
}

// Close ends what the peer is doing: a client tells the host code and text, a
// host tells everybody fault.Shutdown and text. The scene entities that the
// session made are destroyed. A client's Poll still returns one Disconnected
// event. Closing a closed Peer does nothing. The goodbye needs some more turns;
// see Lingering.
func (p *Peer) Close(code fault.Code, text string) {
	switch p.mode {
	case Hosting:
		links := make([]transport.Peer, 0, 8)
		p.srv.sess.Peers(func(info session.PeerInfo) bool {
			links = append(links, info.Link)
			return true
		})
		report := p.Report()
		p.srv.sess.Shutdown(p.now, text)
		p.shut(report, links, &fault.Error{Code: code, Text: text})
	case Joined:
		end := p.ending // when it was over already, and nobody has polled that
		if end == nil {
			end = &fault.Error{Code: code, Text: text}
		}
		report, link := p.Report(), p.cli.link
		p.cli.sess.Leave(p.now, code, text)
		p.shut(report, []transport.Peer{link}, end)
		p.ended = &session.Event{Kind: session.EventDisconnected, Code: end.Code, Text: end.Text, Details: end.Data}
	}
}

// shut returns to Offline; links are those that a goodbye is on its way to, and
// end is why.
func (p *Peer) shut(report Report, links []transport.Peer, end *fault.Error) {
	report.Phase, report.Ending = session.PhaseClosed.String(), string(end.Code)
	p.last, p.ending = &report, end
	p.linger.add(p.now, p.host, links)
	p.unbindAll()
	p.world.Reset(p.layout)
	p.mode, p.host, p.srv, p.cli = Offline, nil, nil, nil
}

// reap ends a client whose session is over although nobody polled its end. One
// that is still connecting is closed as well, but has no events.
func (p *Peer) reap() {
	for p.mode == Joined && p.cli.sess.Phase() == session.PhaseClosed {
		if _, ok := p.Poll(); !ok {
			return
		}
	}
}

// Lingering says that the goodbyes of a closed session are still on their way,
// for a second at most. A program that wants to exit goes on with its turns,
// Advance and Flush, until it is false.
func (p *Peer) Lingering() bool { return len(p.linger.list) > 0 }

// Mode says what the peer is doing.
func (p *Peer) Mode() Mode { return p.mode }

// Phase is the session's phase.
func (p *Peer) Phase() session.Phase {
	switch p.mode {
	case Hosting:
		return p.srv.sess.Phase()
	case Joined:
		return p.cli.sess.Phase()
	}
	return session.PhaseClosed
}

// SenderID is "server", "peerN", or "client" before the handshake and offline.
func (p *Peer) SenderID() string {
	switch {
	case p.mode == Hosting:
		return session.ServerSender.String()
	case p.mode == Joined && p.cli.sess.Sender() != 0:
		return p.cli.sess.Sender().String()
	}
	return "client"
}

// me is this peer's number as an owner. A client that has none yet gets one
// that nobody has.
func (p *Peer) me() uint32 {
	if p.mode != Joined {
		return 0
	}
	if me := p.cli.me(); me != 0 {
		return me
	}
	return ^uint32(0)
}

func (p *Peer) sessionEpoch() uint32 {
	switch p.mode {
	case Hosting:
		return p.srv.sess.Epoch()
	case Joined:
		return p.cli.sess.Epoch()
	}
	return 0
}

// Epoch is the number of the open session, 0 when there is none yet.
func (p *Peer) Epoch() uint32 { return p.sessionEpoch() }

func (p *Peer) networkID(n uint32) string { return session.NetworkID(p.sessionEpoch(), n) }

// Ticks is how many fixed ticks have begun since New, in sessions or not.
func (p *Peer) Ticks() uint64 { return p.turns }

// Ending is why the newest session of this peer is over: the code, text and
// details of the goodbye, refusal or timeout. It is nil while a session runs,
// and before the first. A client knows it as soon as Advance has seen the end;
// it is Offline once its Disconnected event is polled.
func (p *Peer) Ending() *fault.Error { return p.ending }

// Tick is the number of a host's newest tick, or of the newest snapshot that a
// client has read; 0 when there is none.
func (p *Peer) Tick() uint32 { return p.world.Tick }

// TickInterval is the time of one fixed tick.
func (p *Peer) TickInterval() time.Duration { return p.clock.interval }

// LocalAddr is the address of the socket, or the zero AddrPort when closed.
func (p *Peer) LocalAddr() netip.AddrPort {
	if p.host == nil {
		return netip.AddrPort{}
	}
	return p.host.LocalAddr()
}

// Contract is the contract of the Config. An observer without one has an empty
// one until its Document event was polled, and then its host's.
func (p *Peer) Contract() *contract.Contract { return p.con }

// World returns the rows, for reading, and their layout: of a host the truth,
// of a client what the host has told it. They are valid until the next call of
// a method that changes something.
func (p *Peer) World() (*world.World, *world.Layout) { return p.world, p.layout }

// CurrentSession returns what the host announced with StartSession, or nil. It
// belongs to the session: read it, do not fill it.
func (p *Peer) CurrentSession() *payload.Value {
	switch p.mode {
	case Hosting:
		return p.srv.sess.CurrentSession()
	case Joined:
		return p.cli.sess.CurrentSession()
	}
	return nil
}

// Peers yields a host's welcomed clients in join order.
func (p *Peer) Peers(yield func(session.PeerInfo) bool) {
	if p.mode == Hosting {
		p.srv.sess.Peers(yield)
	}
}

func (p *Peer) entropy() uint32 {
	if p.cfg.Entropy == nil {
		return p.epoch + 1
	}
	return p.cfg.Entropy()
}
