package tool

import (
	"fmt"
	"strings"

	"demi.network/contract"
	"demi.network/contract/jsontext"
)

func overview(c *contract.Contract) []string {
	var messages, prefabs []string
	for i := range c.Messages {
		messages = append(messages, c.Messages[i].Name)
	}
	for i := range c.Prefabs {
		prefabs = append(prefabs, c.Prefabs[i].Key)
	}
	words := []string{
		fmt.Sprintf("Peers may play together when their contracts have the hash %s.", meaningText(c)),
		"Messages: " + listed(messages) + ".",
		"Replicated prefabs: " + listed(prefabs) + ".",
		fmt.Sprintf("One peer may send %d messages a second and own %s.", c.Limits.MessagesPerSecond, entities(c.Limits.OwnedEntities)),
	}
	if c.Simulation.Declared {
		words = append(words, fmt.Sprintf("A %s simulation runs at %d Hz.", c.Simulation.Kind, c.Simulation.TickRate))
	}
	if c.Lockstep.Declared {
		words = append(words, fmt.Sprintf("A lockstep match runs at %d Hz with %s.", c.Lockstep.TickRate, count(len(c.Lockstep.Commands), "command")))
	}
	return words
}

func entities(n int) string {
	if n == 1 {
		return "1 entity"
	}
	return fmt.Sprintf("%d entities", n)
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// aboutWords say what a message or a command speaks of.
var aboutWords = map[contract.Target]string{
	contract.TargetNone:        "about the session: it names no entity",
	contract.TargetOwnedEntity: "about an entity that the sender owns",
	contract.TargetEntity:      "about any live entity",
}

func messageWords(m *contract.Message) []string {
	who := map[contract.Actor]string{
		contract.ActorServer: "The server sends it", contract.ActorAll: "Any peer sends it",
		contract.ActorOwner: "A peer that owns the target sends it",
	}[m.From]
	if m.From == contract.ActorOwner && m.Target == contract.TargetNone {
		who = "Any peer that owns a live entity sends it"
	}
	to := map[contract.Actor]string{
		contract.ActorServer: "to the server", contract.ActorAll: "to everybody else",
		contract.ActorOwner: "to the owner of the target",
	}[m.To]
	how := "It arrives, in order."
	switch {
	case !m.Reliable && m.Ordered:
		how = "It may be lost; one that was overtaken is dropped."
	case !m.Reliable:
		how = "It may be lost or arrive late."
	}
	words := []string{
		fmt.Sprintf("%s %s, %s.", who, to, aboutWords[m.Target]), how,
		fmt.Sprintf("One peer may send it %s a second, with at most %s each.", times(m.RateLimit), count(m.MaximumBytes, "byte")),
	}
	if m.Rewind {
		words = append(words, "It carries the tick that its sender saw, so that the host can look back.")
	}
	return append(words, fmt.Sprintf("Its id on the wire is %d: the place of its name in byte order.", m.Index))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func prefabWords(p *contract.Prefab) []string {
	owner := "the server"
	if p.DefaultOwner != contract.ActorServer {
		owner = "nobody: spawn must name an owner"
	}
	leaves := map[contract.Policy]string{
		contract.PolicyDespawn:        "its entities are removed",
		contract.PolicyReturnToServer: "its entities go to the server",
		contract.PolicyTransferByGame: "its entities go to the server, and the game decides",
	}[p.OnDisconnect]
	var fields []string
	for i := range p.Fields {
		fields = append(fields, p.Fields[i].Path)
	}
	return []string{
		fmt.Sprintf("The server spawns %s under the key %q. Without a named owner it belongs to %s.", p.Prefab, p.Key, owner),
		fmt.Sprintf("When its owner leaves, %s.", leaves),
		fmt.Sprintf("Replicated: %s; %s a row.", listed(fields), count(p.Columns, "column")),
	}
}

func fieldWords(f *contract.Field) []string {
	writer := map[contract.Actor]string{
		contract.ActorServer: "The server writes it", contract.ActorOwner: "The entity's owner writes it",
		contract.ActorAll: "Every peer writes it",
	}[f.WriteBy]
	seen := map[contract.Visibility]string{
		contract.VisibleAll: "everybody sees it", contract.VisibleOwner: "the owner sees it",
		contract.VisibleServer: "only the server sees it", contract.VisibleOwnerAndServer: "the owner and the server see it",
	}[f.VisibleTo]
	words := []string{
		fmt.Sprintf("%s; %s.", writer, seen),
		fmt.Sprintf("A new value is taken %s a second.", times(f.Rate)),
		shapeWords(f),
		fmt.Sprintf("Between two ticks: %s.", f.Interpolate),
	}
	switch f.Predict {
	case contract.PredictCheck:
		words = append(words, fmt.Sprintf("A client predicts it; more than %s off is a misprediction.", jsontext.Spell(f.Tolerance)))
	case contract.PredictRestore:
		words = append(words, "A client predicts it; a correction restores it, and it is never compared.")
	}
	if f.Reliable {
		words = append(words, "It is never left out of a snapshot for want of room.")
	}
	return words
}

func commandWords(c *contract.Contract, name string) []string {
	for i := range c.Lockstep.Commands {
		m := &c.Lockstep.Commands[i]
		if m.Name != name {
			continue
		}
		return []string{
			fmt.Sprintf("A player orders it %s.", aboutWords[m.Target]),
			fmt.Sprintf("One player may order it %s a second; it takes effect %s later.", times(m.RateLimit), count(c.Lockstep.CommandDelay, "frame")),
		}
	}
	return nil
}

func inputWords(c *contract.Contract, name string) []string {
	for _, in := range c.Simulation.Inputs {
		if in.Name == name {
			return []string{fmt.Sprintf("A player steers with it, from %s to %s in steps of %s.", jsontext.Spell(in.Minimum), jsontext.Spell(in.Maximum), jsontext.Spell(in.Step))}
		}
	}
	return nil
}

// shapeWords says what values a field has: "It is an int from 0 to 100 in steps
// of 1."
func shapeWords(f *contract.Field) string {
	if f.Type == contract.TypeBool {
		return "It is a bool."
	}
	article := "a"
	if f.Type == contract.TypeInt || f.Type == contract.TypeAngle {
		article = "an"
	}
	text := fmt.Sprintf("It is %s %s from %s to %s in steps of %s", article, f.Type, jsontext.Spell(f.Minimum), jsontext.Spell(f.Maximum), jsontext.Spell(f.Step))
	if f.SubBits > 0 {
		text += fmt.Sprintf("; the host keeps 1/%d of a step", 1<<f.SubBits)
	}
	return text + "."
}
