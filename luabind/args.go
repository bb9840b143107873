package luabind

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Args are the arguments of a call from a script, and the only way bindings
// read them. Each method takes the position of an argument, from 1; a wrong or
// absent one raises "bad argument #2 to 'spawn' (string expected, got table)"
// in the script, on the line of the call. An argument that may be absent has a
// method beginning with Opt; nil counts as absent.
//
// Args is passed by value and valid during the call.
type Args struct {
	L     *lua.LState
	fn    string
	shift int // 1 when called with a colon: the module itself came first
	n     int
}

// Func is one function of a module. Call pushes its results on a.L and returns
// how many.
type Func struct {
	Name string
	Call func(a Args) int
}

// NewModule makes a table of functions, in a fixed order, for scripts on L,
// which need not be a State's. Both Module.f(x) and Module:f(x) work. A Go
// panic in a function becomes a Lua error, and fault is told of it.
func NewModule(L *lua.LState, fault func(), funcs ...Func) *lua.LTable {
	t := L.CreateTable(0, len(funcs))
	for _, f := range funcs {
		t.RawSetString(f.Name, L.NewFunction(bind(f, t, fault)))
	}
	return t
}

// bind makes a function of the machine from one of ours.
func bind(f Func, module *lua.LTable, fault func()) lua.LGFunction {
	self := lua.LValue(module)
	return func(L *lua.LState) int {
		defer func() {
			switch r := recover().(type) {
			case nil:
			case *lua.ApiError:
				panic(r) // a Lua error on its way
			default:
				fault()
				L.RaiseError("internal fault in '%s': %v", f.Name, r)
			}
		}()
		a := Args{L: L, fn: f.Name, n: L.GetTop()}
		if a.n > 0 && L.Get(1) == self {
			a.shift = 1
			a.n--
		}
		return f.Call(a)
	}
}

// plain makes a library function: no module before the arguments.
func plain(f Func) lua.LGFunction {
	return func(L *lua.LState) int {
		return f.Call(Args{L: L, fn: f.Name, n: L.GetTop()})
	}
}

// library makes a global table of functions.
func (s *State) library(name string, funcs []Func) *lua.LTable {
	t := s.L.CreateTable(0, len(funcs))
	for _, f := range funcs {
		t.RawSetString(f.Name, s.L.NewFunction(plain(f)))
	}
	s.globals.RawSetString(name, t)
	return t
}

// Len returns how many arguments were given, nils included.
func (a Args) Len() int { return a.n }

// Get returns an argument, lua.LNil when it is absent.
func (a Args) Get(i int) lua.LValue {
	if i > a.n {
		return lua.LNil
	}
	return a.L.Get(i + a.shift)
}

// Has reports whether an argument is present and not nil.
func (a Args) Has(i int) bool { return a.Get(i) != lua.LNil }

// rest copies the arguments from the i-th on.
func (a Args) rest(i int) []lua.LValue {
	if a.n < i {
		return nil
	}
	out := make([]lua.LValue, 0, a.n-i+1)
	for ; i <= a.n; i++ {
		out = append(out, a.Get(i))
	}
	return out
}

// Fail raises "bad argument #i to 'f' (text)".
func (a Args) Fail(i int, format string, args ...any) {
	a.L.RaiseError("bad argument #%d to '%s' (%s)", i, a.fn, fmt.Sprintf(format, args...))
}

func (a Args) wrong(i int, want string) {
	got := "no value"
	if i <= a.n {
		got = a.Get(i).Type().String()
	}
	a.Fail(i, "%s expected, got %s", want, got)
}

// Any returns an argument of any type; nil is one, absence is not.
func (a Args) Any(i int) lua.LValue {
	if i > a.n {
		a.Fail(i, "value expected")
	}
	return a.Get(i)
}

// String returns a string. Numbers are not converted.
func (a Args) String(i int) string {
	v, ok := a.Get(i).(lua.LString)
	if !ok {
		a.wrong(i, "string")
	}
	return string(v)
}

// OptString returns a string, or d.
func (a Args) OptString(i int, d string) string {
	if !a.Has(i) {
		return d
	}
	return a.String(i)
}

// maxName is the longest name or id that a binding looks at, in bytes. Nothing
// is called more.
const maxName = 4096

// name is String for names and ids. A longer one than maxName is cut: it names
// nothing either way, and need not be hashed, kept, or repeated in an error.
func (a Args) name(i int) string {
	s := a.String(i)
	if len(s) > maxName {
		s = strings.Clone(s[:maxName])
	}
	return s
}

// optName is name, or d.
func (a Args) optName(i int, d string) string {
	if !a.Has(i) {
		return d
	}
	return a.name(i)
}

// Number returns a number. Strings are not converted.
func (a Args) Number(i int) float64 {
	v, ok := a.Get(i).(lua.LNumber)
	if !ok {
		a.wrong(i, "number")
	}
	return float64(v)
}

// OptNumber returns a number, or d.
func (a Args) OptNumber(i int, d float64) float64 {
	if !a.Has(i) {
		return d
	}
	return a.Number(i)
}

// Integer returns a whole number of at most 2^53 in magnitude.
func (a Args) Integer(i int) int64 {
	n, ok := wholeNumber(a.Number(i))
	if !ok {
		a.Fail(i, "number has no integer representation")
	}
	return n
}

// OptInteger returns a whole number, or d.
func (a Args) OptInteger(i int, d int64) int64 {
	if !a.Has(i) {
		return d
	}
	return a.Integer(i)
}

// Bool returns a boolean.
func (a Args) Bool(i int) bool {
	v, ok := a.Get(i).(lua.LBool)
	if !ok {
		a.wrong(i, "boolean")
	}
	return bool(v)
}

// OptBool returns a boolean, or d.
func (a Args) OptBool(i int, d bool) bool {
	if !a.Has(i) {
		return d
	}
	return a.Bool(i)
}

// Table returns a table.
func (a Args) Table(i int) *lua.LTable {
	v, ok := a.Get(i).(*lua.LTable)
	if !ok {
		a.wrong(i, "table")
	}
	return v
}

// OptTable returns a table, or nil.
func (a Args) OptTable(i int) *lua.LTable {
	if !a.Has(i) {
		return nil
	}
	return a.Table(i)
}

// Function returns a function.
func (a Args) Function(i int) *lua.LFunction {
	v, ok := a.Get(i).(*lua.LFunction)
	if !ok {
		a.wrong(i, "function")
	}
	return v
}

// Thread returns a coroutine.
func (a Args) Thread(i int) *lua.LState {
	v, ok := a.Get(i).(*lua.LState)
	if !ok {
		a.wrong(i, "coroutine")
	}
	return v
}

// text is String for the standard library, which takes numbers as well.
func (a Args) text(i int) string {
	switch v := a.Get(i).(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return formatNumber(float64(v))
	}
	a.wrong(i, "string")
	return ""
}

// num is Number for the standard library, which takes numerals as well.
func (a Args) num(i int) float64 {
	switch v := a.Get(i).(type) {
	case lua.LNumber:
		return float64(v)
	case lua.LString:
		if n, ok := parseNumber(string(v)); ok {
			return n
		}
	}
	a.wrong(i, "number")
	return 0
}

// position is num for positions and counts: fractions are cut.
func (a Args) position(i int) int { return clampInt(a.num(i)) }

// optPosition is position, or d.
func (a Args) optPosition(i, d int) int {
	if !a.Has(i) {
		return d
	}
	return a.position(i)
}

// push pushes a number.
func (a Args) push(n float64) { a.L.Push(lua.LNumber(n)) }
