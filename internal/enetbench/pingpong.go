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

// pinger is the client's side of a ping-pong.
type pinger struct {
	*end
	peer transport.Peer
	mode transport.Mode
	buf  []byte
	want uint64
	back bool // the wanted answer has come
	gone bool // the server is gone
}

func (p *pinger) event(ev transport.Event) {
	p.gone = p.gone || ev.Kind == transport.Disconnected
	if ev.Kind == transport.Message && len(ev.Data) >= minSize && binary.LittleEndian.Uint64(ev.Data[8:]) == p.want {
		p.back = true
	}
}

// lateAfter is how long an answer may take before its message counts as lost.
const lateAfter = time.Second

// ping sends message n and returns how long its answer took.
func (p *pinger) ping(n uint64) (time.Duration, error) {
	start := time.Now()
	p.now, p.back, p.want = start, false, n
	binary.LittleEndian.PutUint64(p.buf[8:], n)
	if err := first(p.host.Send(p.peer, 0, p.mode, p.buf), p.flush()); err != nil {
		return 0, err
	}
	for p.now.Sub(start) < lateAfter {
		p.wait(100 * time.Millisecond)
		if p.poll(p.event); p.back {
			break // what the answer needs leaves with the next message
		}
		if err := p.flush(); err != nil {
			return 0, err
		}
		if p.gone {
			return 0, fault.New(fault.Timeout, "bench enet: the ping-pong client lost its server")
		}
	}
	return time.Since(start), nil
}

func (o *Options) pingpongClient(at netip.AddrPort, out io.Writer) error {
	e, peer, err := o.dial(at, pingpong)
	if err != nil {
		return err
	}
	defer e.hangup(peer)
	p := pinger{end: e, peer: peer, mode: o.mode(), buf: make([]byte, max(o.Size, minSize))}
	p.buf[0] = letterEcho
	var w window
	n, warm, lost, sum := o.Count, o.Count/10, 0, 0.0
	rtt := make([]float64, 0, n)
	for i := -warm; i < n; i++ {
		if i == 0 {
			w.start(time.Now())
		}
		took, err := p.ping(uint64(int64(i)))
		if err != nil {
			return err
		}
		if !p.back {
			lost++
		}
		if i >= 0 {
			rtt = append(rtt, took.Seconds()*1e6)
			sum += took.Seconds() * 1e6
		}
	}
	w.stop(time.Now())
	slices.Sort(rtt)
	quantile := func(share float64) float64 { return round(rtt[int(share*float64(n-1))], 1) }
	return emit(out, o.row("pingpong", "client", map[string]any{
		"reliable": o.Reliable != 0, "spin": o.Spin != 0, "size": o.Size, "messages": n, "lost": lost,
		"rtt_us_min": quantile(0), "rtt_us_p50": quantile(0.5), "rtt_us_p90": quantile(0.9), "rtt_us_p99": quantile(0.99), "rtt_us_p999": quantile(0.999),
		"rtt_us_max": quantile(1), "rtt_us_mean": round(sum/float64(n), 1), "cpu_us_per_msg": round(w.cpu()/float64(n)*1e6, 3),
	}))
}
