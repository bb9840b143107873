//go:build !race

package session_test

import "testing"

func skipAllocs(*testing.T) {}

const raceDetector = false
