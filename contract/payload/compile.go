package payload

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"demi.network/contract/jsontext"
)

// MaxSchemas is how many places one schema may have. Every place is compiled
// once, however often a $ref leads to it, so that a small document cannot ask
// for exponential work.
const MaxSchemas = 4096

// MaxConstants is how many values one enum may list.
const MaxConstants = 1024

// MaxIssues is how many faults, and how many warnings, of one schema are
// reported; the last of them says that there are more.
const MaxIssues = 100

// Issue is one fault of a schema.
type Issue struct {
	Pointer string       // in the schema's document
	Pos     jsontext.Pos // of the key or value at fault
	Text    string       // one sentence without a place
	Hint    string       // what to write instead; may be empty
	Warning bool         // the schema can be used all the same
}

// Compile turns a DataSchema document into a Plan. Everything that the format
// does not know is an issue; with issues there is no plan. Local references
// ("#/…") are relative to doc, which may be a part of a larger document; no
// other reference is ever followed.
func Compile(doc *jsontext.Node) (*Plan, []Issue) {
	c := compiler{
		doc: doc, base: len(doc.Pointer()), any: none,
		places: map[*jsontext.Node]int32{}, ends: map[*jsontext.Node]*jsontext.Node{}, texts: map[string]int32{},
	}
	root := c.place(doc)
	c.holes()
	slices.SortStableFunc(c.issues, func(a, b Issue) int { return a.Pos.Offset - b.Pos.Offset })
	if c.faults > 0 {
		return nil, c.issues
	}
	p := &Plan{schemas: c.schemas, root: root}
	c.intern(p)
	p.finish()
	return p, c.issues
}

type compiler struct {
	doc     *jsontext.Node
	base    int // length of doc's own pointer
	schemas []schema
	places  map[*jsontext.Node]int32          // what is compiled, or being compiled
	ends    map[*jsontext.Node]*jsontext.Node // where each reference leads in the end; nil after an issue
	count   int                               // of places
	texts   map[string]int32                  // strings of the plan, numbered as they come
	order   []string                          // the same, by number
	any     int32                             // the schema of anything; none = not made yet
	full    bool
	arrays  []arrayItems
	issues  []Issue
	faults  int // issues that are no warnings, those beyond MaxIssues included
	idle    int // warnings, likewise
}

// arrayItems is an items keyword, to be looked at when its schema is complete.
type arrayItems struct {
	at     *jsontext.Node
	schema int32
}

// holes reports arrays that are declared to hold null.
func (c *compiler) holes() {
	for _, a := range c.arrays {
		if a.schema < int32(len(c.schemas)) && c.schemas[a.schema].saysNull {
			c.issue(a.at, "leave the item out, or use an object", "an array cannot hold null: for a script it would be a hole")
		}
	}
}

func (c *compiler) issue(at *jsontext.Node, hint, format string, args ...any) {
	c.report(&c.faults, at, Issue{Text: fmt.Sprintf(format, args...), Hint: hint})
}

func (c *compiler) warn(at *jsontext.Node, hint, format string, args ...any) {
	c.report(&c.idle, at, Issue{Text: fmt.Sprintf(format, args...), Hint: hint, Warning: true})
}

func (c *compiler) report(count *int, at *jsontext.Node, i Issue) {
	switch *count++; {
	case *count > MaxIssues:
		return
	case *count == MaxIssues:
		i.Text += "; more follow"
	}
	i.Pointer, i.Pos = c.pointer(at), at.KeyPos()
	c.issues = append(c.issues, i)
}

// pointer returns at's place within the schema's document.
func (c *compiler) pointer(at *jsontext.Node) string { return at.Pointer()[c.base:] }

func (c *compiler) text(s string) int32 {
	id, ok := c.texts[s]
	if !ok {
		id = int32(len(c.order))
		c.texts[s] = id
		c.order = append(c.order, s)
	}
	return id
}

// intern gives the plan its strings, renumbered in byte order.
func (c *compiler) intern(p *Plan) {
	p.strings = slices.Clone(c.order)
	slices.Sort(p.strings)
	id := make([]int32, len(c.order))
	for i, s := range p.strings {
		id[c.texts[s]] = int32(i)
	}
	for i := range p.schemas {
		n := &p.schemas[i]
		for j := range n.props {
			n.props[j].id = id[n.props[j].id]
		}
		for j := range n.enum {
			if n.enum[j].kind == String {
				n.enum[j].bits = uint64(id[n.enum[j].bits])
			}
		}
	}
}

// anything returns the number of the schema that allows every value.
func (c *compiler) anything() int32 {
	if c.any == none {
		c.any = int32(len(c.schemas))
		c.schemas = append(c.schemas, anySchema(""))
		c.schemas[c.any].items, c.schemas[c.any].extra = c.any, c.any
	}
	return c.any
}

// place compiles the schema at a node, once, and returns its number.
func (c *compiler) place(at *jsontext.Node) int32 {
	if i, ok := c.places[at]; ok {
		return i
	}
	if c.count++; c.count > MaxSchemas {
		if !c.full {
			c.full = true
			c.issue(at, "", "the schema has more than %d places", MaxSchemas)
		}
		return 0
	}
	if at.Kind != jsontext.KindObject {
		c.issue(at, "write {} for any value", "a schema must be an object, not %s", at.Kind)
		return 0
	}
	if ref := at.Get("$ref"); ref != nil {
		c.beside(at)
		target := c.follow(at)
		i := int32(0)
		if target != nil {
			i = c.place(target)
		}
		c.places[at] = i
		return i
	}
	i := int32(len(c.schemas))
	c.places[at] = i
	c.schemas = append(c.schemas, anySchema(c.pointer(at)))
	b := builder{c: c, at: at, n: anySchema(c.pointer(at))}
	b.keywords()
	c.schemas[i] = b.n
	return i
}

// annotations are allowed everywhere and mean nothing.
func annotation(key string) bool {
	switch key {
	case "$schema", "$comment", "title", "description", "default", "format_version":
		return true
	}
	return false
}

// beside checks what stands beside a $ref: annotations and definitions only,
// because anything else would have to hold as well as the target.
func (c *compiler) beside(at *jsontext.Node) {
	for i := range at.Members {
		m := &at.Members[i]
		switch {
		case m.Key == "$ref" || annotation(m.Key):
		case m.Key == "$defs":
			c.definitions(m.Value)
		default:
			c.issue(m.Value, "move it into the schema that $ref names", "%q beside $ref is not supported", m.Key)
		}
	}
}

// definitions compiles every definition, used or not, so that a fault in one
// does not wait for its first use.
func (c *compiler) definitions(defs *jsontext.Node) {
	if defs.Kind != jsontext.KindObject {
		c.issue(defs, "", "$defs must be an object of schemas, not %s", defs.Kind)
		return
	}
	for i := range defs.Members {
		c.place(defs.Members[i].Value)
	}
}

// follow returns the schema that a chain of references ends at, or nil after
// an issue. A chain that comes back to itself never says what a value is. Each
// reference is followed once, so a long chain costs linear time.
func (c *compiler) follow(at *jsontext.Node) *jsontext.Node {
	var chain []*jsontext.Node
	onChain := map[*jsontext.Node]bool{}
	end := at
	for end != nil {
		known, ok := c.ends[end]
		if ok {
			end = known
			break
		}
		ref := end.Get("$ref")
		if ref == nil {
			break
		}
		if onChain[end] {
			c.issue(ref, "", "$ref goes round in a circle: %s leads to %s, and that back again",
				named(c.pointer(end)), named(c.pointer(chain[len(chain)-1])))
			end = nil
			break
		}
		chain = append(chain, end)
		onChain[end] = true
		end = c.resolve(ref)
	}
	for _, r := range chain {
		c.ends[r] = end
	}
	return end
}

func named(pointer string) string { return "#" + pointer }

// resolve finds the schema that one local reference names. Whether anything
// exists outside the document is never looked at, so the words are the same.
func (c *compiler) resolve(ref *jsontext.Node) *jsontext.Node {
	if ref.Kind != jsontext.KindString {
		c.issue(ref, "", "$ref must be a string, not %s", ref.Kind)
		return nil
	}
	fragment, local := strings.CutPrefix(ref.Text, "#")
	if !local {
		c.issue(ref, "copy the definition into $defs and write #/$defs/NAME", "only references within the document (#/…) are followed")
		return nil
	}
	pointer, ok := unpercent(fragment)
	if !ok || pointer != "" && pointer[0] != '/' {
		c.issue(ref, "", "the reference is not # and a JSON pointer")
		return nil
	}
	target, schema := c.walk(pointer)
	switch {
	case !schema:
		c.issue(ref, "", "the reference does not lead to a schema")
		return nil
	case target == nil:
		c.issue(ref, "", "the reference leads nowhere")
		return nil
	}
	return target
}

// walk follows a pointer from schema to schema. schema is false when it leads
// through or to something else; the target is nil when there is nothing.
func (c *compiler) walk(pointer string) (target *jsontext.Node, schema bool) {
	n := c.doc
	if pointer == "" {
		return n, true
	}
	tokens := strings.Split(pointer[1:], "/")
	for i := 0; i < len(tokens); i++ {
		word := tokens[i]
		switch word {
		case "items", "additionalProperties":
			n = n.Get(word)
		case "properties", "$defs":
			if i++; i == len(tokens) {
				return nil, false
			}
			n = n.Get(word).Get(jsontext.UnescapeToken(tokens[i]))
		default:
			return nil, false
		}
	}
	return n, true
}

func unpercent(s string) (string, bool) {
	if !strings.Contains(s, "%") {
		return s, true
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b = append(b, s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		v, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b = append(b, byte(v))
		i += 2
	}
	return string(b), true
}
