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

// flooder is the client's side of a flood.
type flooder struct {
	*end
	o    *Options
	peer transport.Peer
	sent int
	lost bool // the server is gone
	done bool // the server has answered the end
}

func (f *flooder) event(ev transport.Event) {
	f.lost = f.lost || ev.Kind == transport.Disconnected
	f.done = f.done || (ev.Kind == transport.Message && len(ev.Data) > 0 && ev.Data[0] == letterDone)
}

func (o *Options) floodClient(at netip.AddrPort, out io.Writer) error {
	e, p, err := o.dial(at, flood)
	if err != nil {
		return err
	}
	f := &flooder{end: e, o: o, peer: p}
	defer e.hangup(p)
	var w window
	w.start(time.Now())
	if err := f.pour(); err != nil {
		return err
	}
	w.stop(time.Now())
	c := e.link.Counters()
	if err := f.finish(); err != nil {
		return err
	}
	st := e.host.Stats(p)
	return emit(out, o.row("flood", "client", map[string]any{
		"reliable": o.Reliable != 0, "size": o.Size, "sent": f.sent, "seconds": round(w.seconds(), 4),
		"msgs_per_s": round(float64(f.sent)/w.seconds(), 0), "cpu_s": round(w.cpu(), 4),
		"cpu_s_per_million": round(w.cpu()/float64(f.sent)*1e6, 4), "datagrams": c.Sent,
		"msgs_per_datagram": round(float64(f.sent)/float64(max(c.Sent, 1)), 1), "writes": c.Writes,
		"rtt_ms": round(st.RTT.Seconds()*1e3, 3), "throttled": st.Throttled,
	}))
}

// pour sends the messages, batch by batch; reliable ones until all are
// acknowledged, with at most SendQ of them waiting.
func (f *flooder) pour() error {
	buf := make([]byte, f.o.Size)
	buf[0] = letterData
	for f.sent < f.o.Count || (f.o.Reliable != 0 && f.host.Stats(f.peer).Queued > 0) {
		n := min(floodBatch, f.o.Count-f.sent)
		if f.o.Reliable != 0 {
			n = max(0, min(n, f.o.SendQ-f.host.Stats(f.peer).Queued))
		}
		for range n {
			if err := f.host.Send(f.peer, 0, f.o.mode(), buf); err != nil {
				return err
			}
		}
		f.sent += n
		if err := f.flush(); err != nil {
			return err
		}
		if n == 0 {
			f.wait(time.Millisecond)
		}
		if f.poll(f.event); f.lost {
			return fault.New(fault.Timeout, "bench enet: the flood client was disconnected")
		}
	}
	return nil
}

// settle is how long what is in the air has to arrive before the end is sent.
const settle = 20 * time.Millisecond

// finish says how many there were and waits for the answer.
func (f *flooder) finish() error {
	buf := make([]byte, minSize)
	buf[0] = letterEnd
	binary.LittleEndian.PutUint64(buf[8:], uint64(f.sent))
	time.Sleep(settle)
	f.now = time.Now()
	if err := f.host.Send(f.peer, 1, transport.Reliable, buf); err != nil {
		return err
	}
	for end := f.now.Add(stall); !f.done; {
		if err := f.flush(); err != nil {
			return err
		}
		f.wait(10 * time.Millisecond)
		if f.poll(f.event); f.lost || f.now.After(end) {
			return fault.New(fault.Timeout, "bench enet: no answer to the end of the flood")
		}
	}
	return nil
}
