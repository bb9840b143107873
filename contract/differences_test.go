package contract

import (
	"fmt"
	"strings"
	"testing"
)

// TestDifferencesNameTheKey: what two peers say when they differ in one rule.
func TestDifferencesNameTheKey(t *testing.T) {
	here := sound(t, full)
	for _, tc := range []struct{ old, new, want string }{
		{`"rate_limit": 20`, `"rate_limit": 10`, "messages/hit/rate_limit: 20 here, 10 there"},
		{`"from": "owner"`, `"from": "all"`, `messages/hit/from: "owner" here, "all" there`},
		{`"required": ["n"]`, `"required": ["n", "s"]`, `messages/hit/schema/required/1: absent here, "s" there`},
		{`network-contract://full/main`, `network-contract://full/other`, `id: "network-contract://full/main" here, "network-contract://full/other" there`},
		{`"kick": 50`, `"kick": 60`, "limits/on_violation/kick: 50 here, 60 there"},
		{`"move": {`, `"turn": {`, `simulation/inputs/move: {"maximum":1,"minimum":-1,"step":0.01} here, absent there`},
		{`"on_disconnect": "despawn"`, `"on_disconnect": "return_to_server"`, `prefabs/player/ownership/on_disconnect: "despawn" here, "return_to_server" there`},
	} {
		there := sound(t, strings.Replace(full, tc.old, tc.new, 1))
		var got []string
		for i := range here.Sections {
			for _, d := range Differences(here.Sections[i].Name, here.Sections[i].Keys, there.Sections[i].Keys) {
				got = append(got, d.String())
			}
		}
		if len(got) == 0 || got[0] != tc.want {
			t.Errorf("%s → %s: got %q, want %q", tc.old, tc.new, got, tc.want)
		}
	}
}

// TestDifferencesOfAMissingKey: one side has a message that the other lacks.
func TestDifferencesOfAMissingKey(t *testing.T) {
	here := sound(t, full)
	there := sound(t, strings.Replace(full, `"hit": {"from"`, `"hit2": {"from"`, 1))
	got := Differences("messages", here.Sections[1].Keys, there.Sections[1].Keys)
	if len(got) != 2 || got[0].Key != "hit" || got[0].There != "" || got[1].Key != "hit2" || got[1].Here != "" {
		t.Errorf("got %v", got)
	}
}

// TestDifferencesFromAStranger: a peer's list may be in any order, hold
// anything, and be long; it costs bounded work and memory, and never a panic.
func TestDifferencesFromAStranger(t *testing.T) {
	here := sound(t, full).Sections[1].Keys
	for _, definition := range []string{"", "{", "\xff", "1e999", `{"a":` + strings.Repeat("[", 300), `{"rate_limit": 1, "rate_limit": 2}`, strings.Repeat("9", 10_000)} {
		got := Differences("messages", here, []Key{{Name: "hit", Definition: definition}})
		if len(got) == 0 {
			t.Errorf("%.20q differs and must be named", definition)
		}
		for _, d := range got {
			if len(d.String()) > 400 {
				t.Errorf("the text for %.20q has %d bytes", definition, len(d.String()))
			}
		}
	}
	var many []Key
	for i := range 5000 {
		many = append(many, Key{Name: fmt.Sprint(5000 - i), Definition: "{}"})
	}
	if got := Differences("messages", here, many); len(got) != MaxDifferences {
		t.Errorf("%d differences, want %d", len(got), MaxDifferences)
	}
	forged := Difference{Section: "messages", Key: "a\nb\x1b[2J", There: "\"\u202e\"\r\n"}
	if got, want := forged.String(), `messages/a\u000ab\u001b[2J: absent here, "\u202e"\u000d\u000a there`; got != want {
		t.Errorf("got %s, want %s: what a peer sent goes into logs and terminals", got, want)
	}
	same := Differences("messages", here, []Key{{Name: "hit", Definition: here[0].Definition}})
	if len(same) != 1 || same[0].Path != "" {
		t.Errorf("digests differ although the texts do not: say so as a whole, got %v", same)
	}
	if got := Differences("messages", here, here); len(got) != 0 {
		t.Errorf("equal keys differ: %v", got)
	}
}
