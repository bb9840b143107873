package main

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"demi.network/runtime/fault"
	"demi.network/schemas"
)

// eventful is a game in which everything happens that a report can tell of.
const eventful = `local Session = require("demi.network.session")
local Game, ticks, mine, lent = {}, 0, {}, nil
function Game:on_create() Session.host(0) end
function Game:on_update(dt)
  for _, e in ipairs(Session.process_events().events) do
    if e.name == "peer_joined" then
      table.insert(mine, Session.spawn("thing", nil, e.sender_id))
      table.insert(mine, Session.spawn("thing", nil, "server"))
      Session.transfer(mine[#mine], e.sender_id)
      Session.despawn(Session.spawn("thing", nil, "server"))
      Session.send("chat", nil, {text = "hello"})
    end
  end
  Session.send("chat", nil, {text = 7}) -- refused
end
return Game
`

// TestReportsMatchTheirSchema checks what a host, a player and an observer
// write, the first of which lists at least one of everything. The schema tells
// of every key that there is.
func TestReportsMatchTheirSchema(t *testing.T) {
	t.Parallel()
	schema := strictReportSchema(t)
	dir := project(t, files{"scripts/game.lua": eventful})
	host := withReport(t, "host", dir, "--port", "0", "--name", "hal")
	addr := host.address()
	eve := withReport(t, "join", addr, "--name", "eve")
	eve.event("active")
	player := withReport(t, "join", addr, dir, "--name", "ann", "--ticks", "40")
	stranger := start(t, "join", addr, project(t, files{"assets/network/small.network.json": edit(t, smallContract, `"maxLength": 64}}, "additionalProperties": false}},
    "over"`, `"maxLength": 63}}, "additionalProperties": false}},
    "over"`)}))
	if code, _ := stranger.code(); code != string(fault.ContractMismatch) {
		t.Fatalf("the stranger ended with %q\n%s", code, stranger.said())
	}
	player.exit()
	again := start(t, "join", addr, dir, "--ticks", "20") // by its end the observer has heard of ann's
	again.exit()
	eve.quit()
	host.quit()
	for _, p := range []*process{host, player, eve} {
		b, err := os.ReadFile(p.report)
		if err != nil {
			t.Fatalf("%v\n%s", err, p.said())
		}
		var v any
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("the report of %v: %#v\n%.2000s", p.cmd.Args[1:3], err, b)
		}
	}
	h := host.reported()
	for what, n := range map[string]int{"peers": len(h.Peers), "spawns": len(h.Spawns), "despawns": len(h.Despawns), "ownerships": len(h.Ownerships),
		"leaves": len(h.Leaves), "hashes": len(h.Hashes), "refusals": len(h.Refusals), "messages by name": len(h.Messages.ByName), "errors": len(h.Errors)} {
		if n == 0 {
			t.Errorf("the host's report lists no %s, so the schema was not asked about them", what)
		}
	}
}

// strictReportSchema is the schema with every object closed.
func strictReportSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	b, err := schemas.FS.ReadFile(schemas.Report)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	closeObjects(v)
	if b, err = json.Marshal(v); err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(schemas.Report, bytes.NewReader(b)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(schemas.Report)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeObjects(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, x := range v {
			closeObjects(x)
		}
		if _, object := v["properties"].(map[string]any); object && v["type"] == "object" {
			v["additionalProperties"] = false
		}
	case []any:
		for _, x := range v {
			closeObjects(x)
		}
	}
}
