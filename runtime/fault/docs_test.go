package fault

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/errors.md from the table")

// TestDocsListEveryCode holds docs/errors.md to the table: every code a person
// can meet is documented, and nothing else is.
func TestDocsListEveryCode(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Error codes\n\nEvery failure of a connection, a command or the command line has one of these codes. They are stable; texts are not.\n" +
		"With `--json` (and always, for failures) one JSON line on stdout carries `code`; its text goes to stderr.\n\n" +
		"| Code | Meaning | Exit | On the wire |\n|---|---|---|---|\n")
	for _, e := range Table {
		wire := "–"
		if e.Wire != 0 {
			wire = fmt.Sprint(e.Wire)
		}
		doc := e.Doc
		if Reserved(e.Code) {
			doc += " *Reserved: nothing produces it yet.*"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d | %s |\n", e.Code, doc, e.Exit, wire)
	}
	const path = "../../docs/errors.md"
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != b.String() {
		t.Error("docs/errors.md differs from the table; run go test ./runtime/fault -update")
	}
}
