package transport

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"demi.network/runtime/fault"
)

// IsLoopback reports whether only this machine can reach a. An address that
// is not loopback is announced as "(LAN)".
func IsLoopback(a netip.AddrPort) bool { return a.Addr().Unmap().IsLoopback() }

// Unmap returns a with an IPv4 address in IPv6 clothes (::ffff:1.2.3.4) as
// plain IPv4, so that equal addresses compare equal.
func Unmap(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// Target is where a client wants to go: what the user wrote, taken apart.
type Target struct {
	Host string     // a name, or the literal without brackets
	IP   netip.Addr // of a literal; invalid for a name
	Port uint16     // never 0
}

// String returns host:port, with brackets where IPv6 needs them.
func (t Target) String() string {
	return net.JoinHostPort(t.Host, strconv.Itoa(int(t.Port)))
}

// maxHost is the longest host name in DNS, in bytes.
const maxHost = 253

// ParseTarget reads HOST, HOST:PORT, [IPV6]:PORT, [IPV6] or a bare IPv6
// literal; without a port it takes port. Nothing is looked up. Errors are
// fault.Address.
func ParseTarget(text string, port uint16) (Target, error) {
	host, rest, err := splitTarget(text)
	if err != nil {
		return Target{}, err
	}
	t := Target{Host: host, Port: port}
	if rest != "" {
		if t.Port, err = ParsePort(rest[1:]); err != nil {
			return Target{}, err
		}
	}
	if t.Port == 0 {
		return Target{}, fault.New(fault.Address, "%q: a client needs a port from 1 to 65535", text)
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		if zone := ip.Zone(); zone != "" && !validZone(zone) {
			return Target{}, fault.New(fault.Address, "%q: %q is not the name of a network interface", text, zone)
		}
		t.IP = ip.Unmap()
		t.Host = t.IP.String()
		return t, nil
	}
	if strings.ContainsAny(text, "[]") {
		return Target{}, fault.New(fault.Address, "%q: brackets hold an IPv6 address", text)
	}
	if !validName(host) {
		return Target{}, fault.New(fault.Address, "%q: %q is neither an IP address nor a host name", text, host)
	}
	return t, nil
}

// splitTarget returns the host and, with its colon, the port.
func splitTarget(text string) (host, port string, err error) {
	if text == "" {
		return "", "", fault.New(fault.Address, "the address is empty; write HOST:PORT")
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		host, rest, ok := strings.Cut(inner, "]")
		if !ok || (rest != "" && rest[0] != ':') {
			return "", "", fault.New(fault.Address, "%q: write [IPV6]:PORT", text)
		}
		if ip, err := netip.ParseAddr(host); err != nil || !ip.Is6() {
			return "", "", fault.New(fault.Address, "%q: brackets hold an IPv6 address", text)
		}
		return host, rest, nil
	}
	if ip, err := netip.ParseAddr(text); err == nil && ip.Is6() {
		return text, "", nil // the colons are the address's own
	}
	host, rest, ok := strings.Cut(text, ":")
	switch {
	case host == "":
		return "", "", fault.New(fault.Address, "%q: no host before the colon", text)
	case strings.Contains(rest, ":"):
		return "", "", fault.New(fault.Address, "%q: more than one colon, and not an IPv6 address; write [IPV6]:PORT", text)
	case ok:
		return host, ":" + rest, nil
	}
	return host, "", nil
}

// validName accepts letters, digits, hyphens, underscores and dots, and no
// name that looks like an IPv4 address gone wrong.
func validName(s string) bool {
	s = strings.TrimSuffix(s, ".")
	if s == "" || len(s) > maxHost {
		return false
	}
	letters := false
	for _, label := range strings.Split(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' {
			return false
		}
		for i := range len(label) {
			c := label[i] | 0x20
			switch {
			case c >= 'a' && c <= 'z':
				letters = true
			case label[i] >= '0' && label[i] <= '9', label[i] == '-', label[i] == '_':
			default:
				return false
			}
		}
	}
	return letters
}

// validZone accepts what interfaces are called.
func validZone(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && !strings.ContainsRune("._-", rune(c)) {
			return false
		}
	}
	return true
}

// ParsePort reads a decimal port, 0…65535. Errors are fault.Address.
func ParsePort(text string) (uint16, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || text[0] == '+' {
		return 0, fault.New(fault.Address, "port %q is not a number from 0 to 65535", text)
	}
	return uint16(n), nil
}

// ParseBind returns the address a server binds: bind is an IP literal (with
// or without brackets), "localhost", or empty for the IPv4 loopback address.
// Errors are fault.Address.
func ParseBind(bind string, port uint16) (netip.AddrPort, error) {
	if bind == "" || bind == "localhost" {
		return netip.AddrPortFrom(loopback4, port), nil
	}
	inner := bind
	if strings.HasPrefix(bind, "[") && strings.HasSuffix(bind, "]") {
		inner = bind[1 : len(bind)-1]
	}
	ip, err := netip.ParseAddr(inner)
	if err != nil || (inner != bind && !ip.Is6()) {
		return netip.AddrPort{}, fault.New(fault.Address, "%q is not an IP address to bind; the port is given on its own", bind)
	}
	return netip.AddrPortFrom(ip.Unmap(), port), nil
}

var (
	loopback4 = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	loopback6 = netip.IPv6Loopback()
)

// Local returns the addresses of a target that needs no look-up: a literal's
// own, and both loopback addresses of "localhost", IPv4 first because that is
// where a host listens by default. It is nil for every other name.
func (t Target) Local() []netip.AddrPort {
	switch {
	case t.IP.IsValid():
		return []netip.AddrPort{netip.AddrPortFrom(t.IP, t.Port)}
	case strings.EqualFold(strings.TrimSuffix(t.Host, "."), "localhost"):
		return []netip.AddrPort{netip.AddrPortFrom(loopback4, t.Port), netip.AddrPortFrom(loopback6, t.Port)}
	}
	return nil
}

// resolveTimeout bounds a look-up.
const resolveTimeout = 3 * time.Second

// Resolve returns all addresses of t, in the order in which to try them; it
// blocks for at most three seconds. Errors are fault.Address.
func (t Target) Resolve() ([]netip.AddrPort, error) {
	if local := t.Local(); local != nil {
		return local, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), resolveTimeout)
	defer cancel()
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", t.Host)
	if err != nil {
		return nil, fault.Wrap(err, fault.Address, "%s cannot be resolved", t.Host)
	}
	out := make([]netip.AddrPort, 0, len(ips))
	for _, ip := range ips {
		out = append(out, netip.AddrPortFrom(ip.Unmap(), t.Port))
	}
	return out, nil
}
