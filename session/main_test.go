package session_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails the run when anything is left running: nothing here starts a
// goroutine.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
