package luabind

import lua "github.com/yuin/gopher-lua"

// What the engine's API has and this stage does not: prediction and the query
// history refuse with a reason, so that a game can tell and go on without.
// What the engine itself has removed stays removed.

const (
	noPrediction = "prediction is not available yet"
	noHistory    = "the query history is not available yet"
)

// refused is a function that refuses and returns value.
func (m *sessionModule) refused(name, reason string, value lua.LValue) Func {
	return Func{name, func(a Args) int {
		m.invalid(name + ": " + reason)
		a.L.Push(value)
		return 1
	}}
}

func (m *sessionModule) predictionFuncs() []Func {
	return []Func{
		m.refused("enable_prediction", noPrediction, lua.LFalse),
		m.refused("disable_prediction", noPrediction, lua.LFalse),
		m.refused("reset_prediction", noPrediction, lua.LFalse),
		m.refused("predict_input", noPrediction, lua.LNil),
		m.refused("prediction_state", noPrediction, lua.LNil),
		m.refused("prediction_visual_offset", noPrediction, lua.LNil),
		m.refused("remote_state", noPrediction, lua.LNil),
		m.refused("publish_snapshot", noPrediction, lua.LFalse),
		m.refused("record_query_snapshot", noHistory, lua.LFalse),
		m.refused("historical_raycast", noHistory, lua.LNil),
		m.refused("clear_query_history", noHistory, lua.LFalse),
		{"take_inputs", m.takeInputs},
		{"prediction_diagnostics", m.predictionDiagnostics},
		{"query_history_diagnostics", m.queryHistoryDiagnostics},
	}
}

// takeInputs returns the inputs of a controller, of which there are none.
func (m *sessionModule) takeInputs(a Args) int {
	m.invalid("take_inputs: " + noPrediction)
	a.L.Push(a.L.CreateTable(0, 0))
	return 1
}

// predictionDiagnostics has an entry for each predicted entity: none.
func (m *sessionModule) predictionDiagnostics(a Args) int {
	a.L.Push(a.L.CreateTable(0, 0))
	return 1
}

func (m *sessionModule) queryHistoryDiagnostics(a Args) int {
	t := a.L.CreateTable(0, 8)
	for _, name := range []string{"depth", "latest_tick", "recorded", "rejected", "dropped", "queries", "clamped_queries", "misses"} {
		t.RawSetString(name, lua.LNumber(0))
	}
	a.L.Push(t)
	return 1
}

func (m *sessionModule) removedFuncs() []Func {
	const claims = "was removed from the API: ownership is the host's to give, with transfer"
	return []Func{
		m.refused("register_entity", "was removed from the API: the host spawns, and owners call bind_local_entity", lua.LFalse),
		m.refused("set_authority", claims, lua.LFalse),
		m.refused("claim_authority", claims, lua.LFalse),
		m.refused("release_authority", claims, lua.LFalse),
		m.refused("claim", claims, lua.LFalse),
		m.refused("request_claim", claims, lua.LFalse),
		m.refused("release_claim", claims, lua.LFalse),
		m.refused("emit", "was removed from the API: send a message that the contract declares", lua.LFalse),
	}
}
