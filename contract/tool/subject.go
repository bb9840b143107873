// Package tool owns what `demi-net contract …` does and prints: validating,
// hashing, explaining, comparing, formatting and starting contracts. Every
// function takes its arguments and a writer, so that the command line parses
// flags and nothing else. It knows no session, no network and no Lua.
package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"demi.network/contract"
	"demi.network/runtime/fault"
)

// Style is how results are printed.
type Style uint8

// The styles.
const (
	Text  Style = iota // for people
	JSON               // JSON lines: one for each thing found, a report last
	SARIF              // one SARIF 2.1.0 document; Validate only, elsewhere JSON
)

// Request names a contract.
type Request struct {
	// Target is a project folder, its demi.project.json, a contract file, or
	// an asset:// id of Project. A contract file that is an asset of the
	// project around it is loaded as that asset.
	Target string
	// Project is the project folder that an asset id is looked up in, and
	// that a contract file belongs to. "" = the current folder for an id, the
	// folders around the file for a file.
	Project string
	Style   Style
}

// subject is a loaded contract; nil with errors among its problems.
type subject struct {
	contract *contract.Contract
	problems contract.Problems
}

// load finds and loads what the request names. Places are relative to the
// current folder: what can be clicked on.
func load(r Request) subject {
	if strings.HasPrefix(r.Target, "asset://") {
		dir := r.Project
		if dir == "" {
			dir = "."
		}
		return loadProject(dir, r.Target)
	}
	info, err := os.Stat(r.Target)
	switch {
	case r.Target == "":
		return failed(".", contract.CodeFileNotFound, "the target is empty: name a project folder or a contract file")
	case errors.Is(err, fs.ErrNotExist):
		return failed(r.Target, contract.CodeFileNotFound, "the file does not exist")
	case err != nil:
		return failed(r.Target, contract.CodeFileUnreadable, "the file cannot be looked at: "+reason(err))
	case info.IsDir():
		return loadProject(r.Target, "")
	case filepath.Base(r.Target) == contract.ProjectFile:
		return loadProject(filepath.Dir(r.Target), "")
	case !info.Mode().IsRegular():
		return failed(r.Target, contract.CodeFileUnreadable, "this is not a regular file")
	}
	return loadFile(r)
}

// reason says why without repeating the path, which the place has.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}

func failed(path string, code contract.Code, text string) subject {
	return subject{problems: contract.Problems{{
		Code: code, Place: fault.Place{Path: filepath.ToSlash(path), Line: 1, Column: 1}, Text: text,
	}}}
}

// loadProject loads the contract asset with that id; "" = the project's own.
func loadProject(dir, id string) subject {
	fsys, closer, err := contract.OpenDir(dir)
	if err != nil {
		return failed(dir, contract.CodeFileUnreadable, "the folder cannot be opened")
	}
	defer closer.Close()
	var s subject
	s.contract, s.problems = contract.Check(fsys, id)
	s.problems = within(dir, s.problems)
	if s.contract != nil {
		located(dir, s.contract)
	}
	return s
}

// loadFile loads a contract file: as an asset of the project it belongs to,
// or alone. The manifest of an asset stands for the asset.
func loadFile(r Request) subject {
	dir := r.Project
	if dir == "" {
		dir = enclosing(filepath.Dir(r.Target))
	}
	if dir != "" {
		switch a := assetOf(dir, r.Target); {
		case a == nil:
		case a.Type == contract.TypeNetworkContract:
			return loadProject(dir, a.ID)
		default:
			s := failed(r.Target, contract.CodeAssetNotFound, fmt.Sprintf("this is the %s %q, not a contract", a.Type, a.ID))
			s.problems[0].Hint = "validate the project: the contract's schemas are checked with it"
			return s
		}
	}
	parent := filepath.Dir(r.Target)
	fsys, closer, err := contract.OpenDir(parent)
	if err != nil {
		return failed(parent, contract.CodeFileUnreadable, "the folder cannot be opened")
	}
	defer closer.Close()
	var s subject
	s.contract, s.problems = contract.LoadFile(fsys, filepath.Base(r.Target))
	s.problems = within(parent, s.problems)
	if s.contract != nil {
		located(parent, s.contract)
	}
	return s
}

// maxParents is how many folders around a contract file are looked at for a
// project.
const maxParents = 16

// enclosing returns the project folder that dir is in, or "".
func enclosing(dir string) string {
	for range maxParents {
		if info, err := os.Lstat(filepath.Join(dir, contract.ProjectFile)); err == nil && info.Mode().IsRegular() {
			return dir
		}
		up := filepath.Join(dir, "..")
		a, errA := filepath.Abs(dir)
		b, errB := filepath.Abs(up)
		if errA != nil || errB != nil || a == b {
			return ""
		}
		dir = up
	}
	return ""
}

// assetOf returns the asset of the project that has file as its source or as
// its manifest, or nil.
func assetOf(dir, file string) *contract.Asset {
	root, errRoot := filepath.Abs(dir)
	full, errFull := filepath.Abs(file)
	rel, err := filepath.Rel(root, full)
	if errRoot != nil || errFull != nil || err != nil {
		return nil
	}
	fsys, closer, err := contract.OpenDir(dir)
	if err != nil {
		return nil
	}
	defer closer.Close()
	p, _ := contract.LoadProject(fsys)
	if p == nil {
		return nil
	}
	name := filepath.ToSlash(rel)
	for i := range p.Assets {
		if a := &p.Assets[i]; a.Source == name || a.Manifest == name {
			return a
		}
	}
	return nil
}

// within puts the folder before the paths of problems.
func within(dir string, problems contract.Problems) contract.Problems {
	out := make(contract.Problems, len(problems))
	for i, p := range problems {
		p.Place.Path = joined(dir, p.Place.Path)
		out[i] = p
	}
	return out
}

// located puts the folder before the paths of a contract's places. The
// contract is this package's own: nobody else has seen it yet.
func located(dir string, c *contract.Contract) {
	for i := range c.Messages {
		c.Messages[i].Place.Path = joined(dir, c.Messages[i].Place.Path)
	}
	for i := range c.Prefabs {
		p := &c.Prefabs[i]
		p.Place.Path = joined(dir, p.Place.Path)
		for j := range p.Fields {
			p.Fields[j].Place.Path = joined(dir, p.Fields[j].Place.Path)
		}
	}
	for i := range c.Lockstep.Commands {
		c.Lockstep.Commands[i].Place.Path = joined(dir, c.Lockstep.Commands[i].Place.Path)
	}
	for i := range c.Sections {
		for j := range c.Sections[i].Keys {
			k := &c.Sections[i].Keys[j]
			k.Place.Path = joined(dir, k.Place.Path)
		}
	}
}

func joined(dir, name string) string {
	if name == "" {
		return filepath.ToSlash(dir)
	}
	return path.Join(filepath.ToSlash(dir), name)
}

// reported is an error that was printed already in a machine's format.
type reported struct{ err *fault.Error }

// Error returns the coded error's text.
func (r reported) Error() string { return r.err.Error() }

// Unwrap returns the coded error.
func (r reported) Unwrap() error { return r.err }

// Reported says whether err has been written to the writer already, so that
// the command line sets the exit code and prints nothing more to stdout.
func Reported(err error) bool {
	_, ok := err.(reported)
	return ok
}

// ended returns the coded error of problems, marked when a machine has it.
func ended(style Style, problems contract.Problems) error {
	err := problems.Err()
	if err == nil {
		return nil
	}
	if e, ok := err.(*fault.Error); ok && style != Text {
		return reported{e}
	}
	return err
}
