package enetbench

import (
	"io"
	"net/netip"
	"time"

	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
)

// crowd is the server's side of the clients scenario.
type crowd struct {
	peers []transport.Peer
	rx    int
	full  time.Time // when the last of them connected
}

func (c *crowd) event(now time.Time, want int, ev transport.Event) {
	switch ev.Kind {
	case transport.Connected:
		c.peers = append(c.peers, ev.Peer)
		if len(c.peers) == want {
			c.full = now
		}
	case transport.Disconnected:
		for i, p := range c.peers {
			if p == ev.Peer {
				c.peers = append(c.peers[:i], c.peers[i+1:]...)
				break
			}
		}
	case transport.Message:
		c.rx++
	}
}

func (o *Options) clientsServer(e *end, out io.Writer) error {
	var (
		c       crowd
		w       window
		tx      int
		turns   int
		atStart transport.UDPCounters
		failed  error
	)
	buf := make([]byte, o.Size)
	buf[0] = letterData
	f := func(ev transport.Event) { c.event(e.now, o.Clients, ev) }
	for tick := time.Now().Add(o.period()); ; {
		e.poll(f)
		turns++
		if !e.now.Before(tick) { // one tick: one message to every peer
			for _, p := range c.peers {
				failed = first(failed, e.host.Send(p, 0, o.mode(), buf))
				tx++
			}
			if tick = tick.Add(o.period()); tick.Before(e.now) {
				tick = e.now.Add(o.period())
			}
			if !c.full.IsZero() && w.t0.IsZero() && e.now.Sub(c.full) > seconds(o.Warmup) {
				w.start(e.now)
				c.rx, tx, turns, atStart = 0, 0, 0, e.link.Counters()
			}
			if !w.t0.IsZero() && e.now.Sub(w.t0) >= seconds(o.Seconds) {
				break
			}
		}
		if err := first(e.flush(), failed); err != nil {
			return err
		}
		if o.Loop == "tick" && !e.spin {
			time.Sleep(time.Until(tick))
		} else {
			e.wait(tick.Sub(e.now))
		}
	}
	w.stop(time.Now())
	at := e.link.Counters()
	for _, p := range c.peers {
		e.host.DisconnectNow(p, 0)
	}
	if err := e.flush(); err != nil {
		return err
	}
	return emit(out, o.row("clients", "server", map[string]any{
		"loop": o.Loop, "reliable": o.Reliable != 0, "clients": o.Clients, "hz": o.Hz, "size": o.Size, "seconds": round(w.seconds(), 2),
		"rx_msgs": c.rx, "tx_msgs": tx, "rx_expected": round(w.seconds()*float64(o.Hz*o.Clients), 0), "turns": turns,
		"rx_datagrams": at.Received - atStart.Received, "tx_datagrams": at.Sent - atStart.Sent,
		"reads": at.Reads - atStart.Reads, "writes": at.Writes - atStart.Writes,
		"cpu_s": round(w.cpu(), 4), "cpu_ms_per_s": round(w.cpu()/w.seconds()*1e3, 3),
		"cpu_us_per_msg": round(w.cpu()/float64(max(c.rx+tx, 1))*1e6, 3),
	}))
}

// pollEvery is how often the clients look at their sockets.
const pollEvery = 2 * time.Millisecond

func (o *Options) clientsClient(at netip.AddrPort, out io.Writer) error {
	ends := make([]*end, o.Clients)
	peers := make([]transport.Peer, o.Clients)
	due := make([]time.Time, o.Clients)
	for i := range ends {
		var err error
		if ends[i], peers[i], err = o.dial(at, clients); err != nil {
			return err
		}
		defer ends[i].close()
	}
	buf := make([]byte, o.Size)
	buf[0] = letterData
	rx, tx, gone := 0, 0, false
	f := func(ev transport.Event) {
		if ev.Kind == transport.Message {
			rx++
		}
		gone = gone || ev.Kind == transport.Disconnected
	}
	var w window
	w.start(time.Now())
	for i := range due { // spread over one period
		due[i] = w.t0.Add(o.period() * time.Duration(i) / time.Duration(o.Clients))
	}
	limit := seconds(o.Warmup+o.Seconds) + 30*time.Second
	for !gone {
		for i, e := range ends {
			e.poll(f)
			if !e.now.Before(due[i]) {
				if err := e.host.Send(peers[i], 0, o.mode(), buf); err != nil && !gone {
					return err
				}
				tx++
				if due[i] = due[i].Add(o.period()); due[i].Before(e.now) {
					due[i] = e.now.Add(o.period())
				}
			}
			if err := e.flush(); err != nil {
				return err
			}
		}
		time.Sleep(pollEvery)
		if ends[0].now.Sub(w.t0) > limit {
			return fault.New(fault.Timeout, "bench enet: the server does not end the scenario")
		}
	}
	w.stop(time.Now())
	return emit(out, o.row("clients", "client", map[string]any{
		"clients": o.Clients, "hz": o.Hz, "size": o.Size, "seconds": round(w.seconds(), 2),
		"rx_msgs": rx, "tx_msgs": tx, "cpu_s": round(w.cpu(), 4),
	}))
}
