package fault

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestEveryCodeIsProducedOrReserved holds Reserved to the source: a documented
// code that no package of this module names is a promise that nobody keeps.
func TestEveryCodeIsProducedOrReserved(t *testing.T) {
	table, err := os.ReadFile("codes.go")
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	root := os.DirFS("../..")
	err = fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "runtime/fault/") {
			return err
		}
		b, err := fs.ReadFile(root, path)
		source.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^\t(\w+) +Code = "(\w+)"`).FindAllStringSubmatch(string(table), -1)
	if len(names) != len(Table) {
		t.Fatalf("found %d constants for %d codes", len(names), len(Table))
	}
	for _, n := range names {
		used := regexp.MustCompile(`\bfault\.` + n[1] + `\b`).MatchString(source.String())
		if used == Reserved(Code(n[2])) {
			t.Errorf("%s: named by a package: %v, reserved: %v", n[2], used, Reserved(Code(n[2])))
		}
	}
}
