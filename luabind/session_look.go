package luabind

import (
	"encoding/hex"

	lua "github.com/yuin/gopher-lua"

	"demi.network/runtime"
	"demi.network/session"
)

func (m *sessionModule) lookFuncs() []Func {
	return []Func{
		{"contract", m.contract}, {"current_session", m.currentSession},
		{"diagnostics", m.diagnostics}, {"process_events", m.processEvents},
	}
}

// contract is contract() → what the two sides compare, and its limits.
func (m *sessionModule) contract(a Args) int {
	m.charge(a.L, costLook)
	c := m.peer.Contract()
	t := a.L.CreateTable(0, 6)
	t.RawSetString("active", lua.LTrue)
	t.RawSetString("id", lua.LString(c.ID))
	t.RawSetString("compatibility_hash", lua.LString(c.CompatibilityHash))
	t.RawSetString("meaning_hash", lua.LString("sha256:"+hex.EncodeToString(c.MeaningHash[:])))
	t.RawSetString("maximum_message_bytes", lua.LNumber(c.Limits.MessageBytes))
	t.RawSetString("maximum_owned_entities_per_peer", lua.LNumber(c.Limits.OwnedEntities))
	a.L.Push(t)
	return 1
}

// currentSession is current_session() → the host's metadata, a new table, or
// nil.
func (m *sessionModule) currentSession(a Args) int {
	v := m.peer.CurrentSession()
	if v == nil || v.Empty() {
		return none(a)
	}
	a.L.Push(m.values.read(v.Root()))
	m.chargeValues(a, costLook)
	return 1
}

// diagnostics is diagnostics() → a new table.
func (m *sessionModule) diagnostics(a Args) int {
	d := m.peer.Diagnostics()
	m.charge(a.L, costDiagnostics+costRefusal*len(d.Refusals))
	t := a.L.CreateTable(0, 24)
	str := func(name, v string) { t.RawSetString(name, lua.LString(v)) }
	num := func(name string, v float64) { t.RawSetString(name, lua.LNumber(v)) }
	flag := func(name string, v bool) { t.RawSetString(name, lua.LBool(v)) }
	str("mode", d.Mode.String())
	str("local_peer_id", d.LocalPeer)
	flag("connected", d.Mode != runtime.Offline && d.Phase != session.PhaseClosed)
	flag("secure", d.Secure)
	num("latency_ms", d.LatencyMS)
	num("connected_peers", float64(d.ConnectedPeers))
	num("sent_messages", float64(d.SentMessages))
	num("received_messages", float64(d.ReceivedMessages))
	num("rejected_messages", float64(d.RejectedMessages))
	num("session_epoch", float64(d.SessionEpoch))
	str("contract_hash", d.ContractHash)
	num("secure_accepted_messages", float64(d.SecureAccepted))
	num("secure_rejected_messages", float64(d.SecureRejected))
	flag("secure_ready", d.SecureReady)
	str("phase", d.Phase.String())
	str("last_error", m.lastError(&d))
	num("tick", float64(d.Tick))
	num("late_ticks_skipped", float64(d.LateTicksSkipped))
	num("clamped_values", float64(d.Clamped))
	num("not_finite_values", float64(d.NotFinite))
	t.RawSetString("refusals", refusalList(a.L, d.Refusals))
	a.L.Push(t)
	return 1
}

// refusalList tells each counter of refusals, with the place of the contract's
// rule.
func refusalList(L *lua.LState, refusals []session.RefusalCount) *lua.LTable {
	list := L.CreateTable(len(refusals), 0)
	for _, r := range refusals {
		t := L.CreateTable(0, 5)
		t.RawSetString("reason", lua.LString(r.Reason.String()))
		t.RawSetString("count", lua.LNumber(r.Count))
		if r.Message != "" {
			t.RawSetString("message", lua.LString(r.Message))
		}
		if r.Place.Path != "" {
			t.RawSetString("path", lua.LString(r.Place.Path))
			t.RawSetString("line", lua.LNumber(r.Place.Line))
		}
		list.Append(t)
	}
	return list
}
