package luabind

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"demi.network/runtime"
)

// optionKind is what an option of configure must be.
type optionKind uint8

const (
	optSeconds optionKind = iota // a finite number, not negative
	optCount                     // a whole number, not negative
	optPort                      // a whole number up to 65535
	optFlag
	optText
	optTable
)

// option is one option of configure.
type option struct {
	name string
	kind optionKind
	set  func(m *sessionModule, v lua.LValue) // nil: has no effect yet
}

// sessionOptions are the engine's options, and hold_ready. Those without an effect belong to
// prediction, interpolation and the query history, or to drawing; they are
// checked, so that a game finds a slip of its own here as well.
var sessionOptions = []option{
	{"send_interval", optSeconds, func(m *sessionModule, v lua.LValue) {
		m.options.SendInterval = float64(v.(lua.LNumber))
		if m.options.SendInterval == 0 {
			m.options.SendInterval = -1 // runtime.Options: 0 is the default
		}
	}},
	{"port", optPort, func(m *sessionModule, v lua.LValue) { m.options.Port = int(v.(lua.LNumber)) }},
	{"max_peers", optCount, func(m *sessionModule, v lua.LValue) { m.options.MaxPeers = int(v.(lua.LNumber)) }},
	{"hold_ready", optFlag, func(m *sessionModule, v lua.LValue) { m.options.HoldReady = v == lua.LTrue }},
	{"certificate", optText, func(m *sessionModule, v lua.LValue) { m.secure = m.secure || v.String() != "" }},
	{"private_key", optText, nil},
	{"trusted_certificate", optText, func(m *sessionModule, v lua.LValue) { m.secure = m.secure || v.String() != "" }},
	{"server_name", optText, nil},
	{"extrapolation_limit", optSeconds, nil},
	{"initial_prediction", optSeconds, nil},
	{"interpolation_delay", optSeconds, nil},
	{"input_head_of_line_timeout", optSeconds, nil},
	{"prediction_visual_decay", optSeconds, nil},
	{"snapshot_buffer", optCount, nil},
	{"input_queue_capacity", optCount, nil},
	{"input_future_window", optCount, nil},
	{"input_max_per_tick", optCount, nil},
	{"prediction_history_limit", optCount, nil},
	{"query_history_capacity", optCount, nil},
	{"query_history_max_entities", optCount, nil},
	{"query_history_rewind_ticks", optCount, nil},
	{"remote_prefab", optTable, nil},
}

// configure is configure(options): what is given changes, the rest stays. An
// option of a wrong type or out of range is an error of the script, and then
// nothing has changed. Options that nobody knows are the engine's own business.
func (m *sessionModule) configure(a Args) int {
	m.charge(a.L, costLook)
	t := a.Table(1)
	for i := range sessionOptions {
		o := &sessionOptions[i]
		if text := o.kind.check(t.RawGetString(o.name)); text != "" {
			a.Fail(1, "option '%s': %s", o.name, text)
		}
	}
	for i := range sessionOptions {
		if o := &sessionOptions[i]; o.set != nil {
			if v := t.RawGetString(o.name); v != lua.LNil {
				o.set(m, v)
			}
		}
	}
	m.peer.Configure(m.options)
	return 0
}

// check says what is wrong with the value of an option, "" when nothing is. An
// absent one is fine.
func (k optionKind) check(v lua.LValue) string {
	if v == lua.LNil {
		return ""
	}
	want := lua.LTNumber
	switch k {
	case optFlag:
		want = lua.LTBool
	case optText:
		want = lua.LTString
	case optTable:
		want = lua.LTTable
	}
	if v.Type() != want {
		return want.String() + " expected, got " + v.Type().String()
	}
	n, _ := v.(lua.LNumber)
	whole := float64(n) == math.Trunc(float64(n))
	switch {
	case k == optSeconds && !(n >= 0 && n <= 3600):
		return "seconds from 0 to 3600 expected"
	case k == optCount && !(n >= 0 && n <= 1<<20 && whole):
		return "a whole number from 0 to 1048576 expected"
	case k == optPort && !(n >= 0 && n <= 65535 && whole):
		return "a whole number from 0 to 65535 expected"
	}
	return ""
}

// defaultPort is the port of host() and connect() without one.
func (m *sessionModule) defaultPort() int {
	if m.options.Port == 0 {
		return runtime.DefaultPort
	}
	return m.options.Port
}
