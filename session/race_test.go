//go:build race

package session_test

import "testing"

// skipAllocs: the race detector allocates.
func skipAllocs(t *testing.T) { t.Skip("the race detector allocates") }

// raceDetector says that everything takes ten times as long.
const raceDetector = true
