package session

import (
	"time"

	"demi.network/contract"
	"demi.network/contract/payload"
	"demi.network/runtime/transport"
	"demi.network/runtime/world"
)

// core is what both sides have: the contract, the registry, the way out, the
// inbox and the counters.
type core struct {
	con   *contract.Contract
	host  transport.Host
	start time.Time
	epoch uint32
	reg   registry
	in    inbox
	count counters
	codec codec
	meta  metadata
	msg   message // the one being handled
	own   guard   // of what this side sends; only its message buckets are used
	out   []byte  // the frame being built
	body  []byte  // the payload being built
}

// metadata is what StartSession announced.
type metadata struct {
	set   bool
	bytes []byte
	value payload.Value
}

func newCore(con *contract.Contract, host transport.Host, start time.Time, l *world.Layout, w *world.World) core {
	return core{
		con: con, host: host, start: start,
		reg: newRegistry(l, w), count: newCounters(con), codec: newCodec(con),
		own: guard{rates: make([]bucket, len(con.Messages))},
	}
}

// at makes a time of the session out of the caller's.
func (c *core) at(now time.Time) nanos { return nanos(now.Sub(c.start)) }

// largest is the most bytes a message frame may have.
func (c *core) largest() int { return messageOverhead + c.con.Limits.MessageBytes }

// authorize is the part of the pipeline that asks whether from may send m:
// message known, sender, target, generation. It changes nothing. lagging says
// that this side may not have heard yet of what the message names.
func (c *core) authorize(m *message, from Sender, lagging bool) Reason {
	r := m.rule
	if r == nil {
		return ReasonUnknownMessage
	}
	if r.From == contract.ActorServer && from != ServerSender {
		return ReasonUnauthorizedSender
	}
	if r.Target == contract.TargetNone {
		if r.From == contract.ActorOwner && c.reg.owned[from] == 0 {
			return ReasonUnauthorizedSender
		}
		return ReasonNone
	}
	typ, row, ok := c.reg.find(m.N)
	if !ok {
		switch {
		case c.reg.gone(m.N):
			return ReasonStaleGeneration
		case lagging && m.N != 0:
			return ReasonEarly
		}
		return ReasonUnauthorizedTarget
	}
	h := c.reg.world.Head(typ, row)
	switch owner := Sender(h.Owner); {
	case m.Gen < h.OwnGen:
		return ReasonStaleGeneration
	case m.Gen > h.OwnGen && lagging:
		return ReasonEarly
	case m.Gen > h.OwnGen:
		return ReasonUnauthorizedTarget
	case r.Target == contract.TargetOwnedEntity && owner != from:
		return ReasonUnauthorizedTarget
	case r.From == contract.ActorOwner && owner != from:
		return ReasonUnauthorizedSender
	}
	return ReasonNone
}

// address turns a script's target into entity and generation.
func (c *core) address(m *message, target string) Reason {
	if m.rule.Target == contract.TargetNone {
		if target != "" {
			return ReasonUnauthorizedTarget
		}
		return ReasonNone
	}
	epoch, n, ok := ParseNetworkID(target)
	switch {
	case !ok:
		return ReasonUnauthorizedTarget
	case epoch != c.epoch:
		return ReasonStaleEpoch
	}
	m.N = n
	if typ, row, ok := c.reg.find(n); ok {
		m.Gen = c.reg.world.Head(typ, row).OwnGen
	}
	return ReasonNone
}

// compose makes c.msg out of a script's call: every check of the pipeline, as
// the sender, in the pipeline's order. Nothing is spent before the last.
func (c *core) compose(now nanos, from Sender, name, target string, src Source) *Refusal {
	m := &c.msg
	*m = message{rule: c.con.Message(name)}
	if m.rule == nil {
		return c.count.local(ReasonUnknownMessage, nil, 0, name)
	}
	m.Index = uint32(m.rule.Index)
	r := c.address(m, target)
	if r == ReasonNone {
		r = c.authorize(m, from, false)
	}
	if r != ReasonNone {
		return c.count.local(r, m.rule, m.N, target)
	}
	var err error
	c.body, r, err = c.codec.encode(c.body[:0], m.rule, src)
	if r != ReasonNone {
		return c.count.local(r, m.rule, m.N, payloadText(err))
	}
	m.payload = c.body
	if !c.own.rate(now, m.rule, senderBurst) {
		return c.count.local(ReasonRateLimited, m.rule, m.N, "")
	}
	return nil
}

// setSession replaces the metadata by bytes that decode.
func (c *core) setSession(b []byte) Reason {
	if r := c.codec.decode(nil, b, &c.codec.read); r != ReasonNone {
		return r
	}
	c.meta.set, c.meta.bytes = true, append([]byte(nil), b...)
	c.meta.value.Set(&c.codec.read)
	return ReasonNone
}

func (c *core) session() *payload.Value {
	if !c.meta.set {
		return nil
	}
	return &c.meta.value
}

// diagnostics fills in what both sides have.
func (c *core) diagnostics() Diagnostics {
	return Diagnostics{
		Epoch: c.epoch, Sent: c.count.sent, Received: c.count.received, Rejected: c.count.rejected, Dropped: c.in.dropped,
		Refusals: c.count.list(), LastError: c.count.lastError(c.epoch, &c.codec),
	}
}
