// Command embed shows how a Go engine plugs demi-net in: its own scene, its own
// Lua state, and a service of its own for the scripts. A host and a client play
// two seconds in memory; a program with sockets gives runtime.Config a Listen
// and a Dial of its own instead of the harness's.
package main

import (
	"embed"
	"fmt"
	"io"
	"os"
	"time"

	lua "github.com/yuin/gopher-lua"

	"demi.network/contract"
	"demi.network/luabind"
	"demi.network/runtime"
	"demi.network/runtime/harness"
)

// engine is the engine: entities with fields. These lines are what runtime.Scene
// asks of it.
type engine map[string]entity

type entity map[string]contract.FieldValue

func (e engine) Create(prefab, id string) error {
	if prefab != "prefab://embed/kite" || e.Has(id) {
		return fmt.Errorf("cannot make a %s called %s", prefab, id)
	}
	e[id] = entity{"Transform2D.position": {}}
	return nil
}
func (e engine) Destroy(id string)  { delete(e, id) }
func (e engine) Has(id string) bool { return e[id] != nil }
func (e engine) Read(id, field string) (v contract.FieldValue, ok bool) {
	v, ok = e[id][field]
	return v, ok
}
func (e engine) Write(id, field string, v contract.FieldValue) bool {
	_, ok := e[id][field]
	if ok {
		e[id][field] = v
	}
	return ok
}

// Weather is a service of the engine.
type Weather struct{ Speed float64 }

// Name and Wind are what scripts call.
func (w *Weather) Name() string  { return "a breeze" }
func (w *Weather) Wind() float64 { return w.Speed }

//go:embed contract.json game.lua
var files embed.FS

func main() {
	if err := play(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// play runs a host and a client for two seconds.
func play(out io.Writer) error {
	text, err := files.ReadFile("contract.json")
	if err != nil {
		return err
	}
	c, problems := contract.LoadText("contract.json", text)
	if err := problems.Err(); err != nil {
		return err
	}
	net, err := harness.New(harness.Config{Contract: c, Seed: 1, Link: "rtt=40"})
	if err != nil {
		return err
	}
	var players []*player
	for i, name := range []string{"host", "client"} {
		p, err := newPlayer(net, name, i == 0, out)
		if err != nil {
			return err
		}
		defer p.lua.Close()
		players = append(players, p)
	}
	net.Step(2 * time.Second)
	for _, p := range players {
		p.call("finish")
		if p.err != nil {
			return p.err
		}
	}
	return net.Err()
}

// player is one peer with its engine and its Lua state.
type player struct {
	lua *lua.LState
	err error // the first of the script
}

func newPlayer(net *harness.Harness, name string, hosts bool, out io.Writer) (*player, error) {
	scene := engine{}
	peer := net.Peer(name, func(cfg *runtime.Config) { cfg.Scene = scene })
	peer.Polls = true // the script does

	p := &player{lua: lua.NewState()}
	luabind.Install(p.lua, luabind.InstallConfig{Peer: peer.Peer, Scene: scene})
	luabind.Expose(p.lua, "Weather", &Weather{Speed: 2})
	luabind.Expose(p.lua, "print", func(s string) { fmt.Fprintln(out, s) })

	game, err := files.ReadFile("game.lua")
	if err != nil {
		return nil, err
	}
	if err := p.lua.DoString(string(game)); err != nil {
		return nil, err
	}
	p.call("start", lua.LBool(hosts))
	peer.OnTick = func() { p.call("tick", lua.LNumber(peer.TickInterval().Seconds())) }
	return p, p.err
}

// call calls a global function of the script.
func (p *player) call(name string, args ...lua.LValue) {
	err := p.lua.CallByParam(lua.P{Fn: p.lua.GetGlobal(name), Protect: true}, args...)
	if p.err == nil {
		p.err = err
	}
}
