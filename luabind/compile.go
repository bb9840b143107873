package luabind

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"

	"demi.network/runtime/fault"
)

// maxSource is the longest script, in bytes.
const maxSource = 1 << 20

// compiling is what the compiler takes for a function while it works on it.
const compiling = 20 << 10

// compile turns a script into a function of the state, or says where it is no
// Lua of ours. It executes nothing. pay, when it is not nil, hears what the work
// costs in instructions and bytes before it is done, and may raise an error.
func (s *State) compile(path, src string, pay func(work, bytes int64)) (*lua.LFunction, *ScriptError) {
	fail := func(line, column int, text string) *ScriptError {
		return &ScriptError{Kind: ScriptSyntax, Place: fault.Place{Path: printable(path), Line: line, Column: column}, Text: printable(clip(text, maxErrorText))}
	}
	if len(src) > maxSource {
		return nil, fail(0, 0, fmt.Sprintf("the script has more than %d bytes", maxSource))
	}
	if strings.HasPrefix(src, "\x1bLua") {
		return nil, fail(0, 0, "compiled Lua is not loaded, only source text")
	}
	src = strings.TrimPrefix(src, "\ufeff")
	if strings.HasPrefix(src, "#") { // the first line of a Unix script
		src = "--" + src[1:]
	}
	clean, bad := scan(src)
	if bad != nil {
		line, column := position(src, bad.offset)
		return nil, fail(line, column, bad.text)
	}
	chunk, err := parse.Parse(strings.NewReader(clean), path)
	if err != nil {
		return nil, fail(syntaxPlace(src, clean, err))
	}
	r := rewrite(chunk)
	if r.tooDeep > 0 {
		return nil, fail(r.tooDeep, 0, fmt.Sprintf("nested more than %d levels deep", maxNesting))
	}
	if r.crowded > 0 {
		return nil, fail(r.crowded, 0, fmt.Sprintf("a function with more than %d different names, numbers and texts; put parts of it into functions of their own", maxConstants))
	}
	if pay != nil {
		pay(r.work, int64(r.functions)*compiling)
	}
	proto, err := lua.Compile(chunk, path)
	if err != nil {
		var c *lua.CompileError
		if errors.As(err, &c) {
			return nil, fail(compileLine(c), 0, c.Message)
		}
		return nil, fail(0, 0, err.Error())
	}
	finish(proto, &s.guards)
	s.made(r.longest)
	fn := s.L.NewFunctionFromProto(proto)
	fn.Env = s.globals
	return fn, nil
}

// finish puts the guards themselves where their names stand as constants, and
// gives back what the compiler reserved for a longer function: some 15 KiB for
// each.
func finish(p *lua.FunctionProto, guards *[guardCount]*lua.LFunction) {
	p.Code, p.Constants, p.FunctionPrototypes = tight(p.Code), tight(p.Constants), tight(p.FunctionPrototypes)
	p.DbgSourcePositions, p.DbgLocals, p.DbgCalls, p.DbgUpvalues =
		tight(p.DbgSourcePositions), tight(p.DbgLocals), tight(p.DbgCalls), tight(p.DbgUpvalues)
	for i, c := range p.Constants {
		name, ok := c.(lua.LString)
		if !ok {
			continue
		}
		if g := slices.Index(guardNames[:], string(name)); g >= 0 {
			p.Constants[i] = guards[g]
		}
	}
	for _, inner := range p.FunctionPrototypes {
		finish(inner, guards)
	}
}

// tight returns a list without room to grow.
func tight[T any](list []T) []T { return append(make([]T, 0, len(list)), list...) }

// compileLine returns the line of a compiler's error. Of labels and gotos the
// compiler names a line too far, or the end of the function.
func compileLine(c *lua.CompileError) int {
	if strings.HasPrefix(c.Message, "label ") {
		return c.Line - 1
	}
	if _, at, ok := strings.Cut(c.Message, "> at line "); ok {
		if n, err := strconv.Atoi(strings.Fields(at)[0]); err == nil {
			return n
		}
	}
	return c.Line
}

// syntaxPlace turns the parser's error into a place and a sentence. Columns of
// the parser are bytes of the cleaned source; ours are code points.
func syntaxPlace(src, clean string, err error) (line, column int, text string) {
	var p *parse.Error
	if !errors.As(err, &p) {
		return 0, 0, err.Error()
	}
	message := strings.TrimSuffix(strings.TrimSpace(p.Message), ".")
	if p.Pos.Line <= 0 {
		line, _ = position(src, len(src))
		if strings.HasPrefix(message, "syntax error") {
			message = "syntax error: the script ends too early (an `end`, `)` or `}` is missing)"
		}
		return line, 0, message
	}
	line, column = p.Pos.Line, p.Pos.Column
	if row := lineOf(clean, line); column > 0 && column <= len(row) {
		// The parser stands at the end of the token it could not use.
		start := column - 1
		if i := strings.LastIndex(row[:column], p.Token); p.Token != "" && i >= 0 && i+len(p.Token) >= column-1 {
			if start = i; i > 0 && (row[i-1] == '"' || row[i-1] == '\'') {
				start--
			}
		}
		column = utf8.RuneCountInString(row[:start]) + 1
	}
	if p.Token != "" {
		message += fmt.Sprintf(" near '%s'", clip(p.Token, 40))
	}
	return line, column, message
}

// lineOf returns the text of a line, numbered from 1, without its end.
func lineOf(src string, line int) string {
	for line > 1 {
		i := strings.IndexAny(src, "\r\n")
		if i < 0 {
			return ""
		}
		if i+1 < len(src) && src[i] != src[i+1] && (src[i+1] == '\r' || src[i+1] == '\n') {
			i++
		}
		src = src[i+1:]
		line--
	}
	if i := strings.IndexAny(src, "\r\n"); i >= 0 {
		src = src[:i]
	}
	return src
}
