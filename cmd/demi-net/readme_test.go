package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readme returns the README and its fenced blocks of one language.
func readme(t *testing.T, language string) (text string, blocks []string) {
	t.Helper()
	b, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(b), -1) {
		blocks = append(blocks, m[1])
	}
	return string(b), blocks
}

// TestTheReadmesTourRuns plays the contract and the script that the README
// shows: a host takes them, a client joins, and no script fails.
func TestTheReadmesTourRuns(t *testing.T) {
	t.Parallel()
	_, contracts := readme(t, "json")
	_, scripts := readme(t, "lua")
	if len(contracts) != 1 || len(scripts) != 1 {
		t.Fatalf("the README shows %d contracts and %d scripts, want one of each", len(contracts), len(scripts))
	}
	dir := project(t, files{
		"assets/network/small.network.json": contracts[0],
		"prefabs/thing.prefab.json": `{"format_version": 1, "id": "prefab://player", "name": "Player", "entities": [{"id": "ent_player", "name": "Player",
  "components": {"Transform2D": {"position": [0, 0]}}}]}`,
		"scripts/game.lua": scripts[0],
	})
	host := withReport(t, "host", dir, "--port", "0")
	client := withReport(t, "join", host.address(), dir, "--ticks", "30")
	if code := client.exit(); code != 0 {
		t.Errorf("the client ended with %d\n%s", code, client.said())
	}
	if code := host.quit(); code != 0 {
		t.Errorf("the host ended with %d\n%s", code, host.said())
	}
	for _, p := range []*process{host, client} {
		if r := p.reported(); len(r.Errors) != 0 {
			t.Errorf("a script of the README fails: %v", r.Errors)
		}
	}
	if r := host.reported(); len(r.Spawns) != 1 || r.Spawns[0].Prefab != "player" {
		t.Errorf("the README's host spawned %v, want a player", r.Spawns)
	}
}

// TestTheReadmeNamesWhatExists: its links lead somewhere, and its commands are
// the program's.
func TestTheReadmeNamesWhatExists(t *testing.T) {
	text, shells := readme(t, "sh")
	for _, m := range regexp.MustCompile(`\]\(([^)#]+)\)`).FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
			t.Errorf("the README links to %s, which is not there", m[1])
		}
	}
	commands := 0
	for _, line := range strings.Split(strings.Join(shells, "\n"), "\n") {
		_, rest, ok := strings.Cut(line, "demi-net ")
		if !ok {
			continue
		}
		commands++
		words := strings.Fields(rest)
		cmd, _, err := root(&output{}, nil).Find(words)
		if err != nil || cmd.Name() == "demi-net" {
			t.Errorf("the README runs %q, which is no command", line)
			continue
		}
		for _, w := range words {
			if flag, ok := strings.CutPrefix(w, "--"); ok && cmd.Flag(flag) == nil {
				t.Errorf("the README runs %q, and %s has no flag %s", line, cmd.Name(), w)
			}
		}
	}
	if commands < 4 {
		t.Errorf("only %d commands found in the README", commands)
	}
}
