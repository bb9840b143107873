package runtime

import (
	"net/netip"
	"time"

	"demi.network/contract"
	"demi.network/runtime/transport"
	"demi.network/session"
)

// DefaultPort is the port that a host listens on when it is given none.
const DefaultPort = 39420

// MaxCatchUp is the most ticks one Advance returns; what is due beyond them
// is skipped and counted.
const MaxCatchUp = 5

// The defaults of zero values, and of a contract that was not loaded but made.
const (
	defaultTickRate     = 30 // Hz
	defaultSendInterval = 1.0 / 60
)

// Config makes a Peer. Contract, Listen and Dial are needed; zero means the
// documented default for the rest.
type Config struct {
	// Contract may be nil for an Observer: it is given its host's, in the
	// Document event that it polls, and needs no Listen either.
	Contract *contract.Contract
	Scene    Scene // nil: rows only

	// Listen opens what hosts; port 0 lets the system choose.
	Listen func(port int) (transport.Host, error)
	// Dial opens what connects to to; the Peer then calls its Dial.
	Dial func(to netip.AddrPort) (transport.Host, error)
	// Entropy draws the epoch of a hosted session. nil: 1, 2, 3, …, for tests
	// that want the same bytes every time.
	Entropy func() uint32
	Rules   session.Rules // nil: the contract's own

	PlayerName string // 1…32 code points; "" = "player"
	Build      string // of the game, told to the other side
	MaxPlayers int    // 0 = the contract's session.max_players
	Observer   bool   // join without playing: receive what is for all, own and send nothing
	// ReadyTimeout is how long a host waits for a client's Ready before it
	// drops it; 0 = session.ReadyTimeout.
	ReadyTimeout time.Duration
	// Unchecked leaves out the local checks before sending, for tests of the
	// host's own checks.
	Unchecked bool
	// FirstTick is the tick that a session starts at, for tests of long ones.
	FirstTick uint32
}

// Options are what configure sets. Seconds unless said; zero means the
// documented default, a negative number means 0.
type Options struct {
	SendInterval float64 // shortest time between publications of an entity: 1/60
	Port         int     // of Host(0): DefaultPort
	MaxPeers     int     // 0 = Config.MaxPlayers
	// HoldReady keeps a client authenticated until Ready is called, for a game
	// that loads a scene first. It holds at once, also for a client that waits
	// for its welcome. The host waits Config.ReadyTimeout.
	HoldReady bool
}
