package contract

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"demi.network/runtime/fault"
)

// maxFileBytes is the largest project, manifest, contract, schema or prefab
// file that is read; a larger one is a problem and is not read.
const maxFileBytes = 4 << 20

// maxProjectFiles is how many entries a walk of assets/ or prefabs/ visits; a
// larger project is a problem and the rest is not looked at.
const maxProjectFiles = 50_000

var errNotRegular = errors.New("not a regular file or a folder")

// rootFS is an os.Root that opens regular files and folders only.
type rootFS struct{ root *os.Root }

func openDir(dir string) (fs.FS, io.Closer, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		e := fault.Wrap(err, fault.Config, "the project folder cannot be opened")
		e.Place.Path = dir
		return nil, nil, e
	}
	return rootFS{root}, root, nil
}

// Open looks before it opens, and opens without blocking, so that a FIFO that
// is put in a file's place neither blocks nor notices.
func (r rootFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	info, err := r.root.Stat(name)
	if err == nil && !openable(info) {
		err = &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	if err != nil {
		return nil, err
	}
	f, err := r.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && !openable(info) {
		err = &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Stat does not open name, unlike the fallback of fs.Stat.
func (r rootFS) Stat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrInvalid}
	}
	return r.root.Stat(name)
}

func openable(info fs.FileInfo) bool { return info.Mode().IsRegular() || info.IsDir() }

// ReadFile reads one file of the user's choice under the limits of a project's
// files: a regular file of at most 4 MiB, which is not opened before that is
// known. The error is E_NET_CONFIG with the place.
func ReadFile(name string) ([]byte, error) {
	dir, base := filepath.Split(filepath.Clean(name))
	if dir == "" {
		dir = "."
	}
	fsys, closer, err := openDir(dir)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	b, p := readFile(fsys, base)
	if p != nil {
		p.Place.Path = filepath.ToSlash(filepath.Clean(name))
		return nil, Problems{*p}.Err()
	}
	return b, nil
}

// readFile reads at most maxFileBytes. The problem's place is the file.
func readFile(fsys fs.FS, name string) ([]byte, *Problem) {
	fail := func(code Code, text string) ([]byte, *Problem) {
		return nil, &Problem{Code: code, Place: fault.Place{Path: name, Line: 1, Column: 1}, Text: text}
	}
	info, err := fs.Stat(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fail(CodeFileNotFound, "the file does not exist")
	case err != nil:
		return fail(CodeFileUnreadable, "the file cannot be read: "+reason(err))
	case info.IsDir():
		return fail(CodeFileUnreadable, "this is a folder, not a file")
	case !info.Mode().IsRegular():
		return fail(CodeFileUnreadable, "this is not a regular file")
	case info.Size() > maxFileBytes:
		return fail(CodeFileTooLarge, fmt.Sprintf("the file has %d bytes, more than the %d that are read", info.Size(), maxFileBytes))
	}
	f, err := fsys.Open(name)
	if err != nil {
		return fail(CodeFileUnreadable, "the file cannot be read: "+reason(err))
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return fail(CodeFileUnreadable, "the file cannot be read: "+reason(err))
	}
	if len(b) > maxFileBytes {
		return fail(CodeFileTooLarge, fmt.Sprintf("the file has more than the %d bytes that are read", maxFileBytes))
	}
	return b, nil
}

// reason says why without repeating the path, which the place has.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	if strings.Contains(err.Error(), "escapes") {
		return "it leads out of the project"
	}
	return err.Error()
}

// walk returns the paths below dir that end in suffix, in byte order. A folder
// that does not exist has none. Links to folders are not followed.
func walk(fsys fs.FS, dir, suffix string) ([]string, *Problem) {
	var found []string
	seen := 0
	err := fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) && name == dir {
				return fs.SkipAll
			}
			return err
		}
		if seen++; seen > maxProjectFiles {
			return errTooMany
		}
		if !d.IsDir() && strings.HasSuffix(path.Base(name), suffix) {
			found = append(found, name)
		}
		return nil
	})
	switch {
	case errors.Is(err, errTooMany):
		return found, &Problem{Code: CodeFileTooLarge, Place: fault.Place{Path: dir},
			Text: fmt.Sprintf("the folder has more than the %d files that are looked at", maxProjectFiles)}
	case err != nil:
		return found, &Problem{Code: CodeFileUnreadable, Place: fault.Place{Path: dir},
			Text: "the folder cannot be read: " + reason(err)}
	}
	return found, nil
}

var errTooMany = errors.New("too many files")
