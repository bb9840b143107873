package enetbench

import (
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"time"

	"demi.network/internal/enet"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
)

// Connect data of the scenarios, and first bytes of their messages.
const (
	flood, clients, pingpong = 1, 2, 3

	letterData, letterEnd, letterDone, letterEcho = 'D', 'E', 'F', 'P'
)

// Run plays one role to its end and prints one JSON object per line on out, as
// the C program does. The probe ends with its process.
func Run(o Options, out io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	switch o.Role {
	case "probe":
		return o.probe(out)
	case "client":
		at, err := o.address()
		if err != nil {
			return err
		}
		return o.client(at, out)
	case "server":
		if o.Scenario == "bare" {
			return o.bareServer(out)
		}
		e, err := o.listen()
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "listening on %s\n", e.link.LocalAddr())
		return o.server(e, out)
	}
	return o.both(out)
}

func (o *Options) server(e *end, out io.Writer) error {
	defer e.close()
	if o.Ready != nil {
		o.Ready(e.link.LocalAddr())
	}
	switch o.Scenario {
	case "flood":
		return o.floodServer(e, out)
	case "clients":
		return o.clientsServer(e, out)
	}
	return o.pingpongServer(e, out)
}

func (o *Options) client(at netip.AddrPort, out io.Writer) error {
	switch o.Scenario {
	case "flood":
		return o.floodClient(at, out)
	case "clients":
		return o.clientsClient(at, out)
	case "bare":
		return o.bareClient(at)
	}
	return o.pingpongClient(at, out)
}

// both runs the server here and the client as a child process, and adds a
// line about what else kept the machine busy.
func (o *Options) both(out io.Writer) error {
	e, err := o.listen()
	if err != nil {
		return err
	}
	argv := o.Child
	if len(argv) == 0 {
		self, err := os.Executable()
		if err != nil {
			return fault.Wrap(err, fault.Internal, "bench enet: this program's own path")
		}
		argv = []string{self, "bench", "enet"}
	}
	argv = append(argv[:len(argv):len(argv)], o.flags(e.link.LocalAddr())...)
	child := exec.Command(argv[0], argv[1:]...)
	child.Stdout, child.Stderr = out, os.Stderr
	start, busy, mine := time.Now(), machineBusy(), processCPU()+childrenCPU()
	if err := child.Start(); err != nil {
		e.close()
		return fault.Wrap(err, fault.Internal, "bench enet: starting the client")
	}
	err = o.server(e, out)
	if werr := child.Wait(); err == nil && werr != nil {
		err = fault.Wrap(werr, fault.Internal, "bench enet: the client side failed")
	}
	if err != nil {
		return err
	}
	took := time.Since(start).Seconds()
	other := (machineBusy() - busy - (processCPU() + childrenCPU() - mine).Seconds()) / took
	return emit(out, o.row("noise", "", map[string]any{"of": o.Scenario, "seconds": round(took, 2), "background_cpus": round(max(other, 0), 2)}))
}

// flags are those of the client of role both.
func (o *Options) flags(at netip.AddrPort) []string {
	n := strconv.Itoa
	return []string{
		"--role", "client", "--scenario", o.Scenario, "--addr", at.Addr().String(), "--port", n(int(at.Port())),
		"--reliable", n(o.Reliable), "--throttle", n(o.Throttle), "--checksum", n(o.Checksum), "--compress", n(o.Compress),
		"--clients", n(o.Clients), "--hz", n(o.Hz), "--size", n(o.Size), "--count", n(o.Count),
		"--seconds", strconv.FormatFloat(o.Seconds, 'g', -1, 64), "--warmup", strconv.FormatFloat(o.Warmup, 'g', -1, 64),
		"--loop", o.Loop, "--sndq", n(o.SendQ), "--spin", n(o.Spin), "--label", o.Label,
	}
}

// row begins an output line; keys are printed in alphabetical order.
func (o *Options) row(scenario, role string, more map[string]any) map[string]any {
	more["impl"], more["scenario"] = o.Label, scenario
	if role != "" {
		more["role"] = role
	}
	return more
}

func emit(out io.Writer, row map[string]any) error {
	b, err := json.Marshal(row)
	if err != nil {
		return fault.Wrap(err, fault.Internal, "bench enet: output")
	}
	_, err = out.Write(append(b, '\n'))
	return err
}

// round keeps n decimals, for people.
func round(x float64, n int) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', n, 64), 64)
	if err != nil {
		return x
	}
	return y
}

// config is what both sides of a scenario share.
func (o *Options) config() enet.Config {
	return enet.Config{
		Channels: 2, Checksum: o.Checksum != 0, Compress: o.Compress != 0,
		Throttle: enet.Throttle{Off: o.Throttle == 0},
		// The C client looks at none of its sockets while it dials the others,
		// not even to acknowledge that it is connected.
		Timeouts: enet.Timeouts{Minimum: 30 * time.Second, Maximum: time.Minute},
		Limits:   enet.Limits{Queue: o.SendQ + 64, Packet: 2 << 20, Waiting: 32 << 20}, // waiting data: C's default
	}
}

// end is one host with its socket and clock.
type end struct {
	link *transport.UDP
	host *enet.Host
	now  time.Time
	next time.Time // when the host wants to be called again; zero: any time
	spin bool
	over bool // the other side hung up: nothing to wait for
}

// patient is how C ENet treats handshakes: all are kept, for half a minute.
var patient = enet.Handshakes{Total: -1, PerIP: -1, Timeout: -1, Replies: -1, Rate: -1}

func (o *Options) listen() (*end, error) {
	at, err := o.address()
	if err != nil {
		return nil, err
	}
	link, err := transport.ListenUDP(at)
	if err != nil {
		return nil, err
	}
	cfg := o.config()
	cfg.Accept, cfg.MaxPeers, cfg.Handshakes = true, 4, patient
	if o.Scenario == "clients" {
		cfg.MaxPeers = o.Clients
	}
	return o.end(link, cfg)
}

func (o *Options) end(link *transport.UDP, cfg enet.Config) (*end, error) {
	host, err := enet.New(link, cfg)
	if err != nil {
		_ = link.Close()
		return nil, err
	}
	return &end{link: link, host: host, now: time.Now(), spin: o.Spin != 0}, nil
}

// dial connects, within five seconds.
func (o *Options) dial(at netip.AddrPort, scenario uint32) (*end, transport.Peer, error) {
	link, err := transport.DialUDP(at)
	if err != nil {
		return nil, 0, err
	}
	cfg := o.config()
	cfg.MaxPeers, cfg.ConnectData = 1, scenario
	e, err := o.end(link, cfg)
	if err != nil {
		return nil, 0, err
	}
	p, err := e.host.Dial(e.now, at)
	if err != nil {
		return nil, 0, err
	}
	up := false
	for end := e.now.Add(5 * time.Second); !up; {
		if err := e.turn(100*time.Millisecond, func(ev transport.Event) { up = up || ev.Kind == transport.Connected }); err != nil {
			return nil, 0, err
		}
		if e.now.After(end) {
			e.close()
			return nil, 0, fault.New(fault.Timeout, "bench enet: no connection to %s in 5 s", at)
		}
	}
	return e, p, nil
}

// poll handles what has arrived and returns how many events there were.
func (e *end) poll(f func(transport.Event)) (n int) {
	e.now = time.Now()
	for {
		ev, ok := e.host.Poll(e.now)
		if !ok {
			return n
		}
		f(ev)
		n++
	}
}

func (e *end) flush() (err error) {
	e.next, err = e.host.Flush(e.now)
	return err
}

// wait sleeps until a datagram, the host's next, or limit has passed.
func (e *end) wait(limit time.Duration) {
	if e.spin || e.over {
		return
	}
	until := e.now.Add(limit)
	if !e.next.IsZero() && e.next.Before(until) {
		until = e.next
	}
	e.link.Wait(until)
}

// turn is poll, flush, wait.
func (e *end) turn(limit time.Duration, f func(transport.Event)) error {
	e.poll(f)
	if err := e.flush(); err != nil {
		return err
	}
	e.wait(limit)
	return nil
}

// hangup says goodbye and closes.
func (e *end) hangup(p transport.Peer) {
	e.host.Drop(p, 0)
	for end := e.now.Add(time.Second); e.host.PeerCount() > 0 && e.now.Before(end); {
		if e.turn(50*time.Millisecond, func(transport.Event) {}) != nil {
			break
		}
	}
	e.close()
}

func (e *end) close() { _ = e.host.Close() }
