package contract

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode"

	"demi.network/contract/jsontext"
	"demi.network/contract/payload"
	"demi.network/runtime/fault"
	"demi.network/schemas"
)

// loader is one run over one contract. It collects problems as it goes; the
// contract it fills is thrown away when one of them is an error.
type loader struct {
	fsys     fs.FS    // nil: a bare file
	project  *Project // nil: a bare file
	rules    *rules
	doc      document
	root     object // filled: defaults in, notes out
	problems Problems
	found    [Warning + 1]int          // problems that add was given, by severity
	hints    int                       // of suggest, so far
	schemas  map[string]*payloadSchema // by asset id
	entities map[string]*jsontext.Node // by path of a prefab: its first entity, or nil
	declared map[string]declaration    // by field path
	folded   map[string]string         // by place and lower case: the first name that confusable saw
	types    map[string]FieldType      // by field path: what the first rule says of one that is not declared
	out      *Contract
}

// maxProblems is how many errors, and how many warnings, one run over a
// contract reports beside the faults of structure and of JSON text; the last
// of them says how many more there are.
const maxProblems = 500

func loadAsset(fsys fs.FS, p *Project, id string, r *rules) (*Contract, Problems) {
	a := p.Asset(id)
	if id == "" && p.contractSpoilt {
		return nil, nil // the project's problems say why
	}
	if a == nil || a.Type != TypeNetworkContract {
		return nil, Problems{contractNotFound(p, id, a)}
	}
	if a.Source == "" {
		return nil, nil // the project's problems say why
	}
	l := &loader{fsys: fsys, project: p, rules: r}
	if c := l.load(a.Source, id); c != nil {
		l.unusedSchemas(a)
	}
	return l.finish()
}

// contractNotFound says why the project has no such contract.
func contractNotFound(p *Project, id string, a *Asset) Problem {
	at := p.contractPlace
	switch {
	case id == "":
		return problem(CodeAssetNotFound, at, "the project has no network contract", p.contractHint)
	case a != nil:
		return problem(CodeAssetNotFound, at, fmt.Sprintf("%q is a %s, not a NetworkContract", id, a.Type), "see "+a.Manifest)
	}
	var names []string
	for i := range p.Assets {
		if p.Assets[i].Type == TypeNetworkContract {
			names = append(names, p.Assets[i].ID)
		}
	}
	hint := "no manifest below assets/ has the type NetworkContract"
	if len(names) > 0 {
		hint = "there is " + strings.Join(names, ", ")
	}
	return problem(CodeAssetNotFound, at, fmt.Sprintf("the contract asset %q does not exist", id), hint)
}

func loadFile(fsys fs.FS, path string, r *rules) (*Contract, Problems) {
	l := &loader{fsys: fsys, rules: r}
	l.load(path, "")
	return l.finish()
}

// load reads, checks and compiles one contract file. It returns nil when there
// was nothing to look into.
func (l *loader) load(path, assetID string) *Contract {
	d, problems := load(l.fsys, path)
	l.problems = problems
	return l.compile(d, assetID)
}

func (l *loader) compile(d document, assetID string) *Contract {
	if d.root == nil {
		return nil
	}
	l.doc = d
	l.schemas, l.entities = map[string]*payloadSchema{}, map[string]*jsontext.Node{}
	l.declared, l.types = map[string]declaration{}, map[string]FieldType{}
	l.out = &Contract{AssetID: assetID, byName: map[string]int{}, byKey: map[string]int{}}
	value := plain(d.root)
	found, bad := l.rules.check(schemas.NetworkContract, d, d.root, value)
	l.problems = append(l.problems, found...)
	m, ok := prune(value, bad).(map[string]any)
	if !ok || d.root.Kind != jsontext.KindObject {
		return nil
	}
	l.root = m
	l.rules.fill(schemas.NetworkContract, l.rules.trees[schemas.NetworkContract], m)
	l.out.ID = l.root.text("id")
	l.seen(CodeInvalidID, "the id", l.out.ID, l.doc.place(l.doc.root.Get("id")))
	l.limits()
	l.session()
	l.simulation()
	l.declarations()
	l.prefabs()
	l.messages()
	l.lockstep()
	if l.problems.Errors() == 0 {
		l.seal()
	}
	return l.out
}

// finish returns the contract, unless there are errors.
func (l *loader) finish() (*Contract, Problems) {
	for severity, n := range l.found {
		for i := len(l.problems) - 1; i >= 0 && n > maxProblems; i-- {
			if p := &l.problems[i]; p.Severity == Severity(severity) {
				p.Text += fmt.Sprintf("; and %d more %ss", n-maxProblems, p.Severity)
				break
			}
		}
	}
	problems := l.problems.sorted()
	if problems.Errors() > 0 || l.out == nil {
		return nil, problems
	}
	return l.out, problems
}

// add keeps a problem, unless there are too many of its severity.
func (l *loader) add(p Problem) {
	if l.found[p.Severity]++; l.found[p.Severity] <= maxProblems {
		l.problems = append(l.problems, p)
	}
}

func (l *loader) addAll(problems Problems) {
	for _, p := range problems {
		l.add(p)
	}
}

// suggest returns the candidate that word was most likely meant to be, or "".
// Comparing words costs time, so only the first few mistakes get a hint.
func (l *loader) suggest(word string, candidates func() []string) string {
	const mostHints, mostCandidates = 50, 1000
	if l.hints++; l.hints > mostHints {
		return ""
	}
	list := candidates()
	return nearest(word, list[:min(len(list), mostCandidates)])
}

func (l *loader) report(code Code, at *jsontext.Node, text, hint string) {
	l.add(problem(code, l.doc.place(at), text, hint))
}

// reportKey is report at the key that has the node as its value.
func (l *loader) reportKey(code Code, at *jsontext.Node, text, hint string) {
	l.add(problem(code, l.doc.keyPlace(at), text, hint))
}

// name checks a name that the author chose, which is a key; the structure check
// has looked at its length.
func (l *loader) name(what, name string, at *jsontext.Node) {
	l.seen(CodeInvalidName, "the name of a "+what, name, l.doc.keyPlace(at))
	l.confusable(what, name, at)
}

// confusable warns of names that people take for others: they are compared
// byte by byte, and a script that has the wrong one is told nothing.
func (l *loader) confusable(what, name string, at *jsontext.Node) {
	if strings.ContainsFunc(name, func(r rune) bool { return r >= 0x300 && r <= 0x36f }) {
		l.reportKey(CodeConfusableName, at, fmt.Sprintf("the name of a %s has a combining mark: names are compared byte by byte", what),
			"write the letter and its mark as one character, in scripts too")
	}
	key := at.Pointer()
	key = key[:strings.LastIndexByte(key, '/')+1] + strings.ToLower(name)
	if other, ok := l.folded[key]; !ok {
		if l.folded == nil {
			l.folded = map[string]string{}
		}
		l.folded[key] = name
	} else if other != name {
		l.reportKey(CodeConfusableName, at, fmt.Sprintf("%q differs from %q in upper and lower case only", name, other), "rename one of them")
	}
}

// seen reports a name that cannot be seen in full wherever it is printed.
func (l *loader) seen(code Code, what, name string, at fault.Place) {
	for _, r := range name {
		if !unicode.IsPrint(r) {
			l.add(problem(code, at, fmt.Sprintf("%s has the character %U", what, r),
				"names go into logs and terminals: use letters, digits, marks and signs that can be seen"))
			return
		}
	}
	if strings.TrimSpace(name) != name {
		l.add(problem(code, at, what+" begins or ends with a space", ""))
	}
}

// place is where a definition stands, for refusals that name their rule.
func (l *loader) place(n *jsontext.Node) fault.Place { return l.doc.keyPlace(n) }

// unusedSchemas warns of schemas that nothing uses: neither a message or a
// command, nor another asset.
func (l *loader) unusedSchemas(contract *Asset) {
	used := map[string]bool{}
	for id := range l.schemas {
		used[id] = true
	}
	for i := range l.project.Assets {
		if a := &l.project.Assets[i]; a.Type != TypeNetworkContract {
			for _, id := range a.Dependencies {
				used[id] = true
			}
		} else if a.ID != contract.ID {
			for _, id := range a.Dependencies { // another contract's business
				used[id] = true
			}
		}
	}
	for i := range l.project.Assets {
		if a := &l.project.Assets[i]; a.Type == TypeDataSchema && !used[a.ID] {
			l.add(problem(CodeUnusedSchema, a.place, fmt.Sprintf("no message, command or asset uses the schema %q", a.ID), ""))
		}
	}
}

// payloadSchema is one schema, compiled.
type payloadSchema struct {
	id   string // asset id; "" = inline
	doc  document
	node *jsontext.Node
	plan *payload.Plan // nil when it has problems
}

// schema compiles the schema of a message or command; node is the value of
// its `schema` key, or nil. It returns nil after a problem.
func (l *loader) schema(value any, node *jsontext.Node) *payloadSchema {
	switch v := value.(type) {
	case string:
		return l.assetSchema(v, node)
	case map[string]any:
		s := &payloadSchema{doc: l.doc, node: node}
		l.compilePlan(s, &l.problems)
		return s
	}
	return &payloadSchema{plan: payload.Any()}
}

// assetSchema finds and compiles a DataSchema asset, once.
func (l *loader) assetSchema(id string, at *jsontext.Node) *payloadSchema {
	if s, ok := l.schemas[id]; ok {
		return s
	}
	s := &payloadSchema{id: id}
	l.schemas[id] = s
	if l.project == nil {
		l.report(CodeSchemaNotFound, at, fmt.Sprintf("the schema %q cannot be found: this is a contract without a project", id),
			"validate the project, or write the schema in place of its id")
		return s
	}
	a := l.project.Asset(id)
	if a == nil || a.Type != TypeDataSchema {
		hint := ""
		if a != nil {
			hint = fmt.Sprintf("that asset is a %s", a.Type)
		} else if n := l.suggest(id, l.schemaIDs); n != "" {
			hint = fmt.Sprintf("did you mean %q?", n)
		}
		l.report(CodeSchemaNotFound, at, fmt.Sprintf("the project has no DataSchema %q", id), hint)
		return s
	}
	if a.Source == "" {
		return s // the project's problems say why
	}
	d, problems := load(l.fsys, a.Source)
	l.addAll(problems)
	if s.doc, s.node = d, d.root; s.node != nil {
		found, _ := l.rules.check(schemas.DataSchema, d, d.root, plain(d.root))
		l.compilePlan(s, &found)
		l.addAll(found)
	}
	return s
}

func (l *loader) schemaIDs() []string {
	var ids []string
	for i := range l.project.Assets {
		if l.project.Assets[i].Type == TypeDataSchema {
			ids = append(ids, l.project.Assets[i].ID)
		}
	}
	return ids
}

// compilePlan compiles s. The payload compiler's words about a schema stand in
// for those of the structure check among problems, which sees the same faults.
func (l *loader) compilePlan(s *payloadSchema, problems *Problems) {
	plan, issues := payload.Compile(s.node)
	s.plan = plan
	base := s.node.Pointer()
	var hints map[string]string
	if plan == nil {
		*problems, hints = withoutSchema(*problems, s.doc.path, base)
	}
	for _, i := range issues {
		if i.Hint == "" {
			i.Hint = hints[base+i.Pointer]
		}
		code := CodeSchemaInvalid
		if i.Warning {
			code = CodeUnreachableRule
		}
		at := fault.Place{Path: s.doc.path, Line: i.Pos.Line, Column: i.Pos.Column, Pointer: base + i.Pointer}
		l.add(problem(code, at, i.Text, i.Hint))
	}
	if plan != nil {
		l.beyondLimits(s)
	}
}

// beyondLimits warns of a schema that promises more than the limits let
// through: an author who reads the schema expects it to arrive.
func (l *loader) beyondLimits(s *payloadSchema) {
	limits := &l.out.Limits
	for _, e := range s.plan.Beyond(payload.Limits{StringBytes: limits.StringBytes, Elements: limits.PayloadElements}) {
		at := s.node.At(e.Pointer)
		if at == nil { // a place of no document: what is not declared
			continue
		}
		what := "limits.maximum_payload_elements"
		if e.Text {
			what = "limits.maximum_string_bytes"
		}
		l.add(problem(CodeUnreachableRule, s.doc.keyPlace(at), fmt.Sprintf("%d is more than %s, which is %d", e.Value, what, e.Limit), "a payload is stopped by the limit first"))
	}
}

// withoutSchema drops, in place, what the structure check said of the schema at
// base, and returns its hints by pointer.
func withoutSchema(problems Problems, path, base string) (Problems, map[string]string) {
	hints := map[string]string{}
	kept := problems[:0]
	for _, p := range problems {
		inside := p.Place.Pointer == base || strings.HasPrefix(p.Place.Pointer, base+"/")
		if p.Code != CodeSchemaInvalid || p.Place.Path != path || !inside {
			kept = append(kept, p)
		} else {
			hints[p.Place.Pointer] = p.Hint
		}
	}
	return kept, hints
}

// sortedNames returns the keys of a section in byte order: the order of wire
// ids, whatever the order of the file.
func sortedNames(m map[string]*jsontext.Node) []string {
	return slices.Sorted(maps.Keys(m))
}
