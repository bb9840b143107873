package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// definition is a named entry of a contract's messages or prefabs.
type definition struct{ name, text string }

var (
	pairPrefabs = []definition{
		{"ball", `{"prefab": "prefab://thing", "components": {"Transform2D": {"position": {"write_by": "owner"}}}}`},
		{"crate", `{"prefab": "prefab://thing", "components": {"Transform2D": {"rotation": {"write_by": "server"}}}}`},
		{"player", `{"prefab": "prefab://thing", "components": {"Transform2D": {"position": {"write_by": "owner"}, "rotation": {"write_by": "owner"}}}}`},
	}
	pairMessages = []definition{
		{"chat", `{"from": "all", "to": "all", "schema": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}}`},
		{"echo", `{"from": "all", "to": "all"}`},
		{"score", `{"from": "all", "to": "server", "schema": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}, "by": {"type": "string"}}}}`},
	}
)

// pairContract writes the contract with its definitions in that order.
func pairContract(reversed bool) string {
	object := func(list []definition) string {
		var parts []string
		for _, d := range list {
			parts = append(parts, fmt.Sprintf("%q: %s", d.name, d.text))
		}
		if reversed {
			slices.Reverse(parts)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	keys := []string{`"format_version": 1`, `"id": "network-contract://small/pair"`, `"replicated_prefabs": ` + object(pairPrefabs), `"messages": ` + object(pairMessages)}
	if reversed {
		slices.Reverse(keys)
	}
	return "{" + strings.Join(keys, ",\n") + "}"
}

// The host prints what it gets and tells the client when it has everything.
const pairHost = `local Session = require("demi.network.session")
local Game = {}
function Game:on_update()
  for _, e in ipairs(Session.process_events().events) do
    if e.name == "peer_joined" then
      for _, key in ipairs({"player", "ball", "crate"}) do Session.spawn(key, key, "server") end
    elseif e.name == "chat" then Debug.log("got chat/" .. e.data.text)
    elseif e.name == "score" then Debug.log("got score/" .. e.data.n)
    elseif e.name == "echo" then
      Debug.log("got echo/" .. e.data.k)
      Debug.log("rejected " .. Session.diagnostics().rejected_messages)
      Session.send("chat", nil, {text = "thanks"})
    end
  end
end
return Game
`

const pairClient = `local Session = require("demi.network.session")
local Game = {}
function Game:on_update()
  local update = Session.process_events()
  if update.connected then
    Session.send("chat", nil, {text = "a"})
    Session.send("score", nil, {n = 7})
    Session.send("echo", nil, {k = 1})
  end
  for _, e in ipairs(update.events) do
    if e.name == "entity_spawned" then Debug.log("spawned " .. e.data.prefab) end
    if e.name == "chat" then
      Debug.log("rejected " .. Session.diagnostics().rejected_messages)
      Session.disconnect()
    end
  end
end
return Game
`

// TestFieldLogB02IdsDoNotFollowTheOrderOfTheFile: the numbers of messages and
// prefabs on the wire come from the order of names. A client whose file says
// the same in the reverse order has an equal hash and must understand the host;
// a fresh pair of processes each time, so that no seed of a map hides a fault.
func TestFieldLogB02IdsDoNotFollowTheOrderOfTheFile(t *testing.T) {
	t.Parallel()
	here := project(t, files{"assets/network/small.network.json": pairContract(false), "scripts/game.lua": pairHost})
	there := project(t, files{"assets/network/small.network.json": pairContract(true), "scripts/game.lua": pairClient})
	for i := range 20 {
		host := withReport(t, "host", here, "--port", "0")
		client := start(t, "join", host.address(), there)
		if code := client.exit(); code != 0 {
			t.Fatalf("pair %d: the client ended with %d\n%s\n%s", i, code, client.said(), host.said())
		}
		if code := host.quit(); code != 0 {
			t.Fatalf("pair %d: the host ended with %d\n%s", i, code, host.said())
		}
		if got, want := told(host), "got chat/a; got score/7; got echo/1; rejected 0"; got != want {
			t.Errorf("pair %d: the host says %q, want %q", i, got, want)
		}
		if got, want := told(client), "spawned player; spawned ball; spawned crate; rejected 0"; got != want {
			t.Errorf("pair %d: the client says %q, want %q", i, got, want)
		}
		if r := host.reported(); r.Messages.Rejected != 0 || len(r.Refusals) != 0 || len(r.Errors) != 0 {
			t.Errorf("pair %d: the host counts %d rejected, %v, errors %v", i, r.Messages.Rejected, r.Refusals, r.Errors)
		}
		if t.Failed() {
			return
		}
	}
}

// told returns what a script printed, without the program's own words.
func told(p *process) string {
	var lines []string
	for _, line := range p.logged() {
		for _, word := range []string{"got ", "rejected ", "spawned "} {
			if strings.HasPrefix(line, word) {
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "; ")
}
