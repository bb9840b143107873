package luabind_test

import (
	"fmt"
	"testing"
	"time"

	"demi.network/luabind"
	"demi.network/runtime"
	"demi.network/session"
)

// disorderly is a script that calls anything at any moment: also inside loops
// over events, and inside handlers that such calls lead to.
const disorderly = `local S = NetworkSession
local M, ids, ents = {}, {}, {"game"}
local function pick(t) return t[math.random(#t)] end
local acts = {
  function() S.host(0) end,
  function() S.disconnect() end,
  function() if port then S.connect("127.0.0.1", port) end end,
  function() local id = S.spawn(pick{"crate", "flag", "hero"}, pick{nil, "e" .. math.random(20), ""}, pick{nil, "server", "peer1", "peer2", "peer3"}) if id then ids[#ids + 1] = id end end,
  function() if #ids > 0 then S.transfer(pick(ids), pick{"server", "peer1", "peer2", "peer3", "peer4"}) end end,
  function() if #ids > 0 then S.despawn(pick(ids)) end end,
  function() if #ids > 0 then S.bind_local_entity(pick(ids), pick{"game", "e" .. math.random(20), "b" .. math.random(20)}) end end,
  function() for i = 1, 10 do if #ids > 0 then S.update_entity(pick(ids), math.random()) end end end,
  function() for i = 1, 10 do if #ids > 0 then Transform.set_position(pick(ids), math.random(-100, 100), math.random()) end end end,
  function() S.send(pick{"chat", "echo", "order"}, nil, pick{{text = "x"}, {}, {1, 2}, {a = {b = 1}}}) end,
  function() if #ids > 0 then S.send(pick{"fire", "touch"}, pick(ids), {}) end end,
  function() S.start_session({n = math.random(100)}) end,
  function() S.kick(pick{"peer1", "peer2", "peer3"}) end,
  function() S.set_open(math.random(4) > 1) end,
  function() Prefab.instantiate("prefab://crate", {id = "b" .. math.random(20)}) end,
  function() Entity.destroy(pick{"b" .. math.random(20), "e" .. math.random(20), ids[1] or "x"}) end,
  function() Events.emit("x") end,
  function() S.configure({send_interval = math.random(), hold_ready = math.random(2) == 1}) end,
  function() S.ready() end,
  function() S.diagnostics() S.contract() S.current_session() S.remote_position("peer1") S.network_id_for_owner("server") end,
  function() S.process_events() end,
}
local weight = {}
for i = 1, #acts do weight[i] = i <= 2 and rare or i == 13 and 0.005 or 0.3 end
local function mess(n) if calm then return end for i = 1, n do local k = math.random(#acts) if math.random() < weight[k] then acts[k]() end end end
Events.subscribe("x", function() if math.random() < 0.5 then mess(3) end end)
function M:on_update()
  ticks = (ticks or 0) + 1
  local u = S.process_events()
  for _, e in ipairs(u.events) do
    seen = (seen or 0) + 1
    if e.data and e.data.network_id then ids[#ids + 1] = e.data.network_id end
    if #ids > 60 then table.remove(ids, 1) end
    mess(2)
  end
  mess(5)
  for _, id in ipairs(ids) do assert(type(S.has_authority(id)) == "boolean") local o = S.owner(id) assert(o == nil or type(o) == "string") end
end
return M`

// TestScriptsThatDoAnything: a host and three clients whose scripts act at random
// over a bad link, leave, come back and host anew. Nothing panics, no script is
// refused an answer of the documented type; and when they have calmed down, all
// that are left hold the same entities with the same owners.
func TestScriptsThatDoAnything(t *testing.T) {
	compared, runs := 0, 3
	if luabind.RaceEnabled {
		runs = 1
	}
	for run := range runs {
		p := newPlay(t, project("rare = "+[]string{"0", "0.0005", "0.01"}[run%3]+"\n"+disorderly, scenarioContract), "bad")
		p.must("host", luabind.OpenedHost)
		for i := range 3 {
			p.must(fmt.Sprintf("c%d", i), luabind.OpenedClient)
		}
		for i, n := range p.nodes {
			n.do(t, fmt.Sprintf("math.randomseed(%d) port = %d", run*10+i, p.nodes[0].LocalAddr().Port()))
		}
		p.run(12 * time.Second)
		for _, n := range p.nodes {
			n.do(t, "calm = true")
		}
		p.run(10 * time.Second)
		p.clean()
		for _, n := range p.nodes {
			if c := n.game.State().Counters(); c.Panics != 0 {
				t.Errorf("run %d, %s: %d faults of bindings", run, n.name, c.Panics)
			}
			compared += agree(t, n, p.nodes)
		}
	}
	if compared < runs {
		t.Errorf("only %d clients were compared with their hosts: the scripts do too much", compared)
	}
}

// agree compares a host with its clients and returns how many they are.
func agree(t *testing.T, host *node, nodes []*node) (compared int) {
	t.Helper()
	if host.Mode() != runtime.Hosting {
		return 0
	}
	for _, n := range nodes {
		if n.Mode() != runtime.Joined || n.Phase() != session.PhaseActive || n.Epoch() != host.Epoch() {
			continue
		}
		compared++
		if got, want := fmt.Sprint(n.Report().Entities), fmt.Sprint(host.Report().Entities); got != want {
			t.Errorf("%s holds %s, its host %s", n.name, got, want)
		}
	}
	return compared
}
