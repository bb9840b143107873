package luabind

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"demi.network/runtime/fault"
)

// scriptScheme begins the id of a script: what follows is its path.
const scriptScheme = "script://"

// scriptFolder is where require looks first.
const scriptFolder = "scripts/"

// script loads the script of an entity, once. The error is a *fault.Error.
func (g *Game) script(module string) (*script, error) {
	path := strings.TrimPrefix(module, scriptScheme)
	if sc := g.scripts[path]; sc != nil {
		return sc, sc.err
	}
	sc := &script{path: path}
	g.scripts[path] = sc
	sc.err = g.load(sc)
	return sc, sc.err
}

// load reads and runs a script. A script that another one has required is the
// same table for its entities, and the other way round.
func (g *Game) load(sc *script) error {
	src, err := g.read(sc.path)
	if err != nil {
		return scriptFault(fault.Place{Path: sc.path}, "the script of an entity cannot be read: %v", err)
	}
	name := moduleName(sc.path)
	m := &g.state.modules
	v, loaded := m.loaded[name]
	if !loaded {
		depth := len(m.loading)
		m.loading = append(m.loading, name)
		v, err = g.state.Load(sc.path, src)
		m.loading = m.loading[:depth]
		if err != nil {
			return asFault(err)
		}
	}
	table, ok := v.(*lua.LTable)
	if !ok {
		return scriptFault(fault.Place{Path: sc.path}, "the script of an entity must return a table of functions, not %s", v.Type())
	}
	if !loaded {
		m.set(name, table)
	}
	sc.table, sc.meta = table, g.state.L.CreateTable(0, 1)
	sc.meta.RawSetString("__index", table)
	var lost []int
	sc.actions, lost = findActions(string(src))
	for _, line := range lost {
		g.cfg.Log(fmt.Sprintf("%s:%d: @HandleAction has no function below it", sc.path, line))
	}
	for _, b := range sc.actions {
		if !g.cfg.Scene.Input.Known(b.action) {
			g.cfg.Log(fmt.Sprintf("%s:%d: the project has no input action %q", sc.path, b.line, b.action))
		}
	}
	return nil
}

// moduleName is what require calls the script at path.
func moduleName(path string) string {
	name := strings.TrimSuffix(strings.TrimPrefix(path, scriptFolder), ".lua")
	return strings.ReplaceAll(name, "/", ".")
}

func scriptFault(at fault.Place, format string, args ...any) *fault.Error {
	e := fault.New(fault.Script, format, args...)
	e.Place = at
	return e
}

// asFault turns an error of the sandbox into the error everybody knows.
func asFault(err error) error {
	var raised *ScriptError
	if errors.As(err, &raised) {
		return raised.Unwrap()
	}
	return err
}

// resolve finds the file of a module that a script requires: under scripts/,
// then packages/ and modules/.
func (g *Game) resolve(module string) (src []byte, path string, err error) {
	name := strings.TrimSuffix(strings.TrimPrefix(module, scriptScheme), ".lua")
	if name == module {
		name = strings.ReplaceAll(name, ".", "/")
	}
	name = strings.TrimPrefix(name, scriptFolder)
	if !fs.ValidPath(name) || name == "." {
		return nil, "", fmt.Errorf("%q is not a module name", clip(module, 80))
	}
	for _, path := range candidates(name) {
		switch src, err = g.read(path); {
		case err == nil:
			return src, path, nil
		case !errors.Is(err, fs.ErrNotExist):
			return nil, "", fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil, "", fmt.Errorf("neither %s%s.lua, nor a package, nor a native module", scriptFolder, name)
}

// candidates are the files that a module may be, in the order they are tried.
func candidates(name string) []string {
	list := []string{scriptFolder + name + ".lua", scriptFolder + name + "/init.lua"}
	for _, folder := range [...]string{"packages/", "modules/"} {
		list = append(list, folder+name+".lua", folder+name+"/init.lua")
	}
	if pack, rest, ok := strings.Cut(name, "/"); ok {
		list = append(list, "packages/"+pack+"/scripts/"+rest+".lua")
	}
	return list
}

// read reads a regular file of the project, of the longest size a script may
// have and one byte, so that the sandbox refuses a longer one.
func (g *Game) read(path string) ([]byte, error) {
	if !fs.ValidPath(path) {
		return nil, errors.New("the path leads out of the project")
	}
	info, err := fs.Stat(g.cfg.Project.FS, path)
	if err != nil {
		return nil, plainPathError(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := g.cfg.Project.FS.Open(path)
	if err != nil {
		return nil, plainPathError(err)
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxSource+1))
}

// plainPathError drops the path of a *fs.PathError: the fault's place has it.
func plainPathError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
