package runtime

import (
	"cmp"
	"encoding/hex"
	"slices"

	"demi.network/internal/replica"
	"demi.network/runtime/transport"
	"demi.network/session"
)

// Report returns what the peer did since its last Host or Connect; after the
// end of a session, what it had done then.
func (p *Peer) Report() Report {
	if p.mode == Offline && p.last != nil {
		return *p.last
	}
	r := Report{
		Role: p.mode.String(), Name: p.cfg.PlayerName, SenderID: p.SenderID(),
		ContractHash: "sha256:" + hex.EncodeToString(p.con.MeaningHash[:]),
		Epoch:        p.sessionEpoch(), Ticks: p.log.ticks, LateTicks: p.clock.skipped, Phase: p.Phase().String(),
		Peers: []PeerReport{}, Entities: p.entityReports(), Hashes: []TickHash{},
		Spawns: orEmpty(p.log.spawns), Despawns: orEmpty(p.log.despawns), Ownerships: orEmpty(p.log.owners), Leaves: orEmpty(p.log.leaves), Errors: orEmpty(p.log.errors),
		Refusals: map[string]uint64{}, RefusedBy: []RefusalReport{},
	}
	for reason, n := range p.log.refusals {
		r.Refusals[reason] = n
	}
	if s, ok := p.session(); ok {
		for _, c := range s.Refusals {
			r.Refusals[c.Reason.String()] += c.Count
			r.RefusedBy = append(r.RefusedBy, RefusalReport{Reason: c.Reason.String(), Message: c.Message, Path: c.Place.Path, Line: c.Place.Line, Count: c.Count})
		}
		r.Messages = MessageReport{Sent: s.Sent, Received: s.Received, Rejected: s.Rejected}
	}
	r.Messages.ByName = p.log.messageReports(p)
	switch p.mode {
	case Hosting:
		p.srv.report(&r)
	case Joined:
		p.cli.report(&r)
	}
	if p.ending != nil {
		r.Ending = string(p.ending.Code)
	}
	if t := p.now.Sub(p.opened).Seconds(); t > 0 {
		r.Bytes.DownBPS = float64(r.Bytes.Down) * 8 / t
		r.Bytes.UpBPS = float64(r.Bytes.Up) * 8 / t
	}
	return r
}

// orEmpty copies a list, so that a report does not change afterwards and its
// JSON has [] and not null.
func orEmpty[T any](list []T) []T { return append([]T{}, list...) }

// entityReports lists the live entities in the order of their ids.
func (p *Peer) entityReports() []EntityReport {
	list := []EntityReport{}
	next := make([]int, len(p.world.Tables))
	for {
		best := -1
		for typ := range p.world.Tables {
			heads := p.world.Tables[typ].Heads
			if next[typ] < len(heads) && (best < 0 || heads[next[typ]].ID < p.world.Head(best, next[best]).ID) {
				best = typ
			}
		}
		if best < 0 {
			return list
		}
		h := p.world.Head(best, next[best])
		next[best]++
		list = append(list, EntityReport{
			ID: p.networkID(h.ID), Prefab: p.layout.Types[best].Key, Owner: session.Sender(h.Owner).String(), Generation: h.OwnGen,
		})
	}
}

func tickHashes(p *replica.Proof) []TickHash {
	all := p.All(nil)
	list := make([]TickHash, len(all))
	for i, h := range all {
		list[i] = TickHash(h)
	}
	return list
}

func (r *Report) addReceiver(c *replica.ReceiverCounts) {
	r.Snapshots.Received += c.Bodies
	r.Snapshots.Complete += c.Complete
	r.Snapshots.Early += c.Early
	r.Snapshots.Stale += c.Stale
	r.Snapshots.Refused += c.Refused + c.Unowned
}

func (r *Report) addStats(s *transport.Stats) {
	r.Bytes.Down += s.BytesReceived
	r.Bytes.Up += s.BytesSent
}

func (s *server) report(r *Report) {
	r.Hashes = tickHashes(&s.proof)
	var bytes uint64
	all := slices.Concat(s.gone, s.remotes)
	slices.SortFunc(all, func(a, b *remote) int { return cmp.Compare(a.info.Sender, b.info.Sender) })
	for _, rm := range all {
		r.Peers = append(r.Peers, PeerReport{
			SenderID: rm.info.Sender.String(), Name: rm.info.Name, Phase: rm.info.Phase.String(), JoinTick: rm.since,
			RTTMS: milliseconds(rm.stats.RTT), Loss: rm.stats.Loss, Hashes: tickHashes(&rm.proof),
		})
		r.addStats(&rm.stats)
		r.addReceiver(&rm.recv.Counts)
		r.Snapshots.Sent += rm.send.Counts.Bodies
		r.Snapshots.Hashed += rm.proof.Total
		bytes += rm.send.Counts.Bytes
		r.RTTMS = max(r.RTTMS, milliseconds(rm.stats.RTT))
		r.Loss = max(r.Loss, rm.stats.Loss)
	}
	if r.Snapshots.Sent > 0 {
		r.Bytes.PerSnapshot = float64(bytes) / float64(r.Snapshots.Sent)
	}
}

func (c *client) report(r *Report) {
	if given := c.sess.Name(); given != "" {
		r.Name = given // perhaps with a suffix
	}
	r.Hashes = tickHashes(&c.proof)
	r.Snapshots.Hashed = c.proof.Total
	r.addStats(&c.stats)
	r.RTTMS, r.Loss = milliseconds(c.stats.RTT), c.stats.Loss
	if c.recv != nil {
		r.addReceiver(&c.recv.Counts)
		r.Snapshots.Sent = c.send.Counts.Bodies
		if n := c.recv.Counts.Bodies; n > 0 {
			r.Bytes.PerSnapshot = float64(c.recv.Counts.Bytes) / float64(n)
		}
	}
}
