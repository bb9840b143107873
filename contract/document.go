package contract

import (
	"bytes"
	"io/fs"

	"demi.network/contract/jsontext"
	"demi.network/runtime/fault"
)

// document is one JSON file of a project: its path and its text tree.
type document struct {
	path string
	root *jsontext.Node
}

// parse reads JSON text. The root is nil when nothing of it can be used.
func parse(path string, b []byte) (document, Problems) {
	root, faults := jsontext.Parse(b)
	d := document{path, root}
	var problems Problems
	for _, f := range faults {
		p := Problem{
			Code:  CodeInvalidJSON,
			Place: fault.Place{Path: path, Line: f.Pos.Line, Column: f.Pos.Column, Pointer: f.Pointer},
			Text:  f.Text,
		}
		switch f.Fault {
		case jsontext.FaultDuplicate:
			p.Code = CodeDuplicateKey
			p.Hint = "readers disagree about which of the two counts: remove one"
		case jsontext.FaultBOM:
			p.Code, p.Severity = CodeByteOrderMark, Warning
			p.Hint = "save the file as UTF-8 without a byte order mark"
		case jsontext.FaultTruncated:
			if len(b) == 0 {
				p.Text = "the file is empty"
			}
		case jsontext.FaultSyntax:
			p.Hint = syntaxHint(b, f.Pos.Offset)
		}
		problems = append(problems, p)
	}
	return d, problems
}

// syntaxHint is what to do about text that other readers take for JSON: their
// comments, commas and quotes, and files in UTF-16.
func syntaxHint(b []byte, at int) string {
	rest := b[min(at, len(b)):]
	before := bytes.TrimRight(b[:len(b)-len(rest)], " \t\r\n")
	switch {
	case len(rest) == 0:
		return ""
	case len(before) == 0 && (rest[0] >= 0xfe || rest[0] == 0), len(before) == 1 && rest[0] == 0:
		return "the file looks like UTF-16: save it as UTF-8"
	case bytes.HasPrefix(rest, []byte("<<<<<<<")), bytes.HasPrefix(rest, []byte("=======")), bytes.HasPrefix(rest, []byte(">>>>>>>")):
		return "this is the mark of a merge that is not finished"
	case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")), rest[0] == '#':
		return "JSON has no comments: a key $comment may hold one"
	case (rest[0] == '}' || rest[0] == ']') && bytes.HasSuffix(before, []byte(",")):
		return "remove the comma before it"
	case rest[0] == '\'', rest[0] == '_', rest[0]|0x20 >= 'a' && rest[0]|0x20 <= 'z':
		return "keys and texts stand in double quotes"
	}
	return ""
}

// load reads and parses a file of the project.
func load(fsys fs.FS, path string) (document, Problems) {
	b, problem := readFile(fsys, path)
	if problem != nil {
		return document{path: path}, Problems{*problem}
	}
	return parse(path, b)
}

// place is where a value stands.
func (d document) place(n *jsontext.Node) fault.Place {
	if n == nil {
		return fault.Place{Path: d.path, Line: 1, Column: 1}
	}
	return fault.Place{Path: d.path, Line: n.Pos.Line, Column: n.Pos.Column, Pointer: n.Pointer()}
}

// keyPlace is where the key stands that has n as its value.
func (d document) keyPlace(n *jsontext.Node) fault.Place {
	if n == nil {
		return d.place(nil)
	}
	pos := n.KeyPos()
	return fault.Place{Path: d.path, Line: pos.Line, Column: pos.Column, Pointer: n.Pointer()}
}

// problem is a problem with the severity of its code.
func problem(code Code, at fault.Place, text, hint string) Problem {
	return Problem{Severity: code.severity(), Code: code, Place: at, Text: text, Hint: hint}
}

// members returns an object's members by key, so that looking each of them up
// costs linear time in all. Of duplicates the last one counts.
func members(n *jsontext.Node) map[string]*jsontext.Node {
	if n == nil || n.Kind != jsontext.KindObject {
		return nil
	}
	m := make(map[string]*jsontext.Node, len(n.Members))
	for i := range n.Members {
		m[n.Members[i].Key] = n.Members[i].Value
	}
	return m
}

// plain turns a text tree into what the schema validator and encoding/json
// take. Numbers are int64, uint64 or float64, so that a hostile exponent
// costs nothing.
func plain(n *jsontext.Node) any {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case jsontext.KindBool:
		return n.Bool
	case jsontext.KindString:
		return n.Text
	case jsontext.KindNumber:
		switch n.Number.Form {
		case jsontext.Unsigned:
			return n.Number.Uint
		case jsontext.Signed:
			return n.Number.Int
		}
		return n.Number.Float
	case jsontext.KindArray:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = plain(item)
		}
		return list
	case jsontext.KindObject:
		m := make(map[string]any, len(n.Members))
		for i := range n.Members {
			m[n.Members[i].Key] = plain(n.Members[i].Value)
		}
		return m
	}
	return nil
}
