package fault

import (
	"errors"
	"fmt"
	"testing"
)

func TestTableIsConsistent(t *testing.T) {
	codes, wires := map[Code]bool{}, map[uint16]Code{}
	for _, e := range Table {
		if codes[e.Code] {
			t.Errorf("%s is listed twice", e.Code)
		}
		codes[e.Code] = true
		if e.Doc == "" || e.Exit == 0 {
			t.Errorf("%s lacks a doc or an exit code", e.Code)
		}
		if e.Wire == 0 {
			continue
		}
		if other, ok := wires[e.Wire]; ok {
			t.Errorf("%s and %s share wire number %d", e.Code, other, e.Wire)
		}
		wires[e.Wire] = e.Code
		if FromWire(e.Wire) != e.Code {
			t.Errorf("FromWire(%d) is %s, want %s", e.Wire, FromWire(e.Wire), e.Code)
		}
	}
	if FromWire(60000) != Protocol {
		t.Error("an unknown wire number must be E_NET_PROTOCOL: a newer peer may send one")
	}
}

func TestErrorIsComparedByCode(t *testing.T) {
	cause := errors.New("address already in use")
	err := fmt.Errorf("host: %w", Wrap(cause, Bind, "127.0.0.1:%d", 39420))
	if !errors.Is(err, New(Bind, "")) || errors.Is(err, New(Timeout, "")) {
		t.Error("errors.Is must compare codes only")
	}
	if !errors.Is(err, cause) {
		t.Error("the cause must stay reachable")
	}
	if CodeOf(err) != Bind || CodeOf(cause) != "" {
		t.Error("CodeOf must find the code through wrapping, and nothing in a foreign error")
	}
	e := New(Config, "bad")
	e.Place = Place{Path: "a.json", Line: 3, Column: 7}
	if got, want := e.Error(), "E_NET_CONFIG: a.json:3:7: bad"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNewPanicsOnUnknownCode(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("New with an undocumented code must panic: it would escape the docs")
		}
	}()
	_ = New("E_NOPE", "")
}
