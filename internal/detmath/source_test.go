package detmath

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// fusible returns the places of a file where a product is not rounded at once.
// A compiler may fuse a product with a sum it reaches, also through a variable
// or the result of an inlined function, so every product of this package stands
// inside float64(…), or in another product that does. Products of constants do
// not count.
func fusible(fset *token.FileSet, file *ast.File) []string {
	var places []string
	rounded := map[ast.Expr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return !integer[n.Name.Name]
		case *ast.ParenExpr:
			rounded[n.X] = rounded[n]
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "float64" {
				rounded[n.Args[0]] = true
			}
		case *ast.BinaryExpr:
			if n.Op != token.MUL {
				break
			}
			if !rounded[n] && !(isLiteral(n.X) && isLiteral(n.Y)) {
				places = append(places, fset.Position(n.Pos()).String())
			}
			rounded[n.X], rounded[n.Y] = true, true
		case *ast.AssignStmt:
			if n.Tok == token.MUL_ASSIGN {
				places = append(places, fset.Position(n.Pos()).String())
			}
		}
		return true
	})
	return places
}

// integer names the functions that multiply integers, and the one that fuses
// on purpose.
var integer = map[string]bool{"plainSum": true, "Uint64": true, "Mix": true, "powInteger": true}

func isLiteral(e ast.Expr) bool {
	_, ok := e.(*ast.BasicLit)
	return ok
}

func TestEveryProductIsRoundedAtOnce(t *testing.T) {
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
			t.Errorf("%s: a product is not rounded at once; write float64(x*y)", p)
		}
	}
}

func TestTheSourceCheckSeesViolations(t *testing.T) {
	for _, body := range []string{"return x*y + z", "return z - (x * y)", "z += x * y; return z", "return -(x*y) - z", "p := x * y; return p + z", "return x * y", "x *= y; return x + z"} {
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

// TestNoFusedInstructionOnArm64 looks at the machine code for a processor that
// has fused instructions.
func TestNoFusedInstructionOnArm64(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil || testing.Short() {
		t.Skip("needs the go command")
	}
	cmd := exec.Command(tool, "build", "-gcflags=-S", ".")
	cmd.Env = append(os.Environ(), "GOARCH=arm64", "GOOS=linux", "CGO_ENABLED=0", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Skipf("cannot cross-compile here: %v", err)
	}
	fused := regexp.MustCompile(`\((?:[^()]*/)?(\w+\.go:\d+)\)\s+(FN?M(?:ADD|SUB)D)`)
	seen := false
	for _, m := range fused.FindAllStringSubmatch(string(out), -1) {
		if seen = true; strings.HasPrefix(m[1], "fma.go:") {
			continue
		}
		t.Errorf("%s compiles to %s", m[1], m[2])
	}
	if !seen {
		t.Error("not even plainSum is fused: the check looks at the wrong thing")
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
