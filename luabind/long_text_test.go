package luabind

import "testing"

// TestLongTextsRaiseThePrice: instructions that may compare long texts cost as
// much, and cost one again when the texts are gone.
func TestLongTextsRaiseThePrice(t *testing.T) {
	s := New(Config{Instructions: 100_000})
	load := func(src string) {
		t.Helper()
		if _, err := s.Load("long.lua", []byte(src)); err != nil {
			t.Fatal(err)
		}
	}
	load(`
function work() for i = 1, 20000 do end end
function compare() local a, b = ("x"):rep(2^20), ("x"):rep(2^20) local n = 0 while true do if a == b then n = n + 1 rounds = n end end end
function keep() text = ("x"):rep(100000) .. "y" end
function drop() text = nil end
function garbage() local s = ("x"):rep(100000) .. "y" end`)
	call := func(name string) error { return s.Call(s.Global(name)) }
	if err := call("work"); err != nil {
		t.Fatalf("nothing is long yet: %v", err)
	}
	if err := call("compare"); err == nil {
		t.Fatal("the comparisons never ended")
	}
	// An instruction beside a text of a mebibyte costs 65.
	if n := s.Global("rounds").String(); n < "100" || len(n) > 3 {
		t.Errorf("%s comparisons of a mebibyte fit into 100 000 instructions", n)
	}
	if err := call("work"); err != nil {
		t.Errorf("the long texts are gone: %v", err)
	}
	if err := call("keep"); err != nil {
		t.Fatal(err)
	}
	for range 2 * longestWait {
		if call("work") == nil {
			t.Fatal("100 000 bytes are held, and instructions cost one")
		}
	}
	if err := call("drop"); err != nil {
		t.Fatal(err)
	}
	for range longestWait {
		_ = call("work")
	}
	if err := call("work"); err != nil {
		t.Errorf("the text was dropped %d calls ago: %v", longestWait, err)
	}
	walks := 0
	for range 10 * longestWait {
		if err := call("garbage"); err != nil {
			t.Fatal(err)
		}
		if s.long.calls == 0 {
			walks++
		}
	}
	if walks > 40 {
		t.Errorf("texts that come and go cost %d walks in %d calls", walks, 10*longestWait)
	}
}

// TestTheLengthOfConstantsCounts: a script may bring its long texts along.
func TestTheLengthOfConstantsCounts(t *testing.T) {
	s := New(Config{})
	src := make([]byte, 200_000)
	for i := range src {
		src[i] = 'x'
	}
	if _, err := s.Load("long.lua", append(append([]byte(`text = "`), src...), '"')); err != nil {
		t.Fatal(err)
	}
	if s.meter.price != 1+200_000/pricedBytes {
		t.Errorf("a constant of 200 000 bytes makes the price %d", s.meter.price)
	}
}
