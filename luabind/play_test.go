package luabind_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"demi.network/contract"
	"demi.network/internal/scene"
	"demi.network/luabind"
	"demi.network/runtime"
	"demi.network/runtime/harness"
)

// play is a game of several peers on a virtual clock, each with its own scene,
// sandbox and scripts.
type play struct {
	t        testing.TB
	project  *contract.Project
	contract *contract.Contract
	net      *harness.Harness
	nodes    []*node

	tell   func(n *node, line string) // hears what scripts print; nil = nobody
	change func(*runtime.Config)      // of the next node; nil = nothing
	limits luabind.Limits             // of the next sandbox
}

// node is one peer of a play.
type node struct {
	*harness.Peer
	name  string
	scene *scene.Scene
	game  *luabind.Game
	log   []string
	quiet bool // its game does not tick
}

// newPlay loads a project and makes a network whose links behave as link says.
func newPlay(t testing.TB, files fs.FS, link string) *play {
	t.Helper()
	project, problems := contract.LoadProject(files)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	c, problems := contract.Load(files, project)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	net, err := harness.New(harness.Config{Contract: c, Seed: 7, Link: link})
	if err != nil {
		t.Fatal(err)
	}
	return &play{t: t, project: project, contract: c, net: net}
}

// node adds a peer; opened says what the program does before the script runs.
// What the scripts did wrong while loading is an error.
func (p *play) node(name string, opened luabind.Opened) (*node, error) {
	p.t.Helper()
	sc, err := scene.Open(p.project, "")
	if err != nil {
		p.t.Fatal(err)
	}
	if err := sc.UseContract(p.contract); err != nil {
		p.t.Fatal(err)
	}
	n := &node{name: name, scene: sc}
	n.Peer = p.net.Peer(name, func(cfg *runtime.Config) {
		cfg.Scene = sc
		if p.change != nil {
			p.change(cfg)
		}
	})
	n.Polls = true
	switch opened {
	case luabind.OpenedHost:
		err = n.Host(0)
	case luabind.OpenedClient:
		err = n.Connect(p.nodes[0].LocalAddr())
	}
	if err != nil {
		p.t.Fatal(err)
	}
	n.game, err = luabind.NewGame(luabind.GameConfig{
		Project: p.project, Scene: sc, Peer: n.Peer.Peer, Opened: opened, Seed: uint64(len(p.nodes) + 1), Limits: p.limits,
		Log: func(s string) {
			n.log = append(n.log, s)
			if p.tell != nil {
				p.tell(n, s)
			}
		},
	})
	if err != nil {
		return nil, err
	}
	p.nodes = append(p.nodes, n)
	n.game.Start()
	n.OnTick = n.tick
	return n, nil
}

// must is node for scripts that load.
func (p *play) must(name string, opened luabind.Opened) *node {
	p.t.Helper()
	n, err := p.node(name, opened)
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

func (n *node) tick() {
	dt := n.TickInterval().Seconds()
	n.scene.Input.Begin()
	if !n.quiet {
		n.game.Tick(dt)
	}
	n.scene.Step(dt, func(r scene.Ref) bool {
		id, ok := n.NetworkID(n.scene.EntityID(r))
		return ok && !n.HasAuthority(id)
	})
}

// run plays for d of virtual time.
func (p *play) run(d time.Duration) {
	p.t.Helper()
	p.net.Step(d)
	if err := p.net.Err(); err != nil {
		p.t.Fatal(err)
	}
}

// clean fails the test for every error of a script.
func (p *play) clean() {
	p.t.Helper()
	for _, n := range p.nodes {
		for _, e := range n.game.Errors() {
			p.t.Errorf("%s: %s: %s (%d times)", n.name, e.Place, e.Text, e.Count)
		}
	}
}

// said returns the lines of a node's log that begin with prefix, without it.
func (n *node) said(prefix string) (list []string) {
	for _, l := range n.log {
		if rest, ok := strings.CutPrefix(l, prefix); ok {
			list = append(list, rest)
		}
	}
	return list
}

// global returns a global variable of a node's scripts, as text.
func (n *node) global(name string) string { return n.game.State().Global(name).String() }

// project makes a project of one entity script and a contract.
func project(script, contractText string, more ...string) fstest.MapFS {
	files := fstest.MapFS{}
	put := func(path, text string) { files[path] = &fstest.MapFile{Data: []byte(text)} }
	put("demi.project.json", `{"format_version": 1, "name": "test", "network_contract": "asset://network/test",
		"main_scene": "scene://main", "scenes": [{"id": "scene://main", "path": "scenes/main.scene.json"}],
		"input": {"actions": {"jump": {"type": "button", "context": "gameplay", "bindings": []}, "move": {"type": "axis1d", "context": "gameplay", "bindings": []}}}}`)
	put("assets/network/test.asset.json", `{"format_version": 1, "id": "asset://network/test", "type": "NetworkContract", "source": "test.network.json"}`)
	put("assets/network/test.network.json", contractText)
	put("scenes/main.scene.json", `{"format_version": 1, "id": "scene://main", "name": "main", "entities": [
		{"id": "game", "name": "game", "components": {"LuaScript": {"module": "script://scripts/game.lua"}}}]}`)
	put("prefabs/crate.prefab.json", `{"format_version": 1, "id": "prefab://crate", "name": "crate", "entities": [
		{"id": "crate", "name": "crate", "components": {"Transform2D": {"position": [0, 0]}, "Sprite": {"color": [1, 1, 1, 1]}}}]}`)
	put("scripts/game.lua", script)
	for i := 0; i+1 < len(more); i += 2 {
		put(more[i], more[i+1])
	}
	return files
}

// errorsOf spells a node's errors, one a line.
func errorsOf(n *node) string {
	var b strings.Builder
	for _, e := range n.game.Errors() {
		fmt.Fprintf(&b, "%s: %s (%d)\n", e.Place, e.Text, e.Count)
	}
	return b.String()
}
