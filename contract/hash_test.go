package contract

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"demi.network/contract/jsontext"
	"demi.network/schemas"
)

// full uses every key of the format, with values that may move a little.
const full = `{
  "format_version": 1,
  "id": "network-contract://full/main",
  "limits": {
    "maximum_message_bytes": 8192, "maximum_messages_per_second": 200, "maximum_owned_entities_per_peer": 7,
    "maximum_payload_depth": 8, "maximum_payload_elements": 99, "maximum_string_bytes": 300,
    "on_violation": {"warn": 5, "throttle": 10, "kick": 50}
  },
  "components": {
    "Health": {"hp": {"type": "float", "step": 0.5, "sub_bits": 4, "minimum": 0, "maximum": 100, "tolerance": 1, "interpolate": "snap", "predict": "restore"}}
  },
  "replicated_prefabs": {
    "player": {
      "prefab": "prefab://player", "spawn_by": "server",
      "ownership": {"default": "server", "transfer_by": "server", "on_disconnect": "despawn"},
      "components": {
        "Aim": {
          "at": {"write_by": "owner", "visible_to": "all", "rate": 15, "reliability": "unreliable", "type": "vec2", "step": 0.01,
            "sub_bits": 3, "minimum": -500, "maximum": 500, "tolerance": 0.2, "interpolate": "linear", "predict": "restore"}
        },
        "Health": {"hp": {"rate": 10}}
      }
    }
  },
  "messages": {
    "hit": {"from": "owner", "to": "all", "target": "owned_entity", "reliability": "unreliable", "ordered": true, "rewind": true,
      "rate_limit": 20, "maximum_bytes": 200,
      "schema": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 9},
        "s": {"type": "string", "minLength": 1, "maxLength": 20, "enum": ["a", "b"]}, "l": {"type": "array", "minItems": 1, "maxItems": 4, "items": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 9}},
        "c": {"const": 4}, "r": {"$ref": "#/$defs/d"}}, "additionalProperties": false, "$defs": {"d": {"type": "boolean"}, "e": {"type": "boolean", "title": "another"}}}}
  },
  "simulation": {
    "kind": "lua", "tick_rate": 60, "inputs": {"move": {"minimum": -1, "maximum": 1, "step": 0.01}},
    "input_buffer_target": 3, "input_queue_max": 7, "interp_delay_ticks": 4, "history_ticks": 100, "rewind_ticks": 10, "smooth_ms": 50
  },
  "session": {"max_players": 6, "reconnect_grace_s": 10, "start": "lobby", "fill_bots": true},
  "lockstep": {
    "tick_rate": 10, "command_delay": 2, "snapshot_interval": 500, "checksum_interval": 50,
    "commands": {"build": {"target": "none", "rate": 9, "schema": {"type": "object"}}}
  }
}`

// sound loads a text that must be valid.
func sound(t testing.TB, text string) *Contract {
	t.Helper()
	c, problems := loadText([]byte(text))
	if c == nil {
		t.Fatalf("this contract must be valid:\n%v\n%s", problems, text)
	}
	return c
}

// TestEachChangeOfMeaningChangesTheHash makes one change for each key of the
// format, generated from the reference: no key may be parsed and forgotten.
func TestEachChangeOfMeaningChangesTheHash(t *testing.T) {
	base := sound(t, full)
	for _, rule := range Reference(schemas.NetworkContract) {
		if strings.HasPrefix(rule.Kind, `"`) || strings.HasPrefix(rule.Kind, "an object") || rule.Pattern == "/format_version" {
			continue // a constant, or a place that only holds others
		}
		t.Run(rule.Pattern, func(t *testing.T) {
			text := changed(t, rule)
			c := sound(t, text)
			if c.MeaningHash == base.MeaningHash {
				t.Errorf("another value of %s leaves the hash as it was:\n%s", rule.Pattern, text)
			}
			if len(Changes(base, c)) == 0 {
				t.Error("the hashes differ, but no section says what does")
			}
		})
	}
}

// changed is full with another valid value at a rule's place.
func changed(t *testing.T, rule Rule) string {
	t.Helper()
	root, _ := jsontext.Parse([]byte(full))
	n := locate(root, strings.Split(rule.Pattern[1:], "/"))
	if n == nil {
		t.Fatalf("the test's contract lacks %s: add it, so that its meaning is tested", rule.Pattern)
	}
	var v string
	switch {
	case strings.HasPrefix(rule.Kind, "one of "):
		for _, word := range strings.Split(strings.TrimPrefix(rule.Kind, "one of "), ", ") {
			if word == n.Text || !fits(rule.Pattern, word) {
				continue
			}
			v = strconv.Quote(word)
		}
	case rule.Kind == "an integer":
		v = strconv.Itoa(int(n.Number.Float) + 1)
	case rule.Kind == "a number":
		v = strconv.FormatFloat(n.Number.Float*2, 'g', -1, 64)
		if n.Number.Float == 0 {
			v = "0.5"
		}
	case rule.Kind == "a boolean":
		v = fmt.Sprint(!n.Bool)
	case strings.HasPrefix(rule.Kind, "text that starts with"):
		v = strconv.Quote(n.Text + "x")
	case rule.Kind == "a string or an object":
		v = `{"type": "array"}`
	default:
		t.Fatalf("do not know how to change %s, which is %s", rule.Pattern, rule.Kind)
	}
	return full[:n.Pos.Offset] + v + full[n.End:]
}

// fits keeps out the values that would not be valid in this contract.
func fits(pattern, word string) bool {
	switch {
	case strings.HasSuffix(pattern, "/type"):
		return word == "vec3" || word == "angle"
	case strings.HasSuffix(pattern, "/interpolate"):
		return word == "snap" || word == "linear"
	case strings.HasSuffix(pattern, "/predict"):
		return word != "check" // needs the tick's rate
	}
	return true
}

// locate follows a pattern; a star is the first member that has what follows.
func locate(n *jsontext.Node, pattern []string) *jsontext.Node {
	if n == nil || len(pattern) == 0 {
		return n
	}
	if pattern[0] != "*" {
		return locate(n.Get(pattern[0]), pattern[1:])
	}
	for i := range n.Members {
		if found := locate(n.Members[i].Value, pattern[1:]); found != nil {
			return found
		}
	}
	return nil
}

// TestEachChangeOfASchemaChangesTheHash does the same for payload schemas, by
// texts that stand in place of others.
func TestEachChangeOfASchemaChangesTheHash(t *testing.T) {
	base := sound(t, full)
	seen := map[[32]byte]string{base.MeaningHash: "the contract itself"}
	for _, change := range [][2]string{
		{`"required": ["n"]`, `"required": ["n", "s"]`}, {`"type": "integer"`, `"type": "number"`}, {`"minimum": 1, "maximum": 9`, `"minimum": 2, "maximum": 9`},
		{`"minimum": 1, "maximum": 9`, `"minimum": 1, "maximum": 8`}, {`"minLength": 1`, `"minLength": 0`}, {`"maxLength": 20`, `"maxLength": 19`},
		{`"enum": ["a", "b"]`, `"enum": ["a", "c"]`}, {`"minItems": 1`, `"minItems": 2`}, {`"maxItems": 4`, `"maxItems": 5`},
		{`"exclusiveMinimum": 0`, `"exclusiveMinimum": 0.5`}, {`"exclusiveMaximum": 9`, `"exclusiveMaximum": 10`}, {`"const": 4`, `"const": 5`},
		{`"additionalProperties": false`, `"additionalProperties": true`}, {`"d": {"type": "boolean"}`, `"d": {"type": "null"}`},
		{`{"$ref": "#/$defs/d"}`, `{"$ref": "#/$defs/e"}`}, {`"c": {"const": 4}`, `"cc": {"const": 4}`},
	} {
		if strings.Count(full, change[0]) != 1 {
			t.Fatalf("%q occurs %d times", change[0], strings.Count(full, change[0]))
		}
		c := sound(t, strings.Replace(full, change[0], change[1], 1))
		if other, ok := seen[c.MeaningHash]; ok {
			t.Errorf("%s instead of %s has the hash of %s", change[1], change[0], other)
		}
		seen[c.MeaningHash] = change[1]
	}
}

var (
	wholeNumber = regexp.MustCompile(`: ([1-9]\d*)([,} \n])`)
	openObject  = regexp.MustCompile(`\{"(write_by|type|from|prefab|minimum|warn|max_players|target)"`)
)

// TestSpellingsLeaveTheHash changes what does not count: order of keys,
// numbers' spelling, notes, line ends, escapes, white space, what is a default.
func TestSpellingsLeaveTheHash(t *testing.T) {
	base := sound(t, full)
	root, _ := jsontext.Parse([]byte(full))
	indented := new(bytes.Buffer)
	if err := json.Indent(indented, []byte(full), "\t", "    "); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"line ends":                 strings.ReplaceAll(full, "\n", "\r\n"),
		"white space":               indented.String(),
		"order of keys":             reversed(root),
		"numbers with a fraction":   wholeNumber.ReplaceAllString(full, ": $1.0$2"),
		"numbers with an exponent":  wholeNumber.ReplaceAllString(full, ": ${1}0e-1$2"),
		"escapes":                   strings.ReplaceAll(full, `"hit"`, `"\u0068\u0069t"`),
		"$schema":                   strings.Replace(full, `{`, `{"$schema": "../network-contract.schema.json", "title": "T", "description": "D",`, 1),
		"notes in every definition": openObject.ReplaceAllString(full, `{"description": "a note", "$$comment": "another", "$1"`),
		"a byte order mark":         "\xef\xbb\xbf" + full,
		"order of required":         strings.Replace(full, `"required": ["n"]`, `"required": ["n"], "title": "T", "default": {"n": 1}`, 1),
		"defaults spelled out":      base.Document,
		"bounds that bind nothing":  strings.Replace(full, `"d": {"type": "boolean"}`, `"d": {"type": ["boolean"], "minLength": 0, "minItems": 0.0, "required": [], "properties": {}, "additionalProperties": true, "items": {}}`, 1),
	} {
		c := sound(t, text)
		if c.MeaningHash != base.MeaningHash {
			t.Errorf("%s: the hash changed, and these differ: %v", name, Changes(base, c))
		}
		if !slices.EqualFunc(c.Messages, base.Messages, func(a, b Message) bool { return a.Name == b.Name && a.Index == b.Index }) {
			t.Errorf("%s: the ids of messages changed", name)
		}
	}
}

// reversed spells a document with the keys of every object in reverse.
func reversed(n *jsontext.Node) string {
	var parts []string
	switch n.Kind {
	case jsontext.KindArray:
		for _, item := range n.Items {
			parts = append(parts, reversed(item))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case jsontext.KindObject:
		for i := range n.Members {
			key, _ := json.Marshal(n.Members[len(n.Members)-1-i].Key)
			parts = append(parts, string(key)+":"+reversed(n.Members[len(n.Members)-1-i].Value))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return nodeText(n)
}

// TestInlineSchemasAndAssetsMeanTheSame: a schema counts by its content.
func TestInlineSchemasAndAssetsMeanTheSame(t *testing.T) {
	fsys := os.DirFS("testdata/demi-ffa")
	asset, problems := Check(fsys, "")
	if asset == nil {
		t.Fatal(problems)
	}
	text, err := os.ReadFile("testdata/demi-ffa/assets/network/ffa.network.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"player_join", "state_update", "shot", "combat_state"} {
		schema, err := os.ReadFile("testdata/demi-ffa/assets/network/schemas/" + name + ".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.Replace(text, []byte(`"asset://network/schemas/`+name+`"`), schema, 1)
	}
	if inline := sound(t, string(text)); inline.MeaningHash != asset.MeaningHash {
		t.Errorf("the same schemas inline differ: %v", Changes(asset, inline))
	}
}

// TestEngineDocuments holds our dump and hash against what the engine's JSON
// library (nlohmann 3.11) made of the same documents.
func TestEngineDocuments(t *testing.T) {
	b, err := os.ReadFile("testdata/engine/documents.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, vector := range strings.Split(strings.TrimSpace(string(b)), "\n\n") {
		lines := strings.Split(vector, "\n")
		root, faults := jsontext.Parse([]byte(lines[0]))
		if root == nil {
			t.Fatalf("%s: %v", lines[0], faults)
		}
		got := dump(nil, root)
		if string(got) != lines[1] {
			t.Errorf("dump of %s\n got %s\nwant %s", lines[0], got, lines[1])
		}
		if hash := fnvText(fnv1a(fnvOffset, got)); hash != lines[2] {
			t.Errorf("hash of %s is %s, want %s", lines[0], hash, lines[2])
		}
		n++
	}
	if n < 8 {
		t.Errorf("only %d documents were compared", n)
	}
	if got := fnvText(fnv1a(fnvOffset, nil)); got != "fnv1a64:cbf29ce484222325" {
		t.Errorf("the hash of nothing is %s", got)
	}
}

// TestEngineDoubles holds our spelling of doubles against the engine's; some
// of these are not the shortest, and must not be here either.
func TestEngineDoubles(t *testing.T) {
	f, err := os.Open("testdata/engine/doubles.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	longer := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		word, want, _ := strings.Cut(lines.Text(), " ")
		u, err := strconv.ParseUint(word, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		v := math.Float64frombits(u)
		if got := string(dumpDouble(nil, v)); got != want {
			t.Errorf("%s is %s, want %s", word, got, want)
		}
		if digits(want) > digits(strconv.FormatFloat(v, 'e', -1, 64)) {
			longer++
		}
	}
	if longer < 20 {
		t.Errorf("only %d vectors are longer than the shortest spelling: they are what the test is for", longer)
	}
}

func digits(s string) int {
	mantissa, _, _ := strings.Cut(s, "e")
	return len(strings.Trim(strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, mantissa), "0"))
}
