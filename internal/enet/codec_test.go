package enet

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
)

// TestCodec has every command in all its forms: the bytes, with blanks between
// the fields, and the text. Each is taken apart and put together again, and
// every prefix of it is refused.
func TestCodec(t *testing.T) {
	for _, c := range []struct{ bytes, text string }{
		{"01 02 0203 0203 47b0", "ACKNOWLEDGE ch=2 seq=515 of=515 time=18352"},
		{"82 ff 0001 0000 ff ff 00000578 00001000 00000003 0000e100 00003840 00001388 00000002 00000003 07fb1ab8 00000007",
			"CONNECT ch=255 seq=1 peer=0 sessions=255/255 mtu=1400 window=4096 channels=3 bandwidth=57600/14400 throttle={5000 2 3} id=07fb1ab8 data=7"},
		{"83 ff 0001 0102 01 02 000004b0 00010000 00000004 00000000 00000000 00001388 00000002 00000002 07fb1ab8",
			"VERIFY_CONNECT ch=255 seq=1 peer=258 sessions=1/2 mtu=1200 window=65536 channels=4 bandwidth=0/0 throttle={5000 2 2} id=07fb1ab8 data=0"},
		{"84 ff 0003 00000063", "DISCONNECT ch=255 seq=3 data=99"},
		{"44 ff 0003 00000005", "DISCONNECT unsequenced ch=255 seq=3 data=5"},
		{"85 ff 0002", "PING ch=255 seq=2"},
		{"86 00 0001 0003 616263", "SEND_RELIABLE ch=0 seq=1 bytes=3"},
		{"86 00 ffff 0000", "SEND_RELIABLE ch=0 seq=65535 bytes=0"},
		{"07 01 0000 0002 0002 6162", "SEND_UNRELIABLE ch=1 seq=0 number=2 bytes=2"},
		{"88 00 0005 0003 0001 00000003 00000002 00000009 00000008 61", "SEND_FRAGMENT ch=0 seq=5 start=3 part=2/3 bytes=1@8/9"},
		{"49 02 0000 0001 0001 61", "SEND_UNSEQUENCED unsequenced ch=2 seq=0 number=1 bytes=1"},
		{"8a ff 0005 00000000 000f4240", "BANDWIDTH_LIMIT ch=255 seq=5 {incoming:0 outgoing:1000000}"},
		{"8b ff 0003 00001388 00000003 00000001", "THROTTLE_CONFIGURE ch=255 seq=3 {interval:5000 acceleration:3 deceleration:1}"},
		{"0c 01 0000 0003 0002 00000002 00000000 00000004 00000000 6162", "SEND_UNRELIABLE_FRAGMENT ch=1 seq=0 start=3 part=0/2 bytes=2@0/4"},
	} {
		b, err := hex.DecodeString(strings.ReplaceAll(c.bytes, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if got := commandText(b); got != c.text {
			t.Errorf("%s reads\n  %s, want\n  %s", c.bytes, got, c.text)
		}
		if got := reencode(b); !bytes.Equal(got, b) {
			t.Errorf("%s becomes %x", c.bytes, got)
		}
		k := getHeader(b).kind()
		if want := fixedSize[k] + dataLength(k, b); want != len(b) {
			t.Errorf("%s: %d bytes by the tables", c.text, want)
		}
		for n := 1; n < len(b); n++ {
			if list, err := split(b[:n]); err == nil {
				t.Errorf("%s: the first %d bytes alone are %d commands", c.text, n, len(list))
			}
		}
	}
	if text := datagramText([]byte{0x90, 0x02, 0x12, 0x34, 0x85, 0xff, 0, 1}); text != "peer=2 session=1 time=4660\n  PING ch=255 seq=1" {
		t.Errorf("a datagram reads %q", text)
	}
}

func TestDatagramHeader(t *testing.T) {
	for _, c := range []struct {
		b  string
		d  datagramHeader
		ok bool
	}{
		{"", datagramHeader{}, false},
		{"80", datagramHeader{}, false},
		{"8fff", datagramHeader{peerID: noPeerID, hasTime: true}, false},
		{"8fff12", datagramHeader{peerID: noPeerID, hasTime: true}, false},
		{"8fff1234", datagramHeader{peerID: noPeerID, hasTime: true, time: 0x1234}, true},
		{"0000", datagramHeader{}, true},
		{"3ffe", datagramHeader{peerID: 4094, session: 3}, true},
		{"5001", datagramHeader{peerID: 1, session: 1, compressed: true}, true},
		{"f0020001", datagramHeader{peerID: 2, session: 3, compressed: true, hasTime: true, time: 1}, true},
	} {
		b, _ := hex.DecodeString(c.b)
		d, ok := getDatagramHeader(b)
		if ok != c.ok || ok && d != c.d {
			t.Errorf("%q: %+v, %v; want %+v, %v", c.b, d, ok, c.d, c.ok)
		}
		if ok {
			out := make([]byte, d.size())
			if d.put(out); !bytes.Equal(out, b) {
				t.Errorf("%q becomes %x", c.b, out)
			}
		}
	}
}
