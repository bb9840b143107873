package luabind

import (
	"errors"
	"time"

	lua "github.com/yuin/gopher-lua"

	"demi.network/contract"
	"demi.network/internal/scene"
	"demi.network/runtime"
	"demi.network/runtime/fault"
)

// GameConfig makes a Game. Project, Scene and Peer are needed; zero means the
// documented default for the rest.
type GameConfig struct {
	Project *contract.Project
	Scene   *scene.Scene
	Peer    *runtime.Peer
	Opened  Opened // what the program has opened for the script
	Seed    uint64 // of math.random

	Log    func(line string) // what scripts print and Debug.log; nil = nowhere
	Now    func() time.Time  // what os.time shows; nil = the Unix epoch
	Limits Limits
}

// Limits bound the scripts of a Game; 0 = the defaults of Config.
type Limits struct {
	Instructions     int64
	LoadInstructions int64
	Memory           int64
}

// Game is the scripts of one project at work: one object for each entity that
// carries a LuaScript. An error of a script ends the callback that raised it
// and nothing else. Not safe for concurrent use: it belongs to the goroutine
// that runs the Peer, and is called between Peer.BeginTick and EndTick.
type Game struct {
	cfg     GameConfig
	state   *State
	scripts map[string]*script // by path; never ranged over
	objects []*object          // in the order of their entities' creation
	known   map[scene.Ref]bool // entities that have an object; never ranged over
	seen    uint64             // the scene's revision when objects were made
	held    *lua.LTable        // the objects, so that their memory counts as the scripts'
	refs    []scene.Ref        // scratch
	errors  errorLog
	ticks   uint64
	before  int64 // instructions that were executed before this tick
	stopped bool
}

// NewGame makes the sandbox and loads the scripts of the scene's entities; it
// calls none of their callbacks. The error is a *fault.Error with fault.Script
// and the place, relative to the project.
func NewGame(cfg GameConfig) (*Game, error) {
	if cfg.Project == nil || cfg.Scene == nil || cfg.Peer == nil {
		panic("luabind: BUG: a GameConfig needs Project, Scene and Peer")
	}
	if cfg.Log == nil {
		cfg.Log = func(string) {}
	}
	g := &Game{cfg: cfg, scripts: map[string]*script{}, known: map[scene.Ref]bool{}}
	g.state = New(Config{
		Instructions: cfg.Limits.Instructions, LoadInstructions: cfg.Limits.LoadInstructions, Memory: cfg.Limits.Memory,
		Seed: cfg.Seed, Log: cfg.Log, Now: cfg.Now, Resolve: g.resolve,
	})
	g.held = g.state.L.CreateTable(0, 0)
	g.state.roots.Append(g.held)
	g.openModules()
	if _, err := g.adopt(func(err error) error { return err }); err != nil {
		return nil, err
	}
	return g, nil
}

// openModules offers the session and the engine's services.
func (g *Game) openModules() {
	s := g.state
	table := newSession(s.L, g.cfg.Peer, g.cfg.Opened, s.charge, s.Fault)
	s.Native(sessionName, table)
	s.SetGlobal("NetworkSession", table)
	subscribed := s.L.CreateTable(0, 0)
	s.roots.Append(subscribed)
	e := engine{
		held: subscribed,
		L:    s.L, onPanic: s.Fault, scene: g.cfg.Scene, headless: g.cfg.Scene, contract: g.cfg.Peer.Contract(),
		charge: s.charge, log: g.cfg.Log, display: s.display,
		call: g.handler,
	}
	for _, service := range e.services() {
		s.SetGlobal(service.global, service.table)
		for _, name := range service.modules {
			s.Native(name, service.table)
		}
	}
}

// handler runs a handler of Events. A budget that it spends is the emitting
// callback's, which reports it.
func (g *Game) handler(fn lua.LValue, args ...lua.LValue) bool {
	err := g.state.Call(fn, args...)
	if !g.state.ending() {
		g.record(err)
	}
	return err == nil
}

// Expose offers a Go value to the scripts as a global variable, through
// gopher-luar: functions, structs with methods, maps and slices. What scripts
// do with it is not metered.
func (g *Game) Expose(name string, value any) { Expose(g.state.L, name, value) }

// State is the sandbox of the game.
func (g *Game) State() *State { return g.state }

// Start calls on_create, then on_start, of the scene's entities.
func (g *Game) Start() {
	g.before = g.state.used
	g.begin(g.objects)
}

func (g *Game) begin(objects []*object) {
	for _, o := range objects {
		g.callback(o, onCreate)
	}
	for _, o := range objects {
		g.callback(o, onStart)
	}
}

// Tick is one fixed tick of dt seconds: entities that have come or gone get
// their callbacks, then come input actions, on_fixed_update and on_update, each
// for all entities in the order of their creation.
func (g *Game) Tick(dt float64) {
	if g.stopped {
		return
	}
	g.ticks++
	g.before = g.state.used
	g.follow()
	list := g.objects // what comes meanwhile waits for the next tick
	for _, o := range list {
		g.actions(o)
	}
	step := lua.LNumber(dt)
	for _, o := range list {
		g.callback(o, onFixedUpdate, step)
	}
	for _, o := range list {
		g.callback(o, onUpdate, step)
	}
}

// Stop calls on_destroy of every entity. The game does nothing afterwards.
func (g *Game) Stop() {
	if g.stopped {
		return
	}
	g.stopped = true
	g.before = g.state.used
	for _, o := range g.objects {
		g.callback(o, onDestroy)
	}
	g.state.Close()
}

// follow makes objects for entities that have come, and says goodbye to those
// of entities that have gone.
func (g *Game) follow() {
	if g.cfg.Scene.Revision() == g.seen {
		return
	}
	var gone []*object
	kept := make([]*object, 0, len(g.objects))
	for _, o := range g.objects {
		if g.cfg.Scene.Alive(o.ref) {
			kept = append(kept, o)
			continue
		}
		delete(g.known, o.ref)
		gone = append(gone, o)
	}
	g.objects = kept
	fresh, _ := g.adopt(func(err error) error {
		g.record(err)
		return nil
	})
	for _, o := range gone {
		g.callback(o, onDestroy)
	}
	g.begin(fresh)
}

// adopt makes objects for the entities that have none. failed decides what a
// script that does not load means: an error ends it.
func (g *Game) adopt(failed func(error) error) (fresh []*object, err error) {
	g.seen = g.cfg.Scene.Revision()
	g.refs = g.cfg.Scene.AppendAll(g.refs[:0])
	for _, ref := range g.refs {
		module := g.cfg.Scene.Module(ref)
		if module == "" || g.known[ref] {
			continue
		}
		g.known[ref] = true
		sc, err := g.script(module)
		if err != nil {
			if err := failed(err); err != nil {
				return nil, err
			}
			continue
		}
		fresh = append(fresh, sc.object(g.state.L, ref, g.cfg.Scene.EntityID(ref)))
	}
	g.objects = append(g.objects, fresh...)
	for i, o := range g.objects {
		g.held.RawSetInt(i+1, o.self)
	}
	for i := g.held.Len(); i > len(g.objects); i-- {
		g.held.RawSetInt(i, lua.LNil)
	}
	return fresh, nil
}

// ErrorRecord is one thing that scripts did wrong, and how often.
type ErrorRecord struct {
	Kind  ErrorKind
	Text  string
	Place fault.Place
	Count int
}

// maxErrorRecords bounds the different errors that a Game remembers.
const maxErrorRecords = 64

// errorLog counts equal errors as one. When it is full, new ones are dropped;
// State.Counters counts all.
type errorLog struct {
	list []ErrorRecord
	at   map[errorKey]int // never ranged over
}

type errorKey struct {
	text  string
	place fault.Place
}

// Errors returns what scripts did wrong, in the order of first appearance, at
// most 64 different ones. The slice is the Game's: read it.
func (g *Game) Errors() []ErrorRecord { return g.errors.list }

// record notes an error of a script; nil is none.
func (g *Game) record(err error) {
	if err == nil {
		return
	}
	r := ErrorRecord{Text: err.Error(), Count: 1}
	var raised *ScriptError
	var f *fault.Error
	switch {
	case errors.As(err, &raised):
		r.Kind, r.Text, r.Place = raised.Kind, raised.Text, raised.Place
	case errors.As(err, &f):
		r.Text, r.Place = f.Text, f.Place
	}
	l := &g.errors
	key := errorKey{r.Text, r.Place}
	if i, ok := l.at[key]; ok {
		l.list[i].Count++
		return
	}
	if len(l.list) == maxErrorRecords {
		return
	}
	if l.at == nil {
		l.at = map[errorKey]int{}
	}
	l.at[key] = len(l.list)
	l.list = append(l.list, r)
}
