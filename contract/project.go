package contract

import (
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"

	"demi.network/contract/jsontext"
	"demi.network/runtime/fault"
	"demi.network/schemas"
)

// ProjectFile is the name of the file that makes a folder a project.
const ProjectFile = "demi.project.json"

// Asset types that demi-net reads.
const (
	TypeNetworkContract = "NetworkContract"
	TypeDataSchema      = "DataSchema"
)

// Project is what demi-net reads of a project: demi.project.json, the asset
// manifests below assets/ and the prefabs below prefabs/. Keys of the project
// file that demi-net does not know belong to the engine and are ignored. A
// Project does not change after LoadProject and may be shared.
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

	contractPlace  fault.Place // of the network_contract key, else of the file
	contractHint   string
	contractSpoilt bool // the key is there, but is no asset id
}

// SceneRef is one scene of a project; Path is relative to the project.
type SceneRef struct{ ID, Path string }

// PrefabRef is one prefab file of a project; Path is relative to the project.
type PrefabRef struct{ ID, Path string }

// Action is one input action of a project.
type Action struct {
	Name     string
	Type     string // "axis1d" or "button"
	Context  string
	Bindings []Binding
}

// Binding is one physical input of an action, as the engine spells it.
type Binding struct {
	Input    string  // "key:a", "gamepad:axis:left_x", …
	Scale    float64 // 1 when the file gives none
	Deadzone float64
	Invert   bool
}

// Package is one package requirement of a project.
type Package struct{ Name, Version string }

// Asset is one asset: a manifest beside the file it describes.
type Asset struct {
	ID           string // asset://…
	Type         string // TypeNetworkContract, TypeDataSchema, or one of the engine's
	Manifest     string // path of the manifest, relative to the project
	Source       string // path of the file, relative to the project
	Dependencies []string

	place fault.Place // of the id in the manifest
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

// Asset finds an asset by id, or returns nil.
func (p *Project) Asset(id string) *Asset {
	i := sort.Search(len(p.Assets), func(i int) bool { return p.Assets[i].ID >= id })
	if i < len(p.Assets) && p.Assets[i].ID == id {
		return &p.Assets[i]
	}
	return nil
}

// Prefab finds a prefab by id, or returns nil.
func (p *Project) Prefab(id string) *PrefabRef {
	i := sort.Search(len(p.Prefabs), func(i int) bool { return p.Prefabs[i].ID >= id })
	if i < len(p.Prefabs) && p.Prefabs[i].ID == id {
		return &p.Prefabs[i]
	}
	return nil
}

// loadProject returns nil only when there is no project file to read.
func loadProject(fsys fs.FS, r *rules) (*Project, Problems) {
	d, problems := load(fsys, ProjectFile)
	if d.root == nil {
		return nil, problems.sorted()
	}
	p := &Project{FS: fsys, contractPlace: d.place(nil)}
	value := plain(d.root)
	found, bad := r.check(schemas.Project, d, d.root, value)
	problems = append(problems, found...)
	value = prune(value, bad)
	if _, ok := value.(map[string]any); ok {
		r.fill(schemas.Project, r.trees[schemas.Project], value)
		p.read(value.(map[string]any), d)
	}
	problems = append(problems, p.findAssets(fsys, r)...)
	problems = append(problems, p.findPrefabs(fsys)...)
	return p, problems.sorted()
}

// read takes over the keys of the project file.
func (p *Project) read(o object, d document) {
	p.Name, p.MainScene = o.text("name"), o.text("main_scene")
	p.ContractID = o.text("network_contract")
	if n := d.root.Get("network_contract"); n != nil {
		p.contractPlace, p.contractSpoilt = d.place(n), p.ContractID == ""
	} else {
		p.contractHint = "demi.project.json names it with \"network_contract\""
		for i := range d.root.Members {
			if m := &d.root.Members[i]; strings.EqualFold(m.Key, "network_contract") {
				p.contractPlace = d.keyPlace(m.Value)
				p.contractHint = fmt.Sprintf("%q is not \"network_contract\": keys differ by upper and lower case", m.Key)
			}
		}
	}
	list, _ := o["scenes"].([]any)
	for _, v := range list {
		if s, ok := v.(map[string]any); ok {
			p.Scenes = append(p.Scenes, SceneRef{object(s).text("id"), object(s).text("path")})
		}
	}
	actions := o.object("input").object("actions")
	for _, name := range actions.keys() {
		p.Actions = append(p.Actions, readAction(name, actions.object(name)))
	}
	scripting := o.object("scripting")
	p.Language, p.Modules = scripting.text("language"), texts(scripting["modules"])
	packages := o.object("packages")
	for _, name := range packages.keys() {
		p.Packages = append(p.Packages, Package{name, packages.text(name)})
	}
}

func readAction(name string, o object) Action {
	a := Action{Name: name, Type: o.text("type"), Context: o.text("context")}
	list, _ := o["bindings"].([]any)
	for _, v := range list {
		m, _ := v.(map[string]any)
		b := Binding{object(m).text("input"), 1, object(m).number("deadzone"), object(m).bool("invert")}
		if object(m).has("scale") {
			b.Scale = object(m).number("scale")
		}
		a.Bindings = append(a.Bindings, b)
	}
	return a
}

func texts(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, item := range list {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// findAssets reads every manifest below assets/.
func (p *Project) findAssets(fsys fs.FS, r *rules) Problems {
	var problems Problems
	names, failed := walk(fsys, "assets", ".asset.json")
	if failed != nil {
		problems = append(problems, *failed)
	}
	for _, name := range names {
		a, found := readManifest(fsys, r, name)
		problems = append(problems, found...)
		if a.ID != "" {
			p.Assets = append(p.Assets, a)
		}
	}
	sort.SliceStable(p.Assets, func(i, j int) bool { return p.Assets[i].ID < p.Assets[j].ID })
	for i := 1; i < len(p.Assets); i++ {
		if a, b := &p.Assets[i-1], &p.Assets[i]; a.ID == b.ID {
			problems = append(problems, problem(CodeDuplicateAsset, b.place,
				fmt.Sprintf("the asset %q exists twice", b.ID), "the other is "+a.Manifest))
		}
	}
	return problems
}

func readManifest(fsys fs.FS, r *rules, name string) (Asset, Problems) {
	d, problems := load(fsys, name)
	if d.root == nil {
		return Asset{}, problems
	}
	value := plain(d.root)
	found, bad := r.check(schemas.Asset, d, d.root, value)
	problems = append(problems, found...)
	m, _ := prune(value, bad).(map[string]any)
	o := object(m)
	a := Asset{
		ID: o.text("id"), Type: o.text("type"), Manifest: name,
		Dependencies: texts(o["dependencies"]), place: d.place(d.root.Get("id")),
	}
	source := o.text("source")
	at := d.place(d.root.Get("source"))
	if source == "" {
		if o.has("source") && (a.Type == TypeNetworkContract || a.Type == TypeDataSchema) {
			problems = append(problems, problem(CodeInvalidManifest, at, "the source is empty", "name the asset's file, relative to the manifest"))
		}
		return a, problems
	}
	a.Source = path.Join(path.Dir(name), source)
	if path.IsAbs(source) || strings.ContainsAny(source, `\:`) || !fs.ValidPath(a.Source) || a.Source == "." {
		a.Source = ""
		return a, append(problems, problem(CodeInvalidManifest, at,
			fmt.Sprintf("%q is not a path inside the project", source), "use a path relative to the manifest, with slashes"))
	}
	if a.Type == TypeNetworkContract || a.Type == TypeDataSchema {
		found := checkSource(fsys, d, a, o.text("source_hash"), at)
		if problems = append(problems, found...); found.Errors() > 0 {
			a.Source = ""
		}
	}
	return a, problems
}

// checkSource says whether the source is there and is what was imported.
func checkSource(fsys fs.FS, d document, a Asset, hash string, at fault.Place) Problems {
	b, failed := readFile(fsys, a.Source)
	if failed != nil {
		failed.Text = fmt.Sprintf("%s: %s", a.Source, failed.Text)
		failed.Place = at
		return Problems{*failed}
	}
	if hash == "" {
		return nil
	}
	if want := SourceHash(path.Base(a.Source), b); hash != want {
		return Problems{problem(CodeStaleHash, d.place(d.root.Get("source_hash")),
			fmt.Sprintf("source_hash is stale: %s has %s", a.Source, want), "import the asset again, or put the new hash here")}
	}
	return nil
}

// findPrefabs reads the id of every prefab below prefabs/.
func (p *Project) findPrefabs(fsys fs.FS) Problems {
	var problems Problems
	names, failed := walk(fsys, "prefabs", ".prefab.json")
	if failed != nil {
		problems = append(problems, *failed)
	}
	for _, name := range names {
		d, found := load(fsys, name)
		problems = append(problems, found...)
		if d.root == nil {
			continue
		}
		id := d.root.Get("id")
		if id == nil || id.Kind != jsontext.KindString || !strings.HasPrefix(id.Text, "prefab://") {
			problems = append(problems, problem(CodeInvalidManifest, d.place(id), "a prefab's id must start with \"prefab://\"", ""))
			continue
		}
		p.Prefabs = append(p.Prefabs, PrefabRef{id.Text, name})
	}
	sort.SliceStable(p.Prefabs, func(i, j int) bool { return p.Prefabs[i].ID < p.Prefabs[j].ID })
	for i := 1; i < len(p.Prefabs); i++ {
		if a, b := &p.Prefabs[i-1], &p.Prefabs[i]; a.ID == b.ID {
			problems = append(problems, problem(CodeDuplicateAsset, fault.Place{Path: b.Path, Line: 1, Column: 1},
				fmt.Sprintf("the prefab %q exists twice", b.ID), "the other is "+a.Path))
		}
	}
	return problems
}
