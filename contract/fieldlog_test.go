package contract

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"demi.network/contract/jsontext"
	"demi.network/contract/payload"
)

// qa0 is the field log's contract.
func qa0(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile("testdata/qa0/assets/network/qa0.network.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// bare is a contract with one message whose schema is given.
func bare(schema string) string {
	return `{"format_version": 1, "id": "network-contract://t/t", "messages": {"echo": {"from": "all", "schema": ` + schema + `}}}`
}

// accepts says whether a message's plan takes a JSON payload.
func accepts(t testing.TB, c *Contract, message, text string) bool {
	t.Helper()
	var v payload.Value
	m := c.Message(message)
	limits := payload.Limits{
		Depth: c.Limits.PayloadDepth, Elements: c.Limits.PayloadElements, StringBytes: c.Limits.StringBytes, Bytes: m.MaximumBytes,
	}
	return m.Schema.DecodeJSON([]byte(text), limits, &v) == nil
}

func TestQA0LoadsClean(t *testing.T) {
	c, problems := Check(os.DirFS("testdata/qa0"), "")
	if c == nil || len(problems) > 0 {
		t.Fatal(problems)
	}
	if c.Message("over") == nil || c.Prefab("crate").OnDisconnect != PolicyReturnToServer || c.Message("nobody") != nil {
		t.Error("the tables lack what the contract says")
	}
}

// TestFieldLogB02IdsDoNotDependOnOrder: the same meaning in reverse order has
// the same hash and the same numbers, in twenty runs (a Go map's order would
// show).
func TestFieldLogB02IdsDoNotDependOnOrder(t *testing.T) {
	text := qa0(t)
	root, _ := jsontext.Parse([]byte(text))
	backwards := reversed(root)
	first := sound(t, text)
	for range 20 {
		a, b := sound(t, text), sound(t, backwards)
		if a.MeaningHash != first.MeaningHash || b.MeaningHash != first.MeaningHash {
			t.Fatal("the order of a file must not count")
		}
		for i := range first.Messages {
			if a.Messages[i].Name != first.Messages[i].Name || b.Messages[i].Name != first.Messages[i].Name || b.Messages[i].Index != i {
				t.Fatalf("message %d is %s, %s and %s", i, first.Messages[i].Name, a.Messages[i].Name, b.Messages[i].Name)
			}
		}
		for i := range first.Prefabs {
			x, y := first.Prefabs[i], b.Prefabs[i]
			same := slices.EqualFunc(x.Fields, y.Fields, func(f, g Field) bool { return f.Path == g.Path && f.Column == g.Column })
			if x.Key != y.Key || !same || x.Columns != y.Columns {
				t.Fatalf("prefab %d is %s and %s", i, x.Key, y.Key)
			}
		}
	}
	if !slices.IsSortedFunc(first.Messages, func(a, b Message) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("ids must follow the byte order of names")
	}
}

// TestFieldLogB04KeysAreCaseSensitive: a key in another case is refused with
// its place wherever it stands, and never read as the right one.
func TestFieldLogB04KeysAreCaseSensitive(t *testing.T) {
	for _, tc := range []struct{ name, text, pointer string }{
		{"beside the right one", strings.Replace(qa0(t), `"over": {"from": "server"`, `"over": {"from": "server", "From": "all"`, 1), "/messages/over/From"},
		{"the log's own words", strings.Replace(qa0(t), `"over": {"from": "server"`, `"over": {"senders": "server", "Senders": "all"`, 1), "/messages/over/Senders"},
		{"alone", strings.Replace(qa0(t), `"over": {"from": "server"`, `"over": {"FROM": "server"`, 1), "/messages/over/FROM"},
		{"in a field", strings.Replace(qa0(t), `"hp": {"write_by": "server"`, `"hp": {"Write_By": "all"`, 1), "/replicated_prefabs/player/components/Avatar/hp/Write_By"},
		{"in a payload schema", strings.Replace(qa0(t), `"maxLength": 64`, `"MaxLength": 64`, 1), "/messages/chat/schema/properties/text/MaxLength"},
		{"at the top", strings.Replace(qa0(t), `"messages"`, `"Messages"`, 1), "/Messages"},
	} {
		c, problems := LoadText("qa0.json", []byte(tc.text))
		if c != nil {
			t.Errorf("%s: the contract loads, with over from %v", tc.name, c.Message("over"))
		}
		if !slices.ContainsFunc(problems, func(p Problem) bool { return p.Place.Pointer == tc.pointer && p.Hint != "" }) {
			t.Errorf("%s: no problem with a hint at %s: %v", tc.name, tc.pointer, problems)
		}
	}
}

// TestFieldLogB06SchemasCannotAskForExponentialWork: every way to use each
// definition twice is refused, or costs linear work.
func TestFieldLogB06SchemasCannotAskForExponentialWork(t *testing.T) {
	build := func(use string) string {
		defs := []string{`"l0": {"type": "string"}`}
		for i := 1; i <= 24; i++ {
			ref := fmt.Sprintf(`{"$ref": "#/$defs/l%d"}`, i-1)
			defs = append(defs, fmt.Sprintf(`"l%d": `, i)+strings.ReplaceAll(use, "REF", ref))
		}
		return `{"$defs": {` + strings.Join(defs, ", ") + `}, "properties": {"v": {"$ref": "#/$defs/l24"}}}`
	}
	c, problems := LoadText("c.json", []byte(bare(build(`{"allOf": [REF, REF]}`))))
	if c != nil || !strings.Contains(fmt.Sprint(problems), "allOf") {
		t.Errorf("allOf must be refused by name: %v", problems)
	}
	objects := sound(t, bare(build(`{"type": "object", "properties": {"a": REF, "b": REF}}`)))
	value := `"x"`
	for range 6 {
		value = `{"a": ` + value + `}`
	}
	if accepts(t, objects, "echo", `{"v": `+value+`}`) {
		t.Error("six levels are not twenty-four: the text stands where an object must")
	}
	wide := `{"type": "array", "items": ` + strings.Repeat(`{"type": "array", "items": `, 100) + `{}` + strings.Repeat("}", 101)
	if _, problems := LoadText("c.json", []byte(bare(wide))); problems.Errors() == 0 {
		t.Log("deep but narrow schemas are legal: the depth limit holds at run time")
	}
}

// TestFieldLogB07PatternsAreRefusedAtLoad: a keyword that is not checked while
// decoding must not look as if it were.
func TestFieldLogB07PatternsAreRefusedAtLoad(t *testing.T) {
	for _, pattern := range []string{`^(?!admin).*$`, `[a-z]+`, `^[a-z]+$`} {
		text := strings.Replace(qa0(t), `"maxLength": 64`, `"maxLength": 64, "pattern": "`+pattern+`"`, 1)
		c, problems := LoadText("qa0.json", []byte(text))
		if c != nil || len(problems) != 1 || problems[0].Place.Pointer != "/messages/chat/schema/properties/text/pattern" {
			t.Errorf("%s: want one problem at its place, got %v", pattern, problems)
		} else if problems[0].Hint == "" {
			t.Error("the hint must say what to do instead")
		}
	}
}

// TestFieldLogB08ClosedObjectsAreClosed, and open ones take what they take by
// one rule for every source of values: additionalProperties is true when
// absent.
func TestFieldLogB08ClosedObjectsAreClosed(t *testing.T) {
	c := sound(t, qa0(t))
	for text, want := range map[string]bool{
		`{"text": "hi"}`: true, `{"text": "hi", "admin": true}`: false, `{"text": "hi", "__index": {}}`: false, `{"TEXT": "hi"}`: false, `{}`: false,
	} {
		if accepts(t, c, "chat", text) != want {
			t.Errorf("chat %s: accepted is %v", text, !want)
		}
	}
	if !accepts(t, c, "score", `{"n": 5, "extra": {"deep": [1]}}`) {
		t.Error("an object is open unless it says additionalProperties: false")
	}
}

// TestFieldLogB100ReferencesWhileTyping: loops without progress are refused
// with both ends, trees are legal, and no half-written text hangs or passes.
func TestFieldLogB100ReferencesWhileTyping(t *testing.T) {
	for name, schema := range map[string]string{
		"itself": `{"$ref": "#"}`, "two in a circle": `{"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "properties": {"v": {"$ref": "#/$defs/a"}}}`,
		"missing": `{"properties": {"v": {"$ref": "#/$defs/nothing"}}}`, "$id": `{"$id": "http://x/", "type": "object"}`,
		"sibling": `{"properties": {"v": {"$ref": "#/$defs/a", "maxLength": 3}}, "$defs": {"a": {"type": "string"}}}`,
	} {
		c, problems := LoadText("c.json", []byte(bare(schema)))
		if c != nil || problems.Errors() == 0 {
			t.Errorf("%s: must be refused", name)
		}
		for _, p := range problems {
			if !strings.HasPrefix(p.Place.Pointer, "/messages/echo/schema") || p.Place.Line == 0 {
				t.Errorf("%s: the place is %+v", name, p.Place)
			}
		}
	}
	tree := `{"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}}}`
	c := sound(t, bare(tree))
	nested := func(depth int) string {
		return strings.Repeat(`{"kids": [`, depth) + "{}" + strings.Repeat("]}", depth)
	}
	if !accepts(t, c, "echo", nested(5)) {
		t.Error("a tree five levels deep is within the limits")
	}
	if accepts(t, c, "echo", nested(100_000)) {
		t.Error("a tree of 10^5 levels must be stopped by the depth limit")
	}
	whole := bare(tree)
	for i := range whole {
		if c, problems := loadText([]byte(whole[:i])); c != nil || problems.Errors() == 0 {
			t.Fatalf("half a text is called valid: %s", whole[:i])
		}
	}
	sound(t, bare(`{"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "integer"}}, "properties": {"v": {"$ref": "#/$defs/a"}}}`))
}

// TestFieldLogB101BrokenIsNeverEmpty: a contract that was deleted, replaced or
// half saved gives problems with a place, not an empty contract.
func TestFieldLogB101BrokenIsNeverEmpty(t *testing.T) {
	project := fstest.MapFS{
		"demi.project.json": {Data: []byte(tinyProject)}, "assets/t.asset.json": {Data: []byte(tinyManifest)},
	}
	for name, text := range map[string]*fstest.MapFile{
		"deleted": nil, "empty": {}, "half saved": {Data: []byte(tinyContract[:len(tinyContract)-3])},
	} {
		delete(project, "assets/t.network.json")
		if text != nil {
			project["assets/t.network.json"] = text
		}
		c, problems := Check(project, "")
		if c != nil || problems.Errors() == 0 || problems[0].Place.Line == 0 {
			t.Errorf("%s: got %v with %v", name, c, problems)
		}
	}
}

// TestFieldLogB113OneHashWhateverTheNames: names outside the basic plane sort
// by UTF-16 in the canonical form, so that a browser finds the same hash.
func TestFieldLogB113OneHashWhateverTheNames(t *testing.T) {
	const text = `{"format_version": 1.0, "id": "network-contract://t/<&", "messages": {
		"\uff5e": {"from": "all", "rate_limit": 1e1}, "\ud83d\ude00": {"from": "all"},
		"\u0041": {"from": "all", "schema": {"properties": {"\uff5e": {"minimum": -0}, "😀": {"maximum": 100000000000000000000},
			"x": {"maximum": 1e21}, "y": {"minimum": 0.1}, "z": {"const": "<\u2028>"}}}}}}`
	c := sound(t, text)
	// JavaScript: JSON.stringify with keys sorted by its own < on strings.
	for _, part := range []string{
		`"properties":{"x":{"maximum":1e+21},"y":{"minimum":0.1},"z":{"const":"<` + "\u2028" + `>"},"😀":{"maximum":100000000000000000000},"～":{"minimum":0}}`,
		`"id":"network-contract://t/<&"`,
	} {
		if !strings.Contains(c.Document, part) {
			t.Errorf("the canonical form lacks %s:\n%s", part, c.Document)
		}
	}
	if a, b := strings.Index(c.Document, `"😀":{"from"`), strings.Index(c.Document, `"～":{"from"`); a < 0 || b < a {
		t.Error("a surrogate pair sorts before U+FF5E in UTF-16")
	}
	if c.Message("～").Index != 1 || c.Message("😀").Index != 2 {
		t.Error("wire ids follow the byte order of UTF-8, where U+FF5E comes first")
	}
	if again := sound(t, c.Document); again.MeaningHash != c.MeaningHash {
		t.Error("the canonical form must mean what it was made from")
	}
}
