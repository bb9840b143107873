package luabind_test

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"demi.network/luabind"
	"demi.network/schemas"
)

// stubFiles are the stubs by the global that the module is as well.
var stubFiles = map[string]string{
	"NetworkSession": "session", "Transform": "transform2d", "Rigidbody2D": "rigidbody2d", "Physics2D": "query2d", "Input": "input",
	"Events": "events", "Entity": "entity", "Prefab": "prefab", "Application": "application", "Sprite2D": "sprite2d", "Debug": "debug", "Hud": "hud",
}

// functionsOf lists the functions of a table, sorted.
func functionsOf(t *lua.LTable) (names []string) {
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		if v.Type() == lua.LTFunction {
			names = append(names, k.String())
		}
	}
	slices.Sort(names)
	return names
}

func bindings(t *testing.T) *luabind.State {
	return idle(t).must("one", luabind.OpenedNothing).game.State()
}

// TestStubsAreTheBindings runs every stub, which is Lua of our dialect, and
// compares what it defines with what scripts get.
func TestStubsAreTheBindings(t *testing.T) {
	s := bindings(t)
	seen := map[string]bool{"globals.lua": true}
	for global, file := range stubFiles {
		name := file + ".lua"
		seen[name] = true
		text, err := fs.ReadFile(schemas.Lua, "lua/"+name)
		if err != nil {
			t.Error(err)
			continue
		}
		v, err := s.Load(name, text)
		if err != nil {
			t.Errorf("a stub must be valid Lua: %v", err)
			continue
		}
		module := regexp.MustCompile(`(?m)^---@meta (\S+)$`).FindSubmatch(text)
		if module == nil {
			t.Errorf("%s does not say which module it is", name)
			continue
		}
		got, want := functionsOf(v.(*lua.LTable)), functionsOf(s.Global(global).(*lua.LTable))
		if !slices.Equal(got, want) {
			t.Errorf("%s: the stub has\n%v\nthe module\n%v", name, got, want)
		}
		required, err := s.Load("require.lua", []byte(`return require("`+string(module[1])+`")`))
		if err != nil || required != s.Global(global) {
			t.Errorf("%s: require(%q) is not %s: %v", name, module[1], global, err)
		}
		if defined := strings.Count(string(text), ") end\n"); defined != len(got) {
			t.Errorf("%s: %d functions are written, %d exist: one is there twice", name, defined, len(got))
		}
	}
	files, _ := fs.ReadDir(schemas.Lua, "lua")
	for _, f := range files {
		if !seen[f.Name()] {
			t.Errorf("%s is no module's stub", f.Name())
		}
	}
	globals, err := fs.ReadFile(schemas.Lua, "lua/globals.lua")
	if err != nil {
		t.Fatal(err)
	}
	for global := range stubFiles {
		if !strings.Contains(string(globals), "\n"+global+" = require(") {
			t.Errorf("globals.lua lacks %s", global)
		}
	}
}

// TestDocsListTheBindings reads docs/lua.md: it names every function of every
// module, and no other.
func TestDocsListTheBindings(t *testing.T) {
	b, err := os.ReadFile("../docs/lua.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	s := bindings(t)
	_, after, _ := strings.Cut(text, "\n## demi.network.session\n")
	section, services, _ := strings.Cut(after, "\n## The engine's services\n")
	inTable := regexp.MustCompile("(?m)^\\| `(\\w+)\\(").FindAllStringSubmatch(section, -1)
	_, listed, _ := strings.Cut(section, "Not available yet; they refuse")
	listed, _, _ = strings.Cut(listed, "### Events")
	inList := regexp.MustCompile("`(\\w+_\\w+|claim|emit)`").FindAllStringSubmatch(listed, -1)
	var names []string
	for _, m := range append(inTable, inList...) {
		if m[1] != "invalid_operation" {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	if want := functionsOf(s.Global("NetworkSession").(*lua.LTable)); !slices.Equal(names, want) {
		t.Errorf("the session in docs/lua.md:\n%v\nthe module:\n%v", names, want)
	}
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| `(demi[\\w.]+)` \\| (.*)\\|$").FindAllStringSubmatch(services, -1)
	if len(rows) != len(stubFiles)-1 {
		t.Errorf("%d services in docs/lua.md, %d exist", len(rows), len(stubFiles)-1)
	}
	for _, row := range rows {
		var names []string
		for _, m := range regexp.MustCompile("`(\\w+)\\(").FindAllStringSubmatch(row[3], -1) {
			names = append(names, m[1])
		}
		slices.Sort(names)
		if want := functionsOf(s.Global(row[1]).(*lua.LTable)); !slices.Equal(names, want) {
			t.Errorf("%s in docs/lua.md:\n%v\nthe module:\n%v", row[1], names, want)
		}
	}
	for _, name := range []string{"diagnostics", "contract"} {
		v, err := s.Load("t.lua", []byte(`return require("demi.network.session").`+name+`()`))
		if err != nil {
			t.Fatal(err)
		}
		for k, _ := v.(*lua.LTable).Next(lua.LNil); k != lua.LNil; k, _ = v.(*lua.LTable).Next(k) {
			if !regexp.MustCompile("\\b" + k.String() + "\\b").MatchString(section) {
				t.Errorf("docs/lua.md does not name the field %s of %s()", k, name)
			}
		}
	}
}
