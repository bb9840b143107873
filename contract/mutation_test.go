package contract

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"demi.network/contract/jsontext"
)

// replacements stand in, one after the other, for every value of a file; the
// last one removes the member.
var replacements = []string{`null`, `""`, `-1`, `1e300`, `true`, `[]`, `{"": {}}`, ``}

// TestOneWrongValueNeverPassesUnseen replaces every value of the files of the
// published project, shortened, one at a time, by values of every kind. Whatever it is, a
// contract comes back exactly when there are no errors, and what comes back is
// complete: no message lost its schema on the way.
func TestOneWrongValueNeverPassesUnseen(t *testing.T) {
	files := fstest.MapFS{}
	root := os.DirFS("testdata/demi-ffa")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".json") {
			var b []byte
			b, err = fs.ReadFile(root, name)
			files[name] = &fstest.MapFile{Data: b}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	files[ProjectFile].Data = []byte(`{"format_version": 1, "name": "t", "network_contract": "asset://network/ffa_contract", "scenes": [{"id": "scene://a", "path": "b"}]}`)
	files["prefabs/player.prefab.json"].Data = []byte(`{"format_version": 1, "id": "prefab://player", "entities": [{"id": "p", "components": {"Transform2D": {"position": [1, 2], "rotation": 0.5}}}]}`)
	tried := 0
	for _, name := range []string{
		ProjectFile, "assets/network/ffa.asset.json", "assets/network/ffa.network.json",
		"assets/network/schemas/shot.asset.json", "assets/network/schemas/shot.schema.json", "prefabs/player.prefab.json",
	} {
		f, changed := files[name], maps.Clone(files)
		each(f.Data, func(what string, text []byte) {
			tried++
			changed[name] = &fstest.MapFile{Data: text}
			c, problems := check(changed, "", ready)
			if (c == nil) != (problems.Errors() > 0) {
				t.Errorf("%s: %s: a contract %v with the problems %v", name, what, c != nil, problems)
			}
			if c == nil {
				return
			}
			for i := range c.Messages {
				if c.Messages[i].Schema == nil {
					t.Errorf("%s: %s: the message %s has no schema", name, what, c.Messages[i].Name)
				}
			}
		})
	}
	if tried < 400 {
		t.Errorf("only %d changes were tried", tried)
	}
}

// TestOneWrongValueOfAContract does the same to a contract that has every key.
func TestOneWrongValueOfAContract(t *testing.T) {
	each([]byte(full), func(what string, text []byte) {
		c, problems := loadText(text)
		if (c == nil) != (problems.Errors() > 0) {
			t.Errorf("%s: a contract %v with the problems %v", what, c != nil, problems)
		}
	})
}

// each calls f with a document in which one value is another.
func each(text []byte, f func(what string, text []byte)) {
	root, _ := jsontext.Parse(text)
	var walk func(n *jsontext.Node)
	walk = func(n *jsontext.Node) {
		for _, r := range replacements {
			out := string(text[:n.Pos.Offset]) + r + string(text[n.End:])
			if r == "" {
				if out = without(text, n); out == "" {
					continue
				}
			}
			f(fmt.Sprintf("%q is %q", n.Pointer(), r), []byte(out))
		}
		for _, item := range n.Items {
			walk(item)
		}
		for i := range n.Members {
			walk(n.Members[i].Value)
		}
	}
	walk(root)
}

// without returns the text less the member that n is the value of, "" when it
// is the value of none.
func without(text []byte, n *jsontext.Node) string {
	p := n.Parent()
	if p == nil || p.Kind != jsontext.KindObject {
		return ""
	}
	var parts []string
	for i := range p.Members {
		if m := &p.Members[i]; m.Value != n {
			parts = append(parts, fmt.Sprintf("%q: %s", m.Key, text[m.Value.Pos.Offset:m.Value.End]))
		}
	}
	return string(text[:p.Pos.Offset]) + "{" + strings.Join(parts, ", ") + "}" + string(text[p.End:])
}
