package main

import (
	"strings"
	"testing"
)

// TestTheReportLeadsFromARefusalToItsRule: from a counter of a running host to
// the file and line of the contract's rule, without a look at the source.
func TestTheReportLeadsFromARefusalToItsRule(t *testing.T) {
	t.Parallel()
	dir := project(t, nil)
	host := withReport(t, "host", dir, "--port", "0")
	cheat := project(t, files{"scripts/game.lua": `local Session = require("demi.network.session")
local Game = {}
function Game:on_update()
  Session.process_events()
  Session.send("over", nil, {winner = "me"})
end
return Game`})
	client := start(t, "join", host.address(), cheat, "--unchecked", "--ticks", "30")
	if code := client.exit(); code != 0 {
		t.Errorf("the client ended with %d\n%s", code, client.said())
	}
	if code := host.quit(); code != 0 {
		t.Errorf("the host ended with %d\n%s", code, host.said())
	}
	line := 1 + strings.Count(smallContract[:strings.Index(smallContract, `"over"`)], "\n")
	r := host.reported()
	for _, f := range r.RefusedBy {
		if f.Reason == "unauthorized_sender" && f.Message == "over" && strings.HasSuffix(f.Path, "small.network.json") && f.Line == line &&
			f.Count > 0 && f.Count == r.Refusals[f.Reason] {
			return
		}
	}
	t.Errorf("the report tells of %+v, want unauthorized_sender of over at small.network.json:%d", r.RefusedBy, line)
}
