package main

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"demi.network/runtime/fault"
)

// TestBadInputsEndWithACodeAndAPlace is the table of what people and files get
// wrong: for each the process, its exit code and its error code. Every failure
// is one JSON line on stdout and a text on stderr.
func TestBadInputsEndWithACodeAndAPlace(t *testing.T) {
	good := project(t, nil)
	taken, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() }) // the rows run after this function returns
	takenPort := itoa(taken.LocalAddr().(*net.UDPAddr).Port)
	lua := func(src string) string { return project(t, files{"scripts/game.lua": src}) }
	contractOf := func(text string) string { return project(t, files{"assets/network/small.network.json": text}) }

	for _, tc := range []struct {
		name string
		args []string
		exit int
		code fault.Code
		path string // that the error names, "" = any
		line int
	}{
		{"no such command", []string{"hots"}, 2, fault.Usage, "", 0},
		{"help of no command", []string{"help", "hots"}, 2, fault.Usage, "", 0},
		{"help of no command's command", []string{"help", "contract", "hots"}, 2, fault.Usage, "", 0},
		{"no target", []string{"host"}, 2, fault.Usage, "", 0},
		{"unknown flag", []string{"host", good, "--prot", "1"}, 2, fault.Usage, "", 0},
		{"bad flag value", []string{"host", good, "--duration", "soon"}, 2, fault.Usage, "", 0},
		{"no number of seconds", []string{"host", good, "--duration", "NaN"}, 2, fault.Usage, "", 0},
		{"a report into a folder that is not there", []string{"host", good, "--port", "0", "--report", filepath.Join(good, "no", "r.json")}, 2, fault.Usage, "", 0},
		{"port not a number", []string{"host", good, "--port", "7777x"}, 2, fault.Usage, "", 0},
		{"port too large", []string{"host", good, "--port", "65536"}, 2, fault.Usage, "", 0},
		{"negative port", []string{"host", good, "--port", "-1"}, 2, fault.Usage, "", 0},
		{"bad link", []string{"host", good, "--link", "rtt=80,lag=3"}, 2, fault.Usage, "", 0},
		{"bad drive", []string{"join", "127.0.0.1:1", good, "--drive", "mad"}, 2, fault.Usage, "", 0},
		{"bad input", []string{"join", "127.0.0.1:1", good, "--input", "fire"}, 2, fault.Usage, "", 0},
		{"bad address", []string{"join", "exa mple:1", good}, 2, fault.Address, "", 0},
		{"address without a port number", []string{"join", "127.0.0.1:abc", good}, 2, fault.Address, "", 0},
		{"bind is no address", []string{"host", good, "--bind", "here"}, 2, fault.Usage, "", 0},
		{"bind to an address of another machine", []string{"host", good, "--bind", "203.0.113.7", "--port", "0"}, 5, fault.Bind, "", 0},
		{"port in use", []string{"host", good, "--port", takenPort}, 5, fault.Bind, "", 0},
		{"missing project", []string{"host", filepath.Join(good, "nowhere")}, 1, fault.Config, "nowhere", 0},
		{"a folder without a project", []string{"host", t.TempDir()}, 1, fault.Config, "", 0},
		{"a project that is no JSON", []string{"host", project(t, files{"demi.project.json": "{"})}, 1, fault.Config, "demi.project.json", 1},
		{"a missing scene", []string{"host", project(t, files{"scenes/main.scene.json": ""})}, 1, fault.Scene, "main.scene.json", 0},
		{"a contract that is no JSON", []string{"host", contractOf("{\n \"id\": }")}, 1, fault.Config, "small.network.json", 2},
		{"a contract with a wrong word", []string{"host", contractOf(edit(t, smallContract, `"from": "server"`, `"from": "sever"`))}, 1, fault.Config, "small.network.json", 14},
		{"a missing prefab", []string{"host", project(t, files{"prefabs/thing.prefab.json": ""})}, 1, fault.Config, "small.network.json", 6},
		{"a script that does not compile", []string{"host", lua("local x =\nend"), "--port", "0"}, 1, fault.Script, "scripts/game.lua", 2},
		{"a script that raises while loading", []string{"host", lua("\nerror('no')"), "--port", "0"}, 1, fault.Script, "scripts/game.lua", 2},
		{"a script that never finishes loading", []string{"host", lua("\n\nwhile true do end"), "--port", "0"}, 1, fault.Script, "scripts/game.lua", 3},
		{"a script that is missing", []string{"host", project(t, files{"scripts/game.lua": ""}), "--port", "0"}, 1, fault.Script, "scripts/game.lua", 0},
		{"nobody answers", []string{"join", "127.0.0.1:" + takenPort, good}, 1, fault.Timeout, "", 0},
		{"a report that is missing", []string{"converged", filepath.Join(good, "a.json"), filepath.Join(good, "b.json")}, 1, fault.Config, "a.json", 0},
		{"a broken contract for contract validate", []string{"contract", "validate", contractOf("{")}, 1, "NETWORK_CONTRACT_INVALID_JSON", "small.network.json", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, tc.args...)
			code, line := p.code()
			if got := p.cmd.ProcessState.ExitCode(); got != tc.exit || code != string(tc.code) {
				t.Fatalf("exit %d with code %q, want %d with %s\n%s", got, code, tc.exit, tc.code, p.said())
			}
			if path, _ := line["path"].(string); !strings.HasSuffix(path, tc.path) {
				t.Errorf("the error names the path %q, want one that ends in %q\n%s", path, tc.path, p.said())
			}
			if n, _ := line["line"].(float64); tc.line != 0 && int(n) != tc.line {
				t.Errorf("the error names line %v, want %d\n%s", n, tc.line, p.said())
			}
			if line["message"] == "" || p.stderr.Len() == 0 {
				t.Errorf("a failure has a message on stdout and a text on stderr\n%s", p.said())
			}
		})
	}
}

// TestScriptFaultsDoNotEndTheHost raises in each callback, and spins in one:
// the host goes on, each fault is reported once with file and line, and a
// client can still join.
func TestScriptFaultsDoNotEndTheHost(t *testing.T) {
	for _, tc := range []struct{ callback, body string }{
		{"on_create", "error('raised in on_create')"},
		{"on_start", "error('raised in on_start')"},
		{"on_update", "error('raised in on_update')"},
		{"on_fixed_update", "error({code = 7})"},
		{"on_destroy", "error(nil)"},
		{"on_update", "while true do end"},
		{"on_update", "local s = 'x' while true do s = s .. s end"},
		{"on_update", "local x = nil; x.y = 1"},
	} {
		t.Run(tc.callback+" "+tc.body, func(t *testing.T) {
			t.Parallel()
			script := "local Game = {}\nfunction Game:" + tc.callback + "()\n  " + tc.body + "\nend\nreturn Game\n"
			host := withReport(t, "host", project(t, files{"scripts/game.lua": script}), "--port", "0")
			client := start(t, "join", host.address(), project(t, nil))
			client.event("active")
			if code := client.quit(); code != 0 {
				t.Errorf("the client ended with %d\n%s", code, client.said())
			}
			if code := host.quit(); code != 0 {
				t.Errorf("the host ended with %d: a script's fault must not end it\n%s", code, host.said())
			}
			if tc.callback == "on_destroy" {
				return // it runs after the report is made; the exit code is what matters
			}
			r := host.reported()
			if len(r.Errors) != 1 || r.Errors[0].Code != string(fault.Script) ||
				!strings.HasSuffix(r.Errors[0].Data["path"].(string), "scripts/game.lua") || r.Errors[0].Data["line"] != 3.0 {
				t.Errorf("the report's errors are %+v, want one of scripts/game.lua:3\n%s", r.Errors, host.said())
			}
		})
	}
}

// TestTheHostSurvivesItsStreams closes what a supervisor may close.
func TestTheHostSurvivesItsStreams(t *testing.T) {
	t.Run("closed stdin stops nothing", func(t *testing.T) {
		host := start(t, "host", project(t, nil), "--port", "0")
		addr := host.address()
		host.stdin.Close()
		client := start(t, "join", addr, project(t, nil), "--ticks", "30")
		client.event("active")
		if code := client.exit(); code != 0 {
			t.Errorf("the client ended with %d\n%s", code, client.said())
		}
		stopBySignal(t, host)
	})
	t.Run("closed stdout does not kill it", func(t *testing.T) {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		read.Close() // every write fails with EPIPE from the start
		host := startWithStdout(t, write, "host", project(t, nil), "--port", "0", "--ticks", "20")
		write.Close()
		if code := host(); code != 0 {
			t.Errorf("the host ended with %d, want 0: nobody reading its output is no fault of the game", code)
		}
	})
	t.Run("pipes that nobody reads cost no tick", func(t *testing.T) {
		script := "local Game = {}\nfunction Game:on_fixed_update()\n  for i = 1, 50 do print(('x'):rep(200)) end\nend\nreturn Game\n"
		host := exec.Command(os.Args[0], "host", project(t, files{"scripts/game.lua": script}), "--port", "0", "--ticks", "30", "--report", filepath.Join(t.TempDir(), "report.json"))
		host.Env = append(os.Environ(), asProgram+"=1")
		for _, stream := range []*io.Writer{&host.Stdout, &host.Stderr} {
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer read.Close()
			defer write.Close()
			for full := write.SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); full == nil; {
				_, full = write.Write(make([]byte, 4096)) // nothing fits any more: the first line would wait
			}
			*stream = write
		}
		done := make(chan error, 1)
		go func() { done <- host.Run() }()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("the host ended with %v: whoever does not read its output must not stop the game", err)
			}
		case <-time.After(patience / 4):
			_ = host.Process.Kill()
			<-done
			t.Error("the host waits for somebody to read its output, and with it all players do")
		}
	})
}

// TestSignalsTellTheClients sends what containers and people send.
func TestSignalsTellTheClients(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			host := withReport(t, "host", project(t, nil), "--port", "0")
			client := withReport(t, "join", host.address(), project(t, nil))
			client.event("active")
			if err := host.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if code := host.exit(); code != 0 {
				t.Errorf("the host ended with %d\n%s", code, host.said())
			}
			if code := client.exit(); code != 0 {
				t.Errorf("the client ended with %d, want 0: a shutdown is a clean close\n%s", code, client.said())
			}
			if r := client.reported(); len(r.Errors) != 0 || r.Ending != string(fault.Shutdown) {
				t.Errorf("the client's report ends with %q and errors %v, want %s and none", r.Ending, r.Errors, fault.Shutdown)
			}
			host.reported() // complete JSON
		})
	}
}

func stopBySignal(t *testing.T, p *process) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := p.exit(); code != 0 {
		t.Errorf("ended with %d\n%s", code, p.said())
	}
}

// startWithStdout runs a host whose stdout is the given file, and returns a
// function that waits for its exit code.
func startWithStdout(t *testing.T, stdout *os.File, args ...string) (wait func() int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stdout = stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return func() int {
		_ = cmd.Wait()
		return cmd.ProcessState.ExitCode()
	}
}
