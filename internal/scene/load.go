package scene

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"demi.network/contract"
	"demi.network/contract/jsontext"
	"demi.network/runtime/fault"
)

// maxProblems is how many faults of one file are listed; more are only counted.
const maxProblems = 50

// Open loads one scene of a project, with all its prefabs and input actions.
// sceneID "" is the project's main scene. Errors are *fault.Error with code
// fault.Scene and the place of the first fault; Data["problems"] lists every
// fault of that file as contract.Problem.Fields does.
func Open(p *contract.Project, sceneID string) (*Scene, error) {
	if sceneID == "" {
		sceneID = p.MainScene
	}
	ref := p.Scene(sceneID)
	if ref == nil {
		return nil, noScene(p, sceneID)
	}
	s := New()
	for _, a := range p.Actions {
		kind := Button
		if a.Type == Axis1D.String() {
			kind = Axis1D
		}
		if err := s.Input.Define(Action{Name: a.Name, Kind: kind, Context: a.Context}); err != nil {
			return nil, err
		}
	}
	for _, f := range p.Prefabs {
		text, err := readFile(p.FS, f.Path)
		if err != nil {
			return nil, err
		}
		if err := s.LoadPrefab(f.Path, text); err != nil {
			return nil, err
		}
	}
	text, err := readFile(p.FS, ref.Path)
	if err != nil {
		return nil, err
	}
	if err := s.LoadScene(ref.Path, text); err != nil {
		return nil, err
	}
	if s.ID != sceneID {
		err := fault.New(fault.Scene, "the scene's id is %q, but the project calls it %q", s.ID, sceneID)
		err.Place = fault.Place{Path: ref.Path, Line: 1, Column: 1, Pointer: "/id"}
		return nil, err
	}
	return s, nil
}

// noScene says which scenes there are in place of the one asked for.
func noScene(p *contract.Project, id string) error {
	const most = 8 // scenes that are listed
	err := fault.New(fault.Scene, "the project has no scene %q", id)
	if id == "" {
		err.Text = "the project names no scene to start in"
	}
	var ids []string
	for i := range p.Scenes[:min(len(p.Scenes), most)] {
		ids = append(ids, p.Scenes[i].ID)
	}
	err.Place.Path, err.Hint = contract.ProjectFile, `list its scene files in "scenes", and name one with "main_scene"`
	if len(ids) > 0 {
		err.Hint = "there is " + strings.Join(ids, ", ") + `; "main_scene" names the one to start in`
	}
	return err
}

// LoadScene adds the entities of a scene file. path is only for messages.
// After an error the Scene holds a part of the file: drop it.
func (s *Scene) LoadScene(path string, text []byte) error {
	doc := document{path: path}
	id, name, entities := doc.read(text, "scene://")
	if err := doc.err(); err != nil {
		return err
	}
	for i, e := range entities {
		if _, err := s.Add(e.Entity); err != nil {
			doc.refuse(entities[i].node, err)
		}
	}
	s.ID, s.Name = id, name
	return doc.err()
}

// LoadPrefab adds the prefab of a prefab file. path is only for messages.
func (s *Scene) LoadPrefab(path string, text []byte) error {
	doc := document{path: path}
	id, name, entities := doc.read(text, prefabScheme)
	if err := doc.err(); err != nil {
		return err
	}
	p := &Prefab{ID: id, Name: name}
	seen := make(map[string]bool, len(entities))
	for _, e := range entities {
		if e.ID == "" || len(e.ID) > MaxIDBytes || seen[e.ID] {
			doc.add(e.node, "the entity's id is missing, too long or taken")
		}
		seen[e.ID] = true
		b, err := s.fields.compile(e.Name, e.Components)
		if err != nil {
			doc.refuse(e.node, err)
		}
		p.ids, p.parts = append(p.ids, e.ID), append(p.parts, b)
	}
	if err := doc.err(); err != nil {
		return err
	}
	if err := s.addPrefab(p); err != nil {
		doc.refuse(doc.root, err)
	}
	return doc.err()
}

// document reads one scene or prefab file and collects its faults.
type document struct {
	path     string
	root     *jsontext.Node
	problems []*fault.Error
	more     int
}

// placed is an entity with the node it comes from.
type placed struct {
	Entity
	node *jsontext.Node
}

// read returns what scenes and prefabs have in common. Keys it does not know
// belong to the engine and are left alone.
func (d *document) read(text []byte, scheme string) (id, name string, entities []placed) {
	root, faults := jsontext.Parse(text)
	for _, f := range faults {
		if f.Fault != jsontext.FaultBOM {
			d.addAt(f.Pos, f.Pointer, f.Text)
		}
	}
	if root == nil {
		return "", "", nil
	}
	d.root = root
	if root.Kind != jsontext.KindObject {
		d.add(root, "the file must hold an object")
		return "", "", nil
	}
	if v := root.Get("format_version"); v == nil || v.Kind != jsontext.KindNumber || v.Number.Float != 1 {
		d.add(orElse(v, root), "format_version must be 1")
	}
	id = d.text(root, "id", true)
	if id != "" && !strings.HasPrefix(id, scheme) {
		d.add(root.Get("id"), "the id must begin with "+scheme)
	}
	name = d.text(root, "name", false)
	list := root.Get("entities")
	if list == nil || list.Kind != jsontext.KindArray {
		d.add(orElse(list, root), "entities must be a list")
		return id, name, nil
	}
	if len(list.Items) > MaxEntities {
		d.add(list, fmt.Sprintf("%d entities; at most %d are allowed", len(list.Items), MaxEntities))
		return id, name, nil
	}
	for _, n := range list.Items {
		entities = append(entities, placed{d.entity(n), n})
	}
	return id, name, entities
}

func (d *document) entity(n *jsontext.Node) Entity {
	if n.Kind != jsontext.KindObject {
		d.add(n, "an entity must be an object")
		return Entity{}
	}
	e := Entity{ID: d.text(n, "id", true), Name: d.text(n, "name", false)}
	comps := n.Get("components")
	if comps == nil {
		return e
	}
	if comps.Kind != jsontext.KindObject {
		d.add(comps, "components must be an object")
		return e
	}
	for _, m := range comps.Members {
		e.Components = append(e.Components, Component{Name: m.Key, Data: dataOf(m.Value)})
	}
	return e
}

func (d *document) text(n *jsontext.Node, key string, required bool) string {
	v := n.Get(key)
	switch {
	case v == nil && !required:
	case v == nil:
		d.add(n, key+" is missing")
	case v.Kind != jsontext.KindString || required && v.Text == "":
		d.add(v, key+" must be a string that is not empty")
	default:
		return v.Text
	}
	return ""
}

// dataOf converts a node; jsontext bounds the depth.
func dataOf(n *jsontext.Node) Data {
	switch n.Kind {
	case jsontext.KindBool:
		return BoolOf(n.Bool)
	case jsontext.KindNumber:
		return NumberOf(n.Number.Float)
	case jsontext.KindString:
		return TextOf(n.Text)
	case jsontext.KindArray:
		d := Data{Kind: List, Items: make([]Data, len(n.Items))}
		for i, it := range n.Items {
			d.Items[i] = dataOf(it)
		}
		return d
	case jsontext.KindObject:
		d := Data{Kind: Map, Keys: make([]Member, len(n.Members))}
		for i, m := range n.Members {
			d.Keys[i] = Member{m.Key, dataOf(m.Value)}
		}
		return d
	}
	return Data{}
}

func orElse(n, other *jsontext.Node) *jsontext.Node {
	if n != nil {
		return n
	}
	return other
}

func (d *document) add(n *jsontext.Node, text string) {
	d.addAt(n.Pos, n.Pointer(), text)
}

func (d *document) addAt(pos jsontext.Pos, pointer, text string) {
	if len(d.problems) >= maxProblems {
		d.more++
		return
	}
	err := fault.New(fault.Scene, "%s", text)
	err.Place = fault.Place{Path: d.path, Line: pos.Line, Column: pos.Column, Pointer: pointer}
	d.problems = append(d.problems, err)
}

// refuse adds an error about the entity at n. A pointer in it is relative to
// the entity's components.
func (d *document) refuse(n *jsontext.Node, err error) {
	var e *fault.Error
	if !errors.As(err, &e) {
		panic("scene: BUG: an error that is not a fault: " + err.Error())
	}
	if e.Place.Pointer != "" {
		if at := n.At("/components" + e.Place.Pointer); at != nil {
			n = at
		}
	}
	d.add(n, e.Text)
}

// err returns everything that is wrong with the file as one error, or nil.
func (d *document) err() error {
	if len(d.problems) == 0 {
		return nil
	}
	list := make([]any, len(d.problems))
	for i, p := range d.problems {
		list[i] = map[string]any{
			"severity": "error", "code": string(p.Code), "message": p.Text, "pointer": p.Place.Pointer,
			"path": p.Place.Path, "line": p.Place.Line, "column": p.Place.Column, "hint": "",
		}
	}
	first := *d.problems[0]
	if n := len(d.problems) - 1 + d.more; n > 0 {
		first.Text += fmt.Sprintf(" (and %d more)", n)
	}
	first.Data = map[string]any{"problems": list}
	return &first
}

// readFile reads a regular file of at most MaxFileBytes.
func readFile(fsys fs.FS, path string) ([]byte, error) {
	fail := func(text string, cause error) ([]byte, error) {
		err := fault.New(fault.Scene, "%s", text)
		err.Place.Path, err.Err = path, cause
		return nil, err
	}
	info, err := fs.Stat(fsys, path)
	switch {
	case err != nil:
		return fail("the file cannot be read", err)
	case !info.Mode().IsRegular():
		return fail("this is not a regular file", nil)
	case info.Size() > MaxFileBytes:
		return fail(fmt.Sprintf("the file has %d bytes; at most %d are read", info.Size(), MaxFileBytes), nil)
	}
	f, err := fsys.Open(path)
	if err != nil {
		return fail("the file cannot be read", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
	if err != nil {
		return fail("the file cannot be read", err)
	}
	if len(text) > MaxFileBytes {
		return fail(fmt.Sprintf("the file has more than the %d bytes that are read", MaxFileBytes), nil)
	}
	return text, nil
}
