package session_test

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"demi.network/internal/enet"
	"demi.network/internal/netsim"
	"demi.network/runtime/transport"
	"demi.network/session"
)

// newLossyStage is a stage over ENet and simulated links: the same seed gives
// the same bytes.
func newLossyStage(t testing.TB, seed uint64, spec string) (*stage, *netsim.Network) {
	net := netsim.New(seed)
	sp, err := netsim.ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	net.Impair(sp)
	rng := rand.New(rand.NewPCG(seed, 7))
	s := &stage{t: t, now: time.Unix(1000, 0), turn: 10 * time.Millisecond}
	s.dial = func(port uint16) transport.Host {
		link, err := net.Listen(at(port))
		if err != nil {
			t.Fatal(err)
		}
		h, err := enet.New(link, enet.Config{Accept: true, MaxPeers: 64, ConnectData: session.ConnectData, Random: rng.Uint32})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	return s, net
}

// TestTranscriptOverBadLinkIsTheSameEveryTime plays a session of two clients
// over 80 ms, jitter and loss twenty times. Nothing sleeps, nothing runs beside
// it, and every byte of the transcript is the same.
func TestTranscriptOverBadLinkIsTheSameEveryTime(t *testing.T) {
	script := func() string {
		s, _ := newLossyStage(t, 42, "rtt=80,jitter=4,loss=5%,duplicate=1%")
		s.frames = true
		s.ports = 100
		out := runScenario(t, s, "testdata/lossy/two-clients.script")
		return out
	}
	first := script()
	const golden = "testdata/lossy/two-clients.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(first), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := string(readFile(t, golden)); first != want {
		t.Fatalf("the transcript differs from %s:\n%s", golden, firstDifference(want, first))
	}
	for i := range 19 {
		if again := script(); again != first {
			t.Fatalf("run %d differs from the first: something depends on more than the seed:\n%s", i+2, firstDifference(first, again))
		}
	}
	for _, want := range []string{"message shot", "ownership_changed", "peer_left", "same entities and owners: true"} {
		if !strings.Contains(first, want) {
			t.Errorf("the transcript lacks %q: it shows less than it should", want)
		}
	}
}

// TestReliableFramesAreCountedAlike: a resume will continue where the counters
// of the two sides meet, so they must count the same frames, whatever is lost.
func TestReliableFramesAreCountedAlike(t *testing.T) {
	s, _ := newLossyStage(t, 31, "rtt=60,jitter=5,loss=10%,duplicate=3%")
	s.ports, s.quiet = 100, true
	s.host(load(t, "arena.json"), nil)
	ann, ben := s.joined("ann"), s.joined("ben")
	n := s.spawned("player", 1)
	s.run(500 * time.Millisecond)
	for range 60 {
		_ = ann.client.Send(s.now, "shot", s.id(n), text(t, `{"dir":[1,0]}`))
		_ = ann.client.Send(s.now, "chat", "", text(t, `{"text":"x"}`))
		_ = ben.client.Send(s.now, "poke", s.id(n), nil)
		_ = s.server.SendSnapshot(s.now, 1, []byte{1, 2, 3})
		_ = ann.client.SendPublication(s.now, []byte{1})
		if n%3 == 0 {
			s.spawned("crate", 0)
		}
		s.run(50 * time.Millisecond)
	}
	s.run(2 * time.Second)
	_ = ann.client.SendPublication(s.now, []byte{1})
	s.run(time.Second)
	for _, c := range []*node{ann, ben} {
		hs, hr, cs, cr := session.Streams(s.server, c.client)
		if hs != cr || cs != hr || hs == 0 || cs == 0 {
			t.Errorf("%s: the host sent %d and the client counts %d; the client sent %d and the host counts %d", c.label, hs, cr, cs, hr)
		}
	}
}

// TestGoodbyesAndDifferencesArriveOverABadLink: the reason of an end is worth
// nothing when it is lost.
func TestGoodbyesAndDifferencesArriveOverABadLink(t *testing.T) {
	for seed := range uint64(10) {
		s, _ := newLossyStage(t, seed, "rtt=80,jitter=10,loss=10%")
		s.ports = 100
		s.host(load(t, "arena.json"), nil)
		s.join("other", load(t, "arena-faster.json"), nil)
		s.run(3 * time.Second)
		ann := s.joined("ann")
		s.joined("ben")
		if r := s.server.Kick(s.now, ann.client.Sender(), "be nice"); r != nil {
			t.Fatal(r)
		}
		s.run(2 * time.Second)
		s.server.Shutdown(s.now, "see you")
		s.run(2 * time.Second)
		out := s.log.String()
		for _, want := range []string{
			"other: disconnected E_NET_CONTRACT_MISMATCH: the client runs another contract: messages/shot/rate_limit: 12 here, 10 there\n",
			"host: turned_away \"other\" E_NET_CONTRACT_MISMATCH: the client runs another contract, which says: messages/shot/rate_limit: 12 here, 10 there\n",
			"ann: disconnected E_NET_KICKED: be nice\n",
			"ben: disconnected E_NET_SHUTDOWN: see you\n",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("seed %d: nobody was told %q:\n%s", seed, want, out)
			}
		}
	}
}
