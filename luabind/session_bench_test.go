package luabind_test

import (
	goruntime "runtime"
	"slices"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"

	"demi.network/luabind"
)

// The work of bench.md's P5: a payload of five fields, an array of four bounded
// numbers, a bounded string and a nested object among them.
const benchContract = `{
	"format_version": 1, "id": "network-contract://test/bench",
	"limits": {"maximum_messages_per_second": 10000},
	"replicated_prefabs": {},
	"messages": {
		"shot": {"from": "all", "to": "server", "reliability": "unreliable", "rate_limit": 10000, "maximum_bytes": 512,
			"schema": {"type": "object", "additionalProperties": false, "required": ["color", "name", "at", "power", "ready"],
				"properties": {
					"color": {"type": "array", "minItems": 4, "maxItems": 4, "items": {"type": "number", "minimum": 0, "maximum": 1}},
					"name": {"type": "string", "maxLength": 32},
					"at": {"type": "object", "additionalProperties": false, "required": ["x", "y"],
						"properties": {"x": {"type": "number"}, "y": {"type": "number"}}},
					"power": {"type": "integer", "minimum": 0, "maximum": 100},
					"ready": {"type": "boolean"}}}}
	}
}`

const benchScript = `
local Session = require("demi.network.session")
local shot = {color = {0.2, 0.4, 0.8, 1}, name = "player one", at = {x = 1.5, y = -2.25}, power = 42, ready = true}
sent, got, last = 0, 0, 0
function burst(n)
  for i = 1, n do
    if Session.send("shot", nil, shot) then sent = sent + 1 end
  end
end
local function handle(event) got = got + 1 last = event.data.power end
function poll()
  local events = Session.process_events().events
  for i = 1, #events do handle(events[i]) end
end
function empty(n) for i = 1, n do nothing() end end
function callback() end
return {}
`

// benchPlay is a host and an active client.
func benchPlay(b *testing.B) (host, client *node, p *play) {
	b.Helper()
	p = newPlay(b, project(benchScript, benchContract), "")
	host = p.must("host", luabind.OpenedHost)
	client = p.must("client", luabind.OpenedClient)
	host.OnTick, client.OnTick = nil, func() { call(b, client, "poll", 0) }
	p.run(time.Second)
	call(b, host, "poll", 0)
	return host, client, p
}

func call(b *testing.B, n *node, name string, arg int) {
	s := n.game.State()
	if err := s.Call(s.Global(name), lua.LNumber(arg)); err != nil {
		b.Fatal(err)
	}
}

const burst = 50

// BenchmarkP5Send is Session.send of the payload, from Lua to the queue of the
// transport. Beside it, in the same run, a bare call from Lua into Go.
func BenchmarkP5Send(b *testing.B) {
	_, client, p := benchPlay(b)
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += burst {
		call(b, client, "burst", burst)
		b.StopTimer()
		p.run(20 * time.Millisecond)
		b.StartTimer()
	}
	b.StopTimer()
	if sent := client.game.State().Global("sent").(lua.LNumber); int(sent) < b.N {
		b.Fatalf("%v of %d were sent: %s", sent, b.N, client.Diagnostics().LastError)
	}
}

// BenchmarkP5BareLuaToGo is what a call from Lua into an empty Go function
// costs.
func BenchmarkP5BareLuaToGo(b *testing.B) {
	_, client, _ := benchPlay(b)
	client.game.State().SetGlobal("nothing", client.game.State().L.NewFunction(func(*lua.LState) int { return 0 }))
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += burst {
		call(b, client, "empty", burst)
	}
}

// BenchmarkP5Receive is one accepted message from the session's queue through
// process_events to a handler in Lua, fifty a call.
func BenchmarkP5Receive(b *testing.B) { benchReceive(b, burst) }

// BenchmarkP5ReceiveOne is the same with one message a call.
func BenchmarkP5ReceiveOne(b *testing.B) { benchReceive(b, 1) }

// benchReceive times the host's calls alone, and tells the median: the testing
// package's timer reads the memory's state at every stop, which costs more than
// one message.
func benchReceive(b *testing.B, each int) {
	host, client, p := benchPlay(b)
	var samples []time.Duration
	deliver := func() {
		call(b, client, "burst", each)
		p.run(20 * time.Millisecond)
	}
	for n := 0; n < b.N; n += each {
		deliver()
		start := time.Now()
		call(b, host, "poll", 0)
		samples = append(samples, time.Since(start))
	}
	slices.Sort(samples)
	per := func(total float64) float64 { return total / float64(each) }
	b.ReportMetric(per(float64(samples[len(samples)/2].Nanoseconds())), "ns/message")
	b.ReportMetric(per(float64(samples[0].Nanoseconds())), "least-ns")
	b.ReportMetric(0, "ns/op") // that would be sending and carrying as well
	deliver()
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	call(b, host, "poll", 0)
	goruntime.ReadMemStats(&after)
	b.ReportMetric(per(float64(after.Mallocs-before.Mallocs)), "allocs/message")
	if got := host.game.State().Global("got").(lua.LNumber); int(got) < b.N {
		b.Fatalf("%v of %d arrived", got, b.N)
	}
}

// BenchmarkP5BareGoToLua is what a call from Go of an empty Lua function costs.
func BenchmarkP5BareGoToLua(b *testing.B) {
	_, client, _ := benchPlay(b)
	b.ReportAllocs()
	for b.Loop() {
		call(b, client, "callback", 0)
	}
}
