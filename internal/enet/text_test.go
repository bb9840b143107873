package enet

import (
	"bytes"
	"fmt"
	"strings"
)

// commandText returns a command as people read it, without its data.
func commandText(b []byte) string {
	hd := getHeader(b)
	k := hd.kind()
	var s strings.Builder
	fmt.Fprintf(&s, "%v", k)
	if hd.op&flagUnsequenced != 0 {
		s.WriteString(" unsequenced")
	}
	fmt.Fprintf(&s, " ch=%d seq=%d", hd.channel, hd.seq)
	switch k {
	case kindAcknowledge:
		a := getAck(b)
		fmt.Fprintf(&s, " of=%d time=%d", a.seq, a.sent)
	case kindConnect, kindVerifyConnect:
		c := getConnect(b)
		fmt.Fprintf(&s, " peer=%d sessions=%d/%d mtu=%d window=%d channels=%d bandwidth=%d/%d throttle=%v id=%x data=%d",
			c.peerID, c.inSession, c.outSession, c.mtu, c.window, c.channels, c.inBand, c.outBand, c.throttle, c.connectID, c.data)
	case kindDisconnect:
		fmt.Fprintf(&s, " data=%d", be.Uint32(b[4:]))
	case kindBandwidthLimit:
		fmt.Fprintf(&s, " %+v", getBandwidth(b[4:]))
	case kindThrottleConfigure:
		fmt.Fprintf(&s, " %+v", getThrottle(b[4:]))
	case kindFragment, kindUnreliableFragment:
		f := getFragment(b)
		fmt.Fprintf(&s, " start=%d part=%d/%d bytes=%d@%d/%d", f.start, f.number, f.count, f.length, f.offset, f.total)
	case kindUnreliable, kindUnsequenced:
		fmt.Fprintf(&s, " number=%d bytes=%d", getNumber(b), dataLength(k, b))
	case kindReliable:
		fmt.Fprintf(&s, " bytes=%d", dataLength(k, b))
	}
	return s.String()
}

// split cuts the commands of a datagram apart. It fails like the receiver.
func split(b []byte) (commands [][]byte, err error) {
	for len(b) > 0 {
		if len(b) < headerSize {
			return commands, fmt.Errorf("%d bytes are no command header", len(b))
		}
		k := getHeader(b).kind()
		if k == kindNone || k >= kindCount || len(b) < fixedSize[k] {
			return commands, fmt.Errorf("no command in %x", b)
		}
		n := fixedSize[k] + dataLength(k, b)
		if n > len(b) {
			return commands, fmt.Errorf("%v announces more than is there", k)
		}
		commands = append(commands, b[:n:n])
		b = b[n:]
	}
	return commands, nil
}

// reencode decodes a command and encodes it again.
func reencode(b []byte) []byte {
	k := getHeader(b).kind()
	out := make([]byte, fixedSize[k], len(b))
	hd := getHeader(b)
	hd.put(out)
	switch k {
	case kindAcknowledge:
		getAck(b).put(out)
	case kindConnect, kindVerifyConnect:
		c := getConnect(b)
		c.put(out)
	case kindDisconnect:
		be.PutUint32(out[4:], be.Uint32(b[4:]))
	case kindBandwidthLimit:
		getBandwidth(b[4:]).put(out[4:])
	case kindThrottleConfigure:
		getThrottle(b[4:]).put(out[4:])
	case kindFragment, kindUnreliableFragment:
		f := getFragment(b)
		f.put(out)
	case kindReliable:
		putReliable(out, dataLength(k, b))
	case kindUnreliable, kindUnsequenced:
		putNumbered(out, getNumber(b), dataLength(k, b))
	}
	return append(out, b[fixedSize[k]:]...)
}

// datagramText returns every command of a plain datagram on a line.
func datagramText(b []byte) string {
	d, ok := getDatagramHeader(b)
	if !ok {
		return fmt.Sprintf("no datagram: %x", b)
	}
	var s bytes.Buffer
	fmt.Fprintf(&s, "peer=%d session=%d", d.peerID, d.session)
	if d.hasTime {
		fmt.Fprintf(&s, " time=%d", d.time)
	}
	if d.compressed {
		s.WriteString(" compressed")
		return s.String()
	}
	commands, err := split(b[d.size():])
	for _, c := range commands {
		s.WriteString("\n  " + commandText(c))
	}
	if err != nil {
		s.WriteString("\n  " + err.Error())
	}
	return s.String()
}
