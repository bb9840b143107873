package payload

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"demi.network/contract/jsontext"
)

// builder compiles the keywords of one schema.
type builder struct {
	c     *compiler
	at    *jsontext.Node
	n     schema
	extra *jsontext.Node // additionalProperties
}

// supported are the keywords that mean something here.
var supported = [...]string{
	"type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
	"minLength", "maxLength", "minItems", "maxItems", "items",
	"required", "properties", "additionalProperties", "$defs", "$ref",
}

func (b *builder) keywords() {
	b.n.items, b.n.extra = none, none
	for i := range b.at.Members {
		m := &b.at.Members[i]
		v := m.Value
		switch m.Key {
		case "type":
			b.types(v)
		case "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum":
			b.bound(m.Key, v)
		case "minLength":
			b.count(v, m.Key, &b.n.minLength)
		case "maxLength":
			b.count(v, m.Key, &b.n.maxLength)
		case "minItems":
			b.count(v, m.Key, &b.n.minItems)
		case "maxItems":
			b.count(v, m.Key, &b.n.maxItems)
		case "items":
			b.n.items = b.c.place(v)
			b.c.arrays = append(b.c.arrays, arrayItems{v, b.n.items})
		case "properties":
			b.properties(v)
		case "additionalProperties":
			b.extra = v
		case "$defs":
			b.c.definitions(v)
		case "required", "enum", "const": // below: they need the others
		default:
			if !annotation(m.Key) {
				b.unknown(m)
			}
		}
	}
	b.additional()
	b.required()
	b.enum("enum")
	b.enum("const")
	b.contradictions()
	b.idle()
}

// unknown reports a keyword that this format does not have.
func (b *builder) unknown(m *jsontext.Member) {
	hint := ""
	for _, w := range supported {
		if strings.EqualFold(w, m.Key) {
			hint = "write " + w
		}
	}
	switch m.Key {
	case "definitions":
		hint = "write $defs"
	case "pattern", "format":
		hint = "bound the length with maxLength, or list the values with enum; the game checks the rest"
	case "allOf", "anyOf", "oneOf", "not", "if", "then", "else":
		hint = "write the rules in one schema; type may list several types"
	case "minProperties", "maxProperties", "dependencies", "dependentRequired", "dependentSchemas", "propertyNames", "patternProperties", "unevaluatedProperties":
		hint = "name the members in properties and required, and close the object with additionalProperties"
	case "uniqueItems", "contains", "minContains", "maxContains", "prefixItems", "additionalItems", "unevaluatedItems":
		hint = "items holds for every item; the game checks the rest"
	case "nullable":
		hint = `write "type": [..., "null"]`
	case "examples", "readOnly", "writeOnly", "deprecated":
		hint = "remove it: notes are $comment, title, description and default"
	case "multipleOf":
		hint = "write type integer"
	case "$id", "$anchor", "id":
		hint = "references are local: #/$defs/NAME"
	}
	b.c.issue(m.Value, hint, "keyword %q is not supported", m.Key)
}

func (b *builder) types(v *jsontext.Node) {
	names := []*jsontext.Node{v}
	if v.Kind == jsontext.KindArray {
		names = v.Items
		if len(names) == 0 {
			b.c.issue(v, "", "type lists no types")
			return
		}
		if len(names) > len(typeNames) {
			b.c.issue(v, "", "type lists more types than there are")
			return
		}
	}
	b.n.kinds, b.n.integer = 0, true
	for i, t := range names {
		k, ok := typeKinds(t)
		if !ok {
			b.c.issue(t, typeHint(t.Text), "this is not a type")
			continue
		}
		if slices.ContainsFunc(names[:i], func(o *jsontext.Node) bool { return o.Text == t.Text }) {
			b.c.issue(t, "", "%q is listed twice", t.Text)
		}
		if t.Text == "number" {
			b.n.integer = false
		}
		b.n.kinds |= k
	}
	b.n.saysNull = b.n.kinds.Has(Null)
	b.n.integer = b.n.integer && b.n.kinds&anyNumber != 0
}

// typeNames are the words that type knows.
var typeNames = [...]string{"null", "boolean", "integer", "number", "string", "array", "object"}

// typeHint is what to write in place of a word that is no type.
func typeHint(word string) string {
	right := ""
	for _, name := range typeNames {
		if strings.EqualFold(name, word) {
			right = name
		}
	}
	switch strings.ToLower(word) {
	case "int":
		right = "integer"
	case "float", "double":
		right = "number"
	case "bool":
		right = "boolean"
	case "text", "str":
		right = "string"
	case "list":
		right = "array"
	case "table", "map", "dict":
		right = "object"
	case "nil":
		right = "null"
	}
	if right != "" {
		return "write " + right
	}
	return "write null, boolean, integer, number, string, array or object"
}

func typeKinds(t *jsontext.Node) (Kinds, bool) {
	if t.Kind != jsontext.KindString {
		return 0, false
	}
	switch t.Text {
	case "null":
		return 1 << Null, true
	case "boolean":
		return 1 << Bool, true
	case "integer", "number":
		return anyNumber, true
	case "string":
		return 1 << String, true
	case "array":
		return 1 << Array, true
	case "object":
		return 1 << Object, true
	}
	return 0, false
}

// exact returns a number of the schema that doubles can be compared with.
func (b *builder) exact(v *jsontext.Node) (float64, bool) {
	if v.Kind != jsontext.KindNumber {
		b.c.issue(v, "", "this must be a number, not %s", v.Kind)
		return 0, false
	}
	ok := v.Number.Exact([]byte(v.Text))
	if !ok {
		b.c.issue(v, "", "a double cannot hold this integer exactly")
	}
	return v.Number.Float + 0, ok // + 0: no negative zero
}

// bound takes the stricter of an inclusive and an exclusive bound, as both
// have to hold.
func (b *builder) bound(word string, v *jsontext.Node) {
	f, ok := b.exact(v)
	if !ok {
		return
	}
	n := &b.n
	exclusive := strings.HasPrefix(word, "exclusive")
	if strings.HasSuffix(strings.ToLower(word), "minimum") {
		if f > n.minimum || f == n.minimum && exclusive {
			n.minimum, n.minExclusive = f, exclusive
		}
	} else if f < n.maximum || f == n.maximum && exclusive {
		n.maximum, n.maxExclusive = f, exclusive
	}
}

func (b *builder) count(v *jsontext.Node, word string, to *int) {
	f := v.Number.Float
	if v.Kind != jsontext.KindNumber || f < 0 || f != math.Trunc(f) {
		b.c.issue(v, "", "%s must be a whole number from 0 on", word)
		return
	}
	*to = int(min(f, math.MaxInt32))
}

func (b *builder) properties(v *jsontext.Node) {
	if v.Kind != jsontext.KindObject {
		b.c.issue(v, "", "properties must be an object of schemas, not %s", v.Kind)
		return
	}
	if len(v.Members) > MaxProperties {
		b.c.issue(v, "", "more than %d properties", MaxProperties)
		return
	}
	for i := range v.Members {
		m := &v.Members[i]
		b.n.props = append(b.n.props, property{name: m.Key, id: b.c.text(m.Key), schema: b.c.place(m.Value)})
	}
	slices.SortStableFunc(b.n.props, func(x, y property) int { return strings.Compare(x.name, y.name) })
	// The document has been refused for a name given twice, if it is not this
	// package's own test; the last one counts, as in Node.Get.
	for i := 1; i < len(b.n.props); i++ {
		if b.n.props[i-1].name == b.n.props[i].name {
			b.n.props = slices.Delete(b.n.props, i-1, i)
			i--
		}
	}
}

func (b *builder) additional() {
	if b.n.items == none {
		b.n.items = b.c.anything()
	}
	switch {
	case b.extra == nil, b.extra.Kind == jsontext.KindBool && b.extra.Bool:
		b.n.extra = b.c.anything()
	case b.extra.Kind == jsontext.KindBool:
	case b.extra.Kind == jsontext.KindObject:
		b.n.extra = b.c.place(b.extra)
	default:
		b.c.issue(b.extra, "", "additionalProperties must be true, false or a schema, not %s", b.extra.Kind)
	}
}

// required marks members. One that is required but not declared is declared
// by that, with the schema of additional ones.
func (b *builder) required() {
	v := b.at.Get("required")
	if v == nil {
		return
	}
	if v.Kind != jsontext.KindArray {
		b.c.issue(v, "", "required must be an array of names, not %s", v.Kind)
		return
	}
	wanted := map[string]bool{}
	for _, item := range v.Items {
		switch {
		case item.Kind != jsontext.KindString:
			b.c.issue(item, "", "required must list names, not %s", item.Kind)
			return
		case wanted[item.Text]:
			b.c.issue(item, "", "%q is listed twice", item.Text)
		case find(b.n.props, item.Text) >= 0:
		case b.n.extra == none:
			b.c.issue(item, "declare it in properties", "%q is required, but not declared and additional properties are not allowed", item.Text)
		case len(b.n.props) == MaxProperties:
			b.c.issue(item, "", "more than %d properties", MaxProperties)
			return
		default:
			b.undeclared(item)
			b.n.props = append(b.n.props, property{name: item.Text, id: b.c.text(item.Text), schema: b.n.extra})
			slices.SortFunc(b.n.props, func(x, y property) int { return strings.Compare(x.name, y.name) })
		}
		wanted[item.Text] = true
	}
	for i := range b.n.props {
		if wanted[b.n.props[i].name] {
			b.n.required.add(i)
		}
	}
}

// undeclared warns of a required name that properties does not have, where
// additionalProperties says nothing of it either.
func (b *builder) undeclared(item *jsontext.Node) {
	declared := b.at.Get("properties")
	if declared == nil || b.extra != nil && b.extra.Kind == jsontext.KindObject {
		return
	}
	hint := "declare it in properties"
	for i := range declared.Members {
		if name := declared.Members[i].Key; strings.EqualFold(name, item.Text) {
			hint = fmt.Sprintf("did you mean %q? Names differ by upper and lower case", name)
		}
	}
	b.c.warn(item, hint, "%q is required, but not declared: it may have any value", item.Text)
}

// contradictions reports bounds that leave nothing between them.
func (b *builder) contradictions() {
	n := &b.n
	if n.minLength > n.maxLength {
		b.c.issue(b.at.Get("minLength"), "", "minLength is above maxLength")
	}
	if n.minItems > n.maxItems {
		b.c.issue(b.at.Get("minItems"), "", "minItems is above maxItems")
	}
	lo, hi := n.minimum, n.maximum
	empty := lo > hi || lo == hi && (n.minExclusive || n.maxExclusive)
	if n.integer && !empty {
		lo, hi = n.wholeBounds()
		empty = lo > hi
	}
	if empty {
		at := b.at.Get("minimum")
		if at == nil {
			at = b.at.Get("exclusiveMinimum")
		}
		b.c.issue(at, "", "no number lies between the minimum and the maximum")
	}
}

// wholeBounds returns the smallest and largest whole number allowed, infinite
// when there is none.
func (n *schema) wholeBounds() (lo, hi float64) {
	lo, hi = math.Ceil(n.minimum), math.Floor(n.maximum)
	if n.minExclusive && lo == n.minimum {
		lo = above(lo)
	}
	if n.maxExclusive && hi == n.maximum {
		hi = -above(-hi)
	}
	return lo, hi
}

// above returns the next whole number, or the next double where that is further.
func above(whole float64) float64 {
	if math.Abs(whole) < MaxInt {
		return whole + 1
	}
	return math.Nextafter(whole, math.Inf(1))
}

// idle warns of keywords that no allowed type can break.
func (b *builder) idle() {
	for i := range b.at.Members {
		m := &b.at.Members[i]
		var kinds Kinds
		switch m.Key {
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
			kinds = anyNumber
		case "minLength", "maxLength":
			kinds = 1 << String
		case "items", "minItems", "maxItems":
			kinds = 1 << Array
		case "properties", "required", "additionalProperties":
			kinds = 1 << Object
		default:
			continue
		}
		if b.n.kinds&kinds == 0 && b.n.kinds != 0 {
			b.c.warn(m.Value, "", "%s means nothing for %s", m.Key, b.n.typeWords())
		}
	}
}
