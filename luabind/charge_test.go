package luabind_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"demi.network/luabind"
)

// TestWorkInGoIsCharged: an endless loop over any call ends within the budget,
// after fewer calls than instructions, the fewer the more a call does.
func TestWorkInGoIsCharged(t *testing.T) {
	const budget = 200_000
	for _, c := range []struct {
		call string
		most int // calls that a budget may pay for
	}{
		{`Session.send("echo", nil, data)`, budget / 500},
		{`Session.start_session(data)`, budget / 500},
		{`Session.diagnostics()`, budget / 400},
		{`Session.process_events()`, budget / 100},
		{`Session.remote_position("peer77")`, budget / 5},
		{`Session.spawn("crate", nil, "server")`, budget / 200},
		{`Physics2D.raycast(0, 0, 1, 0, 100)`, budget / 400},
		{`Entity.find("nobody")`, budget / 90},
		{`Entity.destroy("nobody")`, budget / 100},
		{`Entity.set_field("wall1", "Transform2D", "note", "x")`, budget / 400},
		{`Prefab.instantiate("prefab://nothing")`, budget / 400},
		{`Debug.log(long)`, budget / 250},
		{`Session.configure({port = 1})`, budget / 100},
		{`Session.disconnect() Session.host(0)`, budget / 5000},
		{`Session.disconnect() Session.connect("127.0.0.1", 9)`, budget / 5000},
		{`Session.kick("peer9")`, budget / 1000},
		{`Session.send("echo", nil, odd)`, budget / 500},
		{`Session.send("echo", nil, emptied)`, budget / 100},
		{`Entity.set_field("wall1", "Transform2D", "note", emptied)`, budget / 400},
		{`Events.emit("many")`, budget / 5000},
		{`Events.emit("failing")`, budget / 1000},
		{`Events.emit("nobody")`, budget / 12},
		{`pcall(require, "missing")`, budget / 1000},
		{`pcall(error, "x")`, budget / 90},
		{`nested(40)`, budget / 5000},
		{`tonumber(long, 36)`, budget / 5},
		{`string.byte(long, 1, 2000)`, budget / 1000},
		{`string.char(string.byte(long, 1, 200))`, budget / 200},
		{`os.date("%c%c%c")`, budget / 70},
		{`string.format("%99.99f", 1e308)`, budget / 350},
		{`next(emptied)`, budget / 1400},
		{`next(tailed, "first")`, budget / 1400},
	} {
		p := newPlay(t, project("return {}", scenarioContract), "")
		p.limits.LoadInstructions = budget
		n := p.must("host", luabind.OpenedHost)
		n.do(t, `Session, data, long, calls = NetworkSession, {}, ("x"):rep(8000), 0
			for i = 1, 100 do data[i] = {i} end
			odd, emptied = {}, {}
			for i = 1, 500 do odd[i + 0.5] = i end
			for i = 1, 3000 do emptied["k" .. i] = i end
			for i = 1, 3000 do emptied["k" .. i] = nil end
			function nested(n) if n > 0 then pcall(nested, n - 1) end end
			tailed = {first = 1}
			for i = 1, 3000 do tailed["k" .. i] = i end
			for i = 1, 2999 do tailed["k" .. i] = nil end
			for i = 1, 100 do Events.subscribe("many", function() end) end
			Events.subscribe("failing", error)`)
		n.do(t, `for i = 1, 400 do Prefab.instantiate("prefab://crate", {id = "wall" .. i}) end`)
		before := n.log
		_, err := n.game.State().Load("loop.lua", []byte("while true do calls = calls + 1 "+c.call+" end"))
		calls, _ := strconv.Atoi(n.global("calls"))
		if err == nil || n.game.State().Counters().Budget != 1 || calls > c.most || calls == 0 {
			t.Errorf("%s: %d calls of at most %d, %v", c.call, calls, c.most, fmt.Sprint(err))
		}
		n.log = before
		p.run(100 * time.Millisecond)
	}
}
