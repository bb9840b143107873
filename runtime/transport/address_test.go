package transport_test

import (
	"net/netip"
	"testing"

	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
)

func TestFieldLogB96TargetsAreTakenApartRight(t *testing.T) {
	const def = 7777
	for text, want := range map[string]transport.Target{
		"localhost:7777":         {Host: "localhost", Port: 7777},
		"localhost":              {Host: "localhost", Port: def},
		"127.0.0.1:7778":         {Host: "127.0.0.1", IP: netip.MustParseAddr("127.0.0.1"), Port: 7778},
		"127.0.0.1":              {Host: "127.0.0.1", IP: netip.MustParseAddr("127.0.0.1"), Port: def},
		"[::1]:7778":             {Host: "::1", IP: netip.MustParseAddr("::1"), Port: 7778},
		"[::1]":                  {Host: "::1", IP: netip.MustParseAddr("::1"), Port: def},
		"::1":                    {Host: "::1", IP: netip.MustParseAddr("::1"), Port: def},
		"fe80::1%lo":             {Host: "fe80::1%lo", IP: netip.MustParseAddr("fe80::1%lo"), Port: def},
		"[fe80::1%lo]:7778":      {Host: "fe80::1%lo", IP: netip.MustParseAddr("fe80::1%lo"), Port: 7778},
		"::ffff:10.0.0.1":        {Host: "10.0.0.1", IP: netip.MustParseAddr("10.0.0.1"), Port: def},
		"[::ffff:10.0.0.1]:1":    {Host: "10.0.0.1", IP: netip.MustParseAddr("10.0.0.1"), Port: 1},
		"game.example.com:65535": {Host: "game.example.com", Port: 65535},
	} {
		got, err := transport.ParseTarget(text, def)
		if err != nil || got != want {
			t.Errorf("%q is %+v, %v; want %+v", text, got, err, want)
		}
		if back, err := transport.ParseTarget(got.String(), 1); err != nil || back != got {
			t.Errorf("%q prints as %q, which reads as %+v, %v", text, got, back, err)
		}
	}
}

func TestFieldLogB96MalformedTargetsAreTypedErrors(t *testing.T) {
	for _, text := range []string{
		"", ":", ":7777", "host:", "host:abc", "host:-1", "host:+1", "host:65536", "host:0", "host: 1", "exa mple:1", "exa mple",
		"[::1", "[::1]7777", "[::1]:", "[]:1", "[127.0.0.1]:1", "[localhost]:1", "::1]:1", "a:b:1", "1.2.3.4:5:6", "1.2.3", "1.2.3.4.5:1", "256.1.1.1:1",
		"-a:1", "a..b:1", "a/b:1", "user@host:1", "\x00:1", "hôst:1", "127.0.0.1%lo:1", "http://host:1", "[fe80::1%]:1", "::%]0", "::1%:1", "::1% ",
	} {
		got, err := transport.ParseTarget(text, 7777)
		if err == nil || fault.CodeOf(err) != fault.Address {
			t.Errorf("%q: %+v, %v; want E_NET_ADDRESS", text, got, err)
		}
	}
	if _, err := transport.ParseTarget("localhost", 0); fault.CodeOf(err) != fault.Address {
		t.Errorf("no port at all: %v, want E_NET_ADDRESS", err)
	}
}

func TestFieldLogB96LocalhostIsBothFamilies(t *testing.T) {
	for _, name := range []string{"localhost", "LOCALHOST", "localhost."} {
		target, err := transport.ParseTarget(name, 7777)
		if err != nil {
			t.Fatal(err)
		}
		got, err := target.Resolve()
		if err != nil || len(got) != 2 || got[0].String() != "127.0.0.1:7777" || got[1].String() != "[::1]:7777" {
			t.Errorf("%s: %v, %v; want both loopback addresses, the host's default first", name, got, err)
		}
	}
	target, _ := transport.ParseTarget("game.example", 1)
	if target.Local() != nil {
		t.Error("a name that needs a look-up has no local addresses")
	}
}

func TestParseBind(t *testing.T) {
	for bind, want := range map[string]string{
		"": "127.0.0.1:5", "localhost": "127.0.0.1:5", "0.0.0.0": "0.0.0.0:5", "::": "[::]:5", "[::]": "[::]:5", "::1": "[::1]:5",
		"::ffff:127.0.0.1": "127.0.0.1:5", "192.168.1.9": "192.168.1.9:5",
	} {
		if got, err := transport.ParseBind(bind, 5); err != nil || got.String() != want {
			t.Errorf("bind %q: %v, %v; want %s", bind, got, err, want)
		}
	}
	for _, bind := range []string{"*", "eth0", "127.0.0.1:80", "[127.0.0.1]", "[::1", "::1]", "0", "example.com", " ::1"} {
		if got, err := transport.ParseBind(bind, 5); fault.CodeOf(err) != fault.Address {
			t.Errorf("bind %q: %v, %v; want E_NET_ADDRESS", bind, got, err)
		}
	}
	for text, want := range map[string]uint16{"0": 0, "80": 80, "65535": 65535, "007": 7} {
		if got, err := transport.ParsePort(text); err != nil || got != want {
			t.Errorf("port %q: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-1", "65536", "7777x", "+1", " 1", "0x1f", "1_0", "١"} {
		if got, err := transport.ParsePort(text); fault.CodeOf(err) != fault.Address {
			t.Errorf("port %q: %d, %v; want E_NET_ADDRESS", text, got, err)
		}
	}
}

// FuzzParseTarget holds that no text panics, that refusals are typed, and that
// an accepted target prints as itself.
func FuzzParseTarget(f *testing.F) {
	for _, s := range []string{"localhost:7777", "[fe80::1%lo]:7777", "::1", ":7777", "host:", "exa mple:1", "1.2.3.4"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := transport.ParseTarget(text, 7777)
		if err != nil {
			if fault.CodeOf(err) != fault.Address {
				t.Errorf("%q: %v is not E_NET_ADDRESS", text, err)
			}
			return
		}
		if back, err := transport.ParseTarget(got.String(), 1); err != nil || back != got {
			t.Errorf("%q is %+v, prints as %q, which is %+v, %v", text, got, got.String(), back, err)
		}
	})
}
