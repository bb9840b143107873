package luabind_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	lua "github.com/yuin/gopher-lua"

	"demi.network/luabind"
	"demi.network/runtime"
	"demi.network/runtime/fault"
)

var update = flag.Bool("update", false, "write what scenarios say as what they must say")

// scenarioContract is what scenarios without a contract.json of their own play.
const scenarioContract = `{
	"format_version": 1, "id": "network-contract://test/scenario",
	"replicated_prefabs": {
		"crate": {"prefab": "prefab://crate", "ownership": {"on_disconnect": "return_to_server"},
			"components": {"Transform2D": {"position": {"write_by": "owner", "rate": 30}}}},
		"flag": {"prefab": "prefab://crate", "ownership": {"on_disconnect": "transfer_by_game_policy"},
			"components": {"Transform2D": {"position": {"write_by": "owner", "rate": 30}}}},
		"hero": {"prefab": "prefab://crate", "ownership": {"default": "owner", "on_disconnect": "despawn"},
			"components": {"Transform2D": {"position": {"write_by": "owner", "rate": 30}}, "Sprite": {"color": {"write_by": "server"}}}}
	},
	"messages": {
		"chat": {"from": "all", "to": "all", "rate_limit": 100, "schema": {"type": "object", "properties": {"text": {"type": "string"}}}},
		"echo": {"from": "all", "to": "all", "rate_limit": 100},
		"order": {"from": "server", "to": "all", "rate_limit": 100},
		"fire": {"from": "owner", "to": "all", "target": "owned_entity", "rate_limit": 100},
		"touch": {"from": "all", "to": "server", "target": "entity", "rate_limit": 100}
	}
}`

// scenarioLibrary is scripts/t.lua: what scenarios write with.
const scenarioLibrary = `
local Session = require("demi.network.session")
local t = {Session = Session}
local function spell(v)
  if type(v) ~= "table" then
    return type(v) == "string" and string.format("%q", v) or tostring(v)
  end
  local keys, parts = {}, {}
  for k in pairs(v) do keys[#keys + 1] = k end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for _, k in ipairs(keys) do
    parts[#parts + 1] = (type(k) == "number" and "" or k .. "=") .. spell(v[k])
  end
  return "{" .. table.concat(parts, ", ") .. "}"
end
t.spell = spell
-- id hides the epoch of network ids, which differs from run to run of the seed.
function t.id(id) return (tostring(id):gsub("^net:%d+:", "net:E:")) end
function t.say(...)
  local parts = {}
  for i = 1, select("#", ...) do
    local v = select(i, ...)
    parts[i] = type(v) == "string" and v or spell(v)
  end
  print((table.concat(parts, " "):gsub("net:%d+:", "net:E:")))
end
-- check says what is not as it must be.
function t.check(what, got, want)
  if got ~= want then t.say("WRONG", what, "is", spell(got), "and must be", spell(want)) end
end
-- why is the word of the newest refusal.
function t.why() return (Session.diagnostics().last_error:match("^[^:]*")) end
-- each calls a handler for each event; other news are said.
function t.each(handlers)
  local update = Session.process_events()
  if update.connected and not Session.is_host() then t.say("connected") end
  if update.session_started then t.say("session", update.session) end
  for _, event in ipairs(update.events) do
    local handler = handlers[event.name] or handlers.any
    if handler then handler(event) end
  end
  if update.disconnected and not Session.is_host() then t.say("disconnected") end
  return update
end
return t
`

// scenario plays one archive: game.lua is every peer's script, "play" what
// happens, line by line, "want" what the peers' scripts print.
type scenario struct {
	*play
	out strings.Builder
}

func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/session/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) { runScenario(t, file) })
	}
}

func runScenario(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{"contract.json": scenarioContract, "link": ""}
	for _, f := range archive.Files {
		parts[f.Name] = string(f.Data)
	}
	more := []string{"scripts/t.lua", scenarioLibrary}
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "scripts/") {
			more = append(more, f.Name, string(f.Data))
		}
	}
	s := &scenario{play: newPlay(t, project(parts["game.lua"], parts["contract.json"], more...), strings.TrimSpace(parts["link"]))}
	for i, line := range strings.Split(parts["play"], "\n") {
		line, _, _ = strings.Cut(line, "#")
		if words := strings.Fields(line); len(words) > 0 {
			s.do(i+1, words)
		}
	}
	got := s.out.String()
	if got == parts["want"] {
		return
	}
	if !*update {
		t.Errorf("the peers said:\n%s\nand must say:\n%s", got, parts["want"])
		return
	}
	for i := range archive.Files {
		if archive.Files[i].Name == "want" {
			archive.Files[i].Data = []byte(got)
		}
	}
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// do carries out one line of a play.
func (s *scenario) do(line int, words []string) {
	s.t.Helper()
	fail := func(err any) { s.t.Fatalf("play:%d: %s: %v", line, strings.Join(words, " "), err) }
	if words[0] == "run" {
		d, err := time.ParseDuration(words[1])
		if err != nil {
			fail(err)
		}
		s.run(d)
		return
	}
	name := words[1]
	switch words[0] {
	case "host", "join", "offline":
		opened := map[string]luabind.Opened{"host": luabind.OpenedHost, "join": luabind.OpenedClient}[words[0]]
		s.tell = func(n *node, line string) { fmt.Fprintf(&s.out, "%s: %s\n", n.name, line) }
		s.change = func(cfg *runtime.Config) { cfg.Unchecked = len(words) > 2 && words[2] == "unchecked" }
		if _, err := s.node(name, opened); err != nil {
			fmt.Fprintf(&s.out, "%s does not load: %v\n", name, err)
		}
		return
	}
	n := s.find(name)
	if n == nil {
		fail("no such peer")
	}
	switch words[0] {
	case "call":
		if err := n.game.State().Call(n.game.State().Global(words[2]), arguments(words[3:])...); err != nil {
			fmt.Fprintf(&s.out, "%s: error: %v\n", name, err)
		}
	case "dial": // calls again(port) with another peer's port
		port := lua.LNumber(s.find(words[2]).LocalAddr().Port())
		if err := n.game.State().Call(n.game.State().Global("again"), port); err != nil {
			fmt.Fprintf(&s.out, "%s: error: %v\n", name, err)
		}
	case "hush", "wake":
		n.quiet = words[0] == "hush"
	case "set":
		v, err := strconv.ParseFloat(words[3], 64)
		if err != nil || !n.scene.Input.Set(words[2], v) {
			fail("no such action")
		}
	case "stop":
		n.game.Stop()
		n.quiet = true
		n.Close(fault.Left, "left")
	case "errors":
		s.out.WriteString(errorsOf(n))
	default:
		fail("no such command")
	}
}

func (p *play) find(name string) *node {
	for _, n := range p.nodes {
		if n.name == name {
			return n
		}
	}
	return nil
}

func arguments(words []string) (args []lua.LValue) {
	for _, w := range words {
		if v, err := strconv.ParseFloat(w, 64); err == nil {
			args = append(args, lua.LNumber(v))
			continue
		}
		args = append(args, lua.LString(w))
	}
	return args
}
