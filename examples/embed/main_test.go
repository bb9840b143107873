package main

import (
	"strings"
	"testing"

	"demi.network/contract"
	"demi.network/runtime"
)

// TestTheExample holds the example to its output: the engine's service, the
// message and the replicated position have all worked.
func TestTheExample(t *testing.T) {
	var out strings.Builder
	if err := play(&out); err != nil {
		t.Fatal(err)
	}
	want := "server hears a kite in a breeze from peer1\nserver sees the kite at 3.7\npeer1 flies at 3.7\n"
	if out.String() != want {
		t.Errorf("the example says\n%swant\n%s", out.String(), want)
	}
}

func TestTheEngineIsAScene(t *testing.T) {
	err := runtime.Conform(engine{}, "prefab://embed/kite", "Transform2D.position", contract.FieldValue{1, 2})
	if err != nil {
		t.Error(err)
	}
}
