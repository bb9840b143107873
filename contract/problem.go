package contract

import (
	"fmt"
	"sort"
	"strings"

	"demi.network/runtime/fault"
)

// Severity says how bad a Problem is.
type Severity uint8

// The two severities. Only an Error stops a contract from loading.
const (
	Error Severity = iota
	Warning
)

// String returns "error" or "warning".
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Problem is one fault of a project, a manifest, a contract or a schema. Code
// is stable and is what programs compare; Text is one sentence; Hint, when it
// is not empty, says what to do.
type Problem struct {
	Severity Severity
	Code     Code
	Place    fault.Place
	Text     string
	Hint     string
}

// String returns "path:line:column: severity: text [CODE]", with the hint in
// parentheses where there is one.
func (p Problem) String() string {
	var b strings.Builder
	if at := p.Place.String(); at != "" {
		b.WriteString(at)
		b.WriteString(": ")
	}
	fmt.Fprintf(&b, "%s: %s", p.Severity, p.Text)
	if p.Hint != "" {
		fmt.Fprintf(&b, " (%s)", p.Hint)
	}
	fmt.Fprintf(&b, " [%s]", p.Code)
	return b.String()
}

// Problems is everything that is wrong, sorted by file, position and code.
type Problems []Problem

// Errors counts the problems that stop the contract from loading.
func (p Problems) Errors() int {
	n := 0
	for i := range p {
		if p[i].Severity == Error {
			n++
		}
	}
	return n
}

// Warnings counts the problems that do not.
func (p Problems) Warnings() int { return len(p) - p.Errors() }

// Err returns nil when no problem is an Error, and otherwise a *fault.Error
// with code E_NET_CONFIG, the place of the first error and every problem in
// Data["problems"], each as its Fields.
func (p Problems) Err() error {
	n := p.Errors()
	if n == 0 {
		return nil
	}
	list := make([]any, len(p))
	var first *Problem
	for i := range p {
		if first == nil && p[i].Severity == Error {
			first = &p[i]
		}
		list[i] = p[i].Fields()
	}
	err := fault.New(fault.Config, "%s", first.Text)
	if n > 1 {
		err.Text += fmt.Sprintf(" (and %d more)", n-1)
	}
	err.Place, err.Hint = first.Place, first.Hint
	err.Data = map[string]any{"problems": list}
	return err
}

// Fields returns the problem as the JSON object that the command line prints:
// severity, code, message, pointer, path, line, column, hint.
func (p Problem) Fields() map[string]any {
	return map[string]any{
		"severity": p.Severity.String(), "code": string(p.Code), "message": p.Text,
		"pointer": p.Place.Pointer, "path": p.Place.Path,
		"line": p.Place.Line, "column": p.Place.Column, "hint": p.Hint,
	}
}

// sorted puts problems into their documented order and drops exact doubles. What
// a file makes problems say is printed: characters that cannot be seen are
// spelled as escapes.
func (p Problems) sorted() Problems {
	for i := range p {
		p[i].Text, p[i].Hint = visible(p[i].Text), visible(p[i].Hint)
	}
	sort.SliceStable(p, func(i, j int) bool {
		a, b := &p[i], &p[j]
		switch {
		case a.Place.Path != b.Place.Path:
			return a.Place.Path < b.Place.Path
		case a.Place.Line != b.Place.Line:
			return a.Place.Line < b.Place.Line
		case a.Place.Column != b.Place.Column:
			return a.Place.Column < b.Place.Column
		case a.Code != b.Code:
			return a.Code < b.Code
		}
		return a.Text < b.Text
	})
	out := p[:0]
	for i := range p {
		if i == 0 || p[i] != out[len(out)-1] {
			out = append(out, p[i])
		}
	}
	return out
}

// Sorted returns problems in their documented order: by file, position, code
// and text, without exact doubles. It is for those who join lists; every list
// of this package is sorted already.
func Sorted(p Problems) Problems { return p.sorted() }
