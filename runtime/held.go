package runtime

// settle ends the time in which what a host has spawned can still be set up
// without anybody seeing it: the rows take what the scene has now, and the
// spawn records go out. Every act that sends something does it first, and so do
// the end of a tick and Flush.
func (p *Peer) settle() {
	if p.mode != Hosting {
		return
	}
	for _, n := range p.srv.sess.Held() {
		p.regather(n)
	}
	p.srv.sess.Release(p.now)
}

// before makes the rows right for an act on entity n. Of one that is held the
// others need not hear yet: the act changes its record, or leaves none.
func (p *Peer) before(n uint32) {
	if p.srv.sess.Holds(n) {
		p.regather(n)
	} else {
		p.settle()
	}
}

// regather takes the scene's values of an entity whose spawn record is still
// held. All of them: until somebody has heard of it, it is the host who writes
// it, whoever owns it.
func (p *Peer) regather(n uint32) {
	if p.mode != Hosting || !p.srv.sess.Holds(n) {
		return
	}
	b := p.binds.get(n)
	if b == nil {
		return
	}
	if row, ok := p.world.FindIn(b.typ, n); ok {
		t, cells := &p.layout.Types[b.typ], p.world.Row(p.layout, b.typ, row)
		p.gather(b.entity, b.typ, t.All(), cells)
		t.Copy(b.shown, cells, t.All())
	}
}
