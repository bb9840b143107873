package luabind_test

import (
	"strings"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"

	"demi.network/contract/payload"
	"demi.network/luabind"
)

// do runs Lua in a node's sandbox and fails the test when it raises.
func (n *node) do(t *testing.T, text string) {
	t.Helper()
	if _, err := n.game.State().Load("test.lua", []byte(text)); err != nil {
		t.Fatal(err)
	}
}

const prelude = `Session = require("demi.network.session") t = require("t") `

// table is a script that keeps out of the way, with the scenario library.
func idle(t *testing.T) *play {
	return newPlay(t, project("return {}", scenarioContract, "scripts/t.lua", scenarioLibrary), "")
}

// TestWhoOpensTheSession: under host and join the program has opened it, and
// the script's first call of that kind answers for it; with neither the
// script's own call is the real one.
func TestWhoOpensTheSession(t *testing.T) {
	p := idle(t)
	host := p.must("host", luabind.OpenedHost)
	host.do(t, prelude+`
		t.check("connect under host", Session.connect("127.0.0.1", 1), false)
		t.check("why", t.why(), "invalid_operation")
		t.check("host", Session.host(1234), true)
		t.check("host again", Session.host(1234), false)
		t.check("why", t.why(), "invalid_operation")
		t.check("is_host", Session.is_host(), true)
		Session.disconnect()
		t.check("a real one", Session.host(4321), true)
		Session.disconnect()
		t.check("the system's choice", Session.host(0), true)`)
	client := p.must("client", luabind.OpenedClient)
	client.do(t, prelude+`
		t.check("sender before the handshake", Session.sender_id(), "client")
		t.check("host under join", Session.host(1), false)
		t.check("why", t.why(), "invalid_operation")
		t.check("connect", Session.connect("192.0.2.1", 9), true)
		t.check("connect again", Session.connect("127.0.0.1"), false)
		t.check("why", t.why(), "invalid_operation")
		t.check("is_host", Session.is_host(), false)`)
	p.run(time.Second)
	client.do(t, prelude+`
		t.check("sender", Session.sender_id(), "peer1")
		t.check("is_connected", Session.is_connected(), true)
		local u = Session.process_events()
		t.check("connected", u.connected, true)
		t.check("once", Session.process_events().connected, false)
		t.check("phase", Session.diagnostics().phase, "active")
		t.check("secure_ready", Session.diagnostics().secure_ready, true)
		t.check("secure", Session.diagnostics().secure, false)`)
	run := p.must("run", luabind.OpenedNothing)
	run.do(t, prelude+`
		for _, address in ipairs({"localhost", "LOCALHOST", "127.0.0.1"}) do
			t.check(address, Session.connect(address, 4321), true)
			t.check("host while connecting", Session.host(1), false)
			Session.disconnect()
		end
		for _, address in ipairs({"example.com", "", "127.0.0.1:80", "999.0.0.1", "0.0.0.0", "224.0.0.1"}) do
			t.check(address, Session.connect(address, 4321), false)
			t.check(address, t.why(), "E_NET_ADDRESS")
		end
		for _, port in ipairs({-1, 0, 65536, 7777.5, 1e300, 0/0}) do
			t.check("connect to " .. tostring(port), Session.connect("127.0.0.1", port), false)
			if port ~= 0 then t.check("host on " .. tostring(port), Session.host(port), false) end
			t.check("why", t.why(), "invalid_operation")
		end
		t.check("still offline", Session.diagnostics().mode, "offline")`)
	for _, n := range p.nodes {
		wantLog(t, n, n.name+" found something wrong")
	}
	p.clean()
}

// TestReturnsAreExact holds each function to its returns, by number and type:
// games test them.
func TestReturnsAreExact(t *testing.T) {
	p := idle(t)
	host := p.must("host", luabind.OpenedHost)
	one := p.must("one", luabind.OpenedClient)
	p.run(time.Second)
	host.do(t, prelude+`
		local function returns(what, want, ...)
			local got = {}
			for i = 1, select("#", ...) do got[i] = type((select(i, ...))) == "boolean" and tostring((select(i, ...))) or type((select(i, ...))) end
			t.check(what, table.concat(got, " "), want)
		end
		returns("configure", "", Session.configure({send_interval = 0.05, interpolation_delay = 0.1, remote_prefab = {name = "x"}}))
		returns("is_connected", "true", Session.is_connected())
		returns("is_host", "true", Session.is_host())
		returns("sender_id", "string", Session.sender_id())
		returns("start_session", "", Session.start_session({scene_id = "a", seed = 3}))
		returns("current_session", "table", Session.current_session())
		returns("contract", "table", Session.contract())
		id = Session.spawn("hero", "e", "peer1")
		returns("spawn", "string", id)
		returns("spawn twice", "nil", Session.spawn("hero", "e", "peer1"))
		t.check("why", t.why(), "duplicate_entity")
		returns("spawn without an owner", "nil", Session.spawn("hero", "f"))
		t.check("why", t.why(), "invalid_owner")
		returns("spawn of nothing", "nil", Session.spawn("dragon", "f", "server"))
		t.check("why", t.why(), "unknown_prefab")
		returns("owner", "string", Session.owner(id))
		returns("owner of nothing", "nil", Session.owner("net:1:99"))
		returns("has_authority", "false", Session.has_authority(id))
		returns("network_id_for_owner", "string", Session.network_id_for_owner("peer1"))
		returns("network_id_for_owner", "nil", Session.network_id_for_owner("peer9"))
		returns("bind_local_entity", "true", Session.bind_local_entity(id, "e"))
		returns("bind_local_entity", "false", Session.bind_local_entity(id, "nobody"))
		returns("send", "true", Session.send("order", nil, {}))
		returns("send", "false", Session.send("nothing", nil, {}))
		t.check("why", t.why(), "unknown_message")
		returns("update_entity", "true", Session.update_entity(id, 0))
		returns("update_entity", "true", Session.update_entity(id, 0))
		returns("update_entity", "false", Session.update_entity("net:1:99", 1))
		returns("remote_position", "number number", Session.remote_position("peer1"))
		returns("remote_position", "nil nil", Session.remote_position("peer7"))
		returns("transfer", "true", Session.transfer(id, "server"))
		returns("transfer", "false", Session.transfer(id, "peer7"))
		t.check("why", t.why(), "invalid_owner")
		returns("despawn", "true", Session.despawn(id))
		returns("despawn", "false", Session.despawn(id))
		t.check("why", t.why(), "unknown_entity")
		returns("kick", "false", Session.kick("peer9"))
		returns("set_open", "true", Session.set_open(true))
		returns("ready", "false", Session.ready())
		for _, name in ipairs({"register_entity", "set_authority", "emit", "claim_authority"}) do
			returns(name, "false", NetworkSession[name]("x"))
			t.check(name, t.why(), "invalid_operation")
		end
		for _, name in ipairs({"enable_prediction", "disable_prediction", "reset_prediction", "publish_snapshot", "record_query_snapshot", "clear_query_history"}) do
			returns(name, "false", Session[name](id, {}))
			t.check(name, Session.diagnostics().last_error:match("not available yet$"), "not available yet")
		end
		for _, name in ipairs({"predict_input", "prediction_state", "prediction_visual_offset", "remote_state", "historical_raycast"}) do
			returns(name, "nil", Session[name](id, {}))
		end
		returns("take_inputs", "table", Session.take_inputs(id))
		returns("prediction_diagnostics", "table", Session.prediction_diagnostics())
		returns("query_history_diagnostics", "table", Session.query_history_diagnostics())
		t.check("queries", Session.query_history_diagnostics().queries, 0)
		local u = Session.process_events()
		t.check("fields", t.spell({type(u.connected), type(u.disconnected), type(u.session_started), type(u.session), type(u.messages), type(u.events)}),
			'{"boolean", "boolean", "boolean", "nil", "number", "table"}')
		t.check("a new table each time", Session.process_events().events == Session.process_events().events, false)
		local d, kinds = Session.diagnostics(), {mode = "string", local_peer_id = "string", connected = "boolean", secure = "boolean", latency_ms = "number",
			connected_peers = "number", sent_messages = "number", received_messages = "number", rejected_messages = "number", session_epoch = "number",
			contract_hash = "string", secure_accepted_messages = "number", secure_rejected_messages = "number", secure_ready = "boolean", phase = "string", last_error = "string"}
		for name, kind in pairs(kinds) do t.check(name, type(d[name]), kind) end
		t.check("contract_hash", d.contract_hash, Session.contract().compatibility_hash)
		t.check("meaning_hash", #Session.contract().meaning_hash, #"sha256:" + 64)
		t.check("active", Session.contract().active, true)
		returns("disconnect", "", Session.disconnect())
		t.check("one table under two names", NetworkSession, Session)`)
	one.do(t, prelude+`
		t.check("spawn", Session.spawn("crate", "c"), nil)
		t.check("why", t.why(), "not_server")
		t.check("order", Session.send("order", nil, {}), false)
		t.check("why", t.why(), "unauthorized_sender")
		t.check("start_session", Session.start_session({}), false)`)
	for _, n := range p.nodes {
		wantLog(t, n, n.name+" found something wrong")
	}
	p.clean()
}

// TestKick: a kick's text and code reach both sides.
func TestKick(t *testing.T) {
	p := idle(t)
	host := p.must("host", luabind.OpenedHost)
	one := p.must("one", luabind.OpenedClient)
	p.run(time.Second)
	host.do(t, prelude+`Session.process_events() t.check("kick", Session.kick("peer1", "too loud"), true)`)
	p.run(2 * time.Second)
	host.do(t, prelude+`
		local u = Session.process_events()
		t.check("disconnected", u.disconnected, true)
		t.check("event", u.events[1].name, "peer_left")
		t.check("code", u.events[1].data.code, "E_NET_KICKED")`)
	one.do(t, prelude+`t.check("disconnected", Session.process_events().disconnected, true) t.check("mode", Session.diagnostics().mode, "offline")`)
	if end := one.Ending(); end == nil || end.Text != "too loud" {
		t.Errorf("the kicked player learns why: %v", end)
	}
	wantLog(t, host, "the host found something wrong")
	wantLog(t, one, "the client found something wrong")
}

// TestFieldLogB42: a null on the wire is nil in Lua, where the schema allows it;
// never a userdata.
func TestFieldLogB42NullIsNil(t *testing.T) {
	p := newPlay(t, project(`return {}`, `{
		"format_version": 1, "id": "network-contract://test/null", "replicated_prefabs": {},
		"messages": {
			"opt": {"from": "all", "to": "all", "schema": {"type": "object", "required": ["a"], "properties": {"a": {"type": ["integer", "null"]}}}},
			"bag": {"from": "all", "to": "all", "schema": {"type": "object", "properties": {"items": {"type": "array", "items": {"type": "integer"}}}}}
		}}`, "scripts/t.lua", scenarioLibrary), "")
	host := p.must("host", luabind.OpenedHost)
	one := p.must("one", luabind.OpenedClient)
	p.run(time.Second)
	host.do(t, prelude+`Session.process_events()`)
	null := func(sink *payload.Sink) error {
		sink.BeginObject()
		sink.Name("a")
		sink.Null()
		sink.End()
		return sink.Err()
	}
	if err := one.Send("opt", "", null); err != nil {
		t.Fatal(err)
	}
	one.do(t, prelude+`
		t.check("missing", Session.send("opt", nil, {}), false)
		t.check("a hole", Session.send("bag", nil, {items = {1, nil, 3}}), false)
		t.check("null", Session.send("opt", nil, {a = 4}), true)`)
	p.run(time.Second)
	host.do(t, prelude+`
		local e = Session.process_events().events
		t.check("events", #e, 2)
		t.check("null", e[1].data.a, nil)
		t.check("4", e[2].data.a, 4)`)
	wantLog(t, host, "the host found something wrong")
	wantLog(t, one, "the client found something wrong")
}

// TestFieldLogB108 calls every function of the session and of the services with
// everything a script can get hold of: it returns, or raises a Lua error that
// names the argument; never a Go panic, never another state.
func TestFieldLogB108AnyArgument(t *testing.T) {
	p := idle(t)
	p.limits.Instructions, p.limits.LoadInstructions = 1e9, 1e9
	host := p.must("host", luabind.OpenedHost)
	client := p.must("client", luabind.OpenedClient)
	off := p.must("off", luabind.OpenedNothing)
	p.run(time.Second)
	big := strings.Repeat("x", 1<<20)
	nodes := []*node{off, client, host}
	if luabind.RaceEnabled {
		nodes = nodes[2:]
	}
	for _, n := range nodes {
		n.game.State().SetGlobal("big", lua.LString(big))
		n.do(t, prelude+`
			local nothing = {}
			local values = {nothing, true, -1, 0, 1.5, 1e300, 0/0, "", big, {}, print, coroutine.create(print), Session}
			local function pick(i) local v = values[i] if v == nothing then return nil end return v end
			local mode = Session.diagnostics().mode
			local calls, raised = 0, 0
			local function try(module, name, ...)
				calls = calls + 1
				local ok, text = pcall(module[name], ...)
				if not ok then
					raised = raised + 1
					if type(text) ~= "string" or not (text:find("bad argument #%d to '" .. name .. "' %(.*%)$") or text:find("Events: ")) then
						t.say("WRONG", name, "raised", tostring(text):sub(1, 200))
					end
				end
				if Session.diagnostics().mode ~= mode then
					if mode == "offline" then Session.disconnect() else return false end
				end
				return true
			end
			local services = {Session, Transform, Rigidbody2D, Physics2D, Input, Events, Entity, Prefab, Sprite2D, Debug, Application}
			for s, module in ipairs(services) do
				local names = {}
				for name, f in pairs(module) do
					if type(f) == "function" and not (mode ~= "offline" and name == "disconnect") and name ~= "log" then names[#names + 1] = name end
				end
				for _, name in ipairs(names) do
					try(module, name)
					for i = 1, #values do
						try(module, name, pick(i))
						try(module, name, module, pick(i))
						for j = 1, #values do
							if (i + j) % 2 == 0 or i < 4 then try(module, name, pick(i), pick(j)) end
							local k, l = (i * 7 + j * 3) % #values + 1, (i * 5 + j * 11) % #values + 1
							if (i + j) % 4 == 1 then try(module, name, pick(i), pick(j), pick(k)) end
							if (i + j) % 4 == 3 then try(module, name, module, pick(k), pick(i), pick(l), pick(j)) end
						end
					end
				end
			end
			t.check("mode", Session.diagnostics().mode, mode)
			if calls < 10000 or raised < 1000 then t.say("WRONG only", calls, raised) end
			for _, bad in ipairs({"7777", {}, true}) do
				t.check("host", (pcall(Session.host, bad)), false)
			end`)
		if len(n.log) > 0 {
			if wrong := n.said("WRONG"); len(wrong) > 0 {
				t.Errorf("%s: %d wrong, first %s", n.name, len(wrong), wrong[0])
			}
		}
		if c := n.game.State().Counters(); c.Panics > 0 {
			t.Errorf("%s: %d panics in bindings", n.name, c.Panics)
		}
	}
	p.run(time.Second)
}

func TestConfigure(t *testing.T) {
	p := idle(t)
	n := p.must("one", luabind.OpenedNothing)
	n.do(t, prelude+`
		local function wrong(options, want)
			local ok, text = pcall(function() Session.configure(options) end)
			t.check("accepted", ok, false)
			t.check("text", text:match("configure' (.*)$"), want)
		end
		wrong({port = 70000}, "(option 'port': a whole number from 0 to 65535 expected)")
		wrong({port = "x"}, "(option 'port': number expected, got string)")
		wrong({send_interval = 0/0}, "(option 'send_interval': seconds from 0 to 3600 expected)")
		wrong({max_peers = 1.5}, "(option 'max_peers': a whole number from 0 to 1048576 expected)")
		wrong({remote_prefab = 1}, "(option 'remote_prefab': table expected, got number)")
		Session.configure({port = 4567, some_engine_option = "kept out"})
		t.check("host", Session.host(), true)
		Session.disconnect()
		Session.configure({certificate = "cert.pem", private_key = "key.pem"})
		t.check("a certificate must not be left out in silence", Session.host(), false)
		t.check("why", t.why(), "E_NET_SECURE_REQUIRED")`)
	wantLog(t, n, "something is wrong")
}
