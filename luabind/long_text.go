package luabind

import lua "github.com/yuin/gopher-lua"

// longText keeps the price of instructions. Comparing two texts and looking one
// up in a table are one instruction at any length, and there is no hook inside
// them. So where long texts exist, every instruction costs more: a loop that
// compares texts of 64 MiB ends after seconds, not hours.
//
// What decides is the longest text that was made, until a walk over what scripts
// hold finds only shorter ones. The walk comes when a callback begins, the sooner
// the higher the price, and rarely where long texts come and go all the time. It
// depends on nothing but the calls, so that the price is the same on every peer.
type longText struct {
	length int64 // of the longest; 0 = none is long
	calls  int   // begun since the last walk
	wait   int   // calls until the next
}

const (
	freeText    = 64 << 10 // up to here nothing changes
	pricedBytes = 16 << 10 // beyond, each so many bytes are an instruction
	longestWait = 64
	highPrice   = 4096
)

// made notes a text that a script may keep.
func (s *State) made(n int) {
	if int64(n) <= max(freeText, s.long.length) {
		return
	}
	s.long.length = int64(n)
	s.long.calls = 0
	s.meter.price = 1 + int64(n)/pricedBytes
}

// reprice is called when a callback begins, which fn is.
func (s *State) reprice(fn lua.LValue) {
	t := &s.long
	if t.length == 0 {
		return
	}
	if t.calls++; t.calls < min(t.wait, highPrice/int(s.meter.price)) {
		return
	}
	t.wait = min(2*t.wait+1, longestWait)
	held := s.walk(s.mem.limit, fn).longest
	t.length, t.calls, s.meter.price = 0, 0, 1
	s.made(int(held))
}
