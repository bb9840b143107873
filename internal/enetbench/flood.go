package enetbench

import (
	"encoding/binary"
	"io"
	"net/netip"
	"time"

	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
)

// stall is how long a scenario may stand still.
const stall = 20 * time.Second

// window is an interval with its CPU time.
type window struct {
	t0, t1 time.Time
	c0, c1 time.Duration
}

func (w *window) start(now time.Time) { w.t0, w.c0 = now, processCPU() }
func (w *window) stop(now time.Time)  { w.t1, w.c1 = now, processCPU() }
func (w *window) seconds() float64    { return max(w.t1.Sub(w.t0).Seconds(), 1e-9) }
func (w *window) cpu() float64        { return (w.c1 - w.c0).Seconds() }

func (o *Options) floodServer(e *end, out io.Writer) error {
	var (
		w         window
		got, sent int64 = 0, -1
		failed    error
	)
	last := time.Now()
	f := func(ev transport.Event) {
		switch {
		case ev.Kind == transport.Disconnected:
			e.over = true
		case ev.Kind != transport.Message || len(ev.Data) == 0:
		case ev.Data[0] == letterData:
			if got == 0 {
				w.start(e.now)
			}
			got++
			last = e.now
		case ev.Data[0] == letterEnd && len(ev.Data) >= minSize:
			w.stop(last)
			sent = int64(binary.LittleEndian.Uint64(ev.Data[8:]))
			failed = e.host.Send(ev.Peer, 1, transport.Reliable, []byte{letterDone, 0, 0, 0, 0, 0, 0, 0})
		}
	}
	for !e.over {
		if err := e.turn(time.Second, f); err != nil || failed != nil {
			return first(err, failed)
		}
		if got > 0 && e.now.Sub(last) > stall {
			return fault.New(fault.Timeout, "bench enet: the flood stalled")
		}
	}
	loss := 0.0
	if sent > 0 {
		loss = 100 * float64(sent-got) / float64(sent)
	}
	c := e.link.Counters()
	return emit(out, o.row("flood", "server", map[string]any{
		"reliable": o.Reliable != 0, "size": o.Size, "sent": sent, "received": got, "loss_pct": round(loss, 2),
		"seconds": round(w.seconds(), 4), "msgs_per_s": round(float64(got)/w.seconds(), 0), "cpu_s": round(w.cpu(), 4),
		"cpu_s_per_million": round(w.cpu()/float64(max(got, 1))*1e6, 4),
		"datagrams":         c.Received, "reads": c.Reads, "writes": c.Writes,
	}))
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// floodBatch is how many messages are queued before one turn.
const floodBatch = 256

func (o *Options) floodClient(at netip.AddrPort, out io.Writer) error {
	e, p, err := o.dial(at, flood)
	if err != nil {
		return err
	}
	buf := make([]byte, o.Size+minSize)
	buf[0] = letterData
	lost, done := false, false
	f := func(ev transport.Event) {
		lost = lost || ev.Kind == transport.Disconnected
		done = done || (ev.Kind == transport.Message && len(ev.Data) > 0 && ev.Data[0] == letterDone)
	}
	var w window
	w.start(time.Now())
	i := 0
	for i < o.Count || (o.Reliable != 0 && e.host.Stats(p).Queued > 0) {
		n := min(floodBatch, o.Count-i)
		if o.Reliable != 0 {
			n = max(0, min(n, o.SendQ-e.host.Stats(p).Queued))
		}
		for range n {
			if err := e.host.Send(p, 0, o.mode(), buf[:o.Size]); err != nil {
				return err
			}
		}
		i += n
		if err := e.flush(); err != nil {
			return err
		}
		if n == 0 {
			e.wait(time.Millisecond)
		}
		if e.poll(f); lost {
			return fault.New(fault.Timeout, "bench enet: the flood client was disconnected")
		}
	}
	w.stop(time.Now())
	sent := e.link.Counters()
	clear(buf[:minSize])
	buf[0] = letterEnd
	binary.LittleEndian.PutUint64(buf[8:], uint64(i))
	time.Sleep(20 * time.Millisecond) // what is in the air arrives before the end
	e.now = time.Now()
	if err := e.host.Send(p, 1, transport.Reliable, buf[:minSize]); err != nil {
		return err
	}
	for end := e.now.Add(stall); !done; {
		if err := e.flush(); err != nil {
			return err
		}
		e.wait(10 * time.Millisecond)
		if e.poll(f); lost || e.now.After(end) {
			return fault.New(fault.Timeout, "bench enet: no answer to the end of the flood")
		}
	}
	st := e.host.Stats(p)
	err = emit(out, o.row("flood", "client", map[string]any{
		"reliable": o.Reliable != 0, "size": o.Size, "sent": i, "seconds": round(w.seconds(), 4),
		"msgs_per_s": round(float64(i)/w.seconds(), 0), "cpu_s": round(w.cpu(), 4),
		"cpu_s_per_million": round(w.cpu()/float64(i)*1e6, 4), "datagrams": sent.Sent,
		"msgs_per_datagram": round(float64(i)/float64(max(sent.Sent, 1)), 1), "writes": sent.Writes,
		"rtt_ms": round(st.RTT.Seconds()*1e3, 3), "throttled": st.Throttled,
	}))
	e.hangup(p)
	return err
}
