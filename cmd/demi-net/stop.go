package main

import (
	"bufio"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// stopper is why the loop should end. Its goroutines are the edge: they turn
// signals and stdin into values the loop looks at once a turn.
type stopper struct {
	signals chan os.Signal
	lines   chan string
}

// newStopper listens to SIGINT, SIGTERM and the lines of stdin. A closed stdin
// stops nothing: dedicated hosts run without one.
func newStopper(stdin io.Reader) *stopper {
	s := &stopper{signals: make(chan os.Signal, 2), lines: make(chan string, 4)}
	signal.Notify(s.signals, syscall.SIGINT, syscall.SIGTERM)
	if stdin != nil {
		go func() {
			in := bufio.NewScanner(io.LimitReader(stdin, 1<<20))
			for in.Scan() {
				s.lines <- strings.TrimSpace(in.Text())
			}
		}()
	}
	return s
}

// due says whether to stop now, and why. It never blocks.
func (s *stopper) due() (string, bool) {
	for {
		select {
		case sig := <-s.signals:
			return sig.String(), true
		case l := <-s.lines:
			if l == "quit" {
				return "quit", true
			}
		default:
			return "", false
		}
	}
}

// again says whether a second signal came: the person wants out at once.
func (s *stopper) again() bool {
	select {
	case <-s.signals:
		return true
	default:
		return false
	}
}

func (s *stopper) close() { signal.Stop(s.signals) }
