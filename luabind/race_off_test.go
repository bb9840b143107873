//go:build !race

package luabind

// RaceEnabled says that the race detector runs, which makes tests ten times as
// slow. The heaviest do less then: nothing here is concurrent.
const RaceEnabled = false
