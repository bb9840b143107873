package fault

// Code is a stable, documented name of a fault. Codes are never renamed.
type Code string

// Codes of connections, commands and the command line.
const (
	Bind             Code = "E_NET_BIND"
	BindRefused      Code = "E_NET_BIND_REFUSED"
	Address          Code = "E_NET_ADDRESS"
	Version          Code = "E_NET_VERSION"
	Full             Code = "E_NET_FULL"
	Timeout          Code = "E_NET_TIMEOUT"
	Refused          Code = "E_NET_REFUSED"
	Kicked           Code = "E_NET_KICKED"
	SceneMismatch    Code = "E_NET_SCENE_MISMATCH"
	Config           Code = "E_NET_CONFIG"
	Protocol         Code = "E_NET_PROTOCOL"
	MessageTooLarge  Code = "E_NET_MESSAGE_TOO_LARGE"
	NotHosting       Code = "E_NET_NOT_HOSTING"
	AlreadyHosting   Code = "E_NET_ALREADY_HOSTING"
	NotConnected     Code = "E_NET_NOT_CONNECTED"
	ClientExists     Code = "E_NET_CLIENT_EXISTS"
	PlayerUnknown    Code = "E_NET_PLAYER_UNKNOWN"
	Phase            Code = "E_NET_PHASE"
	NotHost          Code = "E_NET_NOT_HOST"
	Scene            Code = "E_NET_SCENE"
	ContractMismatch Code = "E_NET_CONTRACT_MISMATCH"
	SecureRequired   Code = "E_NET_SECURE_REQUIRED"
	Script           Code = "E_NET_SCRIPT"
	Shutdown         Code = "E_NET_SHUTDOWN"
	Left             Code = "E_NET_LEFT"
	Backlog          Code = "E_NET_BACKLOG"
	Flood            Code = "E_NET_FLOOD"
	Name             Code = "E_NET_NAME"
	Usage            Code = "E_NET_USAGE"
	Internal         Code = "E_NET_INTERNAL"
	NotConverged     Code = "E_NET_NOT_CONVERGED"
)

// Entry documents one code.
type Entry struct {
	Code Code
	Doc  string // one sentence, as docs/errors.md prints it
	Exit int    // exit code of the command line: 1, 2 (usage) or 5 (cannot bind)
	Wire uint16 // number in Refuse and Goodbye frames; never reused; 0 = never sent
}

// Table lists every code in the order of the documentation. Wire numbers are
// part of the protocol: append, never renumber.
var Table = []Entry{
	{Bind, "The UDP socket could not be bound.", 5, 0},
	{BindRefused, "Binding a non-loopback address needs an explicit --bind.", 5, 0},
	{Address, "An address is not host:port, or a name could not be resolved.", 2, 0},
	{Version, "Host and client speak different protocol versions; data has both.", 1, 1},
	{Full, "The host has no free player slot.", 1, 2},
	{Timeout, "The peer stopped answering, or never answered.", 1, 3},
	{Refused, "The host refused the connection; the text says why.", 1, 4},
	{Kicked, "The host removed this player; the text says why.", 1, 5},
	{SceneMismatch, "The client's scene differs from the host's.", 1, 6},
	{Config, "The project, contract or net game file is invalid; data.problems lists every fault.", 1, 0},
	{Protocol, "The peer sent what the protocol does not allow.", 1, 7},
	{MessageTooLarge, "A message exceeds the size limit.", 1, 0},
	{NotHosting, "No host runs in this session.", 1, 0},
	{AlreadyHosting, "A host already runs in this session.", 1, 0},
	{NotConnected, "No such client in this session, or it has not joined yet.", 1, 0},
	{ClientExists, "A client with this label already exists.", 1, 0},
	{PlayerUnknown, "No such player.", 1, 0},
	{Phase, "Not allowed in the current phase.", 1, 0},
	{NotHost, "Only the host may do this.", 1, 8},
	{Scene, "The scene could not be loaded for the network game.", 1, 0},
	{ContractMismatch, "The peers' contracts differ in meaning; data.differences names each section and key.", 1, 9},
	{SecureRequired, "One side is configured for DTLS and the other is not.", 1, 10},
	{Script, "A Lua script does not compile, or raised an error while loading.", 1, 0},
	{Shutdown, "The host is shutting down.", 1, 11},
	{Left, "The peer left on purpose.", 1, 12},
	{Backlog, "The peer stopped taking reliable frames; its backlog is full.", 1, 13},
	{Flood, "The peer exceeded the violation or flood budget of the contract.", 1, 14},
	{Name, "The player name is empty, too long, or holds characters that are not allowed.", 1, 15},
	{Usage, "The command line is wrong.", 2, 0},
	{Internal, "A fault of demi-net itself; please report it.", 1, 0},
	{NotConverged, "Reports differ, or too few snapshots were compared.", 1, 0},
}

// Reserved says that nothing produces c yet: its name is kept for the commands
// and the lobby of stages to come, so that it means the same everywhere.
func Reserved(c Code) bool {
	switch c {
	case BindRefused, NotHosting, ClientExists, PlayerUnknown, NotHost:
		return true
	}
	return false
}

// Lookup finds the entry of a code.
func Lookup(c Code) (Entry, bool) {
	for _, e := range Table {
		if e.Code == c {
			return e, true
		}
	}
	return Entry{}, false
}

// FromWire returns the code with that wire number; unknown numbers, which a
// newer peer may send, are Protocol.
func FromWire(n uint16) Code {
	for _, e := range Table {
		if e.Wire == n && n != 0 {
			return e.Code
		}
	}
	return Protocol
}

// Wire returns the number of c in frames, or 0 when c is never sent.
func (c Code) Wire() uint16 {
	e, _ := Lookup(c)
	return e.Wire
}

// Exit returns the process exit code for c.
func (c Code) Exit() int {
	if e, ok := Lookup(c); ok {
		return e.Exit
	}
	return 1
}
