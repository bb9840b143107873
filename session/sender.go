package session

import (
	"strconv"
	"strings"
)

// Protocol is the version of the frames of this package. Host and client must
// have the same one.
const Protocol = 1

// ConnectData is the connect data of this dialect on the transport. A host
// drops a connection that comes with any other.
const ConnectData uint32 = 0x444E0001

// Sender names a party of a session: 0 is the host, n the n-th client that
// was welcomed. Numbers are never reused in a session.
type Sender uint32

// ServerSender is the host.
const ServerSender Sender = 0

// String returns "server" or "peerN", the spelling scripts see.
func (s Sender) String() string {
	if s == ServerSender {
		return "server"
	}
	return "peer" + strconv.FormatUint(uint64(s), 10)
}

// ParseSender is the inverse of String. It accepts no other spelling: no sign,
// no leading zero, no space.
func ParseSender(s string) (Sender, bool) {
	if s == "server" {
		return ServerSender, true
	}
	digits, ok := strings.CutPrefix(s, "peer")
	if !ok {
		return 0, false
	}
	n, ok := parseNumber(digits)
	return Sender(n), ok
}

// NetworkID returns "net:<epoch>:<n>", the spelling of an entity's id.
func NetworkID(epoch, n uint32) string {
	b := make([]byte, 0, 4+10+1+10)
	b = append(b, "net:"...)
	b = strconv.AppendUint(b, uint64(epoch), 10)
	b = append(b, ':')
	return string(strconv.AppendUint(b, uint64(n), 10))
}

// ParseNetworkID is the inverse of NetworkID. It accepts no other spelling.
// It does not allocate.
func ParseNetworkID(s string) (epoch, n uint32, ok bool) {
	rest, ok := strings.CutPrefix(s, "net:")
	if !ok {
		return 0, 0, false
	}
	e, num, ok := strings.Cut(rest, ":")
	if !ok {
		return 0, 0, false
	}
	epoch, ok = parseNumber(e)
	if !ok {
		return 0, 0, false
	}
	n, ok = parseNumber(num)
	return epoch, n, ok
}

// parseNumber reads a decimal of 1 to 2^32-1 without a leading zero.
func parseNumber(s string) (uint32, bool) {
	if s == "" || s[0] == '0' || len(s) > 10 {
		return 0, false
	}
	var v uint64
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		v = v*10 + uint64(s[i]-'0')
	}
	return uint32(v), v <= 1<<32-1
}

// NextEpoch makes an epoch out of 31 random bits: its low byte is never 0 (that
// is a Hello's) and never that of the previous epoch of this process, since
// frames carry the low byte only. The top bit is set: a Lua table whose key is
// a number below 2^26 is an array that long, and scripts do write t[epoch].
func NextEpoch(random, previous uint32) uint32 {
	e := random | 1<<31
	for e&0xff == 0 || e&0xff == previous&0xff {
		e = e + 1 | 1<<31
	}
	return e
}
