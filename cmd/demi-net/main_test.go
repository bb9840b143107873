package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"demi.network/runtime"
)

// asProgram makes the test binary behave as demi-net, so that process tests
// need no build of their own and run with -race when the tests do.
const asProgram = "DEMI_NET_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// patience bounds every wait of a process test. It is an alarm, not a pace:
// nothing waits for it when things go well.
const patience = 60 * time.Second

// process is a running demi-net.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  chan map[string]any // stdout, line by line; closed at its end
	report string              // path, "" = none asked for

	mu     sync.Mutex
	stdout bytes.Buffer
	stderr bytes.Buffer
	waited chan struct{}
}

// start runs demi-net with --json.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	p := &process{t: t, cmd: exec.CommandContext(ctx, os.Args[0], append(args, "--json")...),
		lines: make(chan map[string]any, 4096), waited: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), asProgram+"=1", "GORACE=halt_on_error=1 atexit_sleep_ms=0")
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stderr = lockedWriter{&p.mu, &p.stderr}
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go p.read(out)
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.waited
	})
	return p
}

// withReport is start with --report to a file of the test.
func withReport(t *testing.T, args ...string) *process {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.json")
	p := start(t, append(args, "--report", path)...)
	p.report = path
	return p
}

type lockedWriter struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

func (p *process) read(out io.Reader) {
	in := bufio.NewScanner(out)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		p.mu.Lock()
		fmt.Fprintf(&p.stdout, "%.300s\n", in.Text())
		p.mu.Unlock()
		var m map[string]any
		if json.Unmarshal(in.Bytes(), &m) != nil {
			m = map[string]any{"not JSON": in.Text()}
		}
		p.lines <- m
	}
	close(p.lines)
	_ = p.cmd.Wait()
	close(p.waited)
}

func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("%v\nstdout:\n%s\nstderr:\n%s", p.cmd.Args[1:], p.stdout.String(), p.stderr.String())
}

// event waits for an event line and returns it.
func (p *process) event(name string) map[string]any {
	p.t.Helper()
	for m := range p.lines {
		if m["event"] == name {
			return m
		}
	}
	<-p.waited
	p.t.Fatalf("the process ended without the event %q: exit %d, %s", name, p.cmd.ProcessState.ExitCode(), p.said())
	return nil
}

// address waits for the first line of a host.
func (p *process) address() string {
	p.t.Helper()
	return p.event("listening")["address"].(string)
}

// quit asks the process to stop and waits for it.
func (p *process) quit() int {
	p.t.Helper()
	_, _ = io.WriteString(p.stdin, "quit\n")
	return p.exit()
}

// exit waits for the end and returns the exit code.
func (p *process) exit() int {
	p.t.Helper()
	for range p.lines {
	}
	<-p.waited
	return p.cmd.ProcessState.ExitCode()
}

// code returns the code of the error line among what is left of stdout.
func (p *process) code() (code string, line map[string]any) {
	for m := range p.lines {
		if c, ok := m["code"].(string); ok && m["event"] == nil {
			code, line = c, m
		}
	}
	<-p.waited
	return code, line
}

// read the report file of a process that has ended.
func (p *process) reported() runtime.Report {
	p.t.Helper()
	r, err := readReport(p.report)
	if err != nil {
		p.t.Fatalf("%v\n%s", err, p.said())
	}
	return r
}

// files are a project's, by path.
type files map[string]string

// project writes a small game: one message of each kind, one prefab, a script.
// Every file can be replaced; an empty text removes it.
func project(t *testing.T, changes files) string {
	t.Helper()
	all := files{
		"demi.project.json": `{"format_version": 1, "name": "Small", "network_contract": "asset://network/small", "main_scene": "scene://small/main",
  "scenes": [{"id": "scene://small/main", "path": "scenes/main.scene.json"}],
  "input": {"actions": {"fire": {"type": "button", "context": "gameplay", "bindings": [{"input": "key:space"}]}}},
  "scripting": {"language": "lua54", "modules": []}}`,
		"assets/network/small.asset.json": `{"format_version": 1, "id": "asset://network/small", "type": "NetworkContract", "importer": "network_contract",
  "importer_version": 1, "source": "small.network.json", "settings": {}, "dependencies": []}`,
		"assets/network/small.network.json": smallContract,
		"prefabs/thing.prefab.json": `{"format_version": 1, "id": "prefab://thing", "name": "Thing", "entities": [{"id": "ent_thing", "name": "Thing",
  "components": {"Transform2D": {"position": [0, 0]}}}]}`,
		"scenes/main.scene.json": `{"format_version": 1, "id": "scene://small/main", "name": "Main", "entities": [
  {"id": "ent_game", "name": "Game", "components": {"LuaScript": {"module": "script://scripts/game.lua"}}}]}`,
		"scripts/game.lua": smallGame,
	}
	for path, text := range changes {
		all[path] = text
	}
	dir := t.TempDir()
	for path, text := range all {
		if text == "" {
			continue
		}
		full := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const smallContract = `{
  "format_version": 1,
  "id": "network-contract://small/main",
  "replicated_prefabs": {
    "thing": {
      "prefab": "prefab://thing", "spawn_by": "server",
      "ownership": {"default": "server", "transfer_by": "server", "on_disconnect": "despawn"},
      "components": {"Transform2D": {"position": {"write_by": "owner", "visible_to": "all", "rate": 30, "reliability": "unreliable"}}}
    }
  },
  "messages": {
    "chat": {"from": "all", "to": "all", "target": "none", "reliability": "reliable", "rate_limit": 20, "maximum_bytes": 256,
      "schema": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "maxLength": 64}}, "additionalProperties": false}},
    "over": {"from": "server", "to": "all", "target": "none", "reliability": "reliable", "rate_limit": 20, "maximum_bytes": 256,
      "schema": {"type": "object", "properties": {"winner": {"type": "string", "maxLength": 64}}, "additionalProperties": false}}
  }
}`

const smallGame = `local Session = require("demi.network.session")
local Game = {}
function Game:on_create() Session.host(0) end
function Game:on_update(dt)
  local update = Session.process_events()
  for _, e in ipairs(update.events) do
    if e.name == "peer_joined" then
      Session.spawn("thing", nil, e.sender_id)
      Session.send("chat", nil, {text = "hello " .. e.sender_id})
    end
  end
end
return Game
`

// edit replaces one occurrence in a text; a test that edits nothing is wrong.
func edit(t *testing.T, text, old, replacement string) string {
	t.Helper()
	if strings.Count(text, old) != 1 {
		t.Fatalf("%q occurs %d times in the text, want once", old, strings.Count(text, old))
	}
	return strings.Replace(text, old, replacement, 1)
}
