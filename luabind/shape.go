package luabind

import (
	"maps"
	"reflect"
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// shape is the names of a table's fields in the order they were set. Tables of
// one shape are made many times a tick, and gopher-lua notes the order in every
// table, name by name; a shape has noted it once. What comes out is the same
// table as one whose fields were set one after the other.
type shape struct {
	keys  []lua.LValue       // shared by all tables: full, so that adding to one copies
	index map[lua.LValue]int // copied into each
	after map[string]*shape  // shapes with one name more; never ranged over
	depth int
}

const (
	maxShapes = 1024 // of payloads; what has another shape is set field by field
	maxShaped = 16   // names of a shape
)

// shapes are the shapes that payloads have had.
type shapes struct {
	root shape
	made int
}

// with returns the shape with one name more, or nil when there are too many.
func (s *shapes) with(sh *shape, name string) *shape {
	if next := sh.after[name]; next != nil {
		return next
	}
	if s.made >= maxShapes || sh.depth >= maxShaped {
		return nil
	}
	s.made++
	next := &shape{depth: sh.depth + 1, index: map[lua.LValue]int{}}
	next.keys = append(append(make([]lua.LValue, 0, next.depth), sh.keys...), lua.LString(name))
	for i, key := range next.keys {
		next.index[key] = i
	}
	if sh.after == nil {
		sh.after = map[string]*shape{}
	}
	sh.after[name] = next
	return next
}

// shapeOf makes a shape that is known beforehand. Its names differ.
func shapeOf(names ...string) *shape {
	s := shapes{}
	sh := &s.root
	for _, name := range names {
		sh = s.with(sh, name)
	}
	return sh
}

// table makes a table with these fields, which it keeps; names of the shape that
// are not among them are as if they had been deleted.
func (sh *shape) table(L *lua.LState, fields map[string]lua.LValue) *lua.LTable {
	t := L.CreateTable(0, 0)
	if len(fields) == 0 {
		return t
	}
	p := unsafe.Pointer(t)
	*(*map[string]lua.LValue)(unsafe.Add(p, tableParts.strdict)) = fields
	*(*[]lua.LValue)(unsafe.Add(p, tableParts.keys)) = sh.keys
	*(*map[lua.LValue]int)(unsafe.Add(p, tableParts.k2i)) = maps.Clone(sh.index)
	return t
}

// tableParts are the offsets of the private fields that make up a table's named
// part. This is the one place that writes private fields of gopher-lua.
var tableParts = struct{ strdict, keys, k2i uintptr }{
	offsetOf[map[string]lua.LValue]("strdict"), offsetOf[[]lua.LValue]("keys"), offsetOf[map[lua.LValue]int]("k2i"),
}

// offsetOf returns where a field of lua.LTable stands, which must have type T.
func offsetOf[T any](name string) uintptr {
	f, ok := reflect.TypeFor[lua.LTable]().FieldByName(name)
	if !ok || f.Type != reflect.TypeFor[T]() {
		panic("luabind: BUG: gopher-lua's table has no field " + name + " of that type")
	}
	return f.Offset
}
