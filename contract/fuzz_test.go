package contract

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzLoad feeds any text as a contract: no panic, a contract exactly when
// there are no errors, every place inside the text, and what loads is a fixed
// point: its own canonical form means the same.
func FuzzLoad(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/problems.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		if strings.HasSuffix(file.Name, "/json") {
			f.Add(file.Data)
		}
	}
	f.Add([]byte(`{"messages":{"":{"schema":{"$defs":{"":{"":false}}}}}}`))
	f.Add([]byte(full))
	f.Add([]byte(qa0(f)))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, problems := loadText(text)
		if (c == nil) != (problems.Errors() > 0) {
			t.Fatalf("a contract %v with %d errors", c != nil, problems.Errors())
		}
		lines := bytes.Count(text, []byte("\n")) + bytes.Count(text, []byte("\r")) + 1
		for _, p := range problems {
			if p.Place.Line < 1 || p.Place.Line > lines || p.Place.Column < 1 || p.Place.Path != "c.json" {
				t.Fatalf("the place %+v is outside the text", p.Place)
			}
			if p.Text == "" || p.Severity != p.Code.severity() {
				t.Fatalf("half a problem: %+v", p)
			}
		}
		if c == nil {
			return
		}
		again, problems := loadText([]byte(c.Document))
		if again == nil || again.MeaningHash != c.MeaningHash {
			t.Fatalf("the canonical form does not mean the same: %v\n%s", problems, c.Document)
		}
	})
}

// ready are the schemas, compiled once: compiling them for each of a thousand
// texts is most of the time of a test, under -race above all.
var ready = newRules()

// loadText is LoadText with schemas that are compiled already.
func loadText(text []byte) (*Contract, Problems) {
	l := &loader{rules: ready}
	d, problems := parse("c.json", text)
	l.problems = problems
	l.compile(d, "")
	return l.finish()
}

// FuzzProject feeds any text as project file, manifest and prefab.
func FuzzProject(f *testing.F) {
	f.Add([]byte(tinyProject), []byte(tinyManifest), []byte(`{"format_version": 1, "id": "prefab://p", "entities": []}`))
	manifest, err := os.ReadFile("testdata/demi-ffa/assets/network/ffa.asset.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(tinyProject), manifest, []byte("{"))
	f.Fuzz(func(t *testing.T, project, manifest, prefab []byte) {
		fsys := fstest.MapFS{
			ProjectFile: {Data: project}, "assets/t.asset.json": {Data: manifest}, "prefabs/p.prefab.json": {Data: prefab},
			"assets/t.network.json": {Data: []byte(`{"format_version": 1, "id": "network-contract://t/t", "replicated_prefabs": {"p": {"prefab": "prefab://p", "components": {"Transform2D": {"position": {}}}}}}`)},
		}
		c, problems := check(fsys, "", ready)
		if (c == nil) != (problems.Errors() > 0) {
			t.Fatalf("a contract %v with %v", c != nil, problems)
		}
		for _, p := range problems {
			if p.Place.Path == "" {
				t.Fatalf("no path: %+v", p)
			}
		}
	})
}
