package luabind

import (
	lua "github.com/yuin/gopher-lua"
)

func (m *sessionModule) entityFuncs() []Func {
	return []Func{
		{"spawn", m.spawn}, {"transfer", m.transfer}, {"despawn", m.despawn}, {"owner", m.owner},
		{"has_authority", m.hasAuthority}, {"network_id_for_owner", m.networkIDForOwner},
		{"bind_local_entity", m.bindLocalEntity}, {"send", m.send}, {"update_entity", m.updateEntity},
		{"remote_position", m.remotePosition},
	}
}

// spawn is spawn(prefab_key, entity_id, [owner]) → network id or nil.
func (m *sessionModule) spawn(a Args) int {
	m.charge(a.L, costLife)
	id, err := m.peer.Spawn(a.name(1), a.optName(2, ""), a.optName(3, ""))
	if err != nil {
		m.note(err)
		return none(a)
	}
	a.L.Push(lua.LString(id))
	return 1
}

func (m *sessionModule) transfer(a Args) int {
	m.charge(a.L, costLife)
	return m.done(a, m.peer.Transfer(a.name(1), a.name(2)))
}

func (m *sessionModule) despawn(a Args) int {
	m.charge(a.L, costLife)
	return m.done(a, m.peer.Despawn(a.name(1)))
}

func (m *sessionModule) owner(a Args) int {
	owner, ok := m.peer.Owner(a.name(1))
	if !ok {
		return none(a)
	}
	a.L.Push(lua.LString(owner))
	return 1
}

func (m *sessionModule) hasAuthority(a Args) int {
	return answer(a, m.peer.HasAuthority(a.name(1)))
}

func (m *sessionModule) networkIDForOwner(a Args) int {
	m.charge(a.L, m.search())
	id, ok := m.peer.NetworkIDForOwner(a.name(1))
	if !ok {
		return none(a)
	}
	a.L.Push(lua.LString(id))
	return 1
}

func (m *sessionModule) bindLocalEntity(a Args) int {
	m.charge(a.L, costLife)
	return m.done(a, m.peer.BindLocalEntity(a.name(1), a.name(2)))
}

// send is send(name, target|nil, data). Who may send it, to whom and what is in
// it is checked by the session, in the order of its pipeline.
func (m *sessionModule) send(a Args) int {
	name, target := a.name(1), a.optName(2, "")
	m.outgoing = a.Get(3)
	err := m.peer.Send(name, target, m.source)
	m.outgoing = nil
	m.chargeValues(a, costSend)
	return m.done(a, err)
}

// updateEntity is update_entity(id, dt): true when bound and owned, although
// nothing may have been due. Without dt it counts as one tick.
func (m *sessionModule) updateEntity(a Args) int {
	id, dt := a.name(1), a.OptNumber(2, m.peer.TickInterval().Seconds())
	m.charge(a.L, costUpdate)
	return m.done(a, m.peer.UpdateEntity(id, dt))
}

// search is what looking through the entities costs.
func (m *sessionModule) search() int {
	w, _ := m.peer.World()
	n := 0
	for i := range w.Tables {
		n += len(w.Tables[i].Heads)
	}
	return n / 8
}

// remotePosition is remote_position(sender_id) → x, y, or nil, nil.
func (m *sessionModule) remotePosition(a Args) int {
	m.charge(a.L, m.search())
	x, y, ok := m.peer.RemotePosition(a.name(1))
	if !ok {
		a.L.Push(lua.LNil)
		a.L.Push(lua.LNil)
		return 2
	}
	a.L.Push(lua.LNumber(x))
	a.L.Push(lua.LNumber(y))
	return 2
}
