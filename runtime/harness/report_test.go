package harness

import (
	"net/netip"
	"testing"
	"time"

	"demi.network/runtime"
	"demi.network/runtime/fault"
)

// A client that nobody answered still says who wanted to join, and why it is
// over.
func TestTheReportOfAClientThatGotNowhere(t *testing.T) {
	p := newPlay(t, 1, "")
	a := p.Peer("ann", nil)
	p.must(a.Connect(netip.MustParseAddrPort("127.0.0.1:9")))
	p.Step(5 * time.Second)
	r := a.Report()
	if r.Name != "ann" || r.Ending != string(fault.Timeout) || r.Role != runtime.Joined.String() || len(r.Errors) != 1 {
		t.Errorf("name %q, ending %q, role %q, errors %v; want ann's timeout as a client", r.Name, r.Ending, r.Role, r.Errors)
	}
}
