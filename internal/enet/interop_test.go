package enet

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/netip"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"demi.network/internal/netsim"
	"demi.network/runtime/transport"
)

var loopback = netip.MustParseAddrPort("127.0.0.1:0")

// interopCases are the options that both sides must agree on.
var interopCases = []struct {
	name string
	args []string
	cfg  Config
}{
	{"plain", nil, Config{}},
	{"checksum", []string{"checksum"}, Config{Checksum: true}},
	{"compress", []string{"compress"}, Config{Compress: true}},
	{"both", []string{"checksum", "compress"}, Config{Checksum: true, Compress: true}},
}

// buildC compiles a peer out of the system's C library, or skips.
func buildC(t *testing.T) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("needs a C compiler (cc)")
	}
	out := filepath.Join(t.TempDir(), "cpeer")
	if text, err := exec.Command(cc, "-O1", "-o", out, "testdata/cpeer/main.c", "-lenet").CombinedOutput(); err != nil {
		if bytes.Contains(text, []byte("enet/enet.h")) || bytes.Contains(text, []byte("-lenet")) {
			t.Skip("needs the C library (Debian: libenet-dev)")
		}
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

func patternByte(length, i int) byte { return byte(length*7 + i*13 + i/251) }

func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = patternByte(n, i)
	}
	return b
}

// real is a host on a socket, serviced by the test in real time.
type real struct {
	t    *testing.T
	h    *Host
	link transport.Waiter
	next time.Time
}

func newReal(t *testing.T, cfg Config) *real {
	link, err := transport.ListenUDP(loopback)
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(link, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return &real{t: t, h: h, link: link}
}

// until services the host until f, which gets every event, says it is done.
func (r *real) until(why string, f func(transport.Event) bool) {
	r.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; {
		now := time.Now()
		if now.After(end) {
			r.t.Fatalf("%s: not within 20 s", why)
		}
		for {
			e, ok := r.h.Poll(now)
			if !ok {
				break
			}
			if f(e) {
				r.flush(now)
				return
			}
		}
		r.flush(now)
		if r.next.IsZero() || r.next.After(end) {
			r.next = end // a peer that never comes fails the test, and does not hang it
		}
		r.link.Wait(r.next)
	}
}

func (r *real) flush(now time.Time) {
	var err error
	if r.next, err = r.h.Flush(now); err != nil {
		r.t.Fatal(err)
	}
}

// TestInteropServer has a C client visit our host: packets of every kind and
// size come back as they were.
func TestInteropServer(t *testing.T) {
	program := buildC(t)
	for _, c := range interopCases[rounds(0, len(interopCases)-1):] {
		t.Run(c.name, func(t *testing.T) {
			cfg := c.cfg
			cfg.Accept, cfg.Throttle.Off = true, true
			r := newReal(t, cfg)
			port := fmt.Sprint(r.h.LocalAddr().Port())
			cmd := exec.Command(program, append([]string{"client", port}, c.args...)...)
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			packets := 0
			r.until("the C client leaves", func(e transport.Event) bool {
				switch e.Kind {
				case transport.Connected:
					if e.Code != 0x444E0001 {
						t.Errorf("connect data %#x", e.Code)
					}
				case transport.Message:
					packets++
					if !bytes.Equal(e.Data, pattern(len(e.Data))) {
						t.Errorf("a %v packet of %d bytes is damaged", e.Mode, len(e.Data))
					}
					if err := r.h.Send(e.Peer, e.Channel, e.Mode, e.Data); err != nil {
						t.Error(err)
					}
				case transport.Disconnected:
					if e.Code != 77 || e.Reason != transport.Closed {
						t.Errorf("%+v, want a goodbye with 77", e)
					}
					return true
				}
				return false
			})
			out, _ := io.ReadAll(stdout)
			if err := cmd.Wait(); err != nil || !strings.HasPrefix(string(out), "ok ") {
				t.Fatalf("the C client: %v, %s", err, out)
			}
			want := 40
			if c.cfg.Compress {
				want -= 4 // the empty ones, which libenet cannot pack
			}
			if packets != want {
				t.Errorf("%d packets came, want %d", packets, want)
			}
		})
	}
}

// startC starts the echoing C server and returns its port.
func startC(t *testing.T, args ...string) (cmd *exec.Cmd, lines *bufio.Scanner, port uint16) {
	t.Helper()
	cmd = exec.Command(buildC(t), append([]string{"server"}, args...)...)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines = bufio.NewScanner(stdout)
	if !lines.Scan() {
		t.Fatal("the C server says nothing")
	}
	if _, err := fmt.Sscanf(lines.Text(), "port %d", &port); err != nil {
		t.Fatalf("%q: %v", lines.Text(), err)
	}
	return cmd, lines, port
}

// TestInteropWrap sends more messages than there are sequence numbers to a C
// server and back (fault 3).
func TestInteropWrap(t *testing.T) {
	cmd, _, port := startC(t)
	r := newReal(t, Config{Throttle: Throttle{Off: true}})
	p, err := r.h.Dial(time.Now(), netip.AddrPortFrom(loopback.Addr(), port))
	if err != nil {
		t.Fatal(err)
	}
	r.until("we connect", func(e transport.Event) bool { return e.Kind == transport.Connected })
	const total = 66_000
	sent, got := 0, 0
	message := pattern(3)
	for got < total {
		for sent < total && sent < got+2000 {
			if err := r.h.Send(p, 0, transport.Reliable, message); err != nil {
				t.Fatal(err)
			}
			sent++
		}
		r.until("echoes come", func(e transport.Event) bool {
			if e.Kind == transport.Disconnected {
				t.Fatalf("the connection ended after %d echoes", got)
			}
			got += b2i(e.Kind == transport.Message && bytes.Equal(e.Data, message))
			return got == sent || got%1000 == 0
		})
	}
	r.h.DisconnectLater(p, 1)
	r.until("the end", func(e transport.Event) bool { return e.Kind == transport.Disconnected })
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestInteropUnderLoss meets a C server over a link that loses every fourth
// datagram of ours, several times: proofs are repeated, sent times have an origin of
// their own, and what C makes of that is what we make of it.
func TestInteropUnderLoss(t *testing.T) {
	for seed := range rounds[uint64](4, 1) {
		cmd, lines, port := startC(t)
		udp, err := transport.ListenUDP(loopback)
		if err != nil {
			t.Fatal(err)
		}
		lossy := netsim.Wrap(udp, netsim.Spec{Latency: 2 * time.Millisecond, Loss: 0.25}, seed)
		h, err := New(lossy, Config{Random: seeded(seed)})
		if err != nil {
			t.Fatal(err)
		}
		r := &real{t: t, h: h, link: lossy}
		p, err := h.Dial(time.Now(), netip.AddrPortFrom(loopback.Addr(), port))
		if err != nil {
			t.Fatal(err)
		}
		const total = 50
		sent, got := 0, 0
		r.until("fifty echoes come in order", func(e transport.Event) bool {
			switch e.Kind {
			case transport.Connected:
				for ; sent < total; sent++ {
					_ = h.Send(p, 0, transport.Reliable, pattern(10+sent))
				}
			case transport.Message:
				if !bytes.Equal(e.Data, pattern(10+got)) {
					t.Fatalf("seed %d: echo %d is another message", seed, got)
				}
				got++
			case transport.Disconnected:
				t.Fatalf("seed %d: %+v after %d echoes", seed, e, got)
			}
			return got == total
		})
		h.DisconnectLater(p, 3)
		r.until("the end", func(e transport.Event) bool { return e.Kind == transport.Disconnected })
		for lines.Scan() {
			if want := fmt.Sprintf("disconnect 3 after %d packets, 0 bad", total); strings.HasPrefix(lines.Text(), "disconnect") && lines.Text() != want {
				t.Errorf("seed %d: the C server says %q, want %q", seed, lines.Text(), want)
			}
		}
		_ = cmd.Wait() // it does not wait for the acknowledgement of its own last word
		_ = h.Close()
	}
}

// TestInteropClient has our host visit a C server that echoes.
func TestInteropClient(t *testing.T) {
	for _, c := range interopCases[rounds(0, len(interopCases)-1):] {
		t.Run(c.name, func(t *testing.T) {
			cmd, lines, port := startC(t, c.args...)
			cfg := c.cfg
			cfg.ConnectData, cfg.Throttle.Off = 1234, true
			r := newReal(t, cfg)
			p, err := r.h.Dial(time.Now(), netip.AddrPortFrom(loopback.Addr(), port))
			if err != nil {
				t.Fatal(err)
			}
			r.until("we connect", func(e transport.Event) bool { return e.Kind == transport.Connected })
			sent := 0
			for _, mode := range []transport.Mode{transport.Reliable, transport.Sequenced, transport.Unsequenced} {
				for _, size := range []int{0, 1, 8, 1000, 1168, 1169, 3000, 20000, 100000} {
					if size == 0 && c.cfg.Compress {
						continue // would crash the C server when it echoes
					}
					sent++
					want := pattern(size)
					if err := r.h.Send(p, transport.Channel(mode), mode, want); err != nil {
						t.Fatal(err)
					}
					r.until(fmt.Sprintf("%v, %d bytes come back", mode, size), func(e transport.Event) bool {
						if e.Kind != transport.Message {
							return false
						}
						if !bytes.Equal(e.Data, want) || e.Channel != transport.Channel(mode) {
							t.Errorf("%v, %d bytes: %d others came back", mode, size, len(e.Data))
						}
						if large := size > 1168; e.Mode != mode && !large {
							t.Errorf("%v, %d bytes: came back %v", mode, size, e.Mode)
						}
						return true
					})
				}
			}
			r.h.DisconnectLater(p, 99)
			r.until("the C server answers the goodbye", func(e transport.Event) bool {
				if e.Kind == transport.Disconnected && e.Reason != transport.Closed {
					t.Errorf("%+v", e)
				}
				return e.Kind == transport.Disconnected
			})
			var out []string
			for lines.Scan() {
				out = append(out, lines.Text())
			}
			want := fmt.Sprintf("connect 1234; disconnect 99 after %d packets, 0 bad", sent)
			if err := cmd.Wait(); err != nil || strings.Join(out, "; ") != want {
				t.Errorf("the C server says %q, want %q (%v)", out, want, err)
			}
		})
	}
}
