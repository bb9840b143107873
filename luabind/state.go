package luabind

import (
	"fmt"
	"runtime"
	"time"

	lua "github.com/yuin/gopher-lua"

	"demi.network/internal/detmath"
	"demi.network/runtime/fault"
)

// Config is what a State is made of. The zero value is a working one.
type Config struct {
	Instructions     int64 // per callback; 0 = 10 million
	LoadInstructions int64 // per loaded script, with what it requires; 0 = 100 million
	Memory           int64 // bytes that the scripts may hold; 0 = 256 MiB
	Seed             uint64
	// Sorted makes pairs and next visit numbers in rising order, then
	// strings in byte order. For scripts that run where rows or lockstep run:
	// the order must not depend on how a table came to be.
	Sorted bool
	// Log takes what print prints, line by line, without ends, at most 8 KiB a
	// call. What could steer a terminal is spelled by its number. nil = nowhere.
	Log func(line string)
	// Resolve finds the source of a module that require names and that is
	// not native. path is how errors name it. nil = there are none.
	Resolve func(module string) (src []byte, path string, err error)
	// Now is the clock that os.time, os.date and os.clock show, in UTC.
	// nil = a clock that stands at the Unix epoch.
	Now func() time.Time
}

const (
	defaultInstructions     = 10_000_000
	defaultLoadInstructions = 100_000_000
	defaultMemory           = 256 << 20
)

// State is one sandbox: an environment, its budgets, and the scripts loaded
// into it. Not safe for concurrent use; it belongs to the goroutine that loads
// and calls. A State that is no longer referred to is garbage like any other
// value; Close makes it refuse further work before that.
type State struct {
	L *lua.LState // for bindings: make tables and functions, read and write globals

	cfg      Config
	meter    meter
	mem      memory
	long     longText
	threads  threads
	modules  modules
	rand     detmath.Rand
	ids      identities
	patterns patterns
	counters Counters
	start    time.Time

	globals    *lua.LTable
	roots      *lua.LTable // what bindings hold for scripts: counted as theirs
	stringMeta *lua.LTable
	guards     [guardCount]*lua.LFunction
	running    int   // nesting of Call and Load
	used       int64 // instructions of all calls that have ended
	closed     bool
	exhausted  *ScriptError // set when what scripts hold stays over the limit
}

// New makes a State with the sandbox's libraries and no modules.
func New(cfg Config) *State {
	set := func(v *int64, d int64) {
		if *v <= 0 {
			*v = d
		}
	}
	set(&cfg.Instructions, defaultInstructions)
	set(&cfg.LoadInstructions, defaultLoadInstructions)
	set(&cfg.Memory, defaultMemory)
	if cfg.Log == nil {
		cfg.Log = func(string) {}
	}
	if cfg.Now == nil {
		epoch := time.Unix(0, 0).UTC()
		cfg.Now = func() time.Time { return epoch }
	}
	s := &State{cfg: cfg, rand: detmath.NewRand(cfg.Seed), start: cfg.Now()}
	main := threadOptions
	main.RegistrySize = 128 // a smaller one would be taken for the default of 5120
	s.L = lua.NewState(main)
	s.L.Options = threadOptions // of threads made from it
	s.L.G.MainThread, s.L.G.CurrentThread = s.L, s.L
	s.meter.closed = make(chan struct{})
	close(s.meter.closed)
	s.meter.look = s.look
	s.meter.price = 1
	s.meter.thread = func() *lua.LState { return s.L.G.CurrentThread }
	s.meter.begin(cfg.LoadInstructions)
	s.mem.init(cfg.Memory)
	s.L.SetContext(&s.meter)
	s.globals = s.L.G.Global
	s.roots = s.L.CreateTable(0, 0)
	s.openLibraries()
	return s
}

// Close ends the state: further calls and loads are refused. What scripts hold
// is freed with the State itself.
func (s *State) Close() { s.closed = true }

// Counters returns what went wrong so far.
func (s *State) Counters() Counters { return s.counters }

// Fault counts a fault of a binding; modules made for this state report here.
func (s *State) Fault() { s.counters.Panics++ }

// Exhausted returns the memory error that stopped the state for good, or nil.
// That is when scripts still hold more than the limit after the callback that
// passed it has ended: every further call would only fail.
func (s *State) Exhausted() error {
	if s.exhausted == nil {
		return nil
	}
	return s.exhausted
}

// Global returns a global variable, lua.LNil when there is none.
func (s *State) Global(name string) lua.LValue { return s.globals.RawGetString(name) }

// SetGlobal sets a global variable for the scripts.
func (s *State) SetGlobal(name string, v lua.LValue) { s.globals.RawSetString(name, v) }

// Load compiles a script and runs it within LoadInstructions. It returns what
// the script returns, its module, or lua.LNil. path names the script in errors.
// A failure is a *ScriptError; a syntax error has a column as well.
func (s *State) Load(path string, src []byte) (lua.LValue, error) {
	if err := s.refusal(); err != nil {
		return lua.LNil, err
	}
	fn, bad := s.compile(path, string(src), nil)
	if bad != nil {
		s.counters.Errors++
		return lua.LNil, bad
	}
	out, err := s.run(s.cfg.LoadInstructions, fn, nil)
	if err != nil {
		return lua.LNil, err
	}
	return first(out), nil
}

func first(values []lua.LValue) lua.LValue {
	if len(values) == 0 {
		return lua.LNil
	}
	return values[0]
}

// Call calls a function of a script within Instructions. nil and lua.LNil are
// no error: a callback that a script does not define. Anything else that cannot
// be called is. What it returns is thrown away. A failure is a *ScriptError and
// has been counted; the state remains usable. Inside a running callback, Call
// shares that callback's budget.
func (s *State) Call(fn lua.LValue, args ...lua.LValue) error {
	_, err := s.Results(fn, args...)
	return err
}

// Results is Call with what the function returns. The slice is the caller's
// until the next call of a script.
func (s *State) Results(fn lua.LValue, args ...lua.LValue) ([]lua.LValue, error) {
	return s.within(s.cfg.Instructions, fn, args...)
}

// within is Results with a budget of its own.
func (s *State) within(budget int64, fn lua.LValue, args ...lua.LValue) ([]lua.LValue, error) {
	if fn == nil || fn == lua.LNil {
		return nil, nil
	}
	if err := s.refusal(); err != nil {
		return nil, err
	}
	return s.run(budget, fn, args)
}

// refusal says why the state runs nothing any more, or returns nil.
func (s *State) refusal() error {
	switch {
	case s.closed:
		return &ScriptError{Kind: ScriptFault, Text: "the Lua state is closed"}
	case s.exhausted != nil:
		return s.exhausted
	}
	return nil
}

// run calls fn on a thread of its own and turns what went wrong into an error.
func (s *State) run(budget int64, fn lua.LValue, args []lua.LValue) ([]lua.LValue, error) {
	outermost := s.running == 0
	if outermost {
		s.reprice(fn)
		s.meter.begin(budget)
	}
	s.running++
	out, failure := s.protect(s.L.G.CurrentThread, fn, args)
	s.running--
	if outermost {
		s.used += s.meter.spent()
		s.glance()
	}
	if failure == nil && s.meter.stopped == 0 {
		return out, nil
	}
	err := s.describe(failure)
	if s.ending() {
		return nil, err
	}
	s.counters.Errors++
	switch err.Kind {
	case BudgetSpent:
		s.counters.Budget++
	case MemorySpent:
		s.counters.Memory++
		if outermost {
			s.settle(err)
		}
	}
	return nil, err
}

// ending says that a budget is spent and its callback on its way out: what is
// called inside it fails too, and is not told of again.
func (s *State) ending() bool { return s.running > 0 && s.meter.stopped != 0 }

// settle decides, after a callback that passed the memory limit, whether what
// it left behind still does.
func (s *State) settle(err *ScriptError) {
	runtime.GC() // give back what the callback took before the next one asks
	if s.mem.held = s.footprint(s.mem.limit); s.mem.held <= s.mem.limit {
		s.mem.grown = 0
		return
	}
	stopped := *err
	stopped.Text += "; the scripts still hold as much and are stopped"
	s.exhausted = &stopped
}

// describe makes the error of a failed call. A spent budget or memory is told
// whatever the script made of it.
func (s *State) describe(f *failure) *ScriptError {
	e := &ScriptError{}
	if f != nil {
		e.Traceback = traceback(f.thread)
	}
	if s.meter.stopped != 0 {
		e.Kind, e.Place, e.Text = s.meter.stopped, s.meter.place, s.meter.text
		return e
	}
	switch v := f.value.(type) {
	case lua.LString:
		var found bool
		if e.Place, e.Text, found = splitPlace(string(v)); !found {
			e.Place = f.place
		}
	default:
		e.Place = f.place
		e.Text = s.errorText(v)
	}
	e.Text = printable(clip(e.Text, maxErrorText))
	e.Place.Path = printable(e.Place.Path)
	return e
}

// errorText spells an error value that is no string. Its __tostring may be
// asked, within a small budget, and may itself fail.
func (s *State) errorText(v lua.LValue) string {
	if t, ok := v.(*lua.LTable); ok {
		if mt, ok := t.Metatable.(*lua.LTable); ok {
			if f := mt.RawGetString("__tostring"); f != lua.LNil && s.running == 0 {
				s.meter.begin(10_000)
				out, failed := s.protect(s.L.G.CurrentThread, f, []lua.LValue{v})
				stopped := s.meter.stopped != 0
				s.meter.stopped = 0
				if text, ok := first(out).(lua.LString); ok && failed == nil && !stopped {
					return string(text)
				}
				return "(error object whose __tostring failed)"
			}
		}
		if text, ok := t.RawGetString("message").(lua.LString); ok {
			return string(text)
		}
	}
	if v == nil || v == lua.LNil {
		return "(error without a message: nil)"
	}
	if n, ok := v.(lua.LNumber); ok {
		return formatNumber(float64(n))
	}
	return fmt.Sprintf("(error object is a %s value)", v.Type())
}

// failure is what ended a protected call.
type failure struct {
	value  lua.LValue
	thread *lua.LState // where it was raised
	place  fault.Place // of the innermost function still on that thread
}
