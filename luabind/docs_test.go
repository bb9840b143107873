package luabind_test

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"demi.network/contract/tool"
	"demi.network/luabind"
)

// TestTheGameOfTheDocsPlays follows docs/lua.md word by word: contract new, then
// what the page says to write.
func TestTheGameOfTheDocsPlays(t *testing.T) {
	b, err := os.ReadFile("../docs/lua.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(b), "\n## A game\n")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := regexp.MustCompile("(?s)```\\w+\n(.*?)```").FindAllStringSubmatch(section, -1)
	if len(blocks) != 2 {
		t.Fatalf("the page shows %d pieces of a game, not a scene and a script", len(blocks))
	}
	named := func(i int) string { return strings.ReplaceAll(blocks[i][1], "NAME", "tag") }
	dir := filepath.Join(t.TempDir(), "game")
	if err := tool.New(io.Discard, dir, "tag"); err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("scenes/main.scene.json", named(0))
	write("scripts/game.lua", named(1))

	p := newPlay(t, os.DirFS(dir), "")
	host := p.must("host", luabind.OpenedHost)
	ann := p.must("ann", luabind.OpenedClient)
	p.run(2 * time.Second)
	p.clean()
	if len(host.log) != 1 || host.log[0] != "peer1\thello" {
		t.Errorf("the host prints %q, not ann's hello", host.log)
	}
	if x, _, ok := host.RemotePosition("peer1"); !ok || x < 1 {
		t.Errorf("ann's player is at %v, and walks a unit a second (%v)", x, ok)
	}
	if len(ann.log) > 0 {
		t.Errorf("nobody speaks to ann: %q", ann.log)
	}
}
