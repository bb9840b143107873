package session

// Phase is where a connection stands.
type Phase uint8

// The phases, in the order a connection goes through them.
const (
	PhaseClosed        Phase = iota // not connected, or over
	PhaseConnected                  // the transport stands; nobody has been welcomed
	PhaseAuthenticated              // welcomed: version, contract, name and place are settled
	PhaseReady                      // the client has loaded its scene; retained spawns are on their way
	PhaseActive                     // everything may be sent
	PhaseReconnecting               // dropped, may resume within the grace time
	phaseCount
)

var phaseNames = [phaseCount]string{"closed", "connected", "authenticated", "ready", "active", "reconnecting"}

// String returns the phase's name as diagnostics spell it.
func (p Phase) String() string {
	if p < phaseCount {
		return phaseNames[p]
	}
	return "invalid"
}

// phases is a set of phases.
type phases uint8

func (p Phase) bit() phases       { return 1 << p }
func (s phases) has(p Phase) bool { return s&p.bit() != 0 }
func setOf(list ...Phase) (s phases) {
	for _, p := range list {
		s |= p.bit()
	}
	return s
}

// moves[p] are the phases that p may move to. Closing is always legal.
var moves = [phaseCount]phases{
	PhaseClosed:        setOf(PhaseConnected),
	PhaseConnected:     setOf(PhaseClosed, PhaseAuthenticated),
	PhaseAuthenticated: setOf(PhaseClosed, PhaseReady, PhaseReconnecting),
	PhaseReady:         setOf(PhaseClosed, PhaseActive, PhaseReconnecting),
	PhaseActive:        setOf(PhaseClosed, PhaseReady, PhaseReconnecting),
	PhaseReconnecting:  setOf(PhaseClosed, PhaseAuthenticated),
}

// machine is a phase with its one setter and the time it was entered.
type machine struct {
	phase Phase
	since nanos
}

// set moves to p. A move that the table lacks is a mistake of this package,
// whatever a peer sent, and panics.
func (m *machine) set(p Phase, now nanos) {
	if p == m.phase && p == PhaseClosed {
		return
	}
	if !moves[m.phase].has(p) {
		panic("session: BUG: illegal move from " + m.phase.String() + " to " + p.String())
	}
	m.phase, m.since = p, now
}
