package contract

import (
	"io"
	"io/fs"
)

// OpenDir opens a project folder. Nothing outside it can be reached through
// the file system it returns, whatever a link or a path says; anything but a
// regular file or a folder is refused without being opened, so that a FIFO
// does not block. The caller closes the Closer when done.
func OpenDir(dir string) (fs.FS, io.Closer, error) { return openDir(dir) }

// LoadProject reads demi.project.json, the manifests below assets/ and the
// prefabs below prefabs/. The Project is nil exactly when there are errors.
func LoadProject(fsys fs.FS) (*Project, Problems) {
	p, problems := loadProject(fsys, newRules())
	if problems.Errors() > 0 {
		return nil, problems
	}
	return p, problems
}

// Check is LoadProject and LoadAsset in one, for tools: it looks into the
// contract although the project has faults, so that all are found at once. An
// id of "" is the project's own contract.
func Check(fsys fs.FS, id string) (*Contract, Problems) { return check(fsys, id, newRules()) }

func check(fsys fs.FS, id string, r *rules) (*Contract, Problems) {
	p, problems := loadProject(fsys, r)
	if p == nil {
		return nil, problems
	}
	if id == "" {
		id = p.ContractID
	}
	c, more := loadAsset(fsys, p, id, r)
	problems = append(problems, more...).sorted()
	if problems.Errors() > 0 {
		return nil, problems
	}
	return c, problems
}

// Load reads and checks the contract of a project. The Contract is nil exactly
// when there are errors; warnings come beside a Contract.
func Load(fsys fs.FS, p *Project) (*Contract, Problems) { return LoadAsset(fsys, p, p.ContractID) }

// LoadAsset is Load for the contract asset with that id.
func LoadAsset(fsys fs.FS, p *Project, id string) (*Contract, Problems) {
	return loadAsset(fsys, p, id, newRules())
}

// LoadText is LoadFile for text that is in memory, a contract's Document for
// one: name is what problems call it.
func LoadText(name string, text []byte) (*Contract, Problems) {
	l := &loader{rules: newRules()}
	d, problems := parse(name, text)
	l.problems = problems
	l.compile(d, "")
	return l.finish()
}

// LoadFile checks a bare contract file. There is no project to find assets
// and prefabs in: prefab references are not checked, and a message whose
// schema is an asset id instead of an inline schema is a problem.
func LoadFile(fsys fs.FS, path string) (*Contract, Problems) { return loadFile(fsys, path, newRules()) }
