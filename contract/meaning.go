package contract

import (
	"crypto/sha256"
	"encoding/json"
	"sort"

	"demi.network/contract/jsontext"
	"demi.network/schemas"
	"github.com/gowebpki/jcs"
)

const networkContract = schemas.NetworkContract

// sectionKeys are the sections of a contract's meaning in the order of the
// handshake, and the key of the document that each is.
var sectionKeys = []struct{ name, key string }{
	{"id", "id"}, {"messages", "messages"}, {"prefabs", "replicated_prefabs"}, {"components", "components"},
	{"limits", "limits"}, {"simulation", "simulation"}, {"session", "session"}, {"lockstep", "lockstep"},
}

// SectionNames returns the sections of a contract's meaning in the order of
// the handshake. The scene has a digest of its own.
func SectionNames() []string {
	var names []string
	for _, s := range sectionKeys {
		names = append(names, s.name)
	}
	return names
}

// seal computes the hashes and digests of a contract without errors.
func (l *loader) seal() {
	c := l.out
	document := canonical(map[string]any(l.root))
	c.Document, c.MeaningHash = string(document), sha256.Sum256(document)
	c.CompatibilityHash = l.compatibility()
	places := map[string]*jsontext.Node{}
	for _, s := range sectionKeys {
		places[s.name] = l.doc.root.Get(s.key)
		c.Sections = append(c.Sections, l.section(s.name, l.root[s.key], places[s.name]))
	}
	scene := map[string]any{}
	for i := range c.Prefabs {
		p := &c.Prefabs[i]
		fields := map[string]any{}
		for j := range p.Fields {
			f := &p.Fields[j]
			fields[f.Path] = f.Default[:f.Type.Columns()]
		}
		scene[p.Key] = fields
	}
	c.Scene = digest(canonical(scene))
}

// section digests one section: as a whole, and by key. The id is one key
// without a name; an absent section has none.
func (l *loader) section(name string, value any, node *jsontext.Node) Section {
	s := Section{Name: name, Digest: digest(canonical(value))}
	m, ok := value.(map[string]any)
	if !ok {
		if value != nil {
			text := canonical(value)
			s.Keys = []Key{{Digest: digest(text), Definition: string(text), Place: l.place(node)}}
		}
		return s
	}
	nodes := members(node)
	for _, key := range object(m).keys() {
		text := canonical(m[key])
		at := nodes[key]
		if at == nil {
			at = node
		}
		s.Keys = append(s.Keys, Key{key, digest(text), string(text), l.place(at)})
	}
	return s
}

func digest(b []byte) Digest {
	sum := sha256.Sum256(b)
	return Digest(sum[:16])
}

// canonical is RFC 8785: keys in the order of their UTF-16 code units, numbers
// as doubles in their shortest spelling, no white space.
func canonical(v any) []byte {
	b, err := json.Marshal(v)
	if err == nil {
		b, err = jcs.Transform(wrap(b))
	}
	if err != nil {
		panic("contract: BUG: the meaning is not JSON: " + err.Error())
	}
	return b[1 : len(b)-1]
}

// wrap makes an array of one: jcs takes only objects and arrays.
func wrap(b []byte) []byte {
	out := make([]byte, 0, len(b)+2)
	return append(append(append(out, '['), b...), ']')
}

// canonicalSchema is a payload schema less its notes, so that an inline schema
// and an asset of equal content mean the same, wherever they stand.
func canonicalSchema(n *jsontext.Node) map[string]any {
	if n.Kind != jsontext.KindObject {
		return nil
	}
	out := map[string]any{}
	for i := range n.Members {
		key, v := n.Members[i].Key, n.Members[i].Value
		switch key {
		case "$schema", "$comment", "title", "description", "default", "format_version":
		case "properties", "$defs":
			if inner := canonicalSchemas(v); len(inner) > 0 {
				out[key] = inner
			}
		case "items", "additionalProperties":
			if v.Kind == jsontext.KindObject {
				if inner := canonicalSchema(v); len(inner) > 0 {
					out[key] = inner
				}
			} else if !v.Bool { // true says what its absence says
				out[key] = false
			}
		case "required":
			if names := sortedTexts(v); len(names) > 0 {
				out[key] = names
			}
		case "type":
			out[key] = canonicalType(v)
		case "minLength", "minItems": // 0 says what its absence says
			if v.Number.Float != 0 {
				out[key] = plain(v)
			}
		default:
			out[key] = plain(v)
		}
	}
	return out
}

func canonicalSchemas(n *jsontext.Node) map[string]any {
	out := map[string]any{}
	for i := range n.Members {
		out[n.Members[i].Key] = canonicalSchema(n.Members[i].Value)
	}
	return out
}

func sortedTexts(n *jsontext.Node) []string {
	var out []string
	for _, item := range n.Items {
		out = append(out, item.Text)
	}
	sort.Strings(out)
	return out
}

func canonicalType(n *jsontext.Node) any {
	if n.Kind == jsontext.KindString {
		return n.Text
	}
	if len(n.Items) == 1 {
		return n.Items[0].Text
	}
	return sortedTexts(n)
}
