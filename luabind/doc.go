// Package luabind owns everything Lua: the sandbox scripts run in, the one
// argument unpacker and the one value converter that every demi.* module is
// built from, and those modules, one file each. It is the only importer of
// gopher-lua. It never decides a rule of the network (session does), never
// reads a clock, and never starts a goroutine: Lua runs on the goroutine that
// calls State.Call, always.
//
// # The sandbox
//
// A State's environment is built from nothing: no function of gopher-lua's own
// libraries is reachable, because several of them cannot be bounded (patterns
// run for minutes, string.rep takes any length), lie about numbers (tonumber),
// or share state with other scripts of the process (math.random). What is
// offered is written here.
//
// Every instruction is counted by a context that the virtual machine consults
// (meter.go); work done inside Go functions is charged to the same count. A
// spent budget ends the callback at once and cannot be caught by the script.
// Memory is sampled while a callback runs and charged to it; when the growth
// could pass the limit, what the state still reaches is measured (footprint.go).
//
// Some instructions of the machine can do unbounded work at once: joining
// strings, filling the gap before a large index. Scripts are therefore rewritten
// after parsing (rewrite.go), so that these go through guarded functions. The
// same pass makes the power operator portable and keeps arrays free of trailing
// nils, so that the length operator costs the same at any size.
//
// Protected calls run on threads of their own (thread.go): in gopher-lua an
// error closes the variables of every function of its thread, also of those
// that survive it.
//
// # The dialect
//
// Lua 5.1 with goto, and the library parts of 5.4 that need no new syntax.
// Syntax of 5.4 that this machine lacks is reported with file, line and column
// (syntax.go). Numbers are doubles. Absent on purpose: io, debug, package,
// dofile, loadfile, getfenv, setfenv, module, string.dump, string.pack,
// coroutines that yield across a protected call, weak tables and finalizers.
//
// # What the budgets do not see
//
// Comparing two long strings, and using one as a key, is one instruction; where
// there are such strings, instructions cost more (long_text.go). An index through
// a chain of metatables, at most 100 long, is one as well. The dearest callbacks
// known take some ten seconds to spend ten million instructions, a usual one half
// a second. The process may take about twice a state's memory limit before Go's
// collector has come round, and up to 200 MiB of stack for a script that recurses
// through metamethods and protected calls as deeply as both are allowed.
package luabind
