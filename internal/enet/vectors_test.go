package enet

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"demi.network/runtime/transport"
)

// vectorLine is a line of a recorded session of Debian's libenet: a datagram,
// or a remark about what was called and which events came.
type vectorLine struct {
	remark   string
	toServer bool
	b        []byte
}

var vectorFiles = []struct {
	name string
	cfg  Config
}{
	{"plain", Config{}},
	{"checksum", Config{Checksum: true}},
	{"compress", Config{Compress: true}},
	{"checksum_compress", Config{Checksum: true, Compress: true}},
}

func readVectors(t testing.TB, name string, cfg Config) (lines []vectorLine) {
	text, err := os.ReadFile("testdata/vectors/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if r, ok := strings.CutPrefix(l, "# "); ok {
			lines = append(lines, vectorLine{remark: r})
			continue
		}
		f := strings.Fields(l)
		n, err1 := strconv.Atoi(f[1])
		b, err2 := hex.DecodeString(strings.TrimSuffix(f[2], "..."))
		if err1 != nil || err2 != nil {
			t.Fatalf("%s: %v %v", l, err1, err2)
		}
		lines = append(lines, vectorLine{toServer: f[0] == "C>S", b: completeVector(b, n, cfg)})
	}
	return lines
}

// completeVector adds what the recording cut off: it is the rest of a fragment
// whose data is known.
func completeVector(b []byte, n int, cfg Config) []byte {
	if len(b) == n {
		return b
	}
	d, _ := getDatagramHeader(b)
	at := d.size()
	if cfg.Checksum {
		at += checksumSize
	}
	f := getFragment(b[at:])
	begin := at + fragmentSize
	for i := len(b) - begin; i < int(f.length); i++ {
		b = append(b, "abcdefgh"[(int(f.offset)+i)%8])
	}
	return b
}

func TestRangeCoderVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/vectors/rangecoder.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 60 {
		t.Fatalf("%d vectors, want 60", len(lines))
	}
	var m rangeModel
	for i, l := range lines {
		plain, packed, _ := strings.Cut(l, " ")
		want, _ := hex.DecodeString(packed)
		src, _ := hex.DecodeString(plain)
		// encode gives up where the result would not be shorter: make room.
		m.reset()
		e := rangeEncoder{scale: ^uint32(0), out: make([]byte, 2*len(src)+16)}
		for _, v := range src {
			m.encodeSymbol(&e, v)
		}
		for e.low != 0 {
			e.emit()
		}
		if !bytes.Equal(e.out[:e.n], want) {
			t.Errorf("vector %d: packed to %x, C packs it to %x", i, e.out[:e.n], want)
		}
		got := make([]byte, len(src))
		if n, ok := m.decode(got, want); !ok || n != len(src) || !bytes.Equal(got, src) {
			t.Errorf("vector %d: what C packed unpacks wrongly (%d of %d bytes, %v)", i, n, len(src), ok)
		}
		if len(src) > 0 {
			if _, ok := m.decode(got[:len(src)-1], want); ok {
				t.Errorf("vector %d: unpacks into fewer bytes than it has", i)
			}
		}
		n, ok := m.encode(got, src)
		if ok != (len(want) < len(src)) || ok && !bytes.Equal(got[:n], want) {
			t.Errorf("vector %d: packing into its own size: %d bytes, %v; want %d", i, n, ok, len(want))
		}
	}
}

// TestVectorsReencode takes every recorded datagram apart and puts it together
// again: nothing on the wire is lost on us.
func TestVectorsReencode(t *testing.T) {
	for _, v := range vectorFiles {
		var coder rangeCoder
		id := [2][4]byte{}
		for _, l := range readVectors(t, v.name, v.cfg) {
			if l.b == nil {
				continue
			}
			d, ok := getDatagramHeader(l.b)
			size := d.size()
			if v.cfg.Checksum {
				size += checksumSize
			}
			if !ok || len(l.b) <= size {
				t.Fatalf("%s: %x is no datagram", v.name, l.b)
			}
			head, commands := l.b[:size], l.b[size:]
			if d.compressed {
				n, ok := coder.model.decode(coder.plain[:], commands)
				if !ok {
					t.Fatalf("%s: %x does not unpack", v.name, l.b)
				}
				again := make([]byte, n)
				if k, ok := coder.model.encode(again, coder.plain[:n]); !ok || !bytes.Equal(again[:k], commands) {
					t.Errorf("%s: packs to %x, C packs it to %x", v.name, again[:k], commands)
				}
				commands = coder.plain[:n]
			}
			list, err := split(commands)
			if err != nil {
				t.Fatalf("%s: %x: %v", v.name, commands, err)
			}
			var out []byte
			for _, c := range list {
				out = append(out, reencode(c)...)
			}
			if !bytes.Equal(out, commands) {
				t.Errorf("%s: %x became %x", v.name, commands, out)
			}
			again := make([]byte, d.size())
			if d.put(again); !bytes.Equal(again, head[:d.size()]) {
				t.Errorf("%s: header %x became %x", v.name, head[:d.size()], again)
			}
			if v.cfg.Checksum {
				var p *peer
				if d.peerID != noPeerID {
					p = &peer{id: identity{connectID: id[0]}}
				}
				if !new(Host).checksumHolds(p, head, d.size(), commands) {
					t.Errorf("%s: the checksum of %x does not hold", v.name, l.b)
				}
			}
			if getHeader(list[0]).kind() == kindConnect {
				id[0] = getConnect(list[0]).connectID
			}
		}
	}
}

// vectorServer replays the server's side of a recording.
type vectorServer struct {
	t    *testing.T
	name string
	h    *Host
	link *wireLink
	now  int // ms
	peer transport.Peer

	events    []string // not yet found in a remark
	want, got []string // commands to the client since the last remark
}

// TestVectorsServer feeds what a C client sent to a Host at the recorded
// times: it must have the events and give the answers of the C server, command
// by command (how they are cut into datagrams is free).
func TestVectorsServer(t *testing.T) {
	for _, v := range vectorFiles {
		t.Run(v.name, func(t *testing.T) {
			link := newWireLink()
			link.mtu = MaxMTU
			cfg := v.cfg
			cfg.Accept, cfg.MaxPeers, cfg.Channels, cfg.MTU = true, 4, 3, 1400
			cfg.Random = func() uint32 { return 0 } // sent times without an origin of their own, as C's
			h, err := New(link, cfg)
			if err != nil {
				t.Fatal(err)
			}
			s := &vectorServer{t: t, name: v.name, h: h, link: link}
			s.turn() // the clock shows 0x10000
			lines := readVectors(t, v.name, v.cfg)
			for _, l := range lines {
				switch {
				case l.remark != "":
					s.remark(l.remark)
				case l.toServer:
					s.clock(l.b)
					s.link.in = append(s.link.in, parcel{from(1), slices.Clone(l.b)})
					s.turn()
				default:
					s.clock(l.b)
					s.turn()
					s.adopt(l.b)
					s.want = append(s.want, s.commands(l.b)...)
				}
			}
			s.compare("the end")
		})
	}
}

// clock moves to the sent time of a recorded datagram.
func (s *vectorServer) clock(b []byte) {
	if d, _ := getDatagramHeader(b); d.hasTime {
		s.now = int(d.time)
	}
}

// adopt makes the sent time of a recorded answer one of ours: the client proves
// itself with it.
func (s *vectorServer) adopt(b []byte) {
	for _, p := range s.h.slots.peers {
		if d, _ := getDatagramHeader(b); p != nil && p.state == stateAcceptingConnect && d.hasTime {
			p.life.proof.note(d.time)
		}
	}
}

func (s *vectorServer) turn() {
	for _, e := range poll(s.h, at(s.now)) {
		switch e.Kind {
		case transport.Connected:
			s.peer = e.Peer
			s.events = append(s.events, fmt.Sprintf("CONNECT data=%d", e.Code))
		case transport.Disconnected:
			s.events = append(s.events, fmt.Sprintf("DISCONNECT data=%d", e.Code))
		case transport.Message:
			for i, c := range e.Data {
				if c != "abcdefgh"[i%8] {
					s.t.Fatalf("byte %d of a message is %q", i, c)
				}
			}
			s.events = append(s.events, fmt.Sprintf("RECEIVE ch=%d len=%d", e.Channel, len(e.Data)))
		}
	}
	if _, err := s.h.Flush(at(s.now)); err != nil {
		s.t.Fatal(err)
	}
	for _, p := range s.link.take() {
		s.got = append(s.got, s.commands(p.b)...)
	}
}

func (s *vectorServer) commands(b []byte) (list []string) {
	d, _ := getDatagramHeader(b)
	size := d.size()
	if s.h.cfg.Checksum {
		size += checksumSize
	}
	commands := b[size:]
	if d.compressed {
		n, ok := s.h.coder.model.decode(s.h.coder.plain[:], commands)
		if !ok {
			s.t.Fatalf("%x does not unpack", b)
		}
		commands = slices.Clone(s.h.coder.plain[:n])
	}
	cmds, err := split(commands)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, c := range cmds {
		list = append(list, fmt.Sprintf("peer=%d session=%d %s", d.peerID, d.session, commandText(c)))
	}
	return list
}

// remark compares, or does what the recorded program did.
func (s *vectorServer) remark(r string) {
	event, isEvent := strings.CutPrefix(r, "server ")
	switch {
	case strings.HasPrefix(r, "client bandwidth"):
		s.compare(r)
		s.h.BandwidthLimit(0, 0) // C announces once after each connect; we only when there is a limit
	case strings.HasPrefix(r, "server disconnects later"):
		s.compare(r)
		s.h.DisconnectLater(s.peer, 99)
	case strings.HasPrefix(r, "client "):
	case isEvent:
		event, _, _ = strings.Cut(event, " flags=")
		event, _, _ = strings.Cut(event, " peer ")
		if len(s.events) == 0 || s.events[0] != event {
			s.t.Fatalf("%s: events %v, the C server had %s", s.name, s.events, event)
		}
		s.events = s.events[1:]
	default:
		s.compare(r)
	}
}

func (s *vectorServer) compare(before string) {
	slices.Sort(s.want)
	slices.Sort(s.got)
	if !slices.Equal(s.want, s.got) {
		s.t.Errorf("%s, before %q: answers\n  %s\nC's were\n  %s", s.name, before, strings.Join(s.got, "\n  "), strings.Join(s.want, "\n  "))
	}
	s.want, s.got = nil, nil
}
