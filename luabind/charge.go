package luabind

import lua "github.com/yuin/gopher-lua"

// charge takes instructions from a callback's budget for work that a binding
// does in Go, so that no loop over calls runs longer than a loop of Lua may. It
// raises the error of a spent budget. About 15 ns of work are one instruction.
// Scripts outside a sandbox are not charged.
type charge func(L *lua.LState, n int)

func free(*lua.LState, int) {}

// charge is the charge of this sandbox.
func (s *State) charge(L *lua.LState, n int) { s.meter.charge(L, int64(n)) }

// What calls cost, in instructions. Those that look at every entity cost a part
// of their number as well.
const (
	costPoll        = 100 // process_events, and costEvent for each event
	costEvent       = 80
	costValue       = 5 // a value of a payload, going or coming
	costSend        = 40
	costUpdate      = 60
	costLife        = 200 // spawn, transfer, despawn, bind
	costLook        = 100
	costOpen        = 5000 // host, connect: a socket and a handshake
	costClose       = 2000 // disconnect, kick: a goodbye, and everything is let go
	costResolve     = 1500 // require looks for files
	costFailure     = 2000 // an error that is caught and recorded for a script
	costHandler     = 60   // of an emit: a protected call
	costDiagnostics = 400
	costRefusal     = 60 // an entry of diagnostics().refusals
	costRay         = 30
	costEntity      = 60
	costComponent   = 400 // a component is compiled anew
	costLog         = 50
	bytesPerCharge  = 32 // of a logged line
)
