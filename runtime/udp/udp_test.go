package udp

import (
	"net/netip"
	"testing"
	"time"

	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
)

// TestTwoNetworksMeetOverLoopback holds that a Network is all an embedder
// needs to host and to join: the connection carries this protocol's mark, and
// what is sent through an impaired link still arrives.
func TestTwoNetworksMeetOverLoopback(t *testing.T) {
	bad, err := ParseLink("latency=5,loss=10%")
	if err != nil {
		t.Fatal(err)
	}
	server, client := &Network{}, &Network{Link: bad, Seed: 7}
	host, err := server.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	addr := host.LocalAddr()
	if !addr.Addr().IsLoopback() {
		t.Errorf("a Network without Bind listens on %s, want loopback", addr)
	}
	dialler, err := client.Dial(addr)
	if err != nil {
		t.Fatal(err)
	}
	peer, err := dialler.Dial(time.Now(), addr)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for deadline := time.Now().Add(20 * time.Second); got == "" && time.Now().Before(deadline); {
		for ev, ok := dialler.Poll(time.Now()); ok; ev, ok = dialler.Poll(time.Now()) {
			if ev.Kind == transport.Connected {
				if err := dialler.Send(peer, 0, transport.Reliable, []byte("hello")); err != nil {
					t.Fatal(err)
				}
			}
		}
		for ev, ok := host.Poll(time.Now()); ok; ev, ok = host.Poll(time.Now()) {
			switch ev.Kind {
			case transport.Connected:
				if ev.Code != ConnectData {
					t.Errorf("the connection is marked %#x, want %#x", ev.Code, ConnectData)
				}
			case transport.Message:
				got = string(ev.Data)
			}
		}
		for _, h := range []transport.Host{host, dialler} {
			if _, err := h.Flush(time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		client.Wait(time.Now().Add(2 * time.Millisecond))
	}
	if got != "hello" {
		t.Errorf("the host got %q, want what the client sent", got)
	}
	for _, n := range []*Network{server, client} {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
		if err := n.Close(); err != nil {
			t.Errorf("closing twice: %v", err)
		}
		if n.Wait(time.Now()) {
			t.Error("a closed Network has nothing to wait on")
		}
	}
}

func TestWhatCannotBeOpenedIsACodedError(t *testing.T) {
	var n Network
	if _, err := n.Listen(65536); fault.CodeOf(err) != fault.Address {
		t.Errorf("port 65536: %v, want %s", err, fault.Address)
	}
	n.Bind = netip.MustParseAddr("203.0.113.7")
	if _, err := n.Listen(0); fault.CodeOf(err) != fault.Bind {
		t.Errorf("an address of another machine: %v, want %s", err, fault.Bind)
	}
	if _, err := ParseLink("lag=3"); fault.CodeOf(err) != fault.Usage {
		t.Errorf("an unknown key: %v, want %s", err, fault.Usage)
	}
}
