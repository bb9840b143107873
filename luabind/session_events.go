package luabind

import (
	lua "github.com/yuin/gopher-lua"

	"demi.network/contract"
	"demi.network/session"
)

// What happened beyond messages, as scripts see it. The contract may not
// declare messages of these names.
const (
	eventSpawned   = lua.LString("entity_spawned")
	eventDespawned = lua.LString("entity_despawned")
	eventOwnership = lua.LString("ownership_changed")
	eventJoined    = lua.LString("peer_joined")
	eventLeft      = lua.LString("peer_left")
)

// pollState is what one process_events gathers.
type pollState struct {
	connected, disconnected, started bool

	session  lua.LValue
	messages int
	list     *lua.LTable
}

// processEvents is process_events(): everything that has happened since the
// last call, in order. The tables are new with each call and the script's to
// keep.
func (m *sessionModule) processEvents(a Args) int {
	p := &m.poll
	*p = pollState{session: lua.LNil, list: a.L.CreateTable(4, 0)}
	for {
		ev, ok := m.peer.Poll()
		if !ok {
			break
		}
		m.event(&ev)
	}
	t := updateShape.table(a.L, map[string]lua.LValue{
		"connected": lua.LBool(p.connected), "disconnected": lua.LBool(p.disconnected), "session_started": lua.LBool(p.started),
		"messages": lua.LNumber(p.messages), "events": p.list,
	})
	if p.started {
		t.RawSetString("session", p.session)
	}
	m.chargeValues(a, costPoll+costEvent*p.list.Len())
	p.list = nil
	a.L.Push(t)
	return 1
}

// event adds one event to the update. Refusals, violations and strangers that
// were turned away are for diagnostics and reports, not for the game.
func (m *sessionModule) event(ev *session.Event) {
	p := &m.poll
	switch ev.Kind {
	case session.EventMessage:
		p.messages++
		target := lua.LValue(lua.LNil)
		if ev.N != 0 {
			target = m.names.entity(m.peer.Epoch(), ev.N)
		}
		m.push(m.names.messages[ev.Message.Index], m.names.sender(ev.Sender), target, m.values.read(ev.Data.Root()))
	case session.EventConnected:
		p.connected = true
	case session.EventDisconnected:
		p.disconnected = true
	case session.EventSessionStarted:
		p.started, p.session = true, m.values.read(ev.Data.Root())
	case session.EventPeerJoined:
		p.connected = true
		m.push(eventJoined, m.names.sender(ev.Sender), lua.LNil, m.joined(ev))
	case session.EventPeerLeft:
		p.disconnected = true
		m.push(eventLeft, m.names.sender(ev.Sender), lua.LNil, m.left(ev))
	case session.EventSpawned, session.EventDespawned, session.EventOwnership:
		m.life(ev)
	}
}

// The shapes of what scripts get on every tick.
var (
	updateShape   = shapeOf("connected", "disconnected", "session_started", "messages", "events")
	eventShape    = shapeOf("name", "sender_id", "data")
	targetedShape = shapeOf("name", "sender_id", "target", "data")
)

// push appends an event to the list.
func (m *sessionModule) push(name, sender, target, data lua.LValue) {
	fields := map[string]lua.LValue{"name": name, "sender_id": sender}
	sh := eventShape
	if target != lua.LNil {
		fields["target"] = target
		sh = targetedShape
	}
	if data != lua.LNil {
		fields["data"] = data
	}
	m.poll.list.Append(sh.table(m.L, fields))
}

func (m *sessionModule) joined(ev *session.Event) *lua.LTable {
	t := m.L.CreateTable(0, 2)
	t.RawSetString("sender_id", m.names.sender(ev.Sender))
	t.RawSetString("name", lua.LString(ev.Name))
	return t
}

func (m *sessionModule) left(ev *session.Event) *lua.LTable {
	t := m.L.CreateTable(0, 4)
	t.RawSetString("sender_id", m.names.sender(ev.Sender))
	t.RawSetString("code", lua.LString(ev.Code))
	t.RawSetString("text", lua.LString(ev.Text))
	entities := m.L.CreateTable(len(ev.Entities), 0)
	for _, n := range ev.Entities {
		entities.Append(m.names.entity(m.peer.Epoch(), n))
	}
	t.RawSetString("entities", entities)
	return t
}

// life tells of an entity's coming, going and changing hands. The host is who
// did it.
func (m *sessionModule) life(ev *session.Event) {
	id := m.names.entity(m.peer.Epoch(), ev.N)
	t := m.L.CreateTable(0, 4)
	t.RawSetString("network_id", id)
	name := eventDespawned
	switch ev.Kind {
	case session.EventSpawned:
		name = eventSpawned
		t.RawSetString("prefab", lua.LString(m.peer.Contract().Prefabs[ev.Type].Key))
		t.RawSetString("owner", m.names.sender(ev.Owner))
		if entity, ok := m.peer.LocalEntity(id.String()); ok {
			t.RawSetString("entity_id", lua.LString(entity))
		}
	case session.EventOwnership:
		name = eventOwnership
		t.RawSetString("owner", m.names.sender(ev.Owner))
	case session.EventDespawned:
		m.names.forget(ev.N)
	}
	m.push(name, m.names.sender(session.ServerSender), id, t)
}

// nameCache holds the strings that events repeat.
type nameCache struct {
	messages []lua.LValue          // by contract.Message.Index
	senders  []lua.LValue          // by number; at most maxCachedNames
	entities map[uint32]lua.LValue // strings
	epoch    uint32                // of entities
}

// maxCachedNames bounds the strings kept for senders, and those for entities.
const maxCachedNames = 4096

func (c *nameCache) init(con *contract.Contract) {
	for i := range con.Messages {
		c.messages = append(c.messages, lua.LString(con.Messages[i].Name))
	}
	c.entities = map[uint32]lua.LValue{}
}

func (c *nameCache) sender(s session.Sender) lua.LValue {
	if s >= maxCachedNames {
		return lua.LString(s.String())
	}
	for len(c.senders) <= int(s) {
		c.senders = append(c.senders, lua.LString(session.Sender(len(c.senders)).String()))
	}
	return c.senders[s]
}

// entity returns a network id.
func (c *nameCache) entity(epoch, n uint32) lua.LValue {
	if epoch != c.epoch || len(c.entities) >= maxCachedNames {
		clear(c.entities)
		c.epoch = epoch
	}
	id, ok := c.entities[n]
	if !ok {
		id = lua.LString(session.NetworkID(epoch, n))
		c.entities[n] = id
	}
	return id
}

func (c *nameCache) forget(n uint32) { delete(c.entities, n) }
