package tool

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"demi.network/contract"
	"demi.network/contract/jsontext"
	"demi.network/runtime/fault"
)

// ChangeKind is what happened to a definition.
type ChangeKind uint8

// The kinds of change.
const (
	Changed ChangeKind = iota
	Added
	Removed
)

// String returns "changed", "added" or "removed".
func (k ChangeKind) String() string { return [...]string{"changed", "added", "removed"}[k] }

// Change is one change of meaning from an old contract to a new one. Breaking
// says that a script or a recording that was valid no longer is; Why says how.
// Whatever it is, both ends must have the new contract to play together.
type Change struct {
	Pointer  string // in the contract file
	Kind     ChangeKind
	Old, New string // canonical JSON; "" = absent
	Breaking bool
	Why      string
}

// Compare returns the changes from one contract to another, in the order of
// sections, keys and paths.
func Compare(old, new *contract.Contract) []Change {
	var out []Change
	for _, d := range contract.Changes(old, new) {
		c := Change{Old: d.Here, New: d.There}
		switch {
		case d.Here == "":
			c.Kind = Added
		case d.There == "":
			c.Kind = Removed
		}
		path := []string{d.Section}
		c.Pointer = "/" + d.Section
		if d.Section == "prefabs" {
			c.Pointer = "/replicated_prefabs"
		}
		if d.Key != "" {
			path = append(path, d.Key)
			c.Pointer += "/" + jsontext.EscapeToken(d.Key)
		}
		if d.Path != "" {
			path = append(path, strings.Split(d.Path, "/")...)
			c.Pointer += "/" + d.Path
		}
		c.Breaking, c.Why = judge(path, &c)
		out = append(out, c)
	}
	return append(out, startValues(old, new)...)
}

// startValues lists the fields that prefabs give other values. They are no part
// of the contract's meaning but of the handshake's scene; a bare file has none.
func startValues(old, new *contract.Contract) []Change {
	if old.AssetID == "" || new.AssetID == "" || old.Scene == new.Scene {
		return nil
	}
	var out []Change
	for i := range new.Prefabs {
		p := old.Prefab(new.Prefabs[i].Key)
		if p == nil {
			continue
		}
		for j := range new.Prefabs[i].Fields {
			f := &new.Prefabs[i].Fields[j]
			at := slices.IndexFunc(p.Fields, func(o contract.Field) bool { return o.Path == f.Path && o.Type == f.Type })
			if at < 0 || p.Fields[at].Default == f.Default {
				continue
			}
			out = append(out, Change{
				Pointer: f.Place.Pointer, Old: numbers(&p.Fields[at]), New: numbers(f),
				Why: "the prefab gives the field another value; both ends need the same prefabs",
			})
		}
	}
	return out
}

// numbers spells a field's start value as a JSON array.
func numbers(f *contract.Field) string {
	words := make([]string, f.Type.Columns())
	for i := range words {
		words[i] = jsontext.Spell(f.Default[i])
	}
	return "[" + strings.Join(words, ",") + "]"
}

// Diff prints the changes from old to new: one line each, and a last line
// "compatible" or "breaking". With breaking set, a breaking change is an error
// with code E_NET_CONTRACT_MISMATCH.
func Diff(w io.Writer, old, new Request, breaking bool) error {
	a, err := loaded(old)
	if err != nil {
		return err
	}
	b, err := loaded(new)
	if err != nil {
		return err
	}
	changes := Compare(a, b)
	broken := 0
	p := printer{w: w}
	for _, c := range changes {
		if c.Breaking {
			broken++
		}
		if old.Style != Text {
			p.json(map[string]any{"event": "change", "pointer": c.Pointer, "kind": c.Kind.String(), "old": c.Old, "new": c.New,
				"breaking": c.Breaking, "why": c.Why})
			continue
		}
		verdict := "compatible"
		if c.Breaking {
			verdict = "breaking"
		}
		p.line("%-10s %s %s: %s%s", verdict, c.Pointer, c.Kind, values(c), c.Why)
	}
	if old.Style != Text {
		p.json(map[string]any{"event": "report", "same": len(changes) == 0, "changes": len(changes), "breaking": broken,
			"old_hash": meaningText(a), "new_hash": meaningText(b)})
	} else {
		p.line("%s", verdict(len(changes), broken))
	}
	if p.err != nil {
		return p.failure()
	}
	if breaking && broken > 0 {
		e := fault.New(fault.ContractMismatch, "%s", count(broken, "breaking change"))
		e.Hint = "scripts or recordings that were valid with the old contract are not with the new one"
		if old.Style != Text {
			return reported{e} // the report is the last line
		}
		return e
	}
	return nil
}

func verdict(changes, broken int) string {
	switch {
	case changes == 0:
		return "the same meaning"
	case broken == 0:
		return fmt.Sprintf("%s, none breaking; both ends need the new contract", count(changes, "change"))
	}
	return fmt.Sprintf("%s, %d breaking", count(changes, "change"), broken)
}

func values(c Change) string {
	if c.Kind != Changed {
		return ""
	}
	return short(c.Old) + " → " + short(c.New) + "; "
}

func short(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// judge classifies one change. path is the section, the key, and the way to
// the value.
func judge(path []string, c *Change) (breaking bool, why string) {
	last := path[len(path)-1]
	switch path[0] {
	case "id":
		return true, "it is another contract"
	case "messages":
		return judgeMessage(path[1:], c, "message")
	case "prefabs":
		return judgePrefab(path[1:], c)
	case "limits":
		if len(path) > 2 {
			return judgeBudget(c)
		}
		return larger(c, "a peer that kept the old limit may be refused", "what was allowed still is")
	case "components":
		return false, "a declaration alone changes nothing: see the fields that use it"
	case "simulation":
		return judgeSimulation(path[1:], last, c)
	case "session":
		if last == "start" {
			return true, "the game starts at another moment"
		}
		return false, "scripts see the same calls and events"
	case "lockstep":
		return judgeLockstep(path[1:], last, c)
	}
	return true, "not known to be harmless"
}

func judgeMessage(path []string, c *Change, what string) (bool, string) {
	if len(path) == 1 {
		return addedOrRemoved(c, "scripts that send or await the "+what+" no longer work", "no script knows it yet")
	}
	switch key := path[1]; key {
	case "schema":
		return judgeSchema(path[2:], c)
	case "from":
		if c.New == `"all"` {
			return false, "whoever might send it still may"
		}
		return true, "a peer that might send it no longer may"
	case "to":
		if c.New == `"all"` {
			return false, "whoever received it still does"
		}
		return true, "a peer that received it no longer does"
	case "target":
		return true, "send takes another target"
	case "reliability":
		if c.New == `"reliable"` {
			return false, "it arrived sometimes, now always"
		}
		return true, "it arrived always, now sometimes"
	case "ordered":
		if c.New == "true" {
			return false, "it is in order now"
		}
		return true, "it may now be overtaken"
	case "rewind":
		if c.New == "true" {
			return false, "it carries more"
		}
		return true, "it no longer carries the tick that its sender saw"
	case "rate_limit", "rate", "maximum_bytes":
		return larger(c, "what a peer might send may now be refused", "what a peer might send it still may")
	}
	return true, "not known to be harmless"
}

func judgePrefab(path []string, c *Change) (bool, string) {
	switch {
	case len(path) == 1:
		return addedOrRemoved(c, "scripts that spawn it no longer work", "no script knows it yet")
	case path[1] == "components":
		return judgeField(path, c)
	case path[1] == "prefab":
		return true, "another prefab is spawned under the key"
	}
	return true, "ownership follows another rule"
}

func judgeField(path []string, c *Change) (bool, string) {
	whole := strings.HasPrefix(c.Old+c.New, "{")
	switch key := path[len(path)-1]; {
	case whole && c.Kind != Changed:
		return addedOrRemoved(c, "scripts and recordings that have the field no longer fit", "nothing has the field yet")
	case key == "write_by":
		if c.New == `"all"` {
			return false, "whoever might write it still may"
		}
		return true, "a peer that might write it no longer may"
	case key == "visible_to":
		if c.New == `"all"` || c.New == `"owner_and_server"` && c.Old != `"all"` {
			return false, "whoever saw it still does"
		}
		return true, "a peer that saw it no longer does"
	case key == "minimum":
		return smaller(c, "values that were kept are now clamped", "every value that was kept still is")
	case key == "maximum":
		return larger(c, "values that were kept are now clamped", "every value that was kept still is")
	case key == "type" || key == "step" || key == "sub_bits":
		return true, "recordings hold values of another shape or grain"
	}
	return false, "scripts and recordings see the same values"
}

func judgeBudget(c *Change) (bool, string) {
	before, now := number(c.Old), number(c.New)
	if now != 0 && (before == 0 || now < before) {
		return true, "a peer is warned, throttled or kicked sooner"
	}
	return false, "nobody is kicked who was not before"
}

func judgeSimulation(path []string, last string, c *Change) (bool, string) {
	switch {
	case len(path) == 0 || path[0] == "kind" || path[0] == "tick_rate":
		return true, "the same inputs lead to another world"
	case path[0] == "inputs":
		if c.Kind == Added && strings.HasPrefix(c.New, "{") {
			return false, "no script knows the input yet"
		}
		return true, "recorded inputs no longer fit"
	}
	return false, "scripts and recordings see the same ticks; " + last + " is about the network"
}

func judgeLockstep(path []string, last string, c *Change) (bool, string) {
	switch {
	case len(path) > 1 && path[0] == "commands":
		return judgeMessage(path[1:], c, "command")
	case len(path) == 0 || last == "tick_rate" || last == "command_delay":
		return true, "recorded matches play differently"
	}
	return false, "recorded matches play the same"
}

func addedOrRemoved(c *Change, removed, added string) (bool, string) {
	if c.Kind == Added {
		return false, added
	}
	return true, removed
}

func larger(c *Change, narrower, wider string) (bool, string) {
	if c.Kind == Changed && number(c.New) > number(c.Old) {
		return false, wider
	}
	return true, narrower
}

func smaller(c *Change, narrower, wider string) (bool, string) {
	if c.Kind == Changed && number(c.New) < number(c.Old) {
		return false, wider
	}
	return true, narrower
}

func number(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return f
}
