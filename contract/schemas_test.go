package contract

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"demi.network/contract/jsontext"
	"demi.network/contract/payload"
	"demi.network/schemas"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// compileSchemas compiles every schema file, which checks each against the
// draft-07 metaschema.
func compileSchemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft7
	names, err := fs.Glob(schemas.FS, "*.json")
	if err != nil || len(names) < 5 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		b, err := fs.ReadFile(schemas.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource(schemas.Base+name, bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
	}
	out := map[string]*jsonschema.Schema{}
	for _, name := range names {
		s, err := c.Compile(schemas.Base + name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = s
	}
	return out
}

// TestSchemasAreDraft07 lets no keyword in that an editor would not know, but
// for our own three, and wants words for every key that is offered.
func TestSchemasAreDraft07(t *testing.T) {
	compileSchemas(t)
	known := strings.Fields(`$schema $id $ref $comment title description default type enum const minimum maximum exclusiveMinimum
		minLength maxLength pattern items minItems maxItems required properties additionalProperties propertyNames minProperties maxProperties
		allOf if then else definitions x-demi-code x-demi-synonyms x-demi-refusals`)
	var check func(file string, n *jsontext.Node)
	check = func(file string, n *jsontext.Node) {
		if n.Kind != jsontext.KindObject {
			return
		}
		for i := range n.Members {
			key, v := n.Members[i].Key, n.Members[i].Value
			if !slices.Contains(known, key) {
				t.Errorf("%s%s: the keyword %q", file, n.Pointer(), key)
			}
			switch key {
			case "properties", "definitions":
				for j := range v.Members {
					check(file, v.Members[j].Value)
					if key == "properties" && v.Members[j].Value.Get("description") == nil && v.Members[j].Value.Get("$ref") == nil {
						t.Errorf("%s%s has no description", file, v.Members[j].Value.Pointer())
					}
				}
			case "items", "additionalProperties", "propertyNames", "if", "then", "else":
				check(file, v)
			case "allOf":
				for _, item := range v.Items {
					check(file, item)
				}
			case "x-demi-code":
				if !slices.ContainsFunc(Codes(), func(c CodeEntry) bool { return c.Code == Code(v.Text) }) {
					t.Errorf("%s: unknown code %s", file, v.Text)
				}
			}
		}
	}
	for name := range compileSchemas(t) {
		b, err := fs.ReadFile(schemas.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		root, faults := jsontext.Parse(b)
		if len(faults) > 0 {
			t.Fatalf("%s: %v", name, faults)
		}
		check(name, root)
	}
}

// TestSchemaFixtures holds documents against the schemas by name: pass_… must
// be valid and fail_… must not.
func TestSchemaFixtures(t *testing.T) {
	compiled := compileSchemas(t)
	archive, err := txtar.ParseFile("testdata/schemas.txtar")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, file := range archive.Files {
		schema, name, _ := strings.Cut(file.Name, "/")
		schema += ".schema.json"
		want := strings.HasPrefix(name, "pass_")
		root, faults := jsontext.Parse(file.Data)
		if root == nil || compiled[schema] == nil {
			t.Fatalf("%s: %v", file.Name, faults)
		}
		err := compiled[schema].Validate(plain(root))
		if (err == nil) != want {
			t.Errorf("%s: %v", file.Name, err)
		}
		seen[schema+name[:4]]++
		if schema == schemas.DataSchema {
			// Editors see the JSON Schema, the game the compiled plan: what the
			// plan takes the schema must take, or an editor would mark it.
			_, issues := payload.Compile(root)
			sound := !slices.ContainsFunc(issues, func(i payload.Issue) bool { return !i.Warning })
			if sound != want {
				t.Errorf("%s: the payload compiler says %v", file.Name, issues)
			}
		}
	}
	for name := range compiled {
		if seen[name+"pass"] == 0 || seen[name+"fail"] == 0 {
			t.Errorf("%s has no fixture that passes, or none that fails", name)
		}
	}
}

// TestPublishedFilesAreValid: the engine's own files, by the schemas alone.
func TestPublishedFilesAreValid(t *testing.T) {
	compiled := compileSchemas(t)
	for pattern, schema := range map[string]string{
		"testdata/*/demi.project.json":                           schemas.Project,
		"testdata/*/assets/network/*.network.json":               schemas.NetworkContract,
		"testdata/*/assets/network/*.asset.json":                 schemas.Asset,
		"testdata/*/assets/network/schemas/*.asset.json":         schemas.Asset,
		"testdata/demi-ffa/assets/network/schemas/*.schema.json": schemas.DataSchema,
	} {
		names, _ := filepath.Glob(pattern)
		if len(names) == 0 {
			t.Errorf("%s matches nothing", pattern)
		}
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			root, _ := jsontext.Parse(b)
			if err := compiled[schema].Validate(plain(root)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestEveryDefaultIsAllowed: a default that its own rule refuses would make
// the shortest contract invalid.
func TestEveryDefaultIsAllowed(t *testing.T) {
	minimal := `{"format_version": 1, "id": "network-contract://t/t", "limits": {}, "session": {}, "simulation": {"inputs": {"a": {}}},
		"lockstep": {"commands": {"a": {}}}, "messages": {"a": {}}, "replicated_prefabs": {"a": {"prefab": "prefab://a", "components": {"Transform2D": {"position": {}}}}}}`
	c, problems := LoadText("c.json", []byte(minimal))
	if c == nil || len(problems) > 0 {
		t.Fatal(problems)
	}
	if again := sound(t, c.Document); again.MeaningHash != c.MeaningHash {
		t.Error("defaults spelled out mean something else")
	}
}
