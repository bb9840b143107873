package detmath

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// fusible returns the places of a file where a product feeds a sum without an
// explicit conversion between them, so that a compiler may fuse the two.
// Products of constants do not count, nor does anything inside an index.
func fusible(fset *token.FileSet, file *ast.File) []string {
	var places []string
	report := func(e ast.Expr) {
	unwrap:
		for {
			switch p := e.(type) {
			case *ast.ParenExpr:
				e = p.X
			case *ast.UnaryExpr:
				e = p.X
			default:
				break unwrap
			}
		}
		b, ok := e.(*ast.BinaryExpr)
		if !ok || b.Op != token.MUL || isLiteral(b.X) && isLiteral(b.Y) {
			return
		}
		places = append(places, fset.Position(b.Pos()).String())
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n.Name.Name != "plainSum" && n.Name.Name != "Uint64" && n.Name.Name != "machinPi"
		case *ast.BinaryExpr:
			if n.Op == token.ADD || n.Op == token.SUB {
				report(n.X)
				report(n.Y)
			}
		case *ast.AssignStmt:
			if n.Tok == token.ADD_ASSIGN || n.Tok == token.SUB_ASSIGN {
				report(n.Rhs[0])
			}
		}
		return true
	})
	return places
}

func isLiteral(e ast.Expr) bool {
	_, ok := e.(*ast.BasicLit)
	return ok
}

func TestNoProductFeedsASumUnrounded(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range fusible(fset, file) {
			t.Errorf("%s: a product feeds a sum; write float64(x*y) + z", p)
		}
	}
}

func TestTheSourceCheckSeesViolations(t *testing.T) {
	for _, body := range []string{"return x*y + z", "return z - (x * y)", "z += x * y; return z", "return -(x*y) - z"} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "seeded.go", "package p\nfunc f(x, y, z float64) float64 { "+body+" }", 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(fusible(fset, file)) == 0 {
			t.Errorf("%q must be seen as fusible", body)
		}
	}
}

func TestFusesAnswersForThisBuild(t *testing.T) {
	// With an explicit rounding the same sum is zero whatever the processor.
	x := 1 + 0x1p-30
	if float64(x*x)-(1+0x1p-29) != 0 {
		t.Error("an explicit conversion must forbid fusing")
	}
	t.Logf("this build fuses multiply-adds: %v", Fuses())
}
