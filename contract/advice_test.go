package contract

import (
	"slices"
	"strings"
	"testing"
)

// advice finds the problem at a pointer, "" for the file's own.
func advice(problems Problems, pointer string, code Code) *Problem {
	i := slices.IndexFunc(problems, func(p Problem) bool { return p.Place.Pointer == pointer && p.Code == code })
	if i < 0 {
		return nil
	}
	return &problems[i]
}

// TestNamesThatLookAlikeAreWarnedOf: a script that sends "Chat" where the
// contract has both is not told, so the author is, while typing.
func TestNamesThatLookAlikeAreWarnedOf(t *testing.T) {
	for name, tc := range map[string]struct{ text, pointer string }{
		"messages by case": {`"messages": {"chat": {}, "Chat": {}}`, "/messages/chat"},
		"prefabs by case":  {`"replicated_prefabs": {"Crate": {"prefab": "prefab://c"}, "crate": {"prefab": "prefab://c"}}`, "/replicated_prefabs/crate"},
		"fields by case":   {`"components": {"A": {"hp": {"type": "int"}, "HP": {"type": "int"}}}`, "/components/A/hp"},
		"combining mark":   {`"messages": {"cafe\u0301": {}}`, "/messages/cafe\u0301"},
	} {
		_, problems := LoadText("c.json", []byte(`{"format_version": 1, "id": "network-contract://t/t", `+tc.text+`}`))
		if p := advice(problems, tc.pointer, CodeConfusableName); p == nil || p.Severity != Warning || p.Hint == "" {
			t.Errorf("%s: no warning with a hint at %s: %v", name, tc.pointer, problems)
		}
	}
	for _, fine := range []string{
		`"messages": {"chat": {}, "chats": {}}`, `"messages": {"caf\u00e9": {}}`, `"messages": {"Chat": {}}, "replicated_prefabs": {}`,
		`"components": {"A": {"hp": {"type": "int"}}, "B": {"HP": {"type": "int"}}}`,
	} {
		_, problems := LoadText("c.json", []byte(`{"format_version": 1, "id": "network-contract://t/t", `+fine+`}`))
		if slices.ContainsFunc(problems, func(p Problem) bool { return p.Code == CodeConfusableName }) {
			t.Errorf("%s: %v", fine, problems)
		}
	}
}

// TestSchemasAreHeldAgainstTheLimits: a schema that promises more than the
// contract's limits let through is a rule that takes effect only in part.
func TestSchemasAreHeldAgainstTheLimits(t *testing.T) {
	for schema, pointer := range map[string]string{
		`{"properties": {"t": {"type": "string", "maxLength": 5000}}}`:                                                          "/properties/t/maxLength",
		`{"properties": {"t": {"type": "string", "minLength": 2000}}}`:                                                          "/properties/t/minLength",
		`{"properties": {"maxLength": {"type": "array", "items": {"$ref": "#/$defs/s"}}}, "$defs": {"s": {"maxLength": 1025}}}`: "/$defs/s/maxLength",
		`{"type": "array", "maxItems": 257}`:                                                                                    "/maxItems",
		`{"type": "array", "minItems": 300}`:                                                                                    "/minItems",
	} {
		_, problems := LoadText("c.json", []byte(bare(schema)))
		p := advice(problems, "/messages/echo/schema"+pointer, CodeUnreachableRule)
		if p == nil || p.Severity != Warning || !strings.Contains(p.Text, "limits.maximum_") {
			t.Errorf("%s: no warning that names the limit: %v", schema, problems)
		}
	}
	for _, fine := range []string{
		`{"properties": {"t": {"type": "string", "maxLength": 1024}}}`, `{"type": "array", "maxItems": 256}`, `{"type": "string"}`, `{"type": "array"}`,
		`{"properties": {"maxLength": {"const": 5000}}}`,
	} {
		if _, problems := LoadText("c.json", []byte(bare(fine))); len(problems) > 0 {
			t.Errorf("%s: %v", fine, problems)
		}
	}
}

// TestRequiredNamesThatAreNotDeclared: "Text" beside a declared "text" asks for
// a member of which nothing is checked.
func TestRequiredNamesThatAreNotDeclared(t *testing.T) {
	for schema, hint := range map[string]string{
		`{"required": ["Text"], "properties": {"text": {"type": "string"}}}`: `did you mean "text"? Names differ by upper and lower case`,
		`{"required": ["zz"], "properties": {"text": {"type": "string"}}}`:   "declare it in properties",
	} {
		_, problems := LoadText("c.json", []byte(bare(schema)))
		if p := advice(problems, "/messages/echo/schema/required/0", CodeUnreachableRule); p == nil || p.Hint != hint {
			t.Errorf("%s: want the hint %q, got %v", schema, hint, problems)
		}
	}
	for _, fine := range []string{`{"required": ["a"]}`, `{"required": ["a"], "properties": {"b": {}}, "additionalProperties": {"type": "integer"}}`} {
		if _, problems := LoadText("c.json", []byte(bare(fine))); len(problems) > 0 {
			t.Errorf("%s: %v", fine, problems)
		}
	}
}

// TestHintsForWhatPeopleWrite: what JSON dialects and other schema tools allow
// is refused with the way out.
func TestHintsForWhatPeopleWrite(t *testing.T) {
	whole := bare(`{"type": "object"}`)
	for name, tc := range map[string]struct{ text, hint string }{
		"line comment":    {"// the contract\n" + whole, "JSON has no comments"},
		"block comment":   {strings.Replace(whole, `"id"`, `/* x */ "id"`, 1), "JSON has no comments"},
		"hash comment":    {"# x\n" + whole, "JSON has no comments"},
		"trailing comma":  {strings.TrimSuffix(whole, "}") + ", \n}", "remove the comma"},
		"comma in array":  {bare(`{"enum": [1, 2, ]}`), "remove the comma"},
		"single quotes":   {"{'format_version': 1}", "double quotes"},
		"no quotes":       {"{format_version: 1}", "double quotes"},
		"UTF-16":          {"\xff\xfe{\x00}\x00", "UTF-8"},
		"UTF-16 no mark":  {"\x00{\x00}", "UTF-8"},
		"merge conflict":  {"<<<<<<< HEAD\n" + whole, "merge"},
		"minProperties":   {bare(`{"minProperties": 1}`), "required"},
		"uniqueItems":     {bare(`{"uniqueItems": true}`), "the game checks"},
		"nullable":        {bare(`{"type": "string", "nullable": true}`), `"null"`},
		"type in capital": {bare(`{"type": "String"}`), "write string"},
	} {
		_, problems := LoadText("c.json", []byte(tc.text))
		if len(problems) == 0 || !strings.Contains(problems[0].Hint, tc.hint) {
			t.Errorf("%s: want a hint that says %q, got %v", name, tc.hint, problems)
		}
	}
}

// TestNearestLooksBehindTheScheme: ids share their scheme, which makes no two
// of them alike.
func TestNearestLooksBehindTheScheme(t *testing.T) {
	ids := []string{"prefab://player", "prefab://crane"}
	if got := nearest("prefab://crate", ids); got != "prefab://crane" {
		t.Errorf("crate is near crane, not %q", got)
	}
	if got := nearest("prefab://crate", ids[:1]); got != "" {
		t.Errorf("crate is not near %q", got)
	}
}
