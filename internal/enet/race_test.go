//go:build race

package enet

const raceEnabled = true

// rounds is how often a test repeats what it does: less often under the race
// detector, which is ten times as slow and looks for other faults.
func rounds[T int | uint32 | uint64](_, race T) T { return race }
