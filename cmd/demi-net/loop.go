package main

import (
	"fmt"
	"io"
	"net/netip"
	"time"

	"demi.network/contract"
	"demi.network/internal/app"
	"demi.network/runtime"
	"demi.network/runtime/fault"
	"demi.network/session"
)

// goodbyeTime is the longest the program stays to see its goodbyes arrive.
const goodbyeTime = 1500 * time.Millisecond

// joinTime is how long a client stays in a phase before the session is active,
// but for authenticated: how long a game loads is between it and its host.
const joinTime = 15 * time.Second

// scenePort is the port of a target that is a scene file, where none is given.
const scenePort = 7777

// player runs one app until somebody says stop.
type player struct {
	out   *output
	app   *app.App
	stop  *stopper
	flags *playFlags
	role  app.Role

	hosted  uint32        // epoch of the session whose address was announced
	active  bool          // announced
	printed int           // script errors already printed
	last    uint64        // the tick in which the script can hear of the end; 0: it goes on
	phase   session.Phase // of a client
	since   time.Duration // since the start, when that began or the newest address was tried
}

// play loads the target and runs it. It is the body of host, join and run.
func play(out *output, stdin io.Reader, target string, flags *playFlags, cfg app.Config) error {
	project, scene, files, err := app.Load(target)
	if err != nil {
		return err
	}
	defer files.Close()
	cfg.Project = project
	if cfg.Scene == "" {
		cfg.Scene = scene
	}
	if scene != "" && flags.anyPort {
		cfg.Port = scenePort
		for i, t := range cfg.Targets {
			cfg.Targets[i] = netip.AddrPortFrom(t.Addr(), scenePort)
		}
	}
	return playApp(out, stdin, flags, cfg)
}

// playApp runs what cfg describes and prints the report.
func playApp(out *output, stdin io.Reader, flags *playFlags, cfg app.Config) error {
	if err := checkReportPath(flags.report); err != nil {
		return err // now, and not after a night's play
	}
	out.unhurried()
	cfg.Log, cfg.Ticks = func(s string) { fmt.Fprintln(out.stderr, s) }, flags.ticks
	a, problems, err := app.New(cfg, time.Now())
	if err != nil {
		return err
	}
	defer a.Close()
	warn(out, problems)
	p := &player{out: out, app: a, flags: flags, role: cfg.Role, stop: newStopper(stdin)}
	defer p.stop.close()
	if err := a.Start(); err != nil {
		p.leave(fault.Script, "the script does not load") // clients, if any, are told
		return err
	}
	p.announce()
	ended := p.loop()
	return p.finish(ended)
}

func warn(out *output, problems contract.Problems) {
	for _, p := range problems {
		fmt.Fprintln(out.stderr, p.String())
	}
}

// announce says where a host listens: the first line of a host, and of a script
// that hosts, then or later, once for each session.
func (p *player) announce() {
	peer := p.app.Peer()
	if peer.Mode() != runtime.Hosting || peer.Epoch() == p.hosted {
		return
	}
	p.hosted = peer.Epoch()
	addr := peer.LocalAddr()
	lan := !addr.Addr().IsLoopback()
	text := "listening on " + addr.String()
	if lan {
		text += " (LAN)"
	}
	p.out.event("listening", map[string]any{"address": addr.String(), "port": addr.Port(), "lan": lan}, text)
}

// loop turns until a reason to stop; the error is what the process reports,
// nil for a wanted end.
func (p *player) loop() error {
	start := time.Now()
	for {
		now := time.Now()
		next, err := p.app.Turn(now)
		if err != nil {
			return fault.Wrap(err, fault.Internal, "the socket failed")
		}
		p.news()
		if end, over := p.over(now.Sub(start)); over {
			return end
		}
		p.rest(next)
	}
}

// rest sleeps until the next turn is due. Without an open socket there is
// nothing to wake it, so it passes the time itself.
func (p *player) rest(next time.Time) {
	if p.app.Peer().Mode() == runtime.Offline {
		time.Sleep(time.Until(next))
		return
	}
	p.app.Wait(next)
}

// over says whether to stop now.
func (p *player) over(elapsed time.Duration) (error, bool) {
	if p.stop.due() {
		return nil, true
	}
	if d := p.flags.duration; d > 0 && elapsed.Seconds() >= d {
		return nil, true
	}
	peer := p.app.Peer()
	if n := p.flags.ticks; n > 0 && peer.Ticks() >= n {
		return nil, true
	}
	if p.role != app.Join {
		return nil, false
	}
	if end := peer.Ending(); end != nil {
		switch {
		case !p.told(peer):
			return nil, false
		case end.Code == fault.Shutdown || end.Code == fault.Left:
			return nil, true // a clean close is no error
		case end.Code == fault.Timeout && !p.active && p.app.TryNext():
			p.last, p.since = 0, elapsed
			return nil, false
		}
		return end, true
	}
	if phase := peer.Phase(); phase != p.phase {
		p.phase, p.since = phase, elapsed
	}
	if waits := p.phase != session.PhaseActive && p.phase != session.PhaseAuthenticated; waits && elapsed-p.since > joinTime {
		return fault.New(fault.Timeout, "the session came no further than %s within %v", p.phase, joinTime), true
	}
	return nil, false
}

// told says that the script of a session that is over has heard of it, or has
// had a whole tick for it.
func (p *player) told(peer *runtime.Peer) bool {
	if p.last == 0 {
		p.last = peer.Ticks() + 1
	}
	return peer.Mode() == runtime.Offline || peer.Ticks() >= p.last
}

// news prints what happened in this turn: a script that hosts, going active,
// script errors.
func (p *player) news() {
	p.announce()
	peer := p.app.Peer()
	if !p.active && peer.Mode() == runtime.Joined && peer.Phase() == session.PhaseActive {
		p.active = true
		p.out.event("active", map[string]any{"sender_id": peer.SenderID()}, "active as "+peer.SenderID())
	}
	for errs := p.app.ScriptErrors(); p.printed < len(errs); p.printed++ {
		e := errs[p.printed]
		p.out.event("script_error", map[string]any{"code": fault.Script, "message": e.Text, "path": e.Place.Path, "line": e.Place.Line}, "")
		fmt.Fprintln(p.out.stderr, e.Place.String()+": "+e.Text)
	}
}

// leave says goodbye and turns until it has arrived, or its time is over, or
// a second signal comes.
func (p *player) leave(code fault.Code, text string) {
	p.app.Stop(code, text)
	deadline := time.Now().Add(goodbyeTime)
	for !p.app.Stopped() {
		now := time.Now()
		if now.After(deadline) || p.stop.again() {
			return
		}
		next, err := p.app.Turn(now)
		if err != nil {
			return
		}
		if next.After(deadline) {
			next = deadline
		}
		p.app.Wait(next)
	}
}

// finish says goodbye, prints the report last and returns how the run ended.
func (p *player) finish(ended error) error {
	r := p.app.Report() // before the goodbye: it describes the session
	if p.role == app.Join {
		p.leave(fault.Left, "left")
	} else {
		p.leave(fault.Shutdown, "the host is shutting down")
	}
	if p.flags.report != "" {
		switch err := p.out.report(p.flags.report, r); {
		case err != nil && ended == nil:
			ended = err
		case err != nil: // the end has the exit code; this has a line as well
			fmt.Fprintln(p.out.stderr, err)
		}
	}
	if p.out.json {
		p.out.encode(struct {
			Event string `json:"event"`
			runtime.Report
		}{"report", r})
	} else {
		p.out.line(summary(r))
	}
	return ended
}

// summary is the report for people, in one line.
func summary(r runtime.Report) string {
	return fmt.Sprintf("%s %s: %d ticks, %d entities, %d messages received, %d refused, %d errors",
		r.Role, r.SenderID, r.Ticks, len(r.Entities), r.Messages.Received, r.Messages.Rejected, len(r.Errors))
}
