package luabind_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"demi.network/luabind"
	"demi.network/runtime/fault"
	"demi.network/session"
)

// alone is one peer with one script, without a network.
func alone(t *testing.T, script string, more ...string) (*node, *play) {
	t.Helper()
	p := newPlay(t, project(script, scenarioContract, more...), "")
	return p.must("one", luabind.OpenedNothing), p
}

func wantLog(t *testing.T, n *node, why string, want ...string) {
	t.Helper()
	if got, want := strings.Join(n.log, "\n"), strings.Join(want, "\n"); got != want {
		t.Errorf("%s:\n%s\nwant\n%s", why, got, want)
	}
}

func TestLifeOfAnObject(t *testing.T) {
	n, p := alone(t, `
		local M = {}
		for _, name in ipairs({"on_create", "on_start", "on_fixed_update", "on_update", "on_destroy"}) do
			M[name] = function(self, dt) if not self.quiet then print(self.entity_id, name, dt and string.format("%.4f", dt)) end end
		end
		function M:on_update(dt)
			if self.entity_id == "game" and not self.made then
				self.made = Prefab.instantiate("prefab://scripted", {id = "second"})
				print("made", Entity.exists("second"))
			elseif self.made then
				Entity.destroy("second")
			end
			self.quiet = true
		end
		return M`,
		"prefabs/scripted.prefab.json", `{"format_version": 1, "id": "prefab://scripted", "name": "s", "entities": [
			{"id": "s", "name": "s", "components": {"LuaScript": {"module": "script://scripts/game.lua"}}}]}`)
	p.run(10 * n.TickInterval())
	wantLog(t, n, "an object lives from on_create to on_destroy; one made in a tick begins with the next",
		"game\ton_create\tnil", "game\ton_start\tnil", "game\ton_fixed_update\t0.0333", "made\ttrue",
		"second\ton_create\tnil", "second\ton_start\tnil", "second\ton_fixed_update\t0.0333", "second\ton_destroy\tnil")
	n.game.Stop()
	p.run(time.Second)
	p.clean()
}

func TestObjectsShareAScriptNotTheirState(t *testing.T) {
	n, p := alone(t, `
		local Base = {} Base.__index = Base
		function Base:greet() print(self.entity_id, self.count) end
		local M = setmetatable({count = 0}, Base)
		function M:on_create() self.count = self.count + 1 end
		function M:on_start() self:greet() end
		return M`,
		"scenes/main.scene.json", `{"format_version": 1, "id": "scene://main", "name": "main", "entities": [
			{"id": "a", "name": "a", "components": {"LuaScript": {"module": "script://scripts/game.lua"}}},
			{"id": "b", "name": "b", "components": {"LuaScript": {"module": "script://scripts/game.lua"}}}]}`)
	wantLog(t, n, "fields of self are an object's own, functions are inherited", "a\t1", "b\t1")
	p.clean()
}

func TestHandleAction(t *testing.T) {
	n, p := alone(t, `
		local M = {}
		-- @HandleAction("jump")
		function M:on_jump(value) print("jump", value) end

		-- @HandleAction('move')
		-- moves
		M.on_move = function(self, value) print("move", value, self.entity_id) end
		-- @HandleAction("nobody")
		local x = 1
		return M`)
	wantLog(t, n, "an annotation that binds nothing is told", "scripts/game.lua:9: @HandleAction has no function below it")
	n.log = nil
	tick := n.TickInterval()
	p.run(2 * tick)
	n.scene.Input.Set("jump", 1)
	n.scene.Input.Set("move", -0.5)
	p.run(4 * tick)
	n.scene.Input.Set("jump", 0)
	n.scene.Input.Set("move", 0)
	p.run(4 * tick)
	wantLog(t, n, "a button is handled when it goes down, an axis when it changes", "jump\t1", "move\t-0.5\tgame", "move\t0\tgame")
	p.clean()
}

func TestRequire(t *testing.T) {
	n, p := alone(t, `
		local a, b, c = require("lib.a"), require("lib.a"), require("pack.thing")
		print(a == b, a.name, c.name, require("demi.network.session") == NetworkSession, require("demi.transform2d") == Transform)
		local function try(name) return require(name) end
		print(pcall(try, "lib.missing"))
		print(pcall(try, "../../etc/passwd"))
		print(pcall(try, "lib.broken"))
		for name, global in pairs({["demi.physics.rigidbody2d"] = Rigidbody2D, ["demi.physics.query2d"] = Physics2D, ["demi.input"] = Input,
			["demi.events"] = Events, ["demi.entity"] = Entity, ["demi.prefab"] = Prefab, ["demi.sprite2d"] = Sprite2D, ["demi.debug"] = Debug,
			["demi.application"] = Application, ["demi.hud"] = Hud}) do
			assert(global and require(name) == global, name)
		end
		return {}`,
		"scripts/lib/a.lua", `return {name = "a"}`, "packages/pack/thing.lua", `return {name = "thing"}`,
		"scripts/lib/broken.lua", "local x =\n= 1")
	wantLog(t, n, "scripts first, then packages, then native modules; errors say what and where",
		"true\ta\tthing\ttrue\ttrue",
		"false\tscripts/game.lua:4: module 'lib.missing' not found: neither scripts/lib/missing.lua, nor a package, nor a native module",
		"false\tscripts/game.lua:4: module '../../etc/passwd' not found: \"../../etc/passwd\" is not a module name",
		"false\tscripts/lib/broken.lua:2:1: syntax error near '='")
	p.clean()
}

func TestScriptsThatDoNotLoad(t *testing.T) {
	for name, c := range map[string]struct {
		script, text string
		place        fault.Place
	}{
		"syntax":          {"local M = {}\nfunction M:on_start() x = = 1 end\nreturn M", "syntax error", fault.Place{Path: "scripts/game.lua", Line: 2, Column: 27}},
		"5.4 syntax":      {"local a = 7 // 2\nreturn {}", "integer division", fault.Place{Path: "scripts/game.lua", Line: 1, Column: 13}},
		"raises":          {"\n\nerror('no')", "no", fault.Place{Path: "scripts/game.lua", Line: 3}},
		"raises a table":  {"error({code = 1})", "error object", fault.Place{Path: "scripts/game.lua", Line: 1}},
		"raises nil":      {"\nerror(nil)", "nil", fault.Place{Path: "scripts/game.lua", Line: 2}},
		"returns nothing": {"local x = 1", "must return a table of functions, not nil", fault.Place{Path: "scripts/game.lua"}},
		"returns a text":  {"return 'x'", "not string", fault.Place{Path: "scripts/game.lua"}},
		"requires itself": {"return require('game')", "loop in require", fault.Place{Path: "scripts/game.lua", Line: 1}},
		"never ends":      {"while true do end", "budget", fault.Place{Path: "scripts/game.lua", Line: 1}},
		"required one":    {"local x = 1\nrequire('lib')", "bad", fault.Place{Path: "scripts/lib.lua", Line: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t, project(c.script, scenarioContract, "scripts/lib.lua", "error('bad')"), "")
			p.limits.LoadInstructions = 1_000_000
			_, err := p.node("one", luabind.OpenedNothing)
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != fault.Script {
				t.Fatalf("got %v, must be E_NET_SCRIPT", err)
			}
			if f.Place != c.place || !strings.Contains(f.Text, c.text) {
				t.Errorf("got %v %q, want %v and %q in it", f.Place, f.Text, c.place, c.text)
			}
		})
	}
	files := project("", scenarioContract)
	delete(files, "scripts/game.lua")
	if _, err := newPlay(t, files, "").node("one", luabind.OpenedNothing); fault.CodeOf(err) != fault.Script || !strings.Contains(err.Error(), "scripts/game.lua") {
		t.Errorf("a script that is not there: %v", err)
	}
}

// TestFieldLogB107 raises in each callback and handler: reported once with file
// and line, counted, and everything else goes on.
func TestFieldLogB107ErrorsAreContained(t *testing.T) {
	n, p := alone(t, `
local M = {}
function M:on_create() error("create") end
function M:on_start()
  Events.subscribe("x", function() error("handler") end)
  Events.subscribe("x", function() print("the next handler") end)
  Events.emit("x")
  print("start goes on")
  error({code = 7})
end
local n = 0
function M:on_fixed_update() error(nil) end
function M:on_update()
  n = n + 1
  if n == 1 then coroutine.wrap(function() local x = nil; x.y = 1 end)() end
  if n == 2 then error(setmetatable({}, {__tostring = function() error("in tostring") end})) end
  if n == 3 then while true do pcall(function() while true do end end) end end
  print("update", n)
end
function M:on_destroy() error("destroy") end
return M`)
	p.run(34*n.TickInterval() + time.Millisecond) // tick 3 spends its budget, and rests until 33
	n.game.Stop()
	n.game.Stop()
	wantLog(t, n, "an error ends its callback and nothing else", "the next handler", "start goes on", "update\t4", "update\t5")
	want := []struct {
		line  int
		text  string
		count int
	}{
		{3, "create", 1}, {5, "handler", 1}, {9, "error object", 1}, {12, "nil", 34}, {15, "nil", 1}, {16, "__tostring", 1}, {17, "budget", 1}, {20, "destroy", 1},
	}
	got := n.game.Errors()
	if len(got) != len(want) {
		t.Fatalf("%d errors, want %d:\n%s", len(got), len(want), errorsOf(n))
	}
	for i, w := range want {
		if g := got[i]; g.Place.Path != "scripts/game.lua" || g.Place.Line != w.line || g.Count != w.count || !strings.Contains(g.Text, w.text) {
			t.Errorf("error %d is %+v, want line %d, %d times, with %q", i, g, w.line, w.count, w.text)
		}
	}
}

// TestFieldLogB107TheDisconnectPolicyHolds although the handler of the leave
// fails, and the host plays on.
func TestFieldLogB107TheDisconnectPolicyHolds(t *testing.T) {
	p := newPlay(t, project(`
local t = require("demi.network.session")
local M = {}
function M:on_update()
  for _, e in ipairs(t.process_events().events) do
    if e.name == "peer_joined" then id = t.spawn("hero", nil, e.sender_id) id2 = t.spawn("crate", nil, e.sender_id) end
    if e.name == "peer_left" then error("in the leave handler") end
  end
  ticks = (ticks or 0) + 1
end
return M`, scenarioContract), "")
	host := p.must("host", luabind.OpenedHost)
	one := p.must("one", luabind.OpenedClient)
	p.run(time.Second)
	hero, crate := host.global("id"), host.global("id2")
	if owner, ok := host.Owner(hero); !ok || owner != "peer1" {
		t.Fatalf("the hero %s belongs to %q", hero, owner)
	}
	one.Close(fault.Left, "bye")
	p.run(time.Second)
	if _, ok := host.Owner(hero); ok {
		t.Error("on_disconnect despawn must be carried out although the handler failed")
	}
	if owner, _ := host.Owner(crate); owner != "server" {
		t.Errorf("on_disconnect return_to_server: the crate belongs to %q", owner)
	}
	if e := host.game.Errors(); len(e) != 1 || e[0].Count != 1 || host.Phase() != session.PhaseActive {
		t.Errorf("one error, reported once, and the session goes on: %s", errorsOf(host))
	}
}

// TestFieldLogB109 lets callbacks return anything, be no functions, and replace
// themselves.
func TestFieldLogB109WhatCallbacksReturn(t *testing.T) {
	for _, value := range []string{"", "nil", "false", "true", "'stop'", "{}", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10"} {
		n, p := alone(t, `local M = {} n = 0
			function M:on_update() n = n + 1 return `+value+` end
			function M:on_fixed_update() return `+value+` end
			function M:on_start() return `+value+` end
			return M`)
		p.run(5*n.TickInterval() + time.Millisecond)
		if n.global("n") != "5" || len(n.game.Errors()) != 0 {
			t.Errorf("returning %q: %s updates of 5, %s", value, n.global("n"), errorsOf(n))
		}
	}
	n, p := alone(t, `local M = {on_start = {}, on_fixed_update = "text"}
		function M:on_update()
			print("first")
			M.on_update = function(self)
				print("second")
				self.on_update = function() print("third") M.on_update, self.on_update = nil, nil end
			end
		end
		return M`)
	p.run(6 * n.TickInterval())
	wantLog(t, n, "a replaced handler is used from the next call, a removed one no more", "first", "second", "third")
	if got, want := errorsOf(n), "scripts/game.lua: on_start is a table, not a function (1)\nscripts/game.lua: on_fixed_update is a string, not a function (1)\n"; got != want {
		t.Errorf("what is no function is told once:\n%s\nwant\n%s", got, want)
	}
}

func TestErrorsAreBounded(t *testing.T) {
	n, p := alone(t, `local M, n = {}, 0 function M:on_update() n = n + 1 error("number " .. n) end return M`)
	p.run(100*n.TickInterval() + time.Millisecond)
	if e := n.game.Errors(); len(e) != 64 {
		t.Errorf("%d different errors are kept, at most 64 may be", len(e))
	}
	if c := n.game.State().Counters(); c.Errors != 100 {
		t.Errorf("%d errors counted, 100 were made", c.Errors)
	}
}

// TestOneScriptsFaultIsItsOwn: a peer whose script spends its budget on every
// tick delays nobody: the others in this process play on.
func TestOneScriptsFaultIsItsOwn(t *testing.T) {
	p := newPlay(t, project(`
local Session = require("demi.network.session")
local M = {}
function M:on_update()
  Session.process_events()
  if Session.sender_id() == "peer1" then while true do end end
  good = (good or 0) + 1
end
return M`, scenarioContract), "")
	p.limits.Instructions = 1_000_000
	host := p.must("host", luabind.OpenedHost)
	p.must("one", luabind.OpenedClient)
	p.run(300 * time.Millisecond)
	two := p.must("two", luabind.OpenedClient)
	p.run(700 * time.Millisecond)
	if host.global("good") != "30" || two.global("good") != "21" {
		t.Errorf("host %s ticks of 30, two %s of 21", host.global("good"), two.global("good"))
	}
	if e := p.nodes[1].game.Errors(); len(e) != 1 || e[0].Kind != luabind.BudgetSpent || e[0].Place.Line != 6 {
		t.Errorf("the busy script's fault: %s", fmt.Sprint(e))
	}
}

// TestACallbackThatSpinsRests: each spent budget is followed by a rest that
// doubles, so that the others keep their ticks; a call that ends by itself
// makes the next rest a short one again. Other callbacks do not rest.
func TestACallbackThatSpinsRests(t *testing.T) {
	p := newPlay(t, project(`
local M = {}
tick, calls = 0, ""
function M:on_fixed_update() tick = tick + 1 end
function M:on_update()
  calls = calls .. tick .. " "
  if tick < 200 or tick > 240 then while true do end end
end
return M`, scenarioContract), "")
	p.limits.Instructions = 100_000
	n := p.must("one", luabind.OpenedNothing)
	p.run(300 * n.TickInterval())
	calls := strings.Fields(n.global("calls"))
	// 1, then rests of 30, 60 and 120 ticks: 31, 91, 211. From 211 on it ends
	// by itself, every tick; at 241 it spins again, and rests 30 ticks.
	if len(calls) < 6 || strings.Join(calls[:5], " ") != "1 31 91 211 212" || calls[len(calls)-2] != "241" || calls[len(calls)-1] != "271" {
		t.Errorf("on_update was called at ticks %v", calls)
	}
	if n.global("tick") != "300" {
		t.Errorf("on_fixed_update was called %s times in 300 ticks: it never spun", n.global("tick"))
	}
}
