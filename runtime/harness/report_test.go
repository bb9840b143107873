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

// A host lists its clients in the order in which they joined, whoever has left,
// and the counts of those are in its sums.
func TestAHostReportsTheDepartedInTheirPlace(t *testing.T) {
	p := newPlay(t, 1, "")
	host := p.Host()
	list := p.join("a", "b", "c")
	p.Step(time.Second)
	before := host.Report()
	list[1].Close(fault.Left, "enough")
	p.Step(time.Second)
	r := host.Report()
	got := ""
	for _, q := range r.Peers {
		got += q.Name + " " + q.Phase + " "
	}
	if got != "a active b closed c active " {
		t.Errorf("the host lists %q", got)
	}
	if b := r.Peers[1]; len(b.Hashes) == 0 {
		t.Error("of b it remembers no hash")
	}
	if r.Snapshots.Sent <= before.Snapshots.Sent || r.Snapshots.Received < before.Snapshots.Received || r.Bytes.Up < before.Bytes.Up {
		t.Errorf("counts went down when a client left: %+v, %+v; before %+v, %+v", r.Snapshots, r.Bytes, before.Snapshots, before.Bytes)
	}
}
