package contract

import (
	"fmt"
	"slices"

	"demi.network/contract/jsontext"
	"demi.network/contract/payload"
)

// limits reads the limits section.
func (l *loader) limits() {
	o := l.root.object("limits")
	v := o.object("on_violation")
	l.out.Limits = Limits{
		MessageBytes:      o.int("maximum_message_bytes"),
		MessagesPerSecond: o.int("maximum_messages_per_second"),
		OwnedEntities:     o.int("maximum_owned_entities_per_peer"),
		PayloadDepth:      o.int("maximum_payload_depth"),
		PayloadElements:   o.int("maximum_payload_elements"),
		StringBytes:       o.int("maximum_string_bytes"),
		Violations:        Violations{v.int("warn"), v.int("throttle"), v.int("kick")},
	}
	node := l.doc.root.Get("limits").Get("on_violation")
	kick := v.int("kick")
	for _, key := range []string{"warn", "throttle"} {
		if n := v.int(key); kick > 0 && n >= kick {
			l.report(CodeUnreachableRule, node.Get(key), fmt.Sprintf("a peer with %d violations has been kicked at %d", n, kick), "")
		}
	}
}

// messages compiles the messages section. Ids follow the byte order of names.
func (l *loader) messages() {
	section := l.root.object("messages")
	nodes := members(l.doc.root.Get("messages"))
	for _, name := range section.keys() {
		o, ok := section[name].(map[string]any)
		if !ok {
			continue
		}
		l.name("message", name, nodes[name])
		if slices.Contains(reserved, name) {
			l.reportKey(CodeReservedName, nodes[name], fmt.Sprintf("%q is an event of the session itself", name), "choose another name")
		}
		m := l.message(name, o, nodes[name])
		m.Index = len(l.out.Messages)
		l.out.byName[name] = m.Index
		l.out.Messages = append(l.out.Messages, m)
	}
}

func (l *loader) message(name string, o object, node *jsontext.Node) Message {
	m := Message{
		Name: name, Place: l.place(node),
		From:     valueOf[Actor](actorNames, o.text("from")),
		To:       valueOf[Actor](actorNames, o.text("to")),
		Target:   valueOf[Target](targetNames, o.text("target")),
		Reliable: o.text("reliability") == "reliable", Ordered: o.bool("ordered"), Rewind: o.bool("rewind"),
		RateLimit: o.int("rate_limit"), MaximumBytes: o.int("maximum_bytes"),
	}
	l.messageLimits(&m, node)
	l.messageReach(&m, node)
	if m.Reliable {
		m.Ordered = true
	}
	o["ordered"], o["rate_limit"], o["maximum_bytes"] = m.Ordered, uint64(m.RateLimit), uint64(m.MaximumBytes)
	if s := l.schema(o["schema"], node.Get("schema")); s != nil {
		m.SchemaID, m.Schema = s.id, s.plan
		l.payloadSize(&m, s, node)
		setSchema(o, s)
	}
	return m
}

// setSchema puts the schema's content in its place: that is the meaning. A
// schema that says nothing means what an absent one does.
func setSchema(o object, s *payloadSchema) {
	delete(o, "schema")
	if s.node == nil {
		return
	}
	if c := canonicalSchema(s.node); len(c) > 0 {
		o["schema"] = c
	}
}

// messageLimits holds a message against the limits. What the file does not
// give is the smaller of default and limit.
func (l *loader) messageLimits(m *Message, node *jsontext.Node) {
	limits := &l.out.Limits
	if at := node.Get("rate_limit"); at == nil {
		m.RateLimit = min(m.RateLimit, limits.MessagesPerSecond)
	} else if m.RateLimit > limits.MessagesPerSecond {
		l.report(CodeUnreachableRule, at, fmt.Sprintf("a rate of %d is above limits.maximum_messages_per_second, which is %d", m.RateLimit, limits.MessagesPerSecond),
			"a peer is stopped by the limit first")
	}
	if at := node.Get("maximum_bytes"); at == nil {
		m.MaximumBytes = min(m.MaximumBytes, limits.MessageBytes)
	} else if m.MaximumBytes > limits.MessageBytes {
		l.report(CodeInvalidLimit, at, fmt.Sprintf("%d bytes are more than limits.maximum_message_bytes, which is %d", m.MaximumBytes, limits.MessageBytes), "")
	}
}

// messageReach warns of rules that never take effect.
func (l *loader) messageReach(m *Message, node *jsontext.Node) {
	warn := func(key, text, hint string) {
		at := node.Get(key)
		if at == nil {
			at = node
		}
		l.report(CodeUnreachableRule, at, text, hint)
	}
	entities := len(l.out.Prefabs) > 0
	switch {
	case m.To == ActorOwner && m.Target == TargetNone:
		warn("to", "to: owner needs a target: without one there is no owner to receive it", "set \"target\" to \"entity\" or \"owned_entity\"")
	case m.From == ActorServer && m.To == ActorServer:
		warn("to", "from the server to the server: it never travels", "")
	case m.Target != TargetNone && !entities:
		warn("target", "no replicated prefab exists that it could speak of", "")
	case m.From == ActorOwner && !entities:
		warn("from", "no replicated prefab exists, so nobody owns an entity and may send it", "")
	}
	if m.Reliable && !m.Ordered {
		warn("ordered", "reliable messages are always in order", "set \"reliability\" to \"unreliable\"")
	}
	if m.Rewind && m.From == ActorServer {
		warn("rewind", "the server's own messages are never rewound", "")
	}
}

// payloadSize compares what the schema needs with what the message may have.
func (l *loader) payloadSize(m *Message, s *payloadSchema, node *jsontext.Node) {
	if s.plan == nil {
		return
	}
	at := node.Get("maximum_bytes")
	if at == nil {
		at = node
	}
	smallest, ok := s.plan.MinBytes()
	switch {
	case !ok:
		l.report(CodeUnreachableRule, node, "no payload satisfies its schema, so it can never be sent", "")
	case smallest > m.MaximumBytes:
		l.report(CodeUnreachableRule, at, fmt.Sprintf("the smallest payload its schema allows has %d bytes, more than its maximum of %d", smallest, m.MaximumBytes), "")
	}
}

// simulation reads the simulation section. Without one the game ticks at the
// default rate and nothing else holds.
func (l *loader) simulation() {
	o, declared := l.root["simulation"].(map[string]any)
	if !declared {
		o = map[string]any{}
		l.rules.fill(networkContract, l.rules.trees[networkContract].At("/definitions/simulation"), o)
	}
	s := &l.out.Simulation
	node := l.doc.root.Get("simulation")
	*s = Simulation{
		Declared: declared, Kind: object(o).text("kind"), TickRate: object(o).int("tick_rate"),
		InputBufferTarget: object(o).int("input_buffer_target"), InputQueueMax: object(o).int("input_queue_max"),
		InterpDelayTicks: object(o).int("interp_delay_ticks"), HistoryTicks: object(o).int("history_ticks"),
		RewindTicks: object(o).int("rewind_ticks"), SmoothMS: object(o).int("smooth_ms"),
	}
	inputs := object(o).object("inputs")
	nodes := members(node.Get("inputs"))
	for _, name := range inputs.keys() {
		in := inputs.object(name)
		l.name("input", name, nodes[name])
		i := Input{name, in.number("minimum"), in.number("maximum"), in.number("step")}
		switch {
		case i.Minimum >= i.Maximum:
			l.report(CodeInvalidSimulation, nodes[name], fmt.Sprintf("input %q: the maximum is not above the minimum", name), "")
		case (i.Maximum-i.Minimum)/i.Step > maxInputSteps:
			l.report(CodeInvalidSimulation, nodes[name], fmt.Sprintf("input %q: the range has more than %d steps", name, maxInputSteps), "take a larger step")
		}
		s.Inputs = append(s.Inputs, i)
	}
	l.simulationOrder(s, node)
}

// maxInputSteps is how finely an input may be cut: two bytes a frame.
const maxInputSteps = 65535

func (l *loader) simulationOrder(s *Simulation, node *jsontext.Node) {
	report := func(key, text string) {
		at := node.Get(key)
		if at == nil {
			at = node
		}
		l.report(CodeInvalidSimulation, at, text, "")
	}
	if s.InputBufferTarget > s.InputQueueMax {
		report("input_buffer_target", fmt.Sprintf("a target of %d input frames does not fit a queue of %d", s.InputBufferTarget, s.InputQueueMax))
	}
	if s.RewindTicks >= s.HistoryTicks {
		report("rewind_ticks", fmt.Sprintf("rewinding %d ticks needs a longer history than %d ticks", s.RewindTicks, s.HistoryTicks))
	}
	if s.InterpDelayTicks >= s.HistoryTicks {
		report("interp_delay_ticks", fmt.Sprintf("showing %d ticks ago needs a longer history than %d ticks", s.InterpDelayTicks, s.HistoryTicks))
	}
}

// session reads the session section.
func (l *loader) session() {
	o := l.root.object("session")
	l.out.Session = Session{
		MaxPlayers: o.int("max_players"), ReconnectGraceS: o.number("reconnect_grace_s"),
		Start: o.text("start"), FillBots: o.bool("fill_bots"),
	}
}

// lockstep reads the lockstep section.
func (l *loader) lockstep() {
	o, declared := l.root["lockstep"].(map[string]any)
	if !declared {
		return
	}
	s := &l.out.Lockstep
	*s = Lockstep{
		Declared: true, TickRate: object(o).int("tick_rate"), CommandDelay: object(o).int("command_delay"),
		SnapshotInterval: object(o).int("snapshot_interval"), ChecksumInterval: object(o).int("checksum_interval"),
	}
	commands := object(o).object("commands")
	nodes := members(l.doc.root.Get("lockstep").Get("commands"))
	for _, name := range commands.keys() {
		keys, ok := commands[name].(map[string]any)
		if !ok {
			continue
		}
		l.name("command", name, nodes[name])
		c := Command{
			Index: len(s.Commands), Name: name, Place: l.place(nodes[name]), Schema: payload.Any(),
			Target: valueOf[Target](targetNames, object(keys).text("target")), RateLimit: object(keys).int("rate"),
		}
		if p := l.schema(keys["schema"], nodes[name].Get("schema")); p != nil {
			c.Schema = p.plan
			setSchema(keys, p)
			if c.Schema != nil {
				if _, ok := c.Schema.MinBytes(); !ok {
					l.report(CodeUnreachableRule, nodes[name], "no payload satisfies its schema, so it can never be ordered", "")
				}
			}
		}
		s.Commands = append(s.Commands, c)
	}
}
