package enetbench

import (
	"io"
	"net/netip"
	"time"

	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
)

// The clients scenario without a protocol: the same datagrams at the same
// times over plain UDP links. It is the floor under what a host can cost. A
// client's first datagram makes it a peer; letterEnd from the server ends it.

// bareHost is what is left of a host without a protocol.
type bareHost struct {
	link  *transport.UDP
	now   time.Time
	want  int
	known map[transport.Addr]bool
	peers []transport.Addr
	full  time.Time // when the last of them appeared
	rx    int
	tx    int
}

func (h *bareHost) datagram(from transport.Addr, _ []byte) {
	h.rx++
	if h.known[from] || len(h.peers) == h.want {
		return
	}
	h.known[from] = true
	if h.peers = append(h.peers, from); len(h.peers) == h.want {
		h.full = h.now
	}
}

// tick sends one datagram to every peer.
func (h *bareHost) tick(b []byte) error {
	h.tx += len(h.peers)
	return sendAll(h.link, h.now, h.peers, b)
}

func (o *Options) bareServer(out io.Writer) error {
	at, err := o.address()
	if err != nil {
		return err
	}
	link, err := transport.ListenUDP(at)
	if err != nil {
		return err
	}
	defer link.Close()
	if o.Ready != nil {
		o.Ready(link.LocalAddr())
	}
	h := &bareHost{link: link, now: time.Now(), want: o.Clients, known: map[transport.Addr]bool{}}
	w, err := o.bareLoop(h)
	if err != nil {
		return err
	}
	for range 3 { // none may be lost
		if err := h.tick([]byte{letterEnd}); err != nil {
			return err
		}
	}
	msgs := h.rx + h.tx - 3*len(h.peers)
	return emit(out, o.row("bare", "server", map[string]any{
		"loop": o.Loop, "clients": o.Clients, "hz": o.Hz, "size": o.Size, "seconds": round(w.seconds(), 2),
		"rx_msgs": h.rx, "tx_msgs": msgs - h.rx, "cpu_s": round(w.cpu(), 4),
		"cpu_ms_per_s": round(w.cpu()/w.seconds()*1e3, 3), "cpu_us_per_msg": round(w.cpu()/float64(max(msgs, 1))*1e6, 3),
	}))
}

func (o *Options) bareLoop(h *bareHost) (w window, err error) {
	buf := make([]byte, o.Size)
	buf[0] = letterData
	for tick := h.now.Add(o.period()); ; {
		h.now = time.Now()
		h.link.Drain(h.now, h.datagram)
		if !h.now.Before(tick) {
			if err := h.tick(buf); err != nil {
				return w, err
			}
			if tick = tick.Add(o.period()); tick.Before(h.now) {
				tick = h.now.Add(o.period())
			}
			if !h.full.IsZero() && w.t0.IsZero() && h.now.Sub(h.full) > seconds(o.Warmup) {
				w.start(h.now)
				h.rx, h.tx = 0, 0
			}
			if !w.t0.IsZero() && h.now.Sub(w.t0) >= seconds(o.Seconds) {
				w.stop(h.now)
				return w, nil
			}
		}
		if o.Loop == "tick" {
			time.Sleep(time.Until(tick))
		} else {
			h.link.Wait(tick)
		}
	}
}

func sendAll(link *transport.UDP, now time.Time, peers []transport.Addr, b []byte) error {
	for _, p := range peers {
		if err := link.Send(now, p, b); err != nil {
			return err
		}
	}
	return link.Flush()
}

func (o *Options) bareClient(at netip.AddrPort) error {
	links := make([]*transport.UDP, o.Clients)
	due := make([]time.Time, o.Clients)
	start := time.Now()
	for i := range links {
		var err error
		if links[i], err = transport.DialUDP(at); err != nil {
			return err
		}
		defer links[i].Close()
		due[i] = start.Add(o.period() * time.Duration(i) / time.Duration(o.Clients))
	}
	buf := make([]byte, max(o.Size, 1))
	buf[0] = letterData
	over := false
	f := func(_ transport.Addr, b []byte) { over = over || b[0] == letterEnd }
	to := transport.Addr{AP: at}
	for now := start; !over; {
		now = time.Now()
		for i, l := range links {
			l.Drain(now, f)
			if !now.Before(due[i]) {
				if err := sendAll(l, now, []transport.Addr{to}, buf[:o.Size]); err != nil {
					return err
				}
				if due[i] = due[i].Add(o.period()); due[i].Before(now) {
					due[i] = now.Add(o.period())
				}
			}
		}
		time.Sleep(pollEvery)
		if now.Sub(start) > seconds(o.Warmup+o.Seconds)+30*time.Second {
			return fault.New(fault.Timeout, "bench enet: the bare server does not end")
		}
	}
	return nil
}
