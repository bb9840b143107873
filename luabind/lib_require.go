package luabind

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// modules are what require gives.
type modules struct {
	loaded  map[string]lua.LValue // by name
	order   []string              // names in the order they were loaded
	loading []string              // a chain of requires that has not ended
}

// Native makes require(name) return v. Native modules win over files.
func (s *State) Native(name string, v lua.LValue) { s.modules.set(name, v) }

func (m *modules) set(name string, v lua.LValue) {
	if m.loaded == nil {
		m.loaded = map[string]lua.LValue{}
	}
	if _, ok := m.loaded[name]; !ok {
		m.order = append(m.order, name)
	}
	m.loaded[name] = v
}

// baseRequire is require(name): what the module returned when it was first
// required, true when it returned nothing. A module that fails to load fails
// again at the next attempt.
func (s *State) baseRequire(a Args) int {
	name := a.name(1)
	m := &s.modules
	if v, ok := m.loaded[name]; ok {
		a.L.Push(v)
		return 1
	}
	for i, other := range m.loading {
		if other == name {
			a.L.RaiseError("loop in require: %s", strings.Join(append(m.loading[i:len(m.loading):len(m.loading)], name), " -> "))
		}
	}
	if s.cfg.Resolve == nil {
		a.L.RaiseError("module '%s' not found", clip(name, 80))
	}
	s.meter.charge(a.L, costResolve)
	src, path, err := s.cfg.Resolve(name)
	if err != nil {
		a.L.RaiseError("module '%s' not found: %s", clip(name, 80), clip(err.Error(), 200))
	}
	s.meter.charge(a.L, int64(len(src))*2+100)
	fn, bad := s.compile(path, string(src), s.pays(a.L))
	if bad != nil {
		a.L.Error(lua.LString(bad.Error()), 0)
	}
	depth := len(m.loading)
	m.loading = append(m.loading, name)
	out, failed := s.protect(a.L, fn, []lua.LValue{lua.LString(name)})
	m.loading = m.loading[:depth]
	s.guarded(a.L)
	if failed != nil {
		a.L.Error(failed.value, 0)
	}
	v := first(out)
	if v == lua.LNil {
		v = lua.LTrue
	}
	m.set(name, v)
	a.L.Push(v)
	return 1
}
