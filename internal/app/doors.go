package app

import "sync"

// maxDo is the most functions that may wait for Do; one more is refused.
const maxDo = 256

// doors is the one place where other goroutines meet the loop: a bounded queue
// under a lock that is held for an append and nothing else.
type doors struct {
	mu     sync.Mutex
	queue  []func()
	closed bool
}

func (d *doors) push(f func()) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || len(d.queue) >= maxDo {
		return false
	}
	d.queue = append(d.queue, f)
	return true
}

// answer calls what is waiting; what comes meanwhile waits for the next turn.
func (d *doors) answer() {
	d.mu.Lock()
	list := d.queue
	d.queue = nil
	d.mu.Unlock()
	for _, f := range list {
		f()
	}
}

// close lets nobody in any more and answers those who are.
func (d *doors) close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.answer()
}
