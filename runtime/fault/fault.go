// Package fault owns the one error type of demi-net and the table of its
// stable codes. It never imports another package of this module, and it never
// decides what to do about an error: callers switch on Code.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Side says whose doing an error is.
type Side uint8

const (
	// Local: this process, its files, its flags or its scripts.
	Local Side = iota
	// Remote: the peer said so, or sent what caused it.
	Remote
)

// String returns "local" or "remote".
func (s Side) String() string {
	if s == Remote {
		return "remote"
	}
	return "local"
}

// Place is where in a file (or in a value) an error is. Every part may be
// absent: an empty Path, a zero Line, an empty Pointer.
type Place struct {
	Path    string // file, relative to the project where there is one
	Line    int    // 1-based; 0 = unknown
	Column  int    // 1-based, in Unicode code points; 0 = unknown
	Pointer string // RFC 6901 JSON pointer; "" = the document itself or unknown
}

// String returns "path:line:column", without the parts that are unknown.
func (p Place) String() string {
	var b strings.Builder
	b.WriteString(p.Path)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
		if p.Column > 0 {
			fmt.Fprintf(&b, ":%d", p.Column)
		}
	}
	return b.String()
}

// Error is the one error type. Code is what programs compare, Text what people
// read (one sentence, no trailing newline), Hint what they can do about it.
type Error struct {
	Code  Code
	Side  Side
	Place Place
	Text  string
	Hint  string
	Data  map[string]any // JSON-encodable details; encoded with sorted keys
	Err   error          // cause, or nil
}

// Error returns "CODE: place: text: cause".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Code))
	if p := e.Place.String(); p != "" {
		b.WriteString(": ")
		b.WriteString(p)
	}
	if e.Text != "" {
		b.WriteString(": ")
		b.WriteString(e.Text)
	}
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is an *Error with the same Code, so that
// errors.Is(err, fault.New(fault.Timeout, "")) works.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// New returns a Local error. It panics on a code that is not in the table:
// that is a programmer's mistake.
func New(code Code, format string, args ...any) *Error {
	if _, ok := Lookup(code); !ok {
		panic("fault: BUG: unknown code " + string(code))
	}
	return &Error{Code: code, Text: fmt.Sprintf(format, args...)}
}

// Wrap is New with a cause.
func Wrap(err error, code Code, format string, args ...any) *Error {
	e := New(code, format, args...)
	e.Err = err
	return e
}

// CodeOf returns the code of the first *Error in err's chain, or "".
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
