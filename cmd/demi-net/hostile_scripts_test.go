package main

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"demi.network/runtime/fault"
)

// attack is Lua that a callback runs once. It must be stopped on its own line
// of its own file, and what follows it must not run.
type attack struct {
	callback string
	code     string
	says     string // part of the error
}

// scriptAttacks are tried in every callback there is. In escapes, %q is a file
// that must not come into being.
var scriptAttacks = []attack{
	{"on_create", `while true do end`, "instruction budget"},
	{"on_start", `pcall(function() while true do end end)`, "instruction budget"},
	{"on_update", `while true do pcall(function() while true do end end) end`, "instruction budget"},
	{"on_fixed_update", `coroutine.wrap(function() while true do end end)()`, "instruction budget"},
	{"on_destroy", `local co = coroutine.create(function() while true do end end) coroutine.resume(co) coroutine.resume(co)`, "instruction budget"},
	{"action", `repeat local x = 1 until false`, "instruction budget"},
	{"handler", `xpcall(function() while true do end end, function() while true do end end)`, "instruction budget"},

	{"on_update", `(("a"):rep(40)):find(("a?"):rep(40) .. ("a"):rep(40) .. "b")`, "instruction budget"},
	{"on_destroy", `pcall(string.find, ("a"):rep(5000), ".-.-.-.-.-b")`, "instruction budget"},
	{"handler", `table.sort({3, 2, 1}, function() while true do end end)`, "instruction budget"},

	{"on_create", `local _ = setmetatable({}, {__index = function() while true do end end}).x`, "instruction budget"},
	{"on_fixed_update", `print(setmetatable({}, {__tostring = function() while true do end end}))`, "instruction budget"},
	{"action", `pcall(function() getmetatable("").__index = function() while true do end end end) while true do local _ = ("x"):len() end`, "instruction budget"},
	{"on_start", `local mt = {} mt.__index = mt mt.__concat = function() while true do end end local _ = "a" .. setmetatable({}, mt)`, "instruction budget"},

	{"on_update", `local t = {} for i = 1, 1e9 do t[i] = {{{{}}}} end`, "memory limit"},
	{"on_create", `local s = "x" while true do s = s .. s end`, "memory limit"},
	{"handler", `local s = "x" while true do pcall(function() s = s .. s end) end`, "memory limit"},
	{"on_destroy", `local _ = ("x"):rep(1e6):rep(1e6)`, "memory limit"},

	{"on_start", `local function f() return 1 + f() end f()`, "stack overflow"},
	{"action", `error({code = 7})`, "table"},
	{"on_fixed_update", `error(nil)`, "nil"},
	{"on_update", escapes, "kept out"},
	{"on_create", escapes, "kept out"},
	{"on_destroy", escapes, "kept out"},

	// Last: it spoils the globals of every script of this peer.
	{"on_update", `setmetatable(_G, {__index = function() while true do end end}) local _ = nowhere`, "instruction budget"},
}

// escapes tries every known way out of the sandbox. It must run to its end.
const escapes = `local file = %q for _, way in ipairs({
"os.exit(3)", "_G.os.exit(3)", "require('os').exit(3)", "package.loaded.os.exit(3)", "getfenv(0).os.exit(3)", "os.execute('touch ' .. file)",
"io.open(file, 'w'):close()", "require('io').open(file, 'w'):close()", "package.loaded.io.open(file, 'w'):close()", "io.popen('touch ' .. file)",
"io.output(file)", "os.rename('x', file)", "os.tmpname()", "dofile(file)", "loadfile(file)()", "package.loadlib('libc.so.6', 'exit')(3)",
"load(string.dump(function() os.exit(3) end))()", "loadstring('os.exit(3)')()", "debug.getregistry()._LOADED.os.exit(3)", "debug.sethook(function() end)",
"getmetatable('').__index = function() os.exit(3) end", "newproxy(true)", "setfenv(1, {})", "module('os')", "coroutine.wrap(function() os.exit(3) end)()",
"string.format('%%s', setmetatable({}, {__tostring = function() os.exit(3) end}))", "require('../../../../etc/passwd')", "require('/etc/passwd')",
"Application.quit()", "collectgarbage('stop') os.exit(3)", "os.setlocale('C') os.exit(3)", "channel.make()"}) do
local f = load("local file = ... " .. way) if f then pcall(f, file) end end error("kept out")`

// attackScript is the file of one attack: one callback, which attacks once. The
// attack begins on line 6.
func attackScript(a attack, marker string) string {
	code := a.code
	if strings.Contains(code, "%q") {
		code = strings.ReplaceAll(fmt.Sprintf(code, marker), "\n", " ")
	}
	function := "function M:" + a.callback + "()"
	switch a.callback {
	case "action":
		function = "-- @HandleAction(\"lean\")\nfunction M:lean()"
	case "handler":
		function = "function M:on_start() Events.subscribe(\"boo\", function() self:boo() end) end\nfunction M:boo()"
	default:
		function = "\n" + function
	}
	return "local M = {}\n" + function + "\n  if self.done then return end\n  self.done = true\n  " + code + "\n  Debug.log(\"swallowed\")\nend\nreturn M\n"
}

// keeper brings the attacks in, one for each number that a player says, and
// takes each out again after some ticks.
const keeper = `local Session = require("demi.network.session")
local Game = {}
function Game:on_update()
  Events.emit("boo")
  if self.guest then
    self.stay = self.stay - 1
    if self.stay == 0 then Entity.destroy(self.guest) self.guest = nil end
  end
  for _, e in ipairs(Session.process_events().events) do
    if e.name == "chat" then
      self.guest, self.stay = Prefab.instantiate("prefab://a" .. e.data.text), 2
    end
  end
end
return Game
`

// TestHostileScriptsEndTheirOwnCallbackOnly: whatever a script does in any
// callback, it is stopped within its budget, named by file and line, and not
// swallowed by pcall; the host plays on, and another peer's snapshots go on.
func TestHostileScriptsEndTheirOwnCallbackOnly(t *testing.T) {
	t.Parallel()
	marker := filepath.Join(t.TempDir(), "escaped")
	game := files{"scripts/game.lua": keeper, "demi.project.json": leaningProject}
	for i, a := range scriptAttacks {
		game[fmt.Sprintf("scripts/a%d.lua", i)] = attackScript(a, marker)
		game[fmt.Sprintf("prefabs/a%d.prefab.json", i)] = fmt.Sprintf(`{"format_version": 1, "id": "prefab://a%d", "name": "Attack", "entities": [
  {"id": "ent_attack", "name": "Attack", "components": {"LuaScript": {"module": "script://scripts/a%d.lua"}}}]}`, i, i)
	}
	dir := project(t, game)
	host := withReport(t, "host", dir, "--port", "0", "--drive", "sine")
	bob := joinHand(t, netip.MustParseAddrPort(host.address()), contractOf(t, dir), "bob")
	var worst time.Duration
	for i, a := range scriptAttacks {
		name := fmt.Sprintf("%d in %s: %.40s", i, a.callback, strings.ReplaceAll(a.code, "\n", " "))
		bob.say("chat", fmt.Sprintf(`{"text":"%d"}`, i))
		line := raised(t, host, bob)
		if line["path"] != fmt.Sprintf("scripts/a%d.lua", i) || line["line"] != 6.0 || !strings.Contains(fmt.Sprint(line["message"]), a.says) {
			t.Errorf("%s: the error is %v, want one of scripts/a%d.lua:6 that says %q", name, line, i, a.says)
		}
		was, start := bob.tick, time.Now()
		bob.must(t, name+": get snapshots", func() bool { return bob.tick >= was+4 }) // the guest is gone then
		worst = max(worst, time.Since(start))
	}
	t.Logf("four ticks took %v at most after an attack", worst.Round(time.Millisecond))
	if worst > 5*time.Second {
		t.Errorf("four ticks took %v after an attack", worst)
	}
	if n := strings.Count(strings.Join(host.logged(), "\n"), "swallowed"); n > 0 {
		t.Errorf("%d attacks went on after what should have ended them\n%s", n, host.said())
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("a script has made a file")
	}
	kib := peakKiB(host.cmd.Process.Pid)
	t.Logf("the host took %d MiB at its peak", kib>>10)
	if kib > 1<<20 && !raceDetector {
		t.Errorf("the host took %d MiB at its peak, for scripts that may hold 256", kib>>10)
	}
	if code := host.quit(); code != 0 {
		t.Errorf("the host ended with %d\n%s", code, host.said())
	}
	if r := host.reported(); len(r.Errors) != len(scriptAttacks) {
		t.Errorf("the report has %d errors, want one for each of %d attacks: %+v", len(r.Errors), len(scriptAttacks), r.Errors)
	}
}

// leaningProject is the test project with an axis that --drive sine swings.
const leaningProject = `{"format_version": 1, "name": "Small", "network_contract": "asset://network/small", "main_scene": "scene://small/main",
  "scenes": [{"id": "scene://small/main", "path": "scenes/main.scene.json"}],
  "input": {"actions": {"lean": {"type": "axis1d", "context": "gameplay", "bindings": [{"input": "key:a"}]}}},
  "scripting": {"language": "lua54", "modules": []}}`

// raised waits for the host's next script error while bob lives on.
func raised(t *testing.T, host *process, bob *hand) map[string]any {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		select {
		case m, ok := <-host.lines:
			if !ok {
				t.Fatalf("a script ended the host\n%s", host.said())
			}
			if m["event"] == "script_error" && m["code"] == string(fault.Script) {
				return m
			}
		default:
			if err := bob.turn(2 * time.Millisecond); err != nil || bob.over {
				t.Fatalf("an attack cost another player the connection: %v, %q\n%s", err, bob.code, host.said())
			}
		}
	}
	t.Fatalf("no error was reported\n%s", host.said())
	return nil
}

// peakKiB is the most resident memory that a process ever had.
func peakKiB(pid int) (kib int) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	_, _ = fmt.Sscanf(rest, "%d", &kib)
	return kib
}
