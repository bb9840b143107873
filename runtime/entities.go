package runtime

import (
	"demi.network/contract"
	"demi.network/runtime/fault"
	"demi.network/runtime/world"
	"demi.network/session"
)

// Spawn makes a replicated entity (host only) and returns its network id.
// entity is a scene entity whose values become the row's, or, when there is
// none, the id that one is made under; "" makes one under the network id.
// owner is "server", "peerN", or "" for the contract's default. Others hear of
// it with the values that the scene has when the next thing is sent or the tick
// ends, and of one that is despawned before that not at all. The error, if any,
// is a *session.Refusal or a *fault.Error of the scene; nothing was made then.
func (p *Peer) Spawn(prefab, entity, owner string) (id string, err error) {
	if p.mode != Hosting {
		return "", p.refuse(session.ReasonNotServer)
	}
	rule := p.con.Prefab(prefab)
	if rule == nil {
		return "", p.refuse(session.ReasonUnknownPrefab)
	}
	to, ok := defaultOwner(rule, owner)
	if !ok {
		return "", p.refuse(session.ReasonInvalidOwner)
	}
	if _, taken := p.binds.byEntity[entity]; taken {
		return "", p.refuse(session.ReasonDuplicateEntity)
	}
	made, err := p.prepare(rule, entity)
	if err != nil {
		return "", err
	}
	cells := p.layout.Types[rule.Index].Default()
	if p.cfg.Scene != nil && entity != "" {
		p.gather(entity, rule.Index, p.layout.Types[rule.Index].All(), cells)
	}
	n, r := p.srv.sess.Spawn(p.now, rule.Index, to, cells)
	if r != nil {
		if made {
			p.cfg.Scene.Destroy(entity)
		}
		return "", r
	}
	switch {
	case p.cfg.Scene == nil:
	case entity == "":
		p.appear(n, rule.Index, to)
	default:
		p.bind(n, rule.Index, entity, made)
	}
	p.log.spawn(p, n, rule.Index, to, false)
	return p.networkID(n), nil
}

// defaultOwner reads an owner, or takes the contract's where none is named.
func defaultOwner(rule *contract.Prefab, owner string) (session.Sender, bool) {
	if owner == "" {
		return session.ServerSender, rule.DefaultOwner == contract.ActorServer
	}
	return session.ParseSender(owner)
}

// prepare makes the scene entity of a spawn when it does not exist.
func (p *Peer) prepare(rule *contract.Prefab, entity string) (made bool, err error) {
	if p.cfg.Scene == nil || entity == "" || p.cfg.Scene.Has(entity) {
		return false, nil
	}
	if err := p.cfg.Scene.Create(rule.Prefab, entity); err != nil {
		return false, p.fail(err)
	}
	return true, nil
}

// Transfer gives an entity to another owner (host only).
func (p *Peer) Transfer(id, owner string) error {
	if p.mode != Hosting {
		return p.refuse(session.ReasonNotServer)
	}
	n, reason := p.find(id)
	if reason != session.ReasonNone {
		return p.refuse(reason)
	}
	to, ok := session.ParseSender(owner)
	if !ok {
		return p.refuse(session.ReasonInvalidOwner)
	}
	p.before(n)
	before := p.headOf(n).OwnGen
	if r := p.srv.sess.Transfer(p.now, n, to); r != nil {
		return r
	}
	if gen := p.headOf(n).OwnGen; gen != before { // else it had that owner, and nothing has changed
		p.log.ownership(p, n, to, gen)
		p.presentAll(n)
	}
	return nil
}

// headOf returns the head of a live entity.
func (p *Peer) headOf(n uint32) *world.Head {
	typ, row, _ := p.world.Find(n)
	return p.world.Head(typ, row)
}

// Despawn removes a replicated entity (host only), and its scene entity when
// the session made it; one that Spawn found or BindLocalEntity named stays.
func (p *Peer) Despawn(id string) error {
	if p.mode != Hosting {
		return p.refuse(session.ReasonNotServer)
	}
	n, reason := p.find(id)
	if reason != session.ReasonNone {
		return p.refuse(reason)
	}
	p.before(n)
	if r := p.srv.sess.Despawn(p.now, n); r != nil {
		return r
	}
	p.log.despawn(p, n)
	p.unbind(n)
	return nil
}

// find reads a network id and says why when it names no live entity.
func (p *Peer) find(id string) (n uint32, r session.Reason) {
	epoch, n, ok := session.ParseNetworkID(id)
	if !ok {
		return 0, session.ReasonUnknownEntity
	}
	if epoch != p.sessionEpoch() {
		return 0, session.ReasonStaleEpoch
	}
	if _, _, ok := p.world.Find(n); !ok {
		return 0, session.ReasonUnknownEntity
	}
	return n, session.ReasonNone
}

// row finds the row of a network id.
func (p *Peer) row(id string) (typ, row int, ok bool) {
	n, r := p.find(id)
	if r != session.ReasonNone {
		return 0, 0, false
	}
	return p.world.Find(n)
}

// Owner returns who owns an entity: "server" or "peerN".
func (p *Peer) Owner(id string) (owner string, ok bool) {
	typ, row, ok := p.row(id)
	if !ok {
		return "", false
	}
	return session.Sender(p.world.Head(typ, row).Owner).String(), true
}

// HasAuthority says whether this peer owns an entity.
func (p *Peer) HasAuthority(id string) bool {
	typ, row, ok := p.row(id)
	return ok && p.world.Head(typ, row).Owner == p.me()
}

// Foreign says that a scene entity stands for a network entity of which another
// peer is the owner: its body is presented here, not simulated. It does not
// allocate.
func (p *Peer) Foreign(entity string) bool {
	n, ok := p.binds.byEntity[entity]
	if !ok {
		return false
	}
	typ, row, ok := p.world.Find(n)
	return !ok || p.world.Head(typ, row).Owner != p.me()
}

// oldest finds the entity of an owner with the smallest id.
func (p *Peer) oldest(owner session.Sender) (n uint32, typ, row int) {
	for i := range p.world.Tables {
		for j := range p.world.Tables[i].Heads {
			h := p.world.Head(i, j)
			if h.Owner == uint32(owner) && (n == 0 || h.ID < n) {
				n, typ, row = h.ID, i, j
				break // ids rise within a table
			}
		}
	}
	return n, typ, row
}

// NetworkIDForOwner returns the oldest entity of an owner.
func (p *Peer) NetworkIDForOwner(owner string) (id string, ok bool) {
	who, ok := session.ParseSender(owner)
	if !ok || p.mode == Offline {
		return "", false
	}
	n, _, _ := p.oldest(who)
	if n == 0 {
		return "", false
	}
	return p.networkID(n), true
}

// RemotePosition returns the position of the oldest entity of another peer,
// from its Transform2D or Transform3D.
func (p *Peer) RemotePosition(sender string) (x, y float64, ok bool) {
	who, ok := session.ParseSender(sender)
	if !ok || p.mode == Offline {
		return 0, 0, false
	}
	n, typ, row := p.oldest(who)
	if n == 0 {
		return 0, 0, false
	}
	t := &p.layout.Types[typ]
	see := t.VisibleTo(uint32(who), p.me())
	for _, path := range [...]string{"Transform2D.position", "Transform3D.position"} {
		if f := t.Field(path); f >= 0 && see.Has(f) {
			v := t.Value(f, p.world.Row(p.layout, typ, row))
			return v[0], v[1], true
		}
	}
	return 0, 0, false
}

// BindLocalEntity makes a scene entity stand for a network entity, writing the
// row's values into it first. The scene entity that stood for it so far is
// destroyed when the session made it.
func (p *Peer) BindLocalEntity(id, entity string) error {
	if p.mode == Offline || p.cfg.Scene == nil {
		return p.refuse(session.ReasonInvalidOperation)
	}
	n, reason := p.find(id)
	if reason != session.ReasonNone {
		return p.refuse(reason)
	}
	if !p.cfg.Scene.Has(entity) {
		return p.refuse(session.ReasonUnknownEntity)
	}
	typ, _, _ := p.world.Find(n)
	if other, taken := p.binds.byEntity[entity]; taken {
		if other != n {
			return p.refuse(session.ReasonDuplicateEntity)
		}
		return nil
	}
	p.regather(n)
	p.bind(n, typ, entity, false)
	return nil
}

// LocalEntity returns the scene entity that stands for a network entity, also
// for one that has gone until its Despawned event is polled.
func (p *Peer) LocalEntity(id string) (entity string, ok bool) {
	epoch, n, ok := session.ParseNetworkID(id)
	if !ok || epoch != p.sessionEpoch() {
		return "", false
	}
	b := p.binds.get(n)
	if b == nil {
		return "", false
	}
	return b.entity, true
}

// NetworkID returns the network entity that a scene entity stands for.
func (p *Peer) NetworkID(entity string) (id string, ok bool) {
	n, ok := p.binds.byEntity[entity]
	if !ok {
		return "", false
	}
	return p.networkID(n), true
}

// Send sends a declared message; target is a network id or "". The error is
// nil, a *session.Refusal, or the payload's refusal.
func (p *Peer) Send(name, target string, src session.Source) error {
	var err error
	switch p.mode {
	case Hosting:
		p.settle()
		err = p.srv.sess.Send(p.now, name, target, src)
	case Joined:
		err = p.cli.sess.Send(p.now, name, target, src)
	default:
		return p.refuse(session.ReasonInvalidOperation)
	}
	if err == nil {
		p.log.message(p, p.con.Message(name)).sent++
	}
	return err
}

// StartSession announces the game to every peer, also to those who join later
// (host only).
func (p *Peer) StartSession(metadata session.Source) error {
	if p.mode != Hosting {
		return p.refuse(session.ReasonNotServer)
	}
	p.settle()
	return p.srv.sess.StartSession(p.now, metadata)
}

// Kick removes a client with a text that reaches it (host only).
func (p *Peer) Kick(sender, text string) error {
	if p.mode != Hosting {
		return p.refuse(session.ReasonNotServer)
	}
	who, ok := session.ParseSender(sender)
	if !ok || who == session.ServerSender {
		return p.refuse(session.ReasonInvalidOwner)
	}
	p.settle()
	if r := p.srv.sess.Kick(p.now, who, text); r != nil {
		return r
	}
	return nil
}

// SetOpen says whether newcomers are let in (host only); true at the start of a
// session. Those that are in stay.
func (p *Peer) SetOpen(open bool) error {
	if p.mode != Hosting {
		return p.refuse(session.ReasonNotServer)
	}
	p.srv.sess.SetOpen(open)
	return nil
}

// Ready ends HoldReady: the game has loaded its scene (client only). It comes
// once, after the host's welcome, when the phase is authenticated.
func (p *Peer) Ready() error {
	if p.mode != Joined {
		return p.refuse(session.ReasonInvalidOperation)
	}
	if r := p.cli.sess.Ready(p.now); r != nil {
		return r
	}
	return nil
}

// refuse notes a refusal of a caller's act.
func (p *Peer) refuse(r session.Reason) error {
	refusal := session.Refuse(r)
	switch p.mode {
	case Hosting:
		p.srv.sess.Note(refusal)
	case Joined:
		p.cli.sess.Note(refusal)
	default:
		p.log.offline(refusal)
	}
	return refusal
}

// fail notes an error of a caller's act.
func (p *Peer) fail(err error) error {
	if fault.CodeOf(err) == "" {
		err = fault.Wrap(err, fault.Internal, "the transport failed")
	}
	p.log.fail(err)
	return err
}
