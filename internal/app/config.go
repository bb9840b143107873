// Package app owns one peer as a program: a project, its Lua game, the runtime
// peer below it, and the links the peer opens. It is the loop's body, not the
// loop: the caller owns the clock and says when a turn is.
//
// It never reads the clock and never imports control. Do is the only door from
// another goroutine.
package app

import (
	"errors"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"demi.network/contract"
	"demi.network/runtime/fault"
	"demi.network/runtime/udp"
)

// Role is what the program opens before the script runs.
type Role uint8

// The roles.
const (
	// Script: the script's own host or connect is the real one.
	Script Role = iota
	// Host: the program hosts; the script's host then returns true for it.
	Host
	// Join: the program connects; the script's connect then returns true.
	Join
)

// Config makes an App.
type Config struct {
	// Project is the game. Without one the App joins as an observer: no scene,
	// no scripts, and the contract is its host's.
	Project *contract.Project
	Scene   string // scene:// id; "" = the project's main scene
	Role    Role

	Bind netip.Addr // what hosts listen on; the zero Addr = 127.0.0.1
	Port int        // Host: 0 = a port of the system's choice
	// Targets are what Join tries, one after the other, until one answers: a
	// name may stand for several addresses.
	Targets []netip.AddrPort

	Link udp.Link // what this process's own datagrams go through
	Seed uint64   // of the link, of the script's random numbers

	PlayerName string
	MaxPlayers int  // 0 = the contract's
	Observer   bool // join without playing; always without a Project
	Unchecked  bool // leave out the local checks, for tests of the host's

	Ticks  uint64  // Turn begins no more than so many; 0 = no end
	Inputs []Input // held from the first tick on
	Drive  Drive

	Log     func(string) // what scripts print; nil = dropped
	Entropy func() uint32
}

// Input is one value of an input action, held for the whole run.
type Input struct {
	Action string
	Value  float64
}

// Drive moves the input actions of a headless client.
type Drive uint8

// The drives.
const (
	DriveNone Drive = iota
	// DriveSine swings every axis as a sine, each with its own phase, and
	// presses buttons now and then.
	DriveSine
)

// Load opens what the command line calls a target: a project folder, its
// demi.project.json, or a scene file of a project. It returns the project and
// the scene id that a scene file stands for. close ends the access to files.
func Load(target string) (p *contract.Project, scene string, close io.Closer, err error) {
	dir, file := target, ""
	if info, err := os.Stat(target); err != nil {
		e := fault.New(fault.Config, "no project at %s", target)
		e.Err, e.Place = unwrapPath(err), fault.Place{Path: target}
		e.Hint = "a target is a folder with a " + contract.ProjectFile + ", that file, or a scene file of a project"
		return nil, "", nil, e
	} else if !info.IsDir() {
		dir, file = filepath.Split(filepath.Clean(target))
		if dir == "" {
			dir = "."
		}
		if file == contract.ProjectFile {
			file = ""
		}
	}
	if file != "" {
		dir, file, err = projectOf(dir, file)
		if err != nil {
			return nil, "", nil, err
		}
	}
	fsys, closer, err := contract.OpenDir(dir)
	if err != nil {
		return nil, "", nil, err
	}
	p, problems := contract.LoadProject(fsys)
	if err := problems.Err(); err != nil {
		closer.Close()
		return nil, "", nil, err
	}
	if file == "" {
		return p, "", closer, nil
	}
	for _, s := range p.Scenes {
		if s.Path == file {
			return p, s.ID, closer, nil
		}
	}
	closer.Close()
	e := fault.New(fault.Config, "the project does not list %s among its scenes", file)
	e.Place = fault.Place{Path: target}
	return nil, "", nil, e
}

// projectOf walks up from a scene file to the folder of its project, and
// returns the file's path relative to it, with slashes.
func projectOf(dir, file string) (root, rel string, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", "", fault.Wrap(err, fault.Config, "%s", dir)
	}
	for at := abs; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, contract.ProjectFile)); err == nil {
			rel, err := filepath.Rel(at, filepath.Join(abs, file))
			if err != nil {
				return "", "", fault.Wrap(err, fault.Config, "%s", file)
			}
			return at, filepath.ToSlash(rel), nil
		}
		if filepath.Dir(at) == at {
			e := fault.New(fault.Config, "%s is not in a project: no %s in its folder or above", file, contract.ProjectFile)
			e.Place = fault.Place{Path: filepath.Join(dir, file)}
			return "", "", e
		}
	}
}

// unwrapPath drops the path from an *os.PathError: the fault's place has it.
func unwrapPath(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// ParseInput reads "name=value".
func ParseInput(s string) (Input, error) {
	name, value, ok := strings.Cut(s, "=")
	v, valid := parseFinite(value)
	if !ok || name == "" || !valid {
		return Input{}, fault.New(fault.Usage, "input %q is not name=value with a finite number", s)
	}
	return Input{Action: name, Value: v}, nil
}

// ParseDrive reads "none" or "sine".
func ParseDrive(s string) (Drive, error) {
	switch s {
	case "", "none":
		return DriveNone, nil
	case "sine":
		return DriveSine, nil
	}
	return DriveNone, fault.New(fault.Usage, "drive %q is not none or sine", s)
}
