package luabind_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"

	"demi.network/luabind"
)

// embedder is a Lua state of an embedder's own with the modules installed over
// the scene of the harness.
func embedder(t *testing.T, open bool) (L *lua.LState, p *play, log, failed *[]string) {
	p = idle(t)
	peer := p.net.Peer("embedder", nil)
	log, failed = new([]string), new([]string)
	L = lua.NewState(lua.Options{SkipOpenLibs: !open})
	t.Cleanup(L.Close)
	luabind.Install(L, luabind.InstallConfig{
		Peer: peer.Peer, Scene: peer.Scene,
		Log:    func(s string) { *log = append(*log, s) },
		Failed: func(err error) { *failed = append(*failed, err.Error()) },
	})
	return L, p, log, failed
}

func TestInstall(t *testing.T) {
	L, p, log, failed := embedder(t, true)
	err := L.DoString(`
		assert(require("demi.network.session") == NetworkSession and demi.network.session == NetworkSession)
		assert(require("demi.transform2d") == Transform and demi.physics.rigidbody2d == Rigidbody2D)
		assert(Physics2D == nil and Input == nil, "a runtime.Scene has neither colliders nor actions")
		assert(NetworkSession.host(0))
		assert(Prefab.instantiate("prefab://crate", "c") == "c")
		assert(Prefab.instantiate("prefab://crate", "c") == nil)
		assert(Transform.set_position("c", 1, 2))
		local id = NetworkSession.spawn("hero", "c", "server")
		assert(id and Entity.exists("c"))
		local x, y = Transform.get_position("c")
		assert(x == 1 and y == 2)
		assert(Entity.set_field("c", "Sprite", "color", {1, 0.5, 0, 1}) and Entity.get_field("c", "Sprite", "color")[2] == 0.5)
		assert(not Entity.set_field("c", "Sprite", "nothing", true) and Entity.get_field("x", "Sprite", "color") == nil)
		assert(not Transform.set_position("nobody", 1, 2) and Transform.get_position("nobody") == nil)
		Events.subscribe("x", function(v) error("handler " .. v) end)
		Events.subscribe("x", function(v) Debug.log("next", v) end)
		Events.emit("x", 5)
		Hud.anything(1, 2) Sprite2D.flash("c")
		assert(pcall(Transform.set_position, "c", "x") == false)
		assert(Entity.destroy("c") and not Entity.destroy("c"))`)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(*log, "|"); got != "next\t5" {
		t.Errorf("logged %q", got)
	}
	if len(*failed) != 1 || !strings.Contains((*failed)[0], "handler 5") {
		t.Errorf("the failing handler is told to the embedder: %v", *failed)
	}
	p.run(time.Second)
}

// TestInstallNeedsNoLibraries: what is offered does not rest on package or
// require.
func TestInstallNeedsNoLibraries(t *testing.T) {
	L, _, _, _ := embedder(t, false)
	if err := L.DoString(`NetworkSession.host(0) demi.network.session.disconnect()`); err != nil {
		t.Error(err)
	}
}

// Door is an engine's own service.
type Door struct {
	Open bool
	used int
}

// Use opens or closes the door.
func (d *Door) Use(by string) (bool, error) {
	if by == "" {
		return false, errors.New("nobody is there")
	}
	d.used++
	d.Open = !d.Open
	return d.Open, nil
}

// TestExpose offers Go values to a game in the sandbox; a wrong argument is an
// error of the script, with its line, and the game goes on.
func TestExpose(t *testing.T) {
	p := newPlay(t, project(`
local M = {}
function M:on_update()
  ticks = (ticks or 0) + 1
  if ticks == 1 then print(Door:Use("me"), Door.Open, twice(21)) end
  if ticks == 2 then Door:Use({}) end
  if ticks == 3 then Door.Use() end
  if ticks == 4 then twice("x") end
  if ticks == 5 then Door.Nothing = 1 end
end
return M`, scenarioContract), "")
	n := p.must("one", luabind.OpenedNothing)
	door := &Door{}
	n.game.Expose("Door", door)
	n.game.Expose("twice", func(x float64) float64 { return 2 * x })
	p.run(8*n.TickInterval() + time.Millisecond)
	wantLog(t, n, "methods, fields and functions of Go", "true\ttrue\t42")
	if door.used != 1 || n.global("ticks") != "8" {
		t.Errorf("used %d times, %s ticks: a failing call must not end the game", door.used, n.global("ticks"))
	}
	got := n.game.Errors()
	if len(got) != 4 {
		t.Fatalf("%d errors, four calls are wrong:\n%s", len(got), errorsOf(n))
	}
	for i, e := range got {
		if e.Place.Path != "scripts/game.lua" || e.Place.Line != 6+i || strings.Contains(e.Text, "goroutine") {
			t.Errorf("error %d is %+v, must name line %d", i, e, 6+i)
		}
	}
}
