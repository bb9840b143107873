package contract

import (
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"demi.network/contract/jsontext"
)

// prune removes the values that a structural problem spoilt, so that what is
// left can be checked further: their defaults stand in for them.
func prune(root any, pointers []string) any {
	sort.Strings(pointers)
	for _, pointer := range pointers {
		if pointer == "" {
			return map[string]any{}
		}
		cut := strings.LastIndexByte(pointer, '/')
		parent := descend(root, pointer[:cut])
		if m, ok := parent.(map[string]any); ok {
			delete(m, jsontext.UnescapeToken(pointer[cut+1:]))
		} else if list, ok := parent.([]any); ok {
			if i, err := strconv.Atoi(pointer[cut+1:]); err == nil && i < len(list) {
				list[i] = nil
			}
		}
	}
	return root
}

func descend(v any, pointer string) any {
	if pointer == "" {
		return v
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		switch c := v.(type) {
		case map[string]any:
			v = c[jsontext.UnescapeToken(token)]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(c) {
				return nil
			}
			v = c[i]
		default:
			return nil
		}
	}
	return v
}

// fill completes value, in place, with the defaults that the schema states,
// and removes the notes. A payload schema inside a contract stays as it is.
func (r *rules) fill(file string, schema *jsontext.Node, value any) {
	m, ok := value.(map[string]any)
	if !ok || schema == nil {
		return
	}
	for _, part := range r.parts(file, schema, value) {
		known := part.Get("properties")
		if known != nil {
			for i := range known.Members {
				name, rule := known.Members[i].Key, known.Members[i].Value
				if isNote(name) {
					delete(m, name)
					continue
				}
				if _, has := m[name]; !has {
					if d := r.defaultOf(file, rule); d != nil {
						m[name] = plain(d)
					}
				}
				r.fill(file, rule, m[name])
			}
		}
		if more := part.Get("additionalProperties"); more != nil && more.Kind == jsontext.KindObject {
			for name, v := range m {
				if known == nil || known.Get(name) == nil {
					r.fill(file, more, v)
				}
			}
		}
	}
}

// parts returns the schemas that hold for value at one place: schema itself,
// what it refers to, all of allOf, and the branch that its condition picks.
func (r *rules) parts(file string, schema *jsontext.Node, value any) []*jsontext.Node {
	if ref := schema.Get("$ref"); ref != nil {
		pointer, local := strings.CutPrefix(ref.Text, "#")
		if !local {
			return nil // a payload schema: no defaults of ours are in it
		}
		return r.parts(file, r.trees[file].At(pointer), value)
	}
	out := []*jsontext.Node{schema}
	if all := schema.Get("allOf"); all != nil {
		for _, part := range all.Items {
			out = append(out, r.parts(file, part, value)...)
		}
	}
	if condition := schema.Get("if"); condition != nil {
		branch := "else"
		if holds(condition, value) {
			branch = "then"
		}
		if b := schema.Get(branch); b != nil {
			out = append(out, r.parts(file, b, value)...)
		}
	}
	return out
}

// holds evaluates the conditions that our own schemas use: a type, and "all
// members are objects".
func holds(condition *jsontext.Node, value any) bool {
	m, object := value.(map[string]any)
	if want := condition.Get("type"); want != nil {
		if _, text := value.(string); want.Text == "string" {
			return text
		}
		if !object {
			return false
		}
	}
	if condition.Get("minProperties") != nil && len(m) == 0 {
		return false
	}
	for _, v := range m {
		if _, ok := v.(map[string]any); !ok {
			return false
		}
	}
	return true
}

// defaultOf returns the default of a property: its own, or that of what it
// refers to.
func (r *rules) defaultOf(file string, rule *jsontext.Node) *jsontext.Node {
	for _, part := range r.parts(file, rule, nil) {
		if d := part.Get("default"); d != nil {
			return d
		}
	}
	return nil
}

// object is a filled JSON object with tolerant getters: a value of the wrong
// type, which the structure check has reported, reads as zero.
type object map[string]any

func (o object) object(key string) object {
	m, _ := o[key].(map[string]any)
	return m
}

func (o object) text(key string) string {
	s, _ := o[key].(string)
	return s
}

func (o object) bool(key string) bool {
	b, _ := o[key].(bool)
	return b
}

func (o object) has(key string) bool {
	_, ok := o[key]
	return ok
}

func (o object) number(key string) float64 {
	f, _ := numberOf(o[key])
	return f
}

func numberOf(v any) (float64, bool) {
	switch n := v.(type) {
	case uint64:
		return float64(n), true
	case int64:
		return float64(n), true
	case int:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

func (o object) int(key string) int { return int(o.number(key)) }

// keys returns the keys in byte order.
func (o object) keys() []string {
	return slices.Sorted(maps.Keys(o))
}
