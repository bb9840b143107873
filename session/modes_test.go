package session_test

import (
	"testing"
	"time"
)

// TestWhatEnetHadToSendReliablyArrives: the numbers of unreliable packets have
// 16 bits, and ENet sends the packet that would be one too many reliably. One
// message of 65 536 was refused for that, as a violation.
func TestWhatEnetHadToSendReliablyArrives(t *testing.T) {
	s, eve := tableStage(t)
	before := s.diagnostics("host")
	shot := append([]byte{12, byte(s.epoch), byte(s.con.Message("shot").Index), 1, 1, 0}, wireOf(t, s.con.Message("shot"), `{"dir":[1,0]}`)...)
	s.raw(eve, "3", shot)
	s.raw(eve, "3r", shot)
	s.run(20 * time.Millisecond)
	if d := s.diagnostics("host"); d.Received != before.Received+2 || d.Rejected != before.Rejected {
		t.Errorf("of two shots %d arrived: %s", d.Received-before.Received, d.LastError)
	}
}
