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
	var (
		known  = map[transport.Addr]bool{}
		peers  []transport.Addr
		w      window
		rx, tx int
		full   time.Time
		now    = time.Now()
	)
	f := func(from transport.Addr, _ []byte) {
		rx++
		if !known[from] && len(peers) < o.Clients {
			known[from] = true
			if peers = append(peers, from); len(peers) == o.Clients {
				full = now
			}
		}
	}
	buf := make([]byte, max(o.Size, 1))
	buf[0] = letterData
	for tick := now.Add(o.period()); ; {
		now = time.Now()
		link.Drain(now, f)
		if !now.Before(tick) {
			if err := sendAll(link, now, peers, buf[:o.Size]); err != nil {
				return err
			}
			tx += len(peers)
			if tick = tick.Add(o.period()); tick.Before(now) {
				tick = now.Add(o.period())
			}
			if !full.IsZero() && w.t0.IsZero() && now.Sub(full) > seconds(o.Warmup) {
				w.start(now)
				rx, tx = 0, 0
			}
			if !w.t0.IsZero() && now.Sub(w.t0) >= seconds(o.Seconds) {
				break
			}
		}
		if o.Loop == "tick" {
			time.Sleep(time.Until(tick))
		} else {
			link.Wait(tick)
		}
	}
	w.stop(time.Now())
	for range 3 {
		if err := sendAll(link, now, peers, []byte{letterEnd}); err != nil {
			return err
		}
	}
	return emit(out, o.row("bare", "server", map[string]any{
		"loop": o.Loop, "clients": o.Clients, "hz": o.Hz, "size": o.Size, "seconds": round(w.seconds(), 2), "rx_msgs": rx, "tx_msgs": tx,
		"cpu_s": round(w.cpu(), 4), "cpu_ms_per_s": round(w.cpu()/w.seconds()*1e3, 3),
		"cpu_us_per_msg": round(w.cpu()/float64(max(rx+tx, 1))*1e6, 3),
	}))
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
