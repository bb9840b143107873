package contract

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"demi.network/contract/jsontext"
)

// prefabs compiles replicated_prefabs.
func (l *loader) prefabs() {
	section := l.root.object("replicated_prefabs")
	nodes := members(l.doc.root.Get("replicated_prefabs"))
	for _, key := range section.keys() {
		if _, ok := section[key].(map[string]any); !ok {
			continue
		}
		l.name("prefab", key, nodes[key])
		p := l.prefab(key, section.object(key), nodes[key])
		p.Index = len(l.out.Prefabs)
		l.out.byKey[key] = p.Index
		l.out.Prefabs = append(l.out.Prefabs, p)
	}
}

func (l *loader) prefab(key string, o object, node *jsontext.Node) Prefab {
	ownership := o.object("ownership")
	p := Prefab{
		Key: key, Prefab: o.text("prefab"), Place: l.place(node),
		DefaultOwner: valueOf[Actor](actorNames, ownership.text("default")),
		OnDisconnect: valueOf[Policy](policyNames, ownership.text("on_disconnect")),
	}
	entity := l.prefabFile(&p, node)
	components := o.object("components")
	nodes := members(node.Get("components"))
	seen := map[string]bool{}
	for _, component := range components.keys() {
		l.name("component", component, nodes[component])
		l.absent(&p, entity, component, nodes[component])
		l.eachField(component, components.object(component), nodes[component], func(path string, rule object, at *jsontext.Node) {
			if seen[path] {
				l.reportKey(CodeInvalidField, at, fmt.Sprintf("%s has two rules", path), "dots in a key and nested objects mean the same")
				return
			}
			seen[path] = true
			f := l.field(path, rule, at)
			l.defaultValue(&f, entity, at)
			p.Fields = append(p.Fields, f)
		})
	}
	sort.Slice(p.Fields, func(i, j int) bool { return p.Fields[i].Path < p.Fields[j].Path })
	for i := range p.Fields {
		p.Fields[i].Index, p.Fields[i].Column = i, p.Columns
		p.Columns += p.Fields[i].Type.Columns()
	}
	return p
}

// prefabFile returns the prefab's first entity, which the replicated fields
// speak of, or nil.
func (l *loader) prefabFile(p *Prefab, node *jsontext.Node) *jsontext.Node {
	if l.project == nil || p.Prefab == "" {
		return nil
	}
	ref := l.project.Prefab(p.Prefab)
	if ref == nil {
		hint := ""
		if n := l.suggest(p.Prefab, l.prefabIDs); n != "" {
			hint = fmt.Sprintf("did you mean %q?", n)
		}
		l.report(CodePrefabNotFound, node.Get("prefab"), fmt.Sprintf("the project has no prefab %q", p.Prefab), hint)
		return nil
	}
	if entity, ok := l.entities[ref.Path]; ok {
		return entity // another key of the contract names the same prefab
	}
	l.entities[ref.Path] = nil
	d, problems := load(l.fsys, ref.Path)
	l.addAll(problems)
	entities := d.root.Get("entities")
	if entities == nil || len(entities.Items) == 0 {
		if d.root != nil {
			l.add(problem(CodeInvalidManifest, d.place(entities), "a prefab needs at least one entity", ""))
		}
		return nil
	}
	l.entities[ref.Path] = entities.Items[0]
	return entities.Items[0]
}

func (l *loader) prefabIDs() []string {
	var ids []string
	for i := range l.project.Prefabs {
		ids = append(ids, l.project.Prefabs[i].ID)
	}
	return ids
}

// absent warns of a built-in component that the prefab's entity lacks: its
// fields exist with it alone, unlike those that a contract declares.
func (l *loader) absent(p *Prefab, entity *jsontext.Node, component string, at *jsontext.Node) {
	if entity == nil || entity.Get("components").Get(component) != nil || !builtinComponent(component) {
		return
	}
	l.reportKey(CodeUnreachableRule, at, fmt.Sprintf("the first entity of %s has no %s, so these fields have no value that could travel", p.Prefab, component),
		"add the component to the prefab")
}

// defaultValue takes over what the prefab gives, else the type's own zero. A
// value outside the range is the author's mistake: it would be clamped.
func (l *loader) defaultValue(f *Field, entity, at *jsontext.Node) {
	value := entity.Get("components").Get(f.Component)
	for _, part := range strings.Split(f.Name, ".") {
		value = value.Get(part)
	}
	if value == nil {
		for i := range f.Type.Columns() {
			f.Default[i] = min(max(f.Default[i], f.Minimum), f.Maximum)
		}
		return
	}
	given, ok := fieldValue(f, value)
	if !ok {
		l.report(CodeInvalidPrefab, at, fmt.Sprintf("%s: the prefab gives %s where %s is needed", f.Path, valueWords(value), article(f.Type.String())), "")
		return
	}
	for i := range f.Type.Columns() {
		if given[i] < f.Minimum || given[i] > f.Maximum {
			l.report(CodeInvalidField, at, fmt.Sprintf("%s: the prefab gives %s, which is outside %s … %s",
				f.Path, jsontext.Spell(given[i]), jsontext.Spell(f.Minimum), jsontext.Spell(f.Maximum)), "")
		}
	}
	f.Default = given
}

// valueWords says what a prefab gives for a field.
func valueWords(n *jsontext.Node) string {
	if n.Kind == jsontext.KindArray {
		return "an array of " + strconv.Itoa(len(n.Items))
	}
	return article(n.Kind.String())
}

// fieldValue reads a prefab's value: a bool, a number, or an array of as many
// numbers as the type has columns; an opaque color may leave the last one out.
// internal/scene reads the file by the same rule.
func fieldValue(f *Field, n *jsontext.Node) (v FieldValue, ok bool) {
	v = f.Default
	switch {
	case n.Kind == jsontext.KindBool && f.Type == TypeBool:
		if v[0] = 0; n.Bool {
			v[0] = 1
		}
		return v, true
	case n.Kind == jsontext.KindNumber && f.Type.Columns() == 1 && f.Type != TypeBool:
		v[0] = n.Number.Float
		return v, true
	case n.Kind == jsontext.KindArray && f.Type.Columns() > 1 && (len(n.Items) == f.Type.Columns() || f.Type == TypeColor && len(n.Items) == 3):
		for i, item := range n.Items {
			if item.Kind != jsontext.KindNumber {
				return v, false
			}
			v[i] = item.Number.Float
		}
		return v, true
	}
	return v, false
}
