package runtime

import (
	"cmp"
	"slices"

	"demi.network/contract"
	"demi.network/runtime/world"
	"demi.network/session"
)

// binding ties a network entity to the scene entity that stands for it.
type binding struct {
	n      uint32
	typ    int
	entity string
	made   bool    // by the session, which therefore destroys it
	since  float64 // seconds since the last publication; < 0: none yet
	shown  []int32 // the row as the scene was last known to have it
}

// bindings holds them in the order of network ids.
type bindings struct {
	list     []binding
	byEntity map[string]uint32 // never ranged over
}

func (b *bindings) search(n uint32) (int, bool) {
	return slices.BinarySearchFunc(b.list, n, func(e binding, n uint32) int { return cmp.Compare(e.n, n) })
}

// get returns the binding of a network entity, or nil. It is valid until the
// next put or drop.
func (b *bindings) get(n uint32) *binding {
	if at, ok := b.search(n); ok {
		return &b.list[at]
	}
	return nil
}

// put adds or replaces the binding of e.n.
func (b *bindings) put(e binding) {
	if b.byEntity == nil {
		b.byEntity = map[string]uint32{}
	}
	at, ok := b.search(e.n)
	if ok {
		delete(b.byEntity, b.list[at].entity)
		b.list[at] = e
	} else {
		b.list = slices.Insert(b.list, at, e)
	}
	b.byEntity[e.entity] = e.n
}

func (b *bindings) drop(n uint32) {
	if at, ok := b.search(n); ok {
		delete(b.byEntity, b.list[at].entity)
		b.list = slices.Delete(b.list, at, at+1)
	}
}

// bind makes entity stand for n and writes the row's values into it. What
// stood for n so far goes when the session had made it.
func (p *Peer) bind(n uint32, typ int, entity string, made bool) {
	p.unbind(n)
	p.binds.put(binding{n: n, typ: typ, entity: entity, made: made, since: -1, shown: make([]int32, p.layout.Types[typ].Stride)})
	p.presentAll(n)
}

func (p *Peer) unbind(n uint32) {
	if b := p.binds.get(n); b != nil {
		if b.made {
			p.cfg.Scene.Destroy(b.entity)
		}
		p.binds.drop(n)
	}
}

// unbindAll ends what a session left in the scene.
func (p *Peer) unbindAll() {
	for i := range p.binds.list {
		if b := &p.binds.list[i]; b.made {
			p.cfg.Scene.Destroy(b.entity)
		}
	}
	p.binds = bindings{}
}

// appear makes the scene entity of a network entity that has come.
func (p *Peer) appear(n uint32, typ int, owner session.Sender) {
	if p.cfg.Scene == nil || p.binds.get(n) != nil {
		return
	}
	id := p.networkID(n)
	if err := p.cfg.Scene.Create(p.con.Prefabs[typ].Prefab, id); err != nil {
		p.log.fail(err)
		return
	}
	p.bind(n, typ, id, true)
	if p.mode != Joined {
		return
	}
	if cells, gone := p.cli.sess.Departed(n); gone { // its end is an event to come
		p.present(p.binds.get(n), cells, p.layout.Types[typ].VisibleTo(uint32(owner), p.me()))
	}
}

// writer selects the fields that this peer writes on an entity of owner.
func (p *Peer) writer(t *world.Type, owner uint32) world.Mask { return t.WritableBy(owner, p.me()) }

// Present writes the rows that others are the writers of into the scene.
// BeginTick does it; call it again only to show more than a tick's worth. Poll
// does the same for an entity that an event names.
func (p *Peer) Present() {
	if p.cfg.Scene == nil {
		return
	}
	p.settle() // what scripts set up must not be written over
	for i := range p.binds.list {
		b := &p.binds.list[i]
		row, ok := p.world.FindIn(b.typ, b.n)
		if !ok {
			continue
		}
		h, t := p.world.Head(b.typ, row), &p.layout.Types[b.typ]
		m := t.VisibleTo(h.Owner, p.me()) &^ p.writer(t, h.Owner)
		if p.mode == Hosting {
			m |= p.untouched(b, p.shared(t, h.Owner))
		}
		p.present(b, p.world.Row(p.layout, b.typ, row), m)
	}
}

// shared selects the fields that both the host and the owner of a client's
// entity write.
func (p *Peer) shared(t *world.Type, owner uint32) world.Mask {
	if owner == 0 {
		return 0
	}
	return t.WritableBy(owner, 0) & t.WritableBy(owner, owner)
}

// untouched selects those of the fields in m that no script has changed since
// they were presented.
func (p *Peer) untouched(b *binding, m world.Mask) world.Mask {
	if m == 0 {
		return 0
	}
	p.scratch = append(p.scratch[:0], b.shown...)
	p.gather(b.entity, b.typ, m, p.scratch)
	for f := range p.layout.Types[b.typ].Fields {
		bit := world.Mask(1) << uint(f)
		if m&bit != 0 && !p.layout.SameRow(b.typ, p.scratch, b.shown, bit) {
			m &^= bit
		}
	}
	return m
}

// presentAll writes every visible field of an entity: when it comes, when it is
// bound, when it changes hands and when the host has overruled its owner. Who
// writes it from now on starts from what is true.
func (p *Peer) presentAll(n uint32) {
	b := p.binds.get(n)
	if b == nil {
		return
	}
	row, ok := p.world.FindIn(b.typ, n)
	if !ok {
		return
	}
	h := p.world.Head(b.typ, row)
	p.present(b, p.world.Row(p.layout, b.typ, row), p.layout.Types[b.typ].VisibleTo(h.Owner, p.me()))
}

func (p *Peer) present(b *binding, cells []int32, m world.Mask) {
	t := &p.layout.Types[b.typ]
	for f := range t.Fields {
		if m.Has(f) {
			p.cfg.Scene.Write(b.entity, t.Fields[f].Path, t.Value(f, cells))
		}
	}
	t.Copy(b.shown, cells, m)
}

// gather reads the fields in m of a scene entity into cells, leaving out what
// the scene does not have and what is not finite.
func (p *Peer) gather(entity string, typ int, m world.Mask, cells []int32) {
	t := &p.layout.Types[typ]
	for f := range t.Fields {
		if !m.Has(f) {
			continue
		}
		v, ok := p.cfg.Scene.Read(entity, t.Fields[f].Path)
		if !ok {
			continue
		}
		p.quantise(t, f, v, cells)
	}
}

func (p *Peer) quantise(t *world.Type, f int, v contract.FieldValue, cells []int32) {
	clamped, ok := t.Quantise(f, v, cells)
	if !ok {
		p.log.notFinite++
	}
	if clamped {
		p.log.clamped++
	}
}
