package contract

import (
	"io/fs"
)

// ProjectFile is the name of the file that makes a folder a project.
const ProjectFile = "demi.project.json"

// Project is what demi-net reads of a project: demi.project.json, the asset
// manifests below assets/ and the prefabs below prefabs/. Keys of the project
// file that demi-net does not know belong to the engine and are ignored. A
// Project does not change after LoadProject.
type Project struct {
	FS         fs.FS
	Name       string
	ContractID string // asset:// id of the contract; "" = the project has none
	MainScene  string // scene:// id
	Scenes     []SceneRef
	Actions    []Action // in the byte order of names
	Language   string   // scripting.language, "lua54" in the engine's projects
	Modules    []string // scripting.modules
	Packages   []Package
	Assets     []Asset     // in the byte order of ids
	Prefabs    []PrefabRef // in the byte order of ids
}

// SceneRef is one scene of a project; Path is relative to the project.
type SceneRef struct{ ID, Path string }

// PrefabRef is one prefab file of a project; Path is relative to the project.
type PrefabRef struct{ ID, Path string }

// Action is one input action of a project.
type Action struct {
	Name    string
	Type    string // "axis1d" or "button"
	Context string
	Inputs  []Binding
}

// Binding is one physical input of an action, as the engine spells it. A zero
// Scale in the file is 1 here.
type Binding struct {
	Input    string // "key:a", "gamepad:axis:left_x", …
	Scale    float64
	Deadzone float64
	Invert   bool
}

// Package is one package requirement of a project.
type Package struct{ Name, Version string }

// Asset is one asset: a manifest beside the file it describes.
type Asset struct {
	ID       string // asset://…
	Type     string // "NetworkContract", "DataSchema", or one of the engine's
	Manifest string // path of the manifest, relative to the project
	Source   string // path of the file, relative to the project
}

// Scene finds a scene by id, or returns nil.
func (p *Project) Scene(id string) *SceneRef {
	for i := range p.Scenes {
		if p.Scenes[i].ID == id {
			return &p.Scenes[i]
		}
	}
	return nil
}
