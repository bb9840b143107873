//go:build race

package session

import "testing"

// SkipAllocs: the race detector allocates.
func SkipAllocs(t *testing.T) { t.Skip("the race detector allocates") }

// RaceDetector says that everything takes ten times as long.
const RaceDetector = true
