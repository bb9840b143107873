package luabind

import (
	"fmt"

	"github.com/yuin/gopher-lua/ast"
)

// assign guards assignments to computed keys, and spells multiple ones out:
// gopher-lua assigns to locals while it still evaluates, so that a, b = b, a
// loses one of the two.
func (r *rewriter) assign(s *ast.AssignStmt) ast.Stmt {
	guarded := false
	for i, lhs := range s.Lhs {
		if a, ok := lhs.(*ast.AttrGetExpr); ok {
			a.Object, a.Key = r.expr(a.Object), r.expr(a.Key)
			guarded = guarded || !plainKey(a.Key)
			s.Lhs[i] = a
		}
	}
	r.exprs(s.Rhs)
	switch {
	case len(s.Lhs) > 1, guarded && len(s.Rhs) > 1:
		return r.assignMany(s)
	case guarded:
		a := s.Lhs[0].(*ast.AttrGetExpr)
		return r.callStmt(s, r.call(guardSet, s, a.Object, a.Key, single(s.Rhs[0])))
	}
	return s
}

func (r *rewriter) callStmt(at ast.Stmt, c *ast.FuncCallExpr) ast.Stmt {
	out := &ast.FuncCallStmt{Expr: c}
	out.SetLine(at.Line())
	out.SetLastLine(at.LastLine())
	return out
}

// assignMany spells a multiple assignment out: first what is assigned to, then
// the values, then the assignments.
func (r *rewriter) assignMany(s *ast.AssignStmt) ast.Stmt {
	out := &ast.DoBlockStmt{}
	places := &ast.LocalAssignStmt{}
	values := &ast.LocalAssignStmt{Exprs: s.Rhs}
	for _, n := range []ast.PositionHolder{out, places, values} {
		n.SetLine(s.Line())
		n.SetLastLine(s.LastLine())
	}
	name := func() string {
		r.fresh++
		return fmt.Sprintf("\x00%d", r.fresh)
	}
	ident := func(name string) ast.Expr {
		e := &ast.IdentExpr{Value: name}
		e.SetLine(s.Line())
		e.SetLastLine(s.LastLine())
		return e
	}
	var assigns []ast.Stmt
	for _, lhs := range s.Lhs {
		value := name()
		values.Names = append(values.Names, value)
		a, ok := lhs.(*ast.AttrGetExpr)
		if ok {
			object, key := name(), a.Key
			places.Names, places.Exprs = append(places.Names, object), append(places.Exprs, single(a.Object))
			if _, constant := key.(*ast.StringExpr); !constant {
				k := name()
				places.Names, places.Exprs = append(places.Names, k), append(places.Exprs, single(key))
				assigns = append(assigns, r.callStmt(s, r.call(guardSet, s, ident(object), ident(k), ident(value))))
				continue
			}
			a.Object = ident(object)
		}
		one := &ast.AssignStmt{Lhs: []ast.Expr{lhs}, Rhs: []ast.Expr{ident(value)}}
		one.SetLine(s.Line())
		one.SetLastLine(s.LastLine())
		assigns = append(assigns, one)
	}
	if len(places.Names) > 0 {
		out.Stmts = append(out.Stmts, places)
	}
	out.Stmts = append(out.Stmts, values)
	for i := len(assigns) - 1; i >= 0; i-- { // from the right, as the machine does
		out.Stmts = append(out.Stmts, assigns[i])
	}
	return out
}
