package luabind

import (
	"fmt"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"demi.network/runtime/fault"
)

// ErrorKind says what ended a script.
type ErrorKind uint8

// The kinds of script errors.
const (
	ScriptFault  ErrorKind = iota // error(), a wrong type, a stack that is too deep
	ScriptSyntax                  // it does not compile
	BudgetSpent                   // it executed too many instructions
	MemorySpent                   // it holds too much memory
)

var errorKindNames = [...]string{"script", "syntax", "budget", "memory"}

// String returns the kind as counters and events spell it.
func (k ErrorKind) String() string {
	if int(k) < len(errorKindNames) {
		return errorKindNames[k]
	}
	return "unknown"
}

// ScriptError is an error of a script: where, what, and how it got there. It
// unwraps to a *fault.Error with code E_NET_SCRIPT.
type ScriptError struct {
	Kind      ErrorKind
	Place     fault.Place // Column is known for syntax errors only
	Text      string      // without the place; at most maxErrorText bytes
	Traceback string      // innermost first, at most maxTraceback lines; may be empty
}

const (
	maxErrorText = 2000
	maxPlace     = 255 // bytes of a script's name in a message
	maxTraceback = 20
)

// Error returns "file:line: text".
func (e *ScriptError) Error() string {
	if p := e.Place.String(); p != "" {
		return p + ": " + e.Text
	}
	return e.Text
}

// Unwrap returns the error as every other package knows errors.
func (e *ScriptError) Unwrap() error {
	f := fault.New(fault.Script, "%s", e.Text)
	f.Place = e.Place
	return f
}

// Counters counts what scripts of a State did wrong. All only grow.
type Counters struct {
	Errors int // failed callbacks and loads of every kind
	Budget int // of them, spent instruction budgets
	Memory int // of them, exceeded memory limits
	Panics int // faults of ours that a binding turned into a Lua error
}

// splitPlace takes "file:line: " off a message of the machine. It reports
// false when the message does not begin with the name of a script.
func splitPlace(message string) (fault.Place, string, bool) {
	rest := message
	at := 0
	for {
		i := strings.IndexByte(rest, ':')
		if i < 0 {
			return fault.Place{}, message, false
		}
		at += i
		tail := message[at+1:]
		n := 0
		for n < len(tail) && tail[n] >= '0' && tail[n] <= '9' {
			n++
		}
		if at > maxPlace {
			return fault.Place{}, message, false
		}
		if n > 0 && n < 9 && n < len(tail) && tail[n] == ':' && at > 0 {
			line, _ := strconv.Atoi(tail[:n])
			return fault.Place{Path: message[:at], Line: line}, strings.TrimPrefix(tail[n+1:], " "), true
		}
		at++
		rest = message[at:]
	}
}

// placeOf returns file and line of the innermost Lua function that th runs, or
// else that the thread runs which waits for it: pcall(string.find, …) has no
// Lua function of its own.
func placeOf(th *lua.LState) fault.Place {
	for ; th != nil; th = th.Parent {
		for level := 0; ; level++ {
			dbg, ok := th.GetStack(level)
			if !ok {
				break
			}
			if _, err := th.GetInfo("Sl", dbg, lua.LNil); err != nil {
				break
			}
			if dbg.CurrentLine > 0 && dbg.Source != "" && dbg.Source != ownChunk {
				return fault.Place{Path: dbg.Source, Line: dbg.CurrentLine}
			}
		}
	}
	return fault.Place{}
}

// traceback lists the functions th runs, innermost first, bounded.
func traceback(th *lua.LState) string {
	var b strings.Builder
	for level := range maxTraceback {
		dbg, ok := th.GetStack(level)
		if !ok {
			break
		}
		if _, err := th.GetInfo("nSl", dbg, lua.LNil); err != nil {
			break
		}
		where := "[Go]"
		if dbg.CurrentLine > 0 {
			where = fmt.Sprintf("%s:%d", dbg.Source, dbg.CurrentLine)
		}
		fmt.Fprintf(&b, "%s: in %s\n", where, clip(dbg.Name, 80))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// clip shortens a text of a script for people.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "…"
}
