package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// reader is what a stream writes to: it takes a chunk when it is allowed to.
type reader struct {
	bytes.Buffer
	take chan error // nil: chunks are taken at once
}

func (r *reader) Write(b []byte) (int, error) {
	if r.take != nil {
		if err, more := <-r.take; err != nil {
			return 0, err
		} else if !more {
			r.take = nil
		}
	}
	return r.Buffer.Write(b)
}

func lostLines(n int) string { return fmt.Sprintf("lost %d\n", n) }

// TestAStreamThatIsReadIsWritten: while somebody reads, what a write was given
// is out when it returns, so that two streams of one terminal keep their order.
func TestAStreamThatIsReadIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{}
		s := newStream(r, lostLines)
		long := strings.Repeat("x", 3*streamQueue)
		for _, text := range []string{"one\n", "", long, "two\n"} {
			if _, err := s.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(r.String(), text) {
				t.Fatalf("%.9q was not written when the write returned", text)
			}
		}
		s.close()
		if r.String() != "one\n"+long+"two\n" {
			t.Error("the stream is not what was written to it")
		}
	})
}

// TestAStreamWaitsForNobody: without a reader one write waits, once; the others
// do not. What does not fit is dropped by whole lines, and a reader that comes
// back is told how many.
func TestAStreamWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{take: make(chan error)}
		s := newStream(r, lostLines)
		line := []byte(strings.Repeat("x", 1023) + "\n")
		start := time.Now()
		const lines = 10 * streamQueue / 1024
		for range lines {
			if n, err := s.Write(line); n != len(line) || err != nil {
				t.Fatal(n, err)
			}
		}
		if waited := time.Since(start); waited != streamPatience {
			t.Errorf("%d writes waited %v, want %v in all", lines, waited, streamPatience)
		}
		if s.queued > streamQueue+len(line) {
			t.Errorf("%d bytes are kept, the limit is %d", s.queued, streamQueue)
		}
		close(r.take) // somebody reads again
		synctest.Wait()
		for s.busy { // as later writes would find
			s.step(time.Second)
		}
		if _, err := s.Write([]byte("end\n")); err != nil {
			t.Fatal(err)
		}
		s.close()
		kept := strings.Count(r.String(), string(line))
		if want := strings.Repeat(string(line), kept) + lostLines(lines-kept) + "end\n"; r.String() != want {
			t.Errorf("%d lines were kept, and the end is %q", kept, r.String()[max(0, r.Len()-40):])
		}
	})
}

// TestAStreamEnds: close waits for a slow reader for as long as it reads, for a
// dead one a second; a closed pipe is an error of the next write.
func TestAStreamEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &reader{take: make(chan error)}
		s := newStream(slow, lostLines)
		text := strings.Repeat("y", 8*streamChunk)
		_, _ = s.Write([]byte(text))
		go func() {
			for range 8 {
				time.Sleep(streamLinger * 9 / 10)
				slow.take <- nil
			}
		}()
		s.close()
		if slow.String() != text {
			t.Errorf("a slow reader got %d of %d bytes", slow.Len(), len(text))
		}

		dead := &reader{take: make(chan error)}
		s = newStream(dead, lostLines)
		_, _ = s.Write([]byte(text))
		start := time.Now()
		s.close()
		if waited := time.Since(start); waited != streamLinger {
			t.Errorf("close waited %v for nobody, want %v", waited, streamLinger)
		}
		dead.take <- errors.New("the test is over")

		gone := &reader{take: make(chan error, 1)}
		gone.take <- errors.New("broken pipe")
		s = newStream(gone, lostLines)
		for range 2 {
			if _, err := s.Write([]byte("z\n")); err == nil {
				t.Error("a write to a closed pipe succeeded")
			}
		}
		s.close()
	})
}
