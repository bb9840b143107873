package tool

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"demi.network/contract"
)

// withSchema is a contract whose one message has that schema.
func withSchema(t *testing.T, schema string) *contract.Contract {
	t.Helper()
	c, problems := contract.LoadText("c.json", fmt.Appendf(nil, `{"format_version": 1, "id": "network-contract://t/t", "messages": {"m": {"from": "all", "schema": %s}}}`, schema))
	if c == nil {
		t.Fatal(problems)
	}
	return c
}

// TestChangesOfSchemasAreJudged: breaking is what refuses a payload that was
// valid. A property may have the name of a keyword.
func TestChangesOfSchemasAreJudged(t *testing.T) {
	for _, tc := range []struct {
		why, old, new string
		breaking      bool
	}{
		{"a list of values where any was allowed", `{"type": "string"}`, `{"type": "string", "enum": ["a"]}`, true},
		{"no list of values any more", `{"type": "string", "enum": ["a"]}`, `{"type": "string"}`, false},
		{"a value more", `{"enum": ["a"]}`, `{"enum": ["a", "b"]}`, false},
		{"a value less", `{"enum": ["a", "b"]}`, `{"enum": ["a"]}`, true},
		{"values in another order", `{"enum": ["a", "b"]}`, `{"enum": ["b", "a"]}`, true},
		{"a required member more", `{"required": ["a"]}`, `{"required": ["a", "b"]}`, true},
		{"required where nothing was", `{"type": "object"}`, `{"type": "object", "required": ["a"]}`, true},
		{"nothing required any more", `{"type": "object", "required": ["a"]}`, `{"type": "object"}`, false},
		{"a type more", `{"type": "integer"}`, `{"type": ["integer", "string"]}`, false},
		{"a type less", `{"type": ["integer", "string"]}`, `{"type": "integer"}`, true},
		{"another type in the list", `{"type": ["integer", "null"]}`, `{"type": ["integer", "string"]}`, true},
		{"a third type in the list", `{"type": ["integer", "null"]}`, `{"type": ["integer", "null", "string"]}`, false},
		{"fractions too", `{"type": ["integer", "null"]}`, `{"type": ["number", "null"]}`, true}, // as two changes, one of them a type less
		{"any type", `{"type": "integer"}`, `{}`, false},
		{"one type where any was allowed", `{}`, `{"type": "integer"}`, true},
		{"others allowed", `{"type": "object", "additionalProperties": false}`, `{"type": "object"}`, false},
		{"some others allowed", `{"type": "object", "additionalProperties": false}`, `{"type": "object", "additionalProperties": {"type": "string"}}`, false},
		{"others no longer allowed", `{"type": "object"}`, `{"type": "object", "additionalProperties": false}`, true},
		{"items of any kind", `{"type": "array", "items": {"type": "string"}}`, `{"type": "array"}`, false},
		{"items of one kind", `{"type": "array"}`, `{"type": "array", "items": {"type": "string"}}`, true},
		{"no constant any more", `{"const": 4}`, `{}`, false},
		{"the first property", `{"type": "object"}`, `{"type": "object", "properties": {"a": {}}}`, false},
		{"a definition more", `{"type": "object"}`, `{"type": "object", "$defs": {"a": {"type": "string"}}}`, false},
		{"a longer text in a property called required", `{"properties": {"required": {"type": "string", "maxLength": 5}}}`, `{"properties": {"required": {"type": "string", "maxLength": 9}}}`, false},
		{"a shorter text in a property called enum", `{"properties": {"enum": {"type": "string", "maxLength": 9}}}`, `{"properties": {"enum": {"type": "string", "maxLength": 5}}}`, true},
		{"a property called maximum", `{"properties": {"a": {}}}`, `{"properties": {"a": {}, "maximum": {"type": "string"}}}`, false},
		{"no property called properties any more", `{"properties": {"properties": {"type": "string"}, "b": {}}}`, `{"properties": {"b": {}}}`, true},
		{"a longer text in a definition called items", `{"$ref": "#/$defs/items", "$defs": {"items": {"type": "string", "maxLength": 5}}}`, `{"$ref": "#/$defs/items", "$defs": {"items": {"type": "string", "maxLength": 9}}}`, false},
	} {
		changes := Compare(withSchema(t, tc.old), withSchema(t, tc.new))
		breaking := false
		for _, c := range changes {
			breaking = breaking || c.Breaking
		}
		if len(changes) == 0 || breaking != tc.breaking {
			t.Errorf("%s: breaking is %v, want %v: %+v", tc.why, breaking, tc.breaking, changes)
		}
	}
}

// TestDiffNamesStartValues: two projects may have one contract and prefabs that
// differ; their peers refuse each other, so diff must not call them the same.
func TestDiffNamesStartValues(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"a", "b"} {
		if err := New(&bytes.Buffer{}, dir, "game"); err != nil {
			t.Fatal(err)
		}
	}
	const prefab = "b/prefabs/player.prefab.json"
	b, err := os.ReadFile(prefab)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(prefab, bytes.Replace(b, []byte("[0, 0]"), []byte("[2.5, 0]"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Diff(&out, Request{Target: "a"}, Request{Target: "b"}, true); err != nil {
		t.Error(err)
	}
	if got := out.String(); !strings.HasPrefix(got, "compatible /replicated_prefabs/player/components/Transform2D/position changed: [0,0] → [2.5,0]; the prefab gives") {
		t.Errorf("got %q", got)
	}
	out.Reset()
	if err := Diff(&out, Request{Target: "a/assets/network/game.network.json"}, Request{Target: "a"}, true); err != nil || out.String() != "the same meaning\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
}
