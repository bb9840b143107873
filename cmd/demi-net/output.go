package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"demi.network/contract/tool"
	"demi.network/runtime"
	"demi.network/runtime/fault"
)

// output is where a command's words go: data to stdout, text for people about
// failures and progress to stderr. With json set, stdout is JSON lines only.
type output struct {
	json           bool
	stdout, stderr io.Writer
	broken         bool // stdout is closed: say no more, keep running

	streams []*stream // what stdout and stderr are while a game runs
}

// unhurried makes stdout and stderr streams that a game never waits for. They
// stay so until close.
func (o *output) unhurried() {
	out := newStream(o.stdout, func(n int) string {
		if o.json {
			return fmt.Sprintf(`{"event":"lines_lost","lines":%d}`+"\n", n)
		}
		return lostText(n)
	})
	errs := newStream(o.stderr, lostText)
	o.stdout, o.stderr, o.streams = out, errs, []*stream{out, errs}
}

// report writes a report to a path. When that is where stdout or stderr goes
// already, it is a line among the others: to replace the file would cut them off.
func (o *output) report(path string, r runtime.Report) error {
	if info, err := os.Stat(path); err == nil {
		for _, s := range o.streams {
			if f, ok := s.to.(*os.File); ok {
				if own, err := f.Stat(); err == nil && os.SameFile(info, own) {
					err = json.NewEncoder(s).Encode(r)
					return reportFault(path, err)
				}
			}
		}
	}
	return writeReport(path, r)
}

func lostText(n int) string {
	return fmt.Sprintf("… %d lines are missing: nobody read them in time\n", n)
}

// close waits until what was said has been read, where somebody reads.
func (o *output) close() {
	for _, s := range o.streams {
		s.close()
	}
}

// event prints one thing that happened: a JSON line {"event": name, …} or the
// text for people. fields must be JSON-encodable.
func (o *output) event(name string, fields map[string]any, text string) {
	if !o.json {
		o.line(text)
		return
	}
	m := map[string]any{"event": name}
	for k, v := range fields {
		m[k] = v
	}
	o.encode(m)
}

// encode prints one JSON line.
func (o *output) encode(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic("cmd: BUG: " + err.Error())
	}
	o.line(string(b))
}

func (o *output) line(s string) {
	if o.broken || s == "" {
		return
	}
	if _, err := io.WriteString(o.stdout, s+"\n"); err != nil {
		o.broken = true
	}
}

// errorLine is the shape of a failure on stdout, on every command, with and
// without --json.
type errorLine struct {
	Code    fault.Code     `json:"code"`
	Message string         `json:"message"`
	Path    string         `json:"path,omitempty"`
	Line    int            `json:"line,omitempty"`
	Column  int            `json:"column,omitempty"`
	Pointer string         `json:"pointer,omitempty"`
	Hint    string         `json:"hint,omitempty"`
	Data    map[string]any `json:"data,omitempty"`
}

// fail prints err as one JSON line on stdout and as text on stderr, and
// returns the exit code. An error that says nothing (quietError) was printed
// by its command already.
func (o *output) fail(err error) int {
	var q quietError
	if errors.As(err, &q) {
		return int(q)
	}
	var e *fault.Error
	if !errors.As(err, &e) {
		// cobra's own complaint about an unknown command
		e = fault.New(fault.Usage, "%s", firstLine(err.Error()))
	}
	l := errorLine{Code: e.Code, Message: message(e), Path: e.Place.Path, Line: e.Place.Line, Column: e.Place.Column,
		Pointer: e.Place.Pointer, Hint: e.Hint, Data: e.Data}
	if !tool.Reported(err) {
		o.encode(l)
	}
	text := e.Error()
	if e.Hint != "" {
		text += "\n  hint: " + e.Hint
	}
	fmt.Fprintln(o.stderr, text)
	return e.Code.Exit()
}

// message is the error's text with its cause, without code and place, which
// have fields of their own.
func message(e *fault.Error) string {
	if e.Err == nil {
		return e.Text
	}
	if e.Text == "" {
		return e.Err.Error()
	}
	return e.Text + ": " + e.Err.Error()
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// quietError ends the program with an exit code and no further words.
type quietError int

func (q quietError) Error() string { return fmt.Sprintf("exit %d", int(q)) }
