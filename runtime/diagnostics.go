package runtime

import (
	"time"

	"demi.network/session"
)

// Diagnostics is a look at a Peer: what scripts, logs and the inspector show.
type Diagnostics struct {
	Mode             Mode
	Phase            session.Phase
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
	Refusals         []session.RefusalCount

	Tick             uint32
	LateTicksSkipped uint64
	Clamped          uint64 // values out of their field's range, written as the nearest bound
	NotFinite        uint64 // NaN and infinities that a scene gave, left out
}

// Diagnostics returns a look at the peer.
func (p *Peer) Diagnostics() Diagnostics {
	d := Diagnostics{
		Mode: p.mode, Phase: p.Phase(), LocalPeer: p.SenderID(), ContractHash: p.con.CompatibilityHash,
		Tick: p.Tick(), LateTicksSkipped: p.clock.skipped, Clamped: p.log.clamped, NotFinite: p.log.notFinite,
		LastError: p.log.lastError,
	}
	d.Connected = p.mode != Offline && d.Phase == session.PhaseActive
	d.SecureReady = d.Connected
	s, ok := p.session()
	if !ok {
		return d
	}
	d.SessionEpoch = s.Epoch
	d.ConnectedPeers = s.Peers
	d.SentMessages, d.ReceivedMessages, d.RejectedMessages = s.Sent, s.Received, s.Rejected
	d.Refusals = s.Refusals
	d.LatencyMS = milliseconds(s.RTT)
	if s.LastError != "" {
		d.LastError = s.LastError
	}
	return d
}

// session returns the session's own diagnostics.
func (p *Peer) session() (session.Diagnostics, bool) {
	switch p.mode {
	case Hosting:
		return p.srv.sess.Diagnostics(), true
	case Joined:
		return p.cli.sess.Diagnostics(), true
	}
	return session.Diagnostics{}, false
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
