// Package archtest owns the house rules as data and the checker that holds the
// code to them: which package may import which, which third party has which
// importer, and who may touch clocks, goroutines, locks and process-wide
// randomness. It is imported by its own test only.
//
// To move a wall, change the policy here and docs/architecture.md in the same
// commit, and say why. Never loosen it to make a build pass.
package archtest

// Module is the path every package of this module starts with.
const Module = "demi.network"

// Layers is the tree of docs/architecture.md: a package imports only packages
// of layers above (before) its own. Nothing imports sideways. A package that
// is not listed is a violation.
var Layers = [][]string{
	{"runtime/fault", "schemas", "schemas/lua", "internal/detmath"},
	{"internal/wire", "runtime/transport", "contract/jsontext"},
	{"contract/payload", "runtime/transport/hosttest", "runtime/transport/linktest"},
	{"contract", "runtime/lockstep", "internal/enet", "internal/netsim", "internal/dtlslink", "internal/gate"},
	{"runtime/world", "runtime/udp", "internal/lockws", "internal/scene", "contract/tool"},
	{"session", "internal/replica", "internal/timeline", "internal/lobby", "internal/sim"},
	{"runtime", "internal/netgame"},
	{"luabind"},
	{"internal/app"},
	{"internal/control", "internal/inspect", "runtime/harness", "internal/enetbench"},
	{"examples/arena"}, // files only: the demo plays them
	{"cmd/demi-net"},
}

// Never lists imports that the layers alone would allow and the design forbids.
var Never = map[string][]string{
	"contract":          {"runtime/transport"},
	"runtime/transport": {"internal/wire"},
	"internal/enet":     {"contract", "contract/payload", "contract/jsontext"},
	"internal/netsim":   {"internal/enet"},
	"runtime/world":     {"runtime/transport"},
	"internal/scene":    {"runtime/transport", "contract/payload"},
	"session":           {"internal/enet", "internal/netsim"},
	"internal/replica":  {"internal/enet", "runtime/transport"},
	"internal/timeline": {"contract", "internal/wire", "runtime/transport"},
	"internal/sim":      {"runtime/transport", "contract"},
	"runtime":           {"internal/enet", "runtime/udp"},
	"luabind":           {"internal/enet", "internal/replica", "internal/timeline", "internal/netsim"},
	"internal/control":  {"internal/enet"},
	"internal/inspect":  {"internal/enet"},
}

// ThirdParties names, for each module outside the standard library, its one
// importer. Tests and examples are exempt.
var ThirdParties = map[string][]string{
	"github.com/yuin/gopher-lua":               {"luabind"},
	"layeh.com/gopher-luar":                    {"luabind"},
	"github.com/santhosh-tekuri/jsonschema/v5": {"contract"},
	"github.com/pion/dtls/v3":                  {"internal/dtlslink"},
	"github.com/gowebpki/jcs":                  {"contract"},
	"github.com/zeebo/xxh3":                    {"runtime/world"},
	"golang.org/x/sys":                         {"runtime/transport"},
	"github.com/coder/websocket":               {"internal/lockws"},
	"github.com/tinylib/msgp":                  {"internal/lockws"},
	"github.com/spf13/cobra":                   {"cmd/demi-net"},
	"github.com/modelcontextprotocol/go-sdk":   {"internal/control"},
	"github.com/prometheus/client_golang":      {"internal/inspect"},
	"github.com/golang-jwt/jwt/v5":             {"internal/app"},
	"github.com/fsnotify/fsnotify":             {"cmd/demi-net"},
}

// Edge lists the packages below which nothing reads a clock, starts a
// goroutine or takes a lock: these may.
var Edge = map[string]string{
	"cmd/demi-net":       "the clock, the loop, signals and stdin",
	"runtime/udp":        "opens sockets, draws connect ids from the system",
	"runtime/transport":  "the socket: Wait sleeps until a datagram or a deadline",
	"internal/enetbench": "a benchmark is a process of its own: it measures time",
	"internal/dtlslink":  "pion runs handshakes on goroutines; the only ones of the data path",
	"internal/lockws":    "WebSocket connections are goroutines",
	"internal/inspect":   "serves HTTP",
	"internal/control":   "serves JSON lines and MCP",
	"internal/app":       "Do is the door from other goroutines: a bounded queue",
}

// ForbiddenCalls are functions that read the clock, sleep, or draw from
// process-wide randomness, by import path.
var ForbiddenCalls = map[string][]string{
	"time":         {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"},
	"math/rand":    {"*"},
	"math/rand/v2": {"Int", "IntN", "Int32", "Int32N", "Int64", "Int64N", "Uint32", "Uint32N", "Uint64", "Uint64N", "UintN", "N", "Float32", "Float64", "NormFloat64", "ExpFloat64", "Perm", "Shuffle"},
	"crypto/rand":  {"*"},
}

// ForbiddenImports are packages whose import already breaks the rule "no
// lock": state has one owner.
var ForbiddenImports = []string{"sync", "sync/atomic"}

// TestOnly lists packages that only tests may import: standard testing
// support of this module.
var TestOnly = []string{"runtime/transport/hosttest", "runtime/transport/linktest"}
