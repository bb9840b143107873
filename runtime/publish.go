package runtime

import "demi.network/session"

// UpdateEntity publishes the fields of an entity that this peer writes, from
// the scene, when dt seconds after the last time complete a send interval. A
// host publishes the server's fields of entities that clients own, too. An
// error means that the entity is unknown, not bound, or another's.
func (p *Peer) UpdateEntity(id string, dt float64) error {
	if p.mode == Offline || p.cfg.Scene == nil {
		return p.refuse(session.ReasonInvalidOperation)
	}
	n, reason := p.find(id)
	if reason != session.ReasonNone {
		return p.refuse(reason)
	}
	b := p.binds.get(n)
	if b == nil || !p.cfg.Scene.Has(b.entity) {
		return p.refuse(session.ReasonInvalidOperation)
	}
	row, ok := p.world.FindIn(b.typ, n)
	if !ok {
		return p.refuse(session.ReasonUnknownEntity)
	}
	if p.mode == Joined && p.world.Head(b.typ, row).Owner != p.me() {
		return p.refuse(session.ReasonUnauthorizedTarget)
	}
	if !p.due(b, dt) {
		return nil
	}
	if p.mode == Hosting {
		p.publish(b, row)
		return nil
	}
	if at, ok := p.cli.mine.FindIn(b.typ, n); ok {
		t := &p.layout.Types[b.typ]
		p.gather(b.entity, b.typ, p.writer(t, p.me()), p.cli.mine.Row(p.layout, b.typ, at))
	}
	return nil
}

// due counts the time since the last publication of an entity.
func (p *Peer) due(b *binding, dt float64) bool {
	const slack = 1e-9 // two sixtieths are a thirtieth
	if b.since < 0 {
		b.since = 0
		return true
	}
	if dt > 0 {
		b.since += dt
	}
	if b.since < p.opts.SendInterval-slack {
		return false
	}
	b.since = 0
	return true
}

// publish writes the server's fields from the scene into the truth. Where the
// owner writes a field as well, only what a script has changed since it was
// presented counts, and then it beats the owner: Force rises, and publications
// from before lose.
func (p *Peer) publish(b *binding, row int) {
	if p.srv.sess.Holds(b.n) {
		p.regather(b.n) // nobody has heard of it, so nobody can be overruled
		return
	}
	h, t := p.world.Head(b.typ, row), &p.layout.Types[b.typ]
	cells, m := p.world.Row(p.layout, b.typ, row), p.writer(t, h.Owner)
	shared := p.shared(t, h.Owner)
	p.gather(b.entity, b.typ, m&^shared, cells)
	if moved := shared &^ p.untouched(b, shared); moved != 0 {
		p.gather(b.entity, b.typ, moved, cells)
		t.Copy(b.shown, cells, moved)
		h.Force++
	}
}
