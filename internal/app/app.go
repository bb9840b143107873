package app

import (
	"time"

	"demi.network/contract"
	"demi.network/internal/scene"
	"demi.network/luabind"
	"demi.network/runtime"
	"demi.network/runtime/fault"
	"demi.network/runtime/udp"
)

// App is one peer. Turn, Wait and the rest belong to the goroutine that runs
// the loop; Do may be called from any.
type App struct {
	cfg   Config
	peer  *runtime.Peer
	scene *scene.Scene // nil without a project, like game
	game  *luabind.Game
	net   udp.Network
	drive driver
	doors doors
	now   time.Time // of the newest turn

	started bool
	tried   int // index of the target that was connected to last
}

// New loads the project's contract, scene and scripts. Nothing is opened yet.
// Errors are *fault.Error: fault.Config with every problem, fault.Scene,
// fault.Script with the place, or fault.Usage for what needs a project. Warnings
// of the contract come back beside the App.
func New(cfg Config, now time.Time) (*App, contract.Problems, error) {
	if cfg.Project == nil {
		a, err := newObserver(cfg, now)
		return a, nil, err
	}
	c, problems := contract.Load(cfg.Project.FS, cfg.Project)
	if err := problems.Err(); err != nil {
		return nil, problems, err
	}
	sc, err := scene.Open(cfg.Project, cfg.Scene)
	if err != nil {
		return nil, problems, err
	}
	if err := sc.UseContract(c); err != nil {
		return nil, problems, err
	}
	if err := checkInputs(cfg.Inputs, &sc.Input); err != nil {
		return nil, problems, err
	}
	a := newApp(cfg, now)
	a.scene, a.drive = sc, newDriver(cfg, &sc.Input)
	rc := a.runtimeConfig()
	rc.Contract, rc.Scene = c, sc
	a.peer = runtime.New(rc, now)
	return a, problems, nil
}

// newObserver makes an App that brings nothing along and watches.
func newObserver(cfg Config, now time.Time) (*App, error) {
	if cfg.Role != Join || len(cfg.Inputs) > 0 || cfg.Drive != DriveNone {
		return nil, fault.New(fault.Usage, "without a project one can join and watch, and do nothing else")
	}
	cfg.Observer = true
	a := newApp(cfg, now)
	a.peer = runtime.New(a.runtimeConfig(), now)
	return a, nil
}

func newApp(cfg Config, now time.Time) *App {
	a := &App{cfg: cfg, now: now}
	a.net = udp.Network{Bind: cfg.Bind, Link: cfg.Link, Seed: cfg.Seed, Entropy: cfg.Entropy}
	return a
}

// runtimeConfig is what a peer needs in every role.
func (a *App) runtimeConfig() runtime.Config {
	return runtime.Config{
		Listen: a.net.Listen, Dial: a.net.Dial,
		Entropy:    a.cfg.Entropy,
		PlayerName: a.cfg.PlayerName, MaxPlayers: a.cfg.MaxPlayers,
		Observer: a.cfg.Observer, Unchecked: a.cfg.Unchecked,
	}
}

// Start opens what the role says, then loads and starts the scripts, so that
// a script finds the session it was promised. An error of the scripts closes
// what was opened.
func (a *App) Start() error {
	var opened luabind.Opened
	switch a.cfg.Role {
	case Host:
		port := a.cfg.Port
		if port == 0 {
			port = -1 // runtime.Peer.Host: the system's choice
		}
		if err := a.peer.Host(port); err != nil {
			return err
		}
		opened = luabind.OpenedHost
	case Join:
		if err := a.peer.Connect(a.cfg.Targets[0]); err != nil && !a.TryNext() {
			return err
		}
		opened = luabind.OpenedClient
	}
	if a.scene == nil {
		return nil
	}
	game, err := luabind.NewGame(luabind.GameConfig{
		Project: a.cfg.Project, Scene: a.scene, Peer: a.peer, Opened: opened,
		Seed: a.cfg.Seed, Log: a.cfg.Log, Now: func() time.Time { return a.now },
	})
	if err != nil {
		a.peer.Close(fault.Script, "the host's script does not load")
		return err
	}
	a.game = game
	a.game.Start()
	a.started = true
	return nil
}

// TryNext connects to the next of Config.Targets, after one did not answer or
// could not be dialled at all.
// False: there is none left.
func (a *App) TryNext() bool {
	for a.tried+1 < len(a.cfg.Targets) {
		a.tried++
		if a.peer.Connect(a.cfg.Targets[a.tried]) == nil {
			return true
		}
	}
	return false
}

// Turn is one turn of the loop: what arrived, the ticks that are due, what is
// to be sent. It returns when to call it again at the latest.
func (a *App) Turn(now time.Time) (next time.Time, err error) {
	a.now = now
	a.doors.answer()
	dt := a.peer.TickInterval().Seconds()
	for n := a.peer.Advance(now); n > 0 && (a.cfg.Ticks == 0 || a.peer.Ticks() < a.cfg.Ticks); n-- {
		a.peer.BeginTick()
		if a.scene == nil {
			a.watch()
		} else {
			a.play(dt)
		}
		a.peer.EndTick()
	}
	return a.peer.Flush(now)
}

// play is a tick of the game.
func (a *App) play(dt float64) {
	a.drive.tick()
	a.scene.Input.Begin()
	if a.started {
		a.game.Tick(dt)
	}
	a.scene.Step(dt, a.drivenByOthers)
}

// watch takes what an observer hears; the report tells of it.
func (a *App) watch() {
	for _, more := a.peer.Poll(); more; _, more = a.peer.Poll() {
	}
}

// drivenByOthers says whose bodies this peer must not move: rows that another
// peer writes are presented, not simulated here.
func (a *App) drivenByOthers(r scene.Ref) bool {
	return a.peer.Foreign(a.scene.EntityID(r))
}

// Wait sleeps until a datagram can be read or until, whichever is first.
func (a *App) Wait(until time.Time) { a.net.Wait(until) }

// Do has f called between two turns, on the loop's goroutine. It is the only
// method that another goroutine may call. False: the queue is full or the App
// is closed, and f will not be called.
func (a *App) Do(f func()) bool { return a.doors.push(f) }

// Stop ends the game's scripts and the session: everybody is told code and
// text. Turns must go on until Stopped, so that the goodbyes arrive.
func (a *App) Stop(code fault.Code, text string) {
	if a.started {
		a.game.Stop()
		a.started = false
	}
	a.peer.Close(code, text)
}

// Stopped says that nothing is left to send: goodbyes were acknowledged, or
// their time is over.
func (a *App) Stopped() bool { return !a.peer.Lingering() }

// Close closes the sockets, after a last look at what Do was given.
func (a *App) Close() error {
	a.doors.close()
	return a.net.Close()
}

// Peer gives read access to the runtime peer: diagnostics and reports.
func (a *App) Peer() *runtime.Peer { return a.peer }

// ScriptErrors returns what the scripts did wrong so far.
func (a *App) ScriptErrors() []luabind.ErrorRecord {
	if a.game == nil {
		return nil
	}
	return a.game.Errors()
}

// Report returns what the peer did, with the scripts' errors.
func (a *App) Report() runtime.Report {
	r := a.peer.Report()
	for _, e := range a.ScriptErrors() {
		r.Errors = append(r.Errors, runtime.ErrorReport{Code: string(fault.Script), Text: e.Text,
			Data: map[string]any{"path": e.Place.Path, "line": e.Place.Line, "count": e.Count}})
	}
	return r
}
