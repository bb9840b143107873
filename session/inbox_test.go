package session

import (
	"testing"

	"demi.network/contract"
)

// A host that announces the largest metadata for ever costs a client that polls
// nothing a few of them, and the newest is the one that is told.
func TestMetadataNobodyPollsIsBounded(t *testing.T) {
	const size = 1 << 20
	cd := newCodec(&contract.Contract{Limits: contract.Limits{PayloadDepth: 4, PayloadElements: 4, StringBytes: 2 * size, MessageBytes: 2 * size}})
	var b inbox
	b.push(Event{Kind: EventSpawned, N: 1}, nil)
	for range 100 {
		b.push(Event{Kind: EventSessionStarted}, make([]byte, size))
	}
	newest, r, err := cd.encode(nil, nil, nil)
	if r != ReasonNone {
		t.Fatal(err)
	}
	b.push(Event{Kind: EventSessionStarted}, newest)
	waiting := 0
	for _, l := range b.life[b.lifeHead:] {
		waiting += len(l.payload)
	}
	if waiting > MaxInboxBytes+size || waiting != b.held {
		t.Errorf("%d bytes wait, counted as %d, want at most %d and one more", waiting, b.held, MaxInboxBytes)
	}
	if ev, _ := b.poll(&cd); ev.Kind != EventSpawned {
		t.Errorf("first comes %v, want the spawn: only metadata gives way", ev)
	}
	var last Event
	for ev, ok := b.poll(&cd); ok; ev, ok = b.poll(&cd) {
		last = ev
	}
	if last.Data == nil || last.Data.String() != "{}" {
		t.Errorf("the last word is %v, want the newest metadata", last)
	}
	if b.held != 0 {
		t.Errorf("an empty inbox counts %d bytes", b.held)
	}
}
