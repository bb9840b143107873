package luabind

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"
	luar "layeh.com/gopher-luar"

	"demi.network/runtime"
)

// InstallConfig says what Install offers. Peer is needed.
type InstallConfig struct {
	Peer   *runtime.Peer
	Scene  runtime.Scene // the embedder's engine, the Peer's own; nil = no services over entities
	Opened Opened        // what the program has opened for the script
	// Log takes what Debug.log prints. nil = nowhere.
	Log func(line string)
	// Failed takes the errors of Events handlers, and faults of a binding.
	// nil = Log takes them.
	Failed func(err error)
}

// Install puts demi.network.session and the engine's services into an
// embedder's own Lua state: as globals (NetworkSession, Transform, …), as fields
// of the global table demi (demi.network.session, demi.transform2d, …), and for
// require where the state has package.loaded. What needs more of an engine than
// runtime.Scene has, Physics2D and Input, is the embedder's to offer.
//
// The state is the embedder's: its libraries, its limits. A sandbox with budgets
// is what New makes, and NewGame uses. Install may be called on New's State.L
// as well.
func Install(L *lua.LState, cfg InstallConfig) {
	if cfg.Peer == nil {
		panic("luabind: BUG: an InstallConfig needs a Peer")
	}
	if cfg.Log == nil {
		cfg.Log = func(string) {}
	}
	if cfg.Failed == nil {
		cfg.Failed = func(err error) { cfg.Log(err.Error()) }
	}
	onPanic := func() { cfg.Failed(fmt.Errorf("luabind: a binding failed")) }
	in := installation{L: L}
	table := newSession(L, cfg.Peer, cfg.Opened, free, onPanic)
	in.offer("NetworkSession", table, sessionName)
	if cfg.Scene == nil {
		return
	}
	e := engine{
		held: L.CreateTable(0, 0),
		L:    L, onPanic: onPanic, scene: cfg.Scene, contract: cfg.Peer.Contract(), charge: free, log: cfg.Log,
		display: func(v lua.LValue) string { return L.ToStringMeta(v).String() },
		call: func(fn lua.LValue, args ...lua.LValue) bool {
			err := L.CallByParam(lua.P{Fn: fn, Protect: true}, args...)
			if err != nil {
				cfg.Failed(err)
			}
			return err == nil
		},
	}
	for _, s := range e.services() {
		in.offer(s.global, s.table, s.modules...)
	}
}

// installation is what Install writes to.
type installation struct{ L *lua.LState }

// offer makes a module reachable in every way scripts use.
func (in installation) offer(global string, module *lua.LTable, names ...string) {
	globals := in.L.G.Global
	globals.RawSetString(global, module)
	for _, name := range names {
		in.path(globals, name, module)
		if loaded, ok := in.loaded(); ok {
			loaded.RawSetString(name, module)
		}
	}
}

// loaded is package.loaded, where the state has it.
func (in installation) loaded() (*lua.LTable, bool) {
	pack, ok := in.L.G.Global.RawGetString("package").(*lua.LTable)
	if !ok {
		return nil, false
	}
	loaded, ok := pack.RawGetString("loaded").(*lua.LTable)
	return loaded, ok
}

// path sets a dotted name below t, making the tables on the way.
func (in installation) path(t *lua.LTable, name string, v lua.LValue) {
	for i := range len(name) {
		if name[i] != '.' {
			continue
		}
		next, ok := t.RawGetString(name[:i]).(*lua.LTable)
		if !ok {
			next = in.L.CreateTable(0, 4)
			t.RawSetString(name[:i], next)
		}
		in.path(next, name[i+1:], v)
		return
	}
	t.RawSetString(name, v)
}

// Expose offers a Go value to scripts as a global variable, through
// gopher-luar: functions, structs with their methods, maps, slices. A call with
// arguments of a wrong type is a Lua error. It is for an engine's own services;
// what is called on every tick for every entity is cheaper as a module made
// with NewModule. The value is called on the goroutine that runs the scripts.
func Expose(L *lua.LState, name string, value any) {
	L.G.Global.RawSetString(name, luar.New(L, value))
}
