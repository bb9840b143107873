package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"demi.network/runtime/fault"
)

// child is one process of the demo. A goroutine turns its stdout into a
// channel; the channel is closed when the process has ended.
type child struct {
	name   string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  chan map[string]any
	report string
	stderr strings.Builder
	end    childEnd
	ended  bool
}

// demoLifetime bounds every process in seconds: a demo that is killed cannot
// tell them to stop.
const demoLifetime = "180"

// spawn starts this very program again. args may have a --duration of its own.
func (d *demo) spawn(name string, args ...string) (*child, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "this program's own path")
	}
	c := &child{name: name, report: filepath.Join(d.dir, name+".json"), lines: make(chan map[string]any, 1024)}
	args = append([]string{args[0], "--duration", demoLifetime}, args[1:]...)
	args = append(args, "--json", "--report", c.report, "--link", demoLink)
	c.cmd = exec.Command(exe, args...)
	c.cmd.Stderr = &c.stderr
	out, err := c.cmd.StdoutPipe()
	if err == nil {
		c.stdin, err = c.cmd.StdinPipe()
	}
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "the process of %s", name)
	}
	d.all = append(d.all, c)
	go c.read(out)
	return c, nil
}

func (c *child) read(out io.Reader) {
	in := bufio.NewScanner(out)
	in.Buffer(nil, maxReport)
	for in.Scan() {
		var m map[string]any
		if json.Unmarshal(in.Bytes(), &m) == nil && m["event"] != "report" {
			c.lines <- m
		}
	}
	close(c.lines)
}

// await waits for an event.
func (c *child) await(event string) (map[string]any, error) {
	deadline := time.After(demoPatience)
	for {
		select {
		case m, open := <-c.lines:
			if !open {
				c.wait()
				return nil, fault.New(fault.Internal, "%s ended before %q: exit %d, %s %s", c.name, event, c.end.Exit, c.end.Code, strings.TrimSpace(c.stderr.String()))
			}
			c.note(m)
			if m["event"] == event {
				return m, nil
			}
		case <-deadline:
			return nil, fault.New(fault.Timeout, "%s did not say %q within %v", c.name, event, demoPatience)
		}
	}
}

// ticks lets the others play on for a while; it fails when c ends meanwhile.
func (c *child) ticks(d time.Duration) error {
	over := time.After(d)
	for {
		select {
		case m, open := <-c.lines:
			if !open {
				c.wait()
				return fault.New(fault.Internal, "%s ended too early: exit %d %s", c.name, c.end.Exit, strings.TrimSpace(c.stderr.String()))
			}
			c.note(m)
		case <-over:
			return nil
		}
	}
}

// note keeps a failure that the process printed.
func (c *child) note(m map[string]any) {
	if code, ok := m["code"].(string); ok && m["event"] == nil {
		c.end.Code = code
		c.end.Message, _ = m["message"].(string)
	}
}

// quit asks the process to stop and waits until it has.
func (c *child) quit() {
	_, _ = io.WriteString(c.stdin, "quit\n")
	c.wait()
}

// wait returns how the process ended; one that does not end is killed.
func (c *child) wait() childEnd {
	if c.ended {
		return c.end
	}
	alarm := time.AfterFunc(demoPatience, func() { _ = c.cmd.Process.Kill() })
	defer alarm.Stop()
	for m := range c.lines {
		c.note(m)
	}
	_ = c.cmd.Wait()
	c.ended, c.end.Exit = true, c.cmd.ProcessState.ExitCode()
	return c.end
}
