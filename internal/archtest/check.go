package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Check reads every Go file below fsys (the module's root) and returns the
// violations of the policy, sorted, each as "file:line: text".
func Check(fsys fs.FS) ([]string, error) {
	c := checker{fset: token.NewFileSet(), layer: map[string]int{}}
	for i, l := range Layers {
		for _, p := range l {
			c.layer[p] = i
		}
	}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != "." && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		src, err := fs.ReadFile(fsys, p)
		if err != nil {
			return err
		}
		return c.file(p, src)
	})
	sort.Strings(c.found)
	return c.found, err
}

type checker struct {
	fset  *token.FileSet
	layer map[string]int
	found []string
}

func (c *checker) file(p string, src []byte) error {
	f, err := parser.ParseFile(c.fset, p, src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	pkg := path.Dir(p)
	test := strings.HasSuffix(p, "_test.go")
	example := strings.HasPrefix(pkg, "examples/")
	if pkg == "internal/archtest" {
		return nil
	}
	layer, known := c.layer[owner(pkg, c.layer)]
	if !known && !example {
		c.report(f.Pos(), "package %s is not in the tree of docs/architecture.md", pkg)
		return nil
	}
	names := map[string]string{} // local name -> import path
	for _, spec := range f.Imports {
		imp, _ := strconv.Unquote(spec.Path.Value)
		names[localName(spec, imp)] = imp
		if test {
			continue
		}
		c.imported(spec.Pos(), pkg, layer, example, imp)
	}
	c.sleepingTest(f, test, names)
	if test || example {
		return nil
	}
	if _, edge := Edge[owner(pkg, c.layer)]; !edge {
		c.purity(f, names)
	}
	return nil
}

// owner returns the listed package that pkg belongs to: a folder below
// cmd/demi-net is part of it, and so is a package's own internal folder.
func owner(pkg string, layer map[string]int) string {
	if _, ok := layer[pkg]; ok {
		return pkg
	}
	if strings.HasPrefix(pkg, "cmd/demi-net/") {
		return "cmd/demi-net"
	}
	if i := strings.Index(pkg, "/internal/"); i > 0 {
		return pkg[:i]
	}
	return pkg
}

func localName(spec *ast.ImportSpec, imp string) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	base := path.Base(imp)
	if len(base) > 1 && base[0] == 'v' && base[1] >= '0' && base[1] <= '9' {
		base = path.Base(path.Dir(imp))
	}
	return base
}

func (c *checker) imported(pos token.Pos, pkg string, layer int, example bool, imp string) {
	if own, ok := strings.CutPrefix(imp, Module+"/"); ok {
		if example {
			return // Go's own internal rule does not reach examples of this module; readers may see everything
		}
		c.internalImport(pos, pkg, layer, own)
		return
	}
	if !strings.Contains(strings.Split(imp, "/")[0], ".") || example {
		return
	}
	for mod, importers := range ThirdParties {
		if imp == mod || strings.HasPrefix(imp, mod+"/") {
			if !slices.Contains(importers, owner(pkg, c.layer)) {
				c.report(pos, "%s imports %s: only %s may", pkg, imp, strings.Join(importers, ", "))
			}
			return
		}
	}
	c.report(pos, "%s imports %s: not a chosen third party (docs/dependencies.md)", pkg, imp)
}

func (c *checker) internalImport(pos token.Pos, pkg string, layer int, imp string) {
	from, to := owner(pkg, c.layer), owner(imp, c.layer)
	if from == to {
		return
	}
	target, ok := c.layer[to]
	switch {
	case !ok:
		return // reported where that package's own files are read
	case target == layer:
		c.report(pos, "%s imports %s sideways", pkg, imp)
	case target > layer:
		c.report(pos, "%s imports %s upwards", pkg, imp)
	case slices.Contains(Never[from], to):
		c.report(pos, "%s must never import %s", pkg, imp)
	case slices.Contains(TestOnly, to) && !slices.Contains(TestOnly, from):
		c.report(pos, "%s imports %s outside a test", pkg, imp)
	}
}

// purity reports clocks, goroutines, locks and process-wide randomness.
func (c *checker) purity(f *ast.File, names map[string]string) {
	for _, spec := range f.Imports {
		imp, _ := strconv.Unquote(spec.Path.Value)
		if slices.Contains(ForbiddenImports, imp) {
			c.report(spec.Pos(), "%s below the edge: state has one owner, not a lock", imp)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			c.report(n.Pos(), "go statement below the edge")
		case *ast.FuncDecl:
			if n.Name.Name == "init" && n.Recv == nil {
				c.report(n.Pos(), "init function: no registries, no hidden order")
			}
		case *ast.SelectorExpr:
			c.selector(n, names)
		}
		return true
	})
}

func (c *checker) selector(n *ast.SelectorExpr, names map[string]string) {
	x, ok := n.X.(*ast.Ident)
	if !ok {
		return
	}
	imp, ok := names[x.Name]
	if !ok {
		return
	}
	calls := ForbiddenCalls[imp]
	if slices.Contains(calls, n.Sel.Name) || slices.Contains(calls, "*") {
		c.report(n.Pos(), "%s.%s below the edge: time and randomness are arguments", imp, n.Sel.Name)
	}
}

// sleepingTest reports time.Sleep in tests outside a synctest bubble, which a
// file shows by importing testing/synctest.
func (c *checker) sleepingTest(f *ast.File, test bool, names map[string]string) {
	if !test {
		return
	}
	for _, imp := range names {
		if imp == "testing/synctest" {
			return
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Sleep" {
			if x, ok := s.X.(*ast.Ident); ok && names[x.Name] == "time" {
				c.report(n.Pos(), "a test that sleeps is a bug")
			}
		}
		return true
	})
}

func (c *checker) report(pos token.Pos, format string, args ...any) {
	p := c.fset.Position(pos)
	c.found = append(c.found, fmt.Sprintf("%s:%d: %s", p.Filename, p.Line, fmt.Sprintf(format, args...)))
}
