package session_test

import (
	"os"
	"slices"
	"sync"
	"testing"

	"demi.network/contract"
)

// loaded are the contracts that load has read: compiling one takes longer than
// most tests.
var loaded sync.Map

// load returns a contract of testdata. Rules may be changed: the next caller
// gets them as the file has them.
func load(t testing.TB, file string) *contract.Contract {
	t.Helper()
	known, ok := loaded.Load(file)
	if !ok {
		c, problems := contract.LoadFile(os.DirFS("testdata"), file)
		if err := problems.Err(); err != nil {
			t.Fatalf("%s: %v\n%v", file, err, problems)
		}
		known, _ = loaded.LoadOrStore(file, c)
	}
	c := *known.(*contract.Contract)
	c.Messages, c.Prefabs = slices.Clone(c.Messages), slices.Clone(c.Prefabs)
	return &c
}

func TestContractsOfTheTestsLoad(t *testing.T) {
	c := load(t, "arena.json")
	if len(c.Messages) != 10 || len(c.Prefabs) != 3 || c.Session.MaxPlayers != 3 {
		t.Errorf("%d messages, %d prefabs, %d players: the other tests count on 10, 3 and 3", len(c.Messages), len(c.Prefabs), c.Session.MaxPlayers)
	}
	if other := load(t, "arena-faster.json"); other.MeaningHash == c.MeaningHash {
		t.Error("another rate_limit must be another contract")
	}
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
