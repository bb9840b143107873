package netsim

import "time"

// Spec says how one direction of a path treats datagrams. The zero Spec is a
// perfect path: at once, in order, none lost. Probabilities are 0…1, drawn for
// each datagram on its own.
type Spec struct {
	// Latency is the one-way delay; Jitter the most that a datagram comes
	// earlier or later, uniformly, each on its own (so datagrams closer than
	// twice the jitter may change places). Never earlier than it was sent.
	Latency, Jitter time.Duration
	// Loss is the share of datagrams lost. Burst is the mean length of a run
	// of lost ones, in datagrams (the Gilbert model); up to 1 each loss is
	// independent. The share is Loss either way, so a great one lengthens runs.
	Loss, Burst float64
	// Duplicate is the share that arrives twice, each copy with its own
	// jitter. Reorder is the share held back for another 1…20 ms.
	Duplicate, Reorder float64
	// Rate is the capacity in bits a second, counted with IP and UDP headers;
	// 0 is unlimited. Queue is how many bytes may wait for it; a datagram
	// that finds more waiting is lost. 0 is DefaultQueue.
	Rate  int64
	Queue int
	// MTU is the largest UDP payload that passes, in bytes; 0 is unlimited.
	MTU int
}

// DefaultQueue is the queue of a path with a rate, in bytes.
const DefaultQueue = 64 << 10

// headerBytes is what IPv4 and UDP add to a payload on the wire.
const headerBytes = 28

// Bounds of a Spec, which ParseSpec enforces.
const (
	maxDelay = time.Minute
	maxRate  = 1 << 40 // bits a second
	maxQueue = 1 << 30
	maxBurst = 1000
	maxMTU   = 65507
)

// Preset is a Spec with a name.
type Preset struct {
	Name string
	Spec Spec // of one direction; both together make the round trip
	Doc  string
}

// Presets returns the named Specs, from best to worst.
func Presets() []Preset {
	const ms = time.Millisecond
	return []Preset{
		{"lan", Spec{Latency: ms / 2, Jitter: ms / 5, Rate: 1e9}, "a wired local network"},
		{"broadband", Spec{Latency: 15 * ms, Jitter: 2 * ms, Loss: 0.001, Rate: 40e6}, "fibre or cable, wired to the router"},
		{"wifi", Spec{Latency: 18 * ms, Jitter: 8 * ms, Loss: 0.01, Burst: 3, Duplicate: 0.001, Reorder: 0.002, Rate: 25e6},
			"broadband through a shared radio"},
		{"4g", Spec{Latency: 35 * ms, Jitter: 12 * ms, Loss: 0.01, Burst: 2, Reorder: 0.005, Rate: 10e6, Queue: 256 << 10},
			"a phone, with a deep queue"},
		{"3g", Spec{Latency: 90 * ms, Jitter: 30 * ms, Loss: 0.02, Burst: 4, Reorder: 0.01, Rate: 1e6, Queue: 128 << 10},
			"an old phone, or a bad place"},
		{"bad", Spec{Latency: 120 * ms, Jitter: 60 * ms, Loss: 0.1, Burst: 5, Duplicate: 0.02, Reorder: 0.05, Rate: 512e3},
			"what a game should survive"},
	}
}
