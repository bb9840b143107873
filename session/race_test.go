//go:build race

package session_test

import "testing"

// skipAllocs: the race detector allocates.
func skipAllocs(t *testing.T) { t.Skip("the race detector allocates") }
