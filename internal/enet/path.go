package enet

import "time"

// path is what a connection knows about the way to the other side: how long a
// round trip takes, how much is lost, how far unreliable messages are thinned
// out, and when silence means the end (wire.md § 9 and 10).
type path struct {
	rtt    micros
	rttVar micros
	basis  basis // of rtt

	throttle throttle
	loss     loss
	silence  silence
}

// micros is a duration in microseconds: the wire has milliseconds, but an
// estimate that cannot hold fractions of them sticks above the truth.
type micros int64

// basis says what an estimate of the round trip rests on.
type basis uint8

const (
	guessed  basis = iota // C's default
	glimpsed              // how long the handshake took, at most
	measured              // acknowledgements of this connection
)

const (
	defaultRTT = 500_000 // before the first acknowledgement
	// minRTTSlack is the least that a resend waits beyond a round trip, so
	// that an even link does not make everything be sent twice.
	minRTTSlack = 8_000
)

func (p *path) reset(cfg *Config, now millis) {
	*p = path{rtt: defaultRTT}
	p.throttle.reset(cfg)
	p.silence.configure(cfg.Timeouts)
	p.loss.epoch = now
}

// glimpse takes the time between a handshake command and its answer. One of
// them may have been lost and sent again, so it is no measurement: the first
// sample replaces it, and it lets a resend wait longer than the guess would
// only if it is itself longer.
func (p *path) glimpse(trip millis) {
	if p.basis == measured {
		return
	}
	r := micros(max(trip, 1)) * 1000
	p.rtt, p.rttVar, p.basis = r, min(r/2, max(0, (defaultRTT-r)/4)), glimpsed
}

// sample takes a measured round trip.
func (p *path) sample(trip millis, now millis) {
	r := micros(max(trip, 1)) * 1000
	if p.basis == measured {
		p.throttle.step(r)
		d := r - p.rtt
		p.rtt += d / 8
		p.rttVar += (abs(d) - p.rttVar) / 4
	} else {
		p.rtt, p.rttVar, p.basis = r, (r+1)/2, measured
	}
	p.throttle.observe(p.rtt, p.rttVar, now)
}

func abs(d micros) micros { return max(d, -d) }

// resendAfter returns how long the first copy of a command waits for its
// acknowledgement.
func (p *path) resendAfter() millis {
	if p.basis == guessed {
		return millis((p.rtt + 4*p.rttVar) / 1000)
	}
	return millis((p.rtt + max(4*p.rttVar, minRTTSlack) + 999) / 1000)
}

// pass says whether the throttle lets the next unreliable message through.
func (p *path) pass() bool { return p.throttle.pass() }

// retry returns how long a command waits after its wait has passed in vain. It
// doubles for as long as nothing is heard of the peer; but loss alone must not
// make a living connection wait for ten seconds.
func (p *path) retry(c *outCommand, heard millis) millis {
	wait := 2 * c.timeout
	if heard > c.sentAt {
		wait = min(wait, max(maxRetries*p.resendAfter(), minRetry))
	}
	return wait
}

const (
	maxRetries        = 4 // times the first wait
	minRetry   millis = 500
)

// throttle thins out unreliable messages while round trips are longer than
// they were. Its scale is 32: at 32 all messages pass, at 0 one in 32.
type throttle struct {
	value   uint32
	limit   uint32 // by bandwidth
	counter uint32
	conf    throttleCommand
	slack   micros

	lowest, last   micros // round trip: of this interval, of the last one
	highest, spare micros // its variance, likewise
	epoch          millis // when the interval began; 0: no interval yet
}

const (
	throttleScale = 32
	throttleStep  = 7
)

func (t *throttle) reset(cfg *Config) {
	*t = throttle{value: throttleScale, limit: throttleScale, lowest: defaultRTT, last: defaultRTT}
	t.configure(cfg.Throttle)
}

// configure takes settings that have their defaults filled in.
func (t *throttle) configure(c Throttle) {
	t.conf, t.slack = c.command(), micros(c.Slack/time.Microsecond)
}

func (t Throttle) command() throttleCommand {
	return throttleCommand{uint32(min(ms(t.Interval), 1<<32-1)), t.Acceleration, t.Deceleration}
}

func (t *throttle) pass() bool {
	t.counter = (t.counter + throttleStep) % throttleScale
	return t.counter <= t.value
}

// step moves the throttle after a round trip of r.
func (t *throttle) step(r micros) {
	switch {
	case t.last <= t.spare:
		t.value = t.limit
	case r <= t.last:
		t.value = uint32(min(uint64(t.value)+uint64(t.conf.acceleration), uint64(t.limit)))
	case r > t.last+2*t.spare+t.slack:
		t.value -= min(t.conf.deceleration, t.value)
	}
}

// observe keeps the lowest round trip and the highest variance of each
// interval: what the next one is compared with.
func (t *throttle) observe(rtt, rttVar micros, now millis) {
	t.lowest = min(t.lowest, rtt)
	t.highest = max(t.highest, rttVar)
	if t.epoch == 0 || now-t.epoch >= millis(t.conf.interval) {
		t.last, t.spare = t.lowest, max(t.highest, 1000)
		t.lowest, t.highest = rtt, rttVar
		t.epoch = now
	}
}

// setLimit is what the bandwidth allows.
func (t *throttle) setLimit(limit uint32) {
	t.limit = limit
	t.value = min(t.value, limit)
}

// loss is the smoothed share of reliable sends that timed out.
type loss struct {
	sent, lost uint32
	mean       float64
	epoch      millis
}

// lossInterval is how often the share is taken; C's ten seconds need more than
// a minute to notice anything.
const lossInterval millis = 1000

func (l *loss) update(now millis) {
	if now-l.epoch < lossInterval || l.sent == 0 {
		return
	}
	share := min(float64(l.lost)/float64(l.sent), 1)
	l.mean += float64((share - l.mean) / 8)
	l.sent, l.lost, l.epoch = 0, 0, now
}

// silence says when a connection is asked for a sign of life, and when it is
// over for want of one.
//
// C ENet pings only while nothing is in flight and gives up on one command
// that was lost six times, even if the peer is heard all the time: at 20 % loss
// each way that ends a connection every few minutes. Here a peer that is heard
// but does not acknowledge is asked again every ping interval, and has until
// the maximum. One command that never gets through although others do (it is
// too large for a link on the way) ends the connection after twice that.
type silence struct {
	limit    uint32
	minimum  millis
	maximum  millis
	ping     millis
	lastAck  millis // when the last acknowledgement came; before the clock's origin: never
	lastAsk  millis // when something that wants one was last sent
	earliest millis // oldest send that went unanswered since then; 0: none
}

// configure takes settings that have their defaults filled in.
func (s *silence) configure(t Timeouts) {
	s.limit, s.minimum, s.maximum, s.ping = t.Limit, ms(t.Minimum), ms(t.Maximum), ms(t.Ping)
}

// over takes note of a send that went unanswered for its whole wait, and says
// whether that was one too many. heard is when a datagram last arrived.
func (s *silence) over(c *outCommand, heard, now millis) bool {
	// A command may have been waiting for long when others are acknowledged:
	// the peer is there, so only the time since then is silence.
	if since := max(c.sentAt, s.lastAck); s.earliest == 0 || since < s.earliest {
		s.earliest = since
	}
	doubled := c.attempts > 32 || uint64(1)<<(c.attempts-1) >= uint64(s.limit)
	return now-s.earliest >= s.maximum || doubled && now-max(s.earliest, heard) >= s.minimum ||
		now-c.firstSent >= 2*s.maximum
}

// acknowledged starts the wait anew.
func (s *silence) acknowledged(now millis) {
	s.lastAck, s.earliest = now, 0
}

// pingDue returns when a connection is pinged. waiting says that something is
// in flight.
func (s *silence) pingDue(waiting bool, heard millis) millis {
	if waiting && heard <= s.lastAck {
		return never
	}
	return max(s.lastAck, s.lastAsk) + s.ping
}
