package main

import (
	"io"
	"time"
)

const (
	// streamPatience is how long a write waits for whoever reads, once; then the
	// stream is behind, and no write waits until it has caught up.
	streamPatience = 20 * time.Millisecond
	// streamQueue is how many bytes a stream that is behind keeps. Once there
	// are more, what comes is dropped and counted.
	streamQueue = 1 << 20
	// streamChunk is written at a time. Each that is taken is a sign of life.
	streamChunk = 4 << 10
	// streamLinger is how long close waits without a sign of life.
	streamLinger = time.Second
)

// stream is a writer that does not wait for its reader: a pipe that is full
// because nobody reads it (a supervisor that asked for it, a stopped pager)
// costs a game its words, never its ticks. While somebody reads, a write ends
// when it has been written, so two streams of one terminal keep their order.
//
// One goroutine writes; it is the only one that can hang, and it ends with close
// or with the process. Write and close are for one goroutine.
type stream struct {
	to     io.Writer
	lost   func(lines int) string // what is said about lines that were dropped
	work   chan []byte            // to the writer; one at a time
	done   chan error             // from it: one for each chunk
	timer  *time.Timer
	queue  [][]byte // what the writer has not been given yet
	queued int      // bytes of queue
	busy   bool     // the writer has a chunk
	behind bool     // the reader does not keep up: do not wait for it
	drops  int
	err    error // of the last write: what follows is not written
}

func newStream(w io.Writer, lost func(lines int) string) *stream {
	s := &stream{to: w, lost: lost, work: make(chan []byte, 1), done: make(chan error, 1), timer: time.NewTimer(0)}
	go func() {
		for b := range s.work {
			_, err := w.Write(b)
			s.done <- err
		}
	}()
	return s
}

// Write takes b as a whole or drops it as a whole, and returns within
// streamPatience. The error is an earlier chunk's: the stream is closed.
func (s *stream) Write(b []byte) (int, error) {
	for s.behind && s.busy { // what has been taken in the meantime
		select {
		case err := <-s.done:
			s.taken(err)
			continue
		default:
		}
		break
	}
	if s.err != nil {
		return 0, s.err
	}
	if s.queued > streamQueue {
		s.drops++
		return len(b), nil
	}
	if s.drops > 0 {
		s.push([]byte(s.lost(s.drops)))
		s.drops = 0
	}
	s.push(append([]byte(nil), b...))
	if !s.behind {
		s.behind = !s.drain(streamPatience)
	}
	return len(b), s.err
}

// close writes what is left, for as long as somebody reads, and ends the stream.
func (s *stream) close() {
	if s.drops > 0 {
		s.push([]byte(s.lost(s.drops)))
	}
	for s.busy && s.step(streamLinger) {
	}
	close(s.work)
}

// push queues b in chunks and keeps the writer busy.
func (s *stream) push(b []byte) {
	for len(b) > 0 {
		n := min(len(b), streamChunk)
		s.queue = append(s.queue, b[:n])
		s.queued += n
		b = b[n:]
	}
	s.feed()
}

// feed gives the writer the next chunk. With none left the stream has caught up.
func (s *stream) feed() {
	switch {
	case s.busy:
	case len(s.queue) == 0 || s.err != nil:
		s.queue, s.queued, s.behind = nil, 0, false
	default:
		s.work <- s.queue[0]
		s.queued -= len(s.queue[0])
		s.queue[0], s.queue = nil, s.queue[1:]
		s.busy = true
	}
}

// taken is the end of a chunk.
func (s *stream) taken(err error) {
	s.busy = false
	if err != nil {
		s.err = err
	}
	s.feed()
}

// drain waits for the whole queue, at most that long in all.
func (s *stream) drain(atMost time.Duration) bool {
	deadline := time.Now().Add(atMost)
	for s.busy {
		if !s.step(time.Until(deadline)) {
			return false
		}
	}
	return true
}

// step waits for one chunk.
func (s *stream) step(atMost time.Duration) bool {
	s.timer.Reset(atMost)
	select {
	case err := <-s.done:
		s.timer.Stop()
		s.taken(err)
		return true
	case <-s.timer.C:
		return false
	}
}
