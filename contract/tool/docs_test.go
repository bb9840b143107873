package tool

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"demi.network/contract"
)

const docs = "../../docs/contract.md"

func readDocs(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestReferenceIsGenerated holds the reference part of the documentation
// against the schemas.
func TestReferenceIsGenerated(t *testing.T) {
	text := readDocs(t)
	const begin, end = "<!-- reference: begin. Generated: go test ./contract/tool -update -->\n", "<!-- reference: end -->\n"
	head, rest, ok := strings.Cut(text, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("the marks around the reference are missing")
	}
	var want bytes.Buffer
	if err := WriteReference(&want); err != nil {
		t.Fatal(err)
	}
	whole := head + begin + "\n" + want.String() + "\n" + end + tail
	if *update {
		if err := os.WriteFile(docs, []byte(whole), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if whole != text {
		t.Error("docs/contract.md is not what the schemas say: go test ./contract/tool -update")
	}
}

var fileBlock = regexp.MustCompile("(?s)<!-- file: (\\S+) -->\n```json\n(.*?)```")

// TestWorkedExampleIsValid loads the documentation's example: it must be
// complete, without a warning, and in the house's layout.
func TestWorkedExampleIsValid(t *testing.T) {
	fsys := fstest.MapFS{}
	for _, m := range fileBlock.FindAllStringSubmatch(readDocs(t), -1) {
		fsys[m[1]] = &fstest.MapFile{Data: []byte(m[2])}
		out, err := Layout(m[1], []byte(m[2]))
		if err != nil {
			t.Fatal(err)
		}
		if string(out) != m[2] {
			t.Errorf("%s is not formatted:\n%s", m[1], out)
		}
	}
	if len(fsys) < 6 {
		t.Fatalf("only %d files in the example", len(fsys))
	}
	c, problems := contract.Check(fsys, "")
	if c == nil || len(problems) > 0 {
		t.Fatal(problems)
	}
	p, _ := contract.LoadProject(fsys)
	for _, s := range p.Scenes {
		if fsys[s.Path] == nil {
			t.Errorf("the example lacks the scene file %s, so nobody can host it", s.Path)
		}
	}
	for _, name := range []string{"chat", "dash", "tagged"} {
		if c.Message(name) == nil {
			t.Errorf("the example lacks the message %s that its script uses", name)
		}
	}
	if f := c.Prefab("runner"); f == nil || len(f.Fields) != 4 {
		t.Errorf("the example's prefab is %+v", f)
	}
}
