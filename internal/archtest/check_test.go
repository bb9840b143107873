package archtest

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

func TestTheHouseHoldsItsPolicy(t *testing.T) {
	found, err := Check(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
}

// TestSeededViolationsAreSeen proves that the checker can fail: each row holds
// one file that breaks one rule, and what must be said about it.
func TestSeededViolationsAreSeen(t *testing.T) {
	for name, tc := range map[string]struct{ file, src, want string }{
		"upwards":                {"contract/a.go", `package contract; import _ "demi.network/session"`, "imports session upwards"},
		"sideways":               {"session/a.go", `package session; import _ "demi.network/internal/replica"`, "sideways"},
		"never":                  {"luabind/a.go", `package luabind; import _ "demi.network/internal/enet"`, "must never import internal/enet"},
		"unlisted package":       {"internal/utils/a.go", `package utils`, "not in the tree"},
		"wrong importer":         {"session/a.go", `package session; import _ "github.com/yuin/gopher-lua"`, "only luabind may"},
		"wrong importer's sub":   {"contract/a.go", `package contract; import _ "golang.org/x/sys/unix"`, "only runtime/transport may"},
		"unchosen third party":   {"session/a.go", `package session; import _ "github.com/pkg/errors"`, "not a chosen third party"},
		"clock":                  {"session/a.go", `package session; import "time"; var t = time.Now()`, "time.Now below the edge"},
		"clock under a name":     {"session/a.go", `package session; import clock "time"; var t = clock.Now()`, "time.Now below the edge"},
		"timer":                  {"internal/enet/a.go", `package enet; import "time"; var t = time.NewTimer(1)`, "time.NewTimer below the edge"},
		"go statement":           {"internal/enet/a.go", `package enet; func f() { go f() }`, "go statement"},
		"lock":                   {"runtime/a.go", `package runtime; import _ "sync"`, "not a lock"},
		"process randomness":     {"runtime/world/a.go", `package world; import "math/rand/v2"; var x = rand.IntN(3)`, "rand/v2.IntN below the edge"},
		"entropy":                {"runtime/world/a.go", `package world; import "crypto/rand"; var x = rand.Reader`, "crypto/rand.Reader"},
		"init":                   {"luabind/a.go", `package luabind; func init() {}`, "init function"},
		"test support in code":   {"runtime/a.go", `package runtime; import _ "demi.network/runtime/transport/hosttest"`, "outside a test"},
		"sleeping test":          {"session/a_test.go", `package session; import "time"; func f() { time.Sleep(1) }`, "test that sleeps"},
		"sub-package of the cmd": {"internal/app/a.go", `package app; import _ "demi.network/cmd/demi-net/internal/x"`, "upwards"},
	} {
		found, err := Check(fstest.MapFS{tc.file: {Data: []byte(tc.src)}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(found) != 1 || !strings.Contains(found[0], tc.want) {
			t.Errorf("%s: found %q, want one violation with %q", name, found, tc.want)
		}
	}
}

// TestWhatIsAllowedIsNotReported keeps the rules from growing by accident.
func TestWhatIsAllowedIsNotReported(t *testing.T) {
	found, err := Check(fstest.MapFS{
		"session/a.go":           {Data: []byte(`package session; import ("time"; _ "demi.network/contract"; "math/rand/v2"); var _ = time.Second; var _ = rand.New`)},
		"session/a_test.go":      {Data: []byte(`package session; import (_ "github.com/yuin/gopher-lua"; _ "demi.network/internal/enet"; "time"); var _ = time.Now()`)},
		"cmd/demi-net/main.go":   {Data: []byte(`package main; import "time"; func main() { go main(); time.Sleep(1) }`)},
		"examples/embed/main.go": {Data: []byte(`package main; import (_ "github.com/yuin/gopher-lua"; _ "demi.network/luabind")`)},
		"session/testdata/x.go":  {Data: []byte(`not Go`)},
	})
	if err != nil || len(found) != 0 {
		t.Errorf("found %q, %v", found, err)
	}
}
