package runtime

// Diagnostics is a look at a Peer: what scripts, logs and the inspector show.
type Diagnostics struct {
	Mode             Mode
	Phase            string // closed, connected, …
	LocalPeer        string // SenderID
	Connected        bool   // hosting, or a client that is active
	Secure           bool   // DTLS
	SecureReady      bool   // the phase is active
	LatencyMS        float64
	ConnectedPeers   int // host: active clients; client: 1 when active
	SentMessages     uint64
	ReceivedMessages uint64
	RejectedMessages uint64
	SecureAccepted   uint64
	SecureRejected   uint64
	SessionEpoch     uint32 // 0 when closed
	ContractHash     string // the engine's, fnv1a64:…
	LastError        string // the newest refusal in the engine's words; "" = none

	Tick             uint32
	LateTicksSkipped uint64
	Clamped          uint64 // values out of their field's range, written as the nearest bound
	NotFinite        uint64 // NaN and infinities that a scene gave, left out
}

// Diagnostics returns a look at the peer.
func (p *Peer) Diagnostics() Diagnostics
