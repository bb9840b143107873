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

// newStopper listens to SIGINT, SIGTERM, SIGHUP (the terminal is gone; not under
// nohup) and the lines of stdin. A closed stdin stops nothing: dedicated hosts
// run without one.
func newStopper(stdin io.Reader) *stopper {
	s := &stopper{signals: make(chan os.Signal, 2), lines: make(chan string, 4)}
	signal.Notify(s.signals, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(s.signals, syscall.SIGHUP)
	}
	if stdin != nil {
		go s.read(stdin)
	}
	return s
}

// read turns stdin into lines, for as long as there is one. A line longer than
// the reader's buffer is no command and is passed over.
func (s *stopper) read(stdin io.Reader) {
	in := bufio.NewReader(stdin)
	for {
		line, long, err := in.ReadLine()
		text := strings.TrimSpace(string(line))
		for long && err == nil {
			text = ""
			_, long, err = in.ReadLine()
		}
		if err != nil {
			return
		}
		s.lines <- text
	}
}

// due says whether to stop now. It never blocks.
func (s *stopper) due() bool {
	for {
		select {
		case <-s.signals:
			return true
		case l := <-s.lines:
			if l == "quit" {
				return true
			}
		default:
			return false
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
