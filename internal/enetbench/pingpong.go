package enetbench

import (
	"encoding/binary"
	"io"
	"net/netip"
	"slices"
	"time"

	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
)

func (o *Options) pingpongServer(e *end, out io.Writer) error {
	var (
		w      window
		n      int
		failed error
	)
	f := func(ev transport.Event) {
		switch ev.Kind {
		case transport.Disconnected:
			e.over = true
		case transport.Message:
			if n == 0 {
				w.start(e.now)
			}
			n++
			failed = first(failed, e.host.Send(ev.Peer, 0, o.mode(), ev.Data))
		}
	}
	for !e.over {
		if err := e.turn(time.Second, f); err != nil || failed != nil {
			return first(err, failed)
		}
	}
	w.stop(time.Now())
	return emit(out, o.row("pingpong", "server", map[string]any{
		"reliable": o.Reliable != 0, "size": o.Size, "messages": n, "seconds": round(w.seconds(), 3),
		"cpu_s": round(w.cpu(), 4), "cpu_us_per_msg": round(w.cpu()/float64(max(n, 1))*1e6, 3),
	}))
}

func (o *Options) pingpongClient(at netip.AddrPort, out io.Writer) error {
	e, p, err := o.dial(at, pingpong)
	if err != nil {
		return err
	}
	buf := make([]byte, max(o.Size, minSize))
	buf[0] = letterEcho
	n, warm, lost := o.Count, o.Count/10, 0
	rtt := make([]float64, 0, n)
	var (
		w         window
		want      uint64
		ok, ended bool
	)
	f := func(ev transport.Event) {
		ended = ended || ev.Kind == transport.Disconnected
		if ev.Kind == transport.Message && len(ev.Data) >= minSize && binary.LittleEndian.Uint64(ev.Data[8:]) == want {
			ok = true
		}
	}
	for i := -warm; i < n; i++ {
		if i == 0 {
			w.start(time.Now())
		}
		start := time.Now()
		e.now, ok, want = start, false, uint64(int64(i))
		binary.LittleEndian.PutUint64(buf[8:], want)
		if err := first(e.host.Send(p, 0, o.mode(), buf), e.flush()); err != nil {
			return err
		}
		for !ok && e.now.Sub(start) < time.Second {
			e.wait(100 * time.Millisecond)
			if e.poll(f); ok {
				break // what the answer needs leaves with the next message
			}
			if err := e.flush(); err != nil {
				return err
			}
			if ended {
				return fault.New(fault.Timeout, "bench enet: the ping-pong client lost its server")
			}
		}
		if !ok {
			lost++
		}
		if i >= 0 {
			rtt = append(rtt, time.Since(start).Seconds()*1e6)
		}
	}
	w.stop(time.Now())
	slices.Sort(rtt)
	sum := 0.0
	for _, x := range rtt {
		sum += x
	}
	at1 := func(share float64) float64 { return round(rtt[int(share*float64(len(rtt)-1))], 1) }
	err = emit(out, o.row("pingpong", "client", map[string]any{
		"reliable": o.Reliable != 0, "spin": o.Spin != 0, "size": o.Size, "messages": n, "lost": lost,
		"rtt_us_min": at1(0), "rtt_us_p50": at1(0.5), "rtt_us_p90": at1(0.9), "rtt_us_p99": at1(0.99), "rtt_us_p999": at1(0.999),
		"rtt_us_max": at1(1), "rtt_us_mean": round(sum/float64(len(rtt)), 1), "cpu_us_per_msg": round(w.cpu()/float64(n)*1e6, 3),
	}))
	e.hangup(p)
	return err
}
