package luabind

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"demi.network/contract/payload"
	"demi.network/runtime"
	"demi.network/runtime/fault"
	"demi.network/session"
)

// Opened says whether the program has opened the session before the script
// runs. The script's first host or connect then answers for it.
type Opened uint8

// What the program may have opened.
const (
	OpenedNothing Opened = iota // the script's own call is the real one
	OpenedHost
	OpenedClient
)

// sessionName is the name under which require finds the module.
const sessionName = "demi.network.session"

// sessionModule is demi.network.session over one Peer: names, arguments and
// return values of the engine's API, no rule. Refusals come back as false or
// nil, with the reason in diagnostics().last_error.
type sessionModule struct {
	L       *lua.LState
	peer    *runtime.Peer
	values  converter
	charge  charge
	opened  Opened // until a script has claimed it
	options runtime.Options
	secure  bool // certificates were configured
	last    failedCall
	names   nameCache
	poll    pollState

	outgoing lua.LValue // what source reads
	source   session.Source
}

// failedCall is the newest refusal that the session does not count itself.
type failedCall struct {
	text     string
	mode     runtime.Mode
	rejected uint64 // the session's count when it happened; a higher one is newer
}

// newSession makes the module's table for scripts on L. onPanic counts faults
// of bindings.
func newSession(L *lua.LState, peer *runtime.Peer, opened Opened, cost charge, onPanic func()) *lua.LTable {
	m := &sessionModule{L: L, peer: peer, values: newConverter(L), charge: cost, opened: opened}
	m.source = func(sink *payload.Sink) error { return m.values.write(sink, m.outgoing) }
	m.names.init(peer.Contract())
	var funcs []Func
	funcs = append(funcs, m.connectionFuncs()...)
	funcs = append(funcs, m.entityFuncs()...)
	funcs = append(funcs, m.lookFuncs()...)
	funcs = append(funcs, m.predictionFuncs()...)
	funcs = append(funcs, m.removedFuncs()...)
	return NewModule(L, onPanic, funcs...)
}

func (m *sessionModule) connectionFuncs() []Func {
	return []Func{
		{"configure", m.configure}, {"host", m.host}, {"connect", m.connect}, {"disconnect", m.disconnect},
		{"is_connected", m.isConnected}, {"is_host", m.isHost}, {"sender_id", m.senderID},
		{"start_session", m.startSession},
		{"kick", m.kick}, {"set_open", m.setOpen}, {"ready", m.ready},
	}
}

func yes(a Args) int { return answer(a, true) }

func answer(a Args, ok bool) int {
	a.L.Push(lua.LBool(ok))
	return 1
}

func none(a Args) int {
	a.L.Push(lua.LNil)
	return 1
}

// done answers true, or false when err is not nil.
func (m *sessionModule) done(a Args, err error) int {
	m.note(err)
	return answer(a, err == nil)
}

// note remembers an error that the session has not counted. Refusals and
// refused payloads it has, with more words.
func (m *sessionModule) note(err error) {
	if err == nil {
		return
	}
	var refusal *session.Refusal
	var refused *payload.Refusal
	if errors.As(err, &refusal) || errors.As(err, &refused) {
		m.last = failedCall{}
		return
	}
	m.refuse(err.Error())
}

func (m *sessionModule) refuse(text string) {
	m.last = failedCall{text, m.peer.Mode(), m.peer.Diagnostics().RejectedMessages}
}

// invalid refuses a call that was made at the wrong time or makes no sense.
func (m *sessionModule) invalid(text string) {
	m.refuse(session.ReasonInvalidOperation.String() + ": " + text)
}

// lastError is the newest of what the session and this module have refused.
func (m *sessionModule) lastError(d *runtime.Diagnostics) string {
	if m.last.text != "" && m.last.mode == d.Mode && m.last.rejected == d.RejectedMessages {
		return m.last.text
	}
	return d.LastError
}

// host is host([port]). Port 0 lets the system choose one.
func (m *sessionModule) host(a Args) int {
	m.charge(a.L, costOpen)
	port, ok := m.port(a, 1)
	if !ok {
		return answer(a, false)
	}
	if m.opened == OpenedHost && m.peer.Mode() == runtime.Hosting {
		m.opened = OpenedNothing
		return yes(a)
	}
	if m.busy() {
		return answer(a, false)
	}
	return m.done(a, m.opening(m.peer.Host(port)))
}

// busy refuses to open a session while there is one, and to open in the clear
// what was to be encrypted.
func (m *sessionModule) busy() bool {
	switch {
	case m.peer.Mode() == runtime.Hosting:
		m.invalid("this peer hosts a session already")
	case m.linked() || m.opened == OpenedClient && m.peer.Mode() == runtime.Joined:
		m.invalid("this peer is a client of a session already")
	case m.secure:
		m.refuse(string(fault.SecureRequired) + ": certificates are configured, and encrypted sessions are not available yet")
	default:
		return false
	}
	return true
}

// opening spells what a Peer says to a call at the wrong time in the engine's
// word for it.
func (m *sessionModule) opening(err error) error {
	switch fault.CodeOf(err) {
	case fault.Phase, fault.AlreadyHosting:
		return fmt.Errorf("%s: %w", session.ReasonInvalidOperation, err)
	}
	return err
}

// port reads an optional port as runtime.Peer.Host takes it: 0 for the
// configured one, -1 for the system's choice.
func (m *sessionModule) port(a Args, i int) (port int, ok bool) {
	if !a.Has(i) {
		return 0, true
	}
	n, whole := wholeNumber(a.Number(i))
	switch {
	case !whole || n < 0 || n > 65535:
		m.invalid("a port is a whole number from 0 to 65535")
		return 0, false
	case n == 0:
		return -1, true
	}
	return int(n), true
}

// connect is connect([address], [port]): the attempt has started.
func (m *sessionModule) connect(a Args) int {
	m.charge(a.L, costOpen)
	address := a.optName(1, "127.0.0.1")
	port, ok := m.port(a, 2)
	if !ok {
		return answer(a, false)
	}
	if m.opened == OpenedClient && m.peer.Mode() == runtime.Joined {
		m.opened = OpenedNothing
		return yes(a)
	}
	if m.busy() {
		return answer(a, false)
	}
	to, ok := m.target(address, port)
	if !ok {
		return answer(a, false)
	}
	return m.done(a, m.opening(m.peer.Connect(to)))
}

// target resolves what scripts may connect to. Names are the command line's.
func (m *sessionModule) target(address string, port int) (netip.AddrPort, bool) {
	if strings.EqualFold(address, "localhost") {
		address = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(address)
	if err != nil || ip.IsUnspecified() || ip.IsMulticast() {
		m.refuse(string(fault.Address) + ": " + clip(address, 80) + " is not an IP address or localhost; names are for the command line")
		return netip.AddrPort{}, false
	}
	switch port {
	case -1:
		m.invalid("a port to connect to is a whole number from 1 to 65535")
		return netip.AddrPort{}, false
	case 0:
		port = m.defaultPort()
	}
	return netip.AddrPortFrom(ip.Unmap(), uint16(port)), true
}

// disconnect ends the session, hosted or joined. Without one it does nothing.
func (m *sessionModule) disconnect(a Args) int {
	m.charge(a.L, costClose)
	m.opened = OpenedNothing
	switch m.peer.Mode() {
	case runtime.Hosting:
		m.peer.Close(fault.Shutdown, "the host has closed the session")
	case runtime.Joined:
		m.peer.Close(fault.Left, "left")
	}
	return 0
}

func (m *sessionModule) linked() bool {
	return m.peer.Mode() != runtime.Offline && m.peer.Phase() != session.PhaseClosed
}

func (m *sessionModule) isConnected(a Args) int { return answer(a, m.linked()) }

func (m *sessionModule) isHost(a Args) int { return answer(a, m.peer.Mode() == runtime.Hosting) }

func (m *sessionModule) senderID(a Args) int {
	a.L.Push(lua.LString(m.peer.SenderID()))
	return 1
}

// startSession is start_session(metadata). It returns nothing, as the engine
// does, and false when it was refused.
func (m *sessionModule) startSession(a Args) int {
	m.outgoing = a.Table(1)
	err := m.peer.StartSession(m.source)
	m.outgoing = nil
	m.chargeValues(a, costSend)
	if err == nil {
		return 0
	}
	return m.done(a, err)
}

// kick is kick(sender_id, [text]), ours: the text reaches the player.
func (m *sessionModule) kick(a Args) int {
	m.charge(a.L, costClose)
	return m.done(a, m.peer.Kick(a.name(1), a.optName(2, "kicked")))
}

// setOpen is set_open(open), ours: whether newcomers are let in.
func (m *sessionModule) setOpen(a Args) int { return m.done(a, m.peer.SetOpen(a.Bool(1))) }

// ready is ready(), ours: the end of configure{hold_ready = true}.
func (m *sessionModule) ready(a Args) int { return m.done(a, m.peer.Ready()) }

// chargeValues charges for what has been converted since the last time.
func (m *sessionModule) chargeValues(a Args, n int) {
	n += m.values.work * costValue
	m.values.work = 0
	m.charge(a.L, n)
}
