package session

import (
	"time"

	"demi.network/contract"
	"demi.network/internal/wire"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
	"demi.network/runtime/world"
)

// record applies life-cycle records. They come in order on the reliable
// channel; one that does not fit what is known is counted and left out, one
// that does not parse ends the session. Every record counts, so that both
// sides agree on the number.
func (c *Client) record(now time.Time, k kind, body []byte) {
	r := wire.Reader(body)
	n := 1
	if k == kindSpawn {
		r.Count(&n, maxSpawns, 5)
	}
	for ; n > 0 && r.Err() == nil; n-- {
		reason := ReasonNone
		switch k {
		case kindSpawn:
			reason = c.spawned(&r)
		case kindDespawn:
			reason = c.despawned(&r)
		case kindOwnership:
			reason = c.owned(&r)
		}
		if reason == ReasonTruncated {
			r.Fail(wire.ErrRange)
		} else if r.Err() == nil {
			c.stream.records++
			if reason != ReasonNone {
				c.count.refuse(reason, nil, ServerSender, 0)
			}
		}
	}
	if r.End() != nil {
		c.fail(now, k)
	}
	if c.reg.live > MaxEntities {
		c.Leave(now, fault.Protocol, "the host made more entities than a session holds")
	}
}

func (c *Client) spawned(r *wire.Coder) Reason {
	var s spawn
	s.code(r)
	if r.Err() != nil {
		return ReasonTruncated
	}
	switch {
	case int64(s.Type) >= int64(len(c.con.Prefabs)):
		return ReasonUnknownPrefab
	case s.N <= c.reg.last:
		return ReasonDuplicateEntity // ids only grow: this one has been
	case s.Gen == 0:
		return ReasonStaleGeneration
	}
	typ := int(s.Type)
	c.cells = append(c.cells[:0], c.reg.defaults[typ]...)
	if !c.reg.readRow(s.Row, typ, Sender(s.Owner), c.sender, c.cells) {
		return ReasonTruncated
	}
	c.reg.insert(typ, world.Head{ID: s.N, OwnGen: s.Gen, Owner: s.Owner}, c.cells)
	c.in.push(Event{Kind: EventSpawned, N: s.N, Type: typ, Owner: Sender(s.Owner), Gen: s.Gen}, nil)
	return ReasonNone
}

func (c *Client) despawned(r *wire.Coder) Reason {
	var d despawn
	d.code(r)
	if r.Err() != nil {
		return ReasonTruncated
	}
	typ, row, ok := c.reg.find(d.N)
	switch {
	case !ok:
		return ReasonUnknownEntity
	case d.Gen <= c.reg.world.Head(typ, row).OwnGen:
		return ReasonStaleGeneration
	}
	c.in.depart(d.N, c.reg.world.Row(c.reg.layout, typ, row))
	c.reg.remove(typ, row)
	c.in.push(Event{Kind: EventDespawned, N: d.N, Type: typ, Gen: d.Gen}, nil)
	return ReasonNone
}

func (c *Client) owned(r *wire.Coder) Reason {
	var o ownership
	o.code(r)
	if r.Err() != nil {
		return ReasonTruncated
	}
	typ, row, ok := c.reg.find(o.N)
	switch {
	case !ok:
		return ReasonUnknownEntity
	case o.Gen <= c.reg.world.Head(typ, row).OwnGen:
		return ReasonStaleGeneration
	}
	cells := c.reg.world.Row(c.reg.layout, typ, row)
	c.cells = append(c.cells[:0], cells...)
	if !c.reg.readRow(o.Row, typ, Sender(o.Owner), c.sender, c.cells) {
		return ReasonTruncated
	}
	copy(cells, c.cells)
	c.reg.give(typ, row, Sender(o.Owner), o.Gen)
	c.in.push(Event{Kind: EventOwnership, N: o.N, Type: typ, Owner: Sender(o.Owner), Gen: o.Gen}, nil)
	return ReasonNone
}

// message is the second half of the pipeline for what the host sends or
// relays: a client trusts the host's relaying no more than it must, and asks
// the contract again, with the original sender.
func (c *Client) message(a *arrival, k kind, body []byte) {
	m := &c.msg
	if !m.read(body, c.con, k == kindRelay) {
		c.count.refuse(ReasonTruncated, m.rule, ServerSender, 0)
		return
	}
	from := Sender(m.Sender)
	if r := c.judge(a, k, from, m); r != ReasonNone {
		c.count.refuse(r, m.rule, from, m.N)
		if payloadReason(r) {
			c.count.last.payload = append(c.count.last.payload[:0], m.payload...)
		}
		return
	}
	c.count.received++
	c.in.message(m, from)
}

func (c *Client) judge(a *arrival, k kind, from Sender, m *message) Reason {
	if m.rule == nil {
		return ReasonUnknownMessage
	}
	if ch, mode := carriage(m.rule); a.channel != ch || !arrivedAs(a.mode, mode) {
		return ReasonWrongChannel
	}
	switch {
	case k == kindRelay && (from == ServerSender || from == c.sender):
		return ReasonUnauthorizedSender // the host sends its own as Message, and nothing comes back
	case m.rule.To == contract.ActorServer:
		return ReasonUnauthorizedTarget
	}
	if r := c.authorize(m, from, !m.rule.Reliable); r != ReasonNone {
		return r
	}
	if typ, row, ok := c.reg.find(m.N); m.rule.To == contract.ActorOwner && (!ok || Sender(c.reg.world.Head(typ, row).Owner) != c.sender) {
		return ReasonUnauthorizedTarget
	}
	if len(m.payload) > m.rule.MaximumBytes {
		return ReasonOversized
	}
	return c.codec.decode(m.rule, m.payload, &c.codec.read)
}

// Send sends a declared message to the host; target is a network id, or "" for
// a message without target. A nil src sends an empty object. The error is nil
// or a *Refusal; last_error has the details.
func (c *Client) Send(now time.Time, name, target string, src Source) error {
	switch {
	case c.over || c.phase != PhaseActive:
		return c.count.local(ReasonInvalidOperation, nil, 0, "the client is not active")
	case c.cfg.Observer && !c.cfg.Unchecked:
		return c.count.local(ReasonUnauthorizedSender, c.con.Message(name), 0, "observers send nothing")
	}
	var r *Refusal
	if c.cfg.Unchecked {
		r = c.composeUnchecked(name, target, src)
	} else {
		r = c.compose(c.at(now), c.sender, name, target, src)
	}
	if r == nil && !c.cfg.Unchecked && !c.own.messages.take(c.at(now), c.con.Limits.MessagesPerSecond, senderBurst, 1) {
		r = c.count.local(ReasonRateLimited, c.msg.rule, c.msg.N, "over limits.maximum_messages_per_second")
	}
	if r != nil {
		return r
	}
	c.msg.View = c.view
	ch, mode := carriage(c.msg.rule)
	c.out = c.msg.append(c.out[:0], kindMessage, c.epoch, c.con)
	if !c.transmit(kindMessage, ch, mode) {
		return c.count.local(ReasonBacklog, c.msg.rule, c.msg.N, "")
	}
	c.count.sent++
	return nil
}

// composeUnchecked makes c.msg as far as a frame can say it, whatever the
// contract allows: it is how tests ask the host's own checks.
func (c *Client) composeUnchecked(name, target string, src Source) *Refusal {
	m := &c.msg
	*m = message{rule: c.con.Message(name)}
	if m.rule == nil {
		return c.count.local(ReasonUnknownMessage, nil, 0, name)
	}
	m.Index = uint32(m.rule.Index)
	c.address(m, target)
	var r Reason
	if c.body, r, _ = c.codec.encode(c.body[:0], m.rule, src); r != ReasonNone {
		if c.body, r, _ = c.codec.encode(c.body[:0], nil, src); r != ReasonNone {
			return c.count.local(r, m.rule, m.N, "not even without the schema")
		}
	}
	m.payload = c.body
	return nil
}

// SendPublication sends an opaque body to the host. body may be reused on
// return. Reasons: invalid_operation (not active), oversized, backlog (the
// transport did not take it).
func (c *Client) SendPublication(now time.Time, body []byte) *Refusal {
	if c.over || c.phase != PhaseActive {
		return c.count.local(ReasonInvalidOperation, nil, 0, "the client is not active")
	}
	c.out = appendOpaque(c.out[:0], kindPublication, c.epoch, opaque{c.stream.received, c.stream.records}, body)
	if len(c.out) > maxUpward {
		return c.count.local(ReasonOversized, nil, 0, "a publication")
	}
	if !c.transmit(kindPublication, channelPublication, transport.Sequenced) {
		return c.count.local(ReasonBacklog, nil, 0, "a publication")
	}
	return nil
}
