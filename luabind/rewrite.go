package luabind

import (
	"slices"
	"strconv"

	"github.com/yuin/gopher-lua/ast"

	"demi.network/internal/detmath"
)

// A guard is a function of ours that stands where the machine would have
// executed an instruction of unbounded cost. The rewriter puts the guard's name
// as a string constant in the place of the called function; after compiling,
// finish replaces the constant by the function itself, so that no variable leads
// to it and no script can put another in its place.
type guard uint8

const (
	guardConcat guard = iota // a .. b .. c
	guardSet                 // t[k] = v where k is no constant name
	guardFields              // {[k] = v}: the table, then keys and values
	guardTrim                // {f()}, {...}: removes trailing nils
	guardPow                 // a ^ b
	guardSpread              // f(...): counts the arguments
	guardCount
)

var guardNames = [guardCount]string{"\x00concat", "\x00set", "\x00fields", "\x00trim", "\x00pow", "\x00spread"}

const (
	// maxNesting bounds the depth of a script's syntax tree, which the
	// compiler walks by recursion.
	maxNesting = 1000
	// maxOperands is how many operands or fields one guard call takes: they
	// all need registers, of which a function has 200.
	maxOperands = 40
	// smallIndex is the largest constant index that needs no guard.
	smallIndex = 64
	// maxConstants is how many different names, numbers and texts a function
	// has: the compiler looks for each among all before it, one by one.
	maxConstants = 16384
)

// rewriter replaces, in a syntax tree, what the machine must not do on its own.
type rewriter struct {
	depth     int
	tooDeep   int // line of what is nested too deeply, 0 = nothing
	crowded   int // line of a function with too many constants, 0 = none
	fresh     int // names made so far
	functions int
	constants map[string]bool // of the function at hand; never ranged over
	work      int64           // what compiling will cost, in instructions
	longest   int             // text
}

// rewrite changes the chunk in place. It says what cannot be compiled, and what
// the rest costs.
func rewrite(chunk []ast.Stmt) *rewriter {
	r := &rewriter{}
	r.function(chunk, 1)
	return r
}

// function rewrites the body of a function that begins on a line.
func (r *rewriter) function(body []ast.Stmt, line int) {
	outer := r.constants
	r.constants = map[string]bool{}
	r.block(body)
	n := len(r.constants)
	if n > maxConstants && r.crowded == 0 {
		r.crowded = max(line, 1)
	}
	r.functions++
	r.work += 100 + int64(n)*int64(n)/4
	r.constants = outer
}

// enter counts a level; the caller leaves it when enter said true.
func (r *rewriter) enter(at ast.PositionHolder) bool {
	if r.tooDeep != 0 {
		return false
	}
	if r.depth++; r.depth > maxNesting {
		r.tooDeep = max(at.Line(), 1)
		return false
	}
	return true
}

func (r *rewriter) block(stmts []ast.Stmt) {
	for i, s := range stmts {
		if !r.enter(s) {
			return
		}
		stmts[i] = r.stmt(s)
		r.depth--
	}
}

func (r *rewriter) stmt(s ast.Stmt) ast.Stmt {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return r.assign(s)
	case *ast.LocalAssignStmt:
		r.exprs(s.Exprs)
	case *ast.FuncCallStmt:
		s.Expr = r.expr(s.Expr)
	case *ast.DoBlockStmt:
		r.block(s.Stmts)
	case *ast.WhileStmt:
		s.Condition = r.expr(s.Condition)
		r.block(s.Stmts)
	case *ast.RepeatStmt:
		s.Condition = r.expr(s.Condition)
		r.block(s.Stmts)
	case *ast.IfStmt:
		s.Condition = r.expr(s.Condition)
		r.block(s.Then)
		r.block(s.Else)
	case *ast.NumberForStmt:
		s.Init, s.Limit = r.expr(s.Init), r.expr(s.Limit)
		if s.Step != nil {
			s.Step = r.expr(s.Step)
		}
		r.block(s.Stmts)
	case *ast.GenericForStmt:
		r.exprs(s.Exprs)
		r.block(s.Stmts)
	case *ast.FuncDefStmt:
		r.function(s.Func.Stmts, s.Line())
	case *ast.ReturnStmt:
		r.exprs(s.Exprs)
		if len(s.Exprs) == 1 {
			// A guard must not become a tail call: its frame names the line.
			if c, ok := s.Exprs[0].(*ast.FuncCallExpr); ok && isGuard(c) {
				c.AdjustRet = true
			}
		}
	}
	return s
}

func isGuard(c *ast.FuncCallExpr) bool {
	s, ok := c.Func.(*ast.StringExpr)
	return ok && isGuardName(s.Value)
}

func isGuardName(s string) bool { return slices.Contains(guardNames[:], s) }

func (r *rewriter) exprs(list []ast.Expr) {
	for i, e := range list {
		list[i] = r.expr(e)
	}
}

func (r *rewriter) expr(e ast.Expr) ast.Expr {
	if !r.enter(e) {
		return e
	}
	defer func() { r.depth-- }()
	switch e := e.(type) {
	case *ast.NumberExpr:
		if n, ok := parseNumber(e.Value); ok {
			e.Value = strconv.FormatFloat(n, 'g', -1, 64)
		}
		r.constants[e.Value] = true
	case *ast.StringExpr:
		r.constants[e.Value] = true
		r.longest = max(r.longest, len(e.Value))
		if isGuardName(e.Value) {
			return r.disguise(e)
		}
	case *ast.IdentExpr:
		r.constants[e.Value] = true
	case *ast.AttrGetExpr:
		e.Object, e.Key = r.expr(e.Object), r.expr(e.Key)
	case *ast.TableExpr:
		return r.table(e)
	case *ast.FuncCallExpr:
		if e.Func != nil {
			e.Func = r.expr(e.Func)
		}
		if e.Receiver != nil {
			e.Receiver = r.expr(e.Receiver)
			r.constants[e.Method] = true
		}
		r.exprs(e.Args)
		if n := len(e.Args); n > 0 {
			if rest, ok := e.Args[n-1].(*ast.Comma3Expr); ok && !rest.AdjustRet {
				e.Args[n-1] = r.call(guardSpread, e, rest)
			}
		}
	case *ast.LogicalOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.RelationalOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.StringConcatOpExpr:
		return r.concat(e)
	case *ast.ArithmeticOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
		if e.Operator == "^" {
			return r.pow(e)
		}
	case *ast.UnaryMinusOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.UnaryLenOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.FunctionExpr:
		r.function(e.Stmts, e.Line())
	}
	return e
}

// call makes the call of a guard, placed where at is.
func (r *rewriter) call(g guard, at ast.PositionHolder, args ...ast.Expr) *ast.FuncCallExpr {
	name := &ast.StringExpr{Value: guardNames[g]}
	c := &ast.FuncCallExpr{Func: name, Args: args}
	for _, n := range []ast.PositionHolder{name, c} {
		n.SetLine(at.Line())
		n.SetLastLine(at.LastLine())
	}
	return c
}

// disguise makes a script's own text that is spelled like a guard's name of two
// pieces: it would be taken for the guard.
func (r *rewriter) disguise(e *ast.StringExpr) ast.Expr {
	pieces := []ast.Expr{&ast.StringExpr{Value: e.Value[:1]}, &ast.StringExpr{Value: e.Value[1:]}}
	for _, p := range pieces {
		p.SetLine(e.Line())
		p.SetLastLine(e.LastLine())
	}
	return r.call(guardConcat, e, pieces...)
}

// concat flattens a chain of concatenations, which the parser nests to the
// right, into guard calls.
func (r *rewriter) concat(e *ast.StringConcatOpExpr) ast.Expr {
	var operands []ast.Expr
	lines := []ast.PositionHolder{e}
	rest := ast.Expr(e)
	for {
		c, ok := rest.(*ast.StringConcatOpExpr)
		if !ok {
			operands = append(operands, r.expr(rest))
			break
		}
		operands = append(operands, r.expr(c.Lhs))
		lines = append(lines, c)
		rest = c.Rhs
	}
	// The tail is joined first, as the operator associates to the right.
	for len(operands) > maxOperands {
		cut := len(operands) - maxOperands
		tail := r.call(guardConcat, lines[min(cut, len(lines)-1)], operands[cut:]...)
		operands = append(operands[:cut:cut], tail)
	}
	return r.call(guardConcat, e, operands...)
}

func (r *rewriter) pow(e *ast.ArithmeticOpExpr) ast.Expr {
	a, okA := e.Lhs.(*ast.NumberExpr)
	b, okB := e.Rhs.(*ast.NumberExpr)
	if okA && okB {
		x, _ := parseNumber(a.Value)
		y, _ := parseNumber(b.Value)
		n := &ast.NumberExpr{Value: strconv.FormatFloat(detmath.Pow(x, y), 'g', -1, 64)}
		n.SetLine(e.Line())
		n.SetLastLine(e.LastLine())
		return n
	}
	return r.call(guardPow, e, e.Lhs, e.Rhs)
}

// plainKey reports whether writing a key needs no guard: a constant name, a
// boolean, or a small constant index.
func plainKey(key ast.Expr) bool {
	switch k := key.(type) {
	case *ast.StringExpr, *ast.TrueExpr, *ast.FalseExpr:
		return true
	case *ast.NumberExpr:
		n, ok := parseNumber(k.Value)
		return ok && n <= smallIndex
	}
	return false
}

// table moves fields with computed keys behind the constructor and removes
// nils that a call or the varargs left at the end.
func (r *rewriter) table(t *ast.TableExpr) ast.Expr {
	var kept []*ast.Field
	var pairs []ast.Expr
	open := false // the last positional field yields any number of values
	for i, f := range t.Fields {
		f.Value = r.expr(f.Value)
		if f.Key != nil {
			f.Key = r.expr(f.Key)
		}
		if f.Key != nil && !plainKey(f.Key) {
			pairs = append(pairs, f.Key, single(f.Value))
			continue
		}
		kept = append(kept, f)
		open = f.Key == nil && i == len(t.Fields)-1 && multiple(f.Value)
		if !open {
			// It may be the last one now, and of a last one the machine takes
			// all values, also behind a name.
			f.Value = single(f.Value)
		}
	}
	t.Fields = kept
	out := ast.Expr(t)
	if open {
		out = r.call(guardTrim, t, out)
	}
	for len(pairs) > 0 {
		n := min(len(pairs), maxOperands)
		out = r.call(guardFields, t, append([]ast.Expr{out}, pairs[:n]...)...)
		pairs = pairs[n:]
	}
	return out
}

// multiple reports whether an expression may yield more than one value.
func multiple(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		return !e.AdjustRet && !isGuard(e)
	case *ast.Comma3Expr:
		return !e.AdjustRet
	}
	return false
}

// single cuts an expression to one value.
func single(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		e.AdjustRet = true
	case *ast.Comma3Expr:
		e.AdjustRet = true
	}
	return e
}
