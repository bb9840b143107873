package luabind_test

import (
	"fmt"
	goruntime "runtime"
	"testing"

	"demi.network/luabind"
)

const spinPrefab = `{"format_version": 1, "id": "prefab://spin", "name": "spin", "entities": [
	{"id": "spin", "name": "spin", "components": {"LuaScript": {"module": "script://scripts/spin.lua"}}}]}`

// TestATickHasABudget: thirty entities with one fault in their script cost two
// budgets a tick, not thirty, and the others are called.
func TestATickHasABudget(t *testing.T) {
	p := newPlay(t, project(`
local M = {}
function M:on_start() for i = 1, 30 do Prefab.instantiate("prefab://spin") end end
function M:on_fixed_update() before = (before or 0) + 1 end
return M`, scenarioContract, "prefabs/spin.prefab.json", spinPrefab, "scripts/spin.lua", `
local M = {}
function M:on_fixed_update() steps = (steps or 0) + 1 end
function M:on_update() while true do turns = (turns or 0) + 1 end end
return M`), "")
	p.limits.Instructions = 300_000
	n := p.must("one", luabind.OpenedNothing)
	p.run(5 * n.TickInterval())
	var turns int
	fmt.Sscan(n.global("turns"), &turns)
	// Seven instructions a turn: two whole budgets, 28 small ones.
	if whole := 300_000 / 7; turns < 2*whole/2 || turns > 4*whole {
		t.Errorf("30 endless loops turned %d times; a whole budget is %d turns", turns, whole)
	}
	if n.global("before") != "5" || n.global("steps") != "150" {
		t.Errorf("the others were called %s and %s times in 5 ticks, want 5, and 30 in each", n.global("before"), n.global("steps"))
	}
	if e := n.game.Errors(); len(e) != 2 || e[0].Count+e[1].Count != 30 || e[0].Place.String() != "scripts/spin.lua:4" {
		t.Errorf("each of the thirty is told of: %s", errorsOf(n))
	}
}

// TestALookupThatSpinsRests: where functions of a script are looked up is a
// script's business as well.
func TestALookupThatSpinsRests(t *testing.T) {
	p := newPlay(t, project(`
lookups = 0
return setmetatable({}, {__index = function(_, name) lookups = lookups + 1 while true do end end})`, scenarioContract), "")
	p.limits.Instructions = 20_000
	n := p.must("one", luabind.OpenedNothing)
	p.run(20 * n.TickInterval())
	if got := n.global("lookups"); got != "4" {
		t.Errorf("%s lookups in 20 ticks; each of four callbacks is looked up once, then rests", got)
	}
	if e := n.game.Errors(); len(e) == 0 || e[0].Kind != luabind.BudgetSpent || e[0].Place.Line != 3 {
		t.Errorf("the script is named: %s", errorsOf(n))
	}
}

// TestASpentBudgetIsToldOnce: handlers inside handlers end with the callback
// that emitted, which tells of it.
func TestASpentBudgetIsToldOnce(t *testing.T) {
	p := newPlay(t, project(`
local M = {}
function M:on_start()
  Events.subscribe("a", function() Events.emit("b") after = true end)
  Events.subscribe("b", function() while true do end end)
  Events.subscribe("b", function() after = true end)
  Events.emit("a")
  after = true
end
return M`, scenarioContract), "")
	p.limits.Instructions = 20_000
	n := p.must("one", luabind.OpenedNothing)
	e := n.game.Errors()
	if len(e) != 1 || e[0].Count != 1 || e[0].Kind != luabind.BudgetSpent || e[0].Place.Line != 5 || n.global("after") != "nil" {
		t.Errorf("one budget was spent, by the handler: %s; after: %s", errorsOf(n), n.global("after"))
	}
	if c := n.game.State().Counters(); c.Errors != 1 || c.Budget != 1 {
		t.Errorf("it counts once: %+v", c)
	}
}

// TestLongNamesAndTextsAreNotKept: names of megabytes name nothing, and are
// neither kept nor written out, wherever a binding takes one.
func TestLongNamesAndTextsAreNotKept(t *testing.T) {
	p := newPlay(t, project(`
local M, n = {}, 0
local S = NetworkSession
function M:on_start() S.host(0) Prefab.instantiate("prefab://crate", {id = "c"}) end
function M:on_update()
  for i = 1, 4 do
    n = n + 1
    local s = ("x"):rep(2^20) .. n
    for _, f in ipairs{S.spawn, S.owner, S.despawn, S.transfer, S.has_authority, S.network_id_for_owner, S.bind_local_entity, S.update_entity,
      S.remote_position, S.send, S.kick, S.connect, S.host, S.configure, Prefab.instantiate, Entity.find, Entity.exists, Entity.destroy, Entity.name,
      Entity.get_field, Entity.set_field, Events.subscribe, Events.emit, Transform.get_position, Input.value, Sprite2D.get_color, require} do
      pcall(f, s, s, s, s)
      pcall(f, "c", s, s, s)
      pcall(f, s, print)
    end
    pcall(Prefab.instantiate, "prefab://crate", {id = s})
    pcall(S.spawn, "crate", s)
    pcall(S.send, "echo", s, {})
    pcall(S.start_session, {s})
    Debug.log(s, s)
    print(s, s)
    Events.subscribe("e" .. n, function() error(i .. s .. ":1: boom", 0) end)
    Events.emit("e" .. n)
    Events.subscribe("f" .. n, function() error(i .. s) end)
    Events.emit("f" .. n)
  end
end
return M`, scenarioContract), "")
	n := p.must("one", luabind.OpenedNothing)
	held := func() int64 {
		goruntime.GC()
		var m goruntime.MemStats
		goruntime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	p.run(2 * n.TickInterval())
	before := held()
	p.run(8 * n.TickInterval())
	// Eight ticks made 32 texts of a mebibyte. Handlers hold two of each four
	// ... as upvalues, which the memory limit sees: 32 MiB.
	if grown := held() - before; grown > 40<<20 {
		t.Errorf("%d MiB more are held", grown>>20)
	}
	for _, l := range n.log {
		if len(l) > 9000 {
			t.Fatalf("a line of %d bytes was logged: %.100s", len(l), l)
		}
	}
	for _, e := range n.game.Errors() {
		if len(e.Text) > 2100 || len(e.Place.Path) > 255 {
			t.Fatalf("an error of %d bytes at a place of %d was kept", len(e.Text), len(e.Place.Path))
		}
	}
	if d := n.Diagnostics(); len(d.LastError) > 8000 {
		t.Errorf("last_error has %d bytes: %.100s", len(d.LastError), d.LastError)
	}
	if len(n.game.Errors()) < 8 {
		t.Errorf("%d errors are remembered of those that were raised", len(n.game.Errors()))
	}
	goruntime.KeepAlive(p)
}

// TestWhatBindingsHoldCounts: what scripts keep in their objects and in handlers
// of Events is theirs, and has a limit.
func TestWhatBindingsHoldCounts(t *testing.T) {
	for name, line := range map[string]string{
		"objects":  `self.list = self.list or {} self.list[#self.list + 1] = ("x"):rep(1048576) .. #self.list`,
		"handlers": `local s = ("x"):rep(1048576) .. n Events.subscribe("e", function() return s end)`,
	} {
		p := newPlay(t, project("local M, n = {}, 0\nfunction M:on_update() n = n + 1\n"+line+"\ncount = n end return M", scenarioContract), "")
		p.limits.Memory = 32 << 20
		n := p.must("one", luabind.OpenedNothing)
		p.run(60 * n.TickInterval())
		e := n.game.Errors()
		if len(e) == 0 || e[0].Kind != luabind.MemorySpent || e[0].Place.Path != "scripts/game.lua" {
			t.Errorf("%s: 60 MiB are held of 32, and the errors are %s; %s updates", name, errorsOf(n), n.global("count"))
		}
	}
}
