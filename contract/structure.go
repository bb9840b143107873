package contract

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"slices"
	"strings"

	"demi.network/contract/jsontext"
	"demi.network/schemas"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// maxStructureProblems is how many faults of structure one file reports; the
// last of them says that there are more, and then nothing else of the file is
// looked at.
const maxStructureProblems = 500

// rules are the JSON Schemas: compiled for the validator, and as text trees
// for codes, hints, defaults and words. They are made once for each Load and
// do not change.
type rules struct {
	trees    map[string]*jsontext.Node
	compiled map[string]*jsonschema.Schema
}

// newRules compiles the embedded schemas. That they are sound is tested; a
// fault here is a broken build.
func newRules() *rules {
	r := &rules{trees: map[string]*jsontext.Node{}, compiled: map[string]*jsonschema.Schema{}}
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft7
	c.LoadURL = func(string) (io.ReadCloser, error) { return nil, errors.New("nothing is ever loaded") }
	names := []string{schemas.NetworkContract, schemas.DataSchema, schemas.Asset, schemas.Project}
	for _, name := range names {
		b, err := fs.ReadFile(schemas.FS, name)
		if err == nil {
			err = c.AddResource(schemas.Base+name, bytes.NewReader(b))
		}
		if err != nil {
			panic("contract: BUG: schema " + name + ": " + err.Error())
		}
		r.trees[name], _ = jsontext.Parse(b)
	}
	for _, name := range names {
		r.compiled[name] = c.MustCompile(schemas.Base + name)
	}
	return r
}

// finding is one fault of structure, not yet in words.
type finding struct {
	schema   string // file of the rule
	rule     string // pointer of the keyword in that file
	instance string // pointer of the value
	name     bool   // it is the value's key that is wrong
	message  string // the validator's words
}

// check validates value, which is plain(at), against a schema file. Problems
// are placed in d, whose node at is where value came from; bad lists the
// pointers, below at, of what must not be looked at any more.
func (r *rules) check(schema string, d document, at *jsontext.Node, value any) (problems Problems, bad []string) {
	err := r.compiled[schema].Validate(value)
	if err == nil {
		return nil, nil
	}
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return Problems{problem(CodeSchemaInvalid, d.place(at), err.Error(), "")}, []string{""}
	}
	var found []finding
	leaves(failed, &found)
	more := len(found) - maxStructureProblems
	if more > 0 { // the validator ranges over maps: sort, so that the same ones are kept
		slices.SortFunc(found, func(a, b finding) int {
			return cmp.Or(strings.Compare(a.instance, b.instance), strings.Compare(a.rule, b.rule))
		})
		found = found[:maxStructureProblems]
	}
	x := explainer{rules: r, doc: d, root: at, members: map[*jsontext.Node]map[string]*jsontext.Node{}}
	for _, f := range found {
		x.explain(f)
	}
	problems, more = x.problems.sorted(), max(more, 0)+x.more
	if more == 0 {
		return problems, x.bad
	}
	last := &problems[len(problems)-1]
	last.Text = fmt.Sprintf("%s; and at least %d more faults", last.Text, more)
	return problems, []string{""}
}

// leaves collects the errors that have no causes: the keywords that failed.
func leaves(e *jsonschema.ValidationError, found *[]finding) {
	for _, cause := range e.Causes {
		leaves(cause, found)
	}
	if len(e.Causes) > 0 {
		return
	}
	file, rule, _ := strings.Cut(strings.TrimPrefix(e.AbsoluteKeywordLocation, schemas.Base), "#")
	*found = append(*found, finding{
		schema: file, rule: unescapeURL(rule), instance: unescapeURL(e.InstanceLocation),
		name: strings.Contains(e.KeywordLocation, "/propertyNames"), message: e.Message,
	})
}

// unescapeURL turns a URL fragment into a JSON pointer.
func unescapeURL(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// explainer puts findings into words and collects which values they spoil.
type explainer struct {
	*rules
	doc      document
	root     *jsontext.Node
	members  map[*jsontext.Node]map[string]*jsontext.Node // of wide objects that were looked into
	problems Problems
	more     int      // problems beyond maxStructureProblems
	bad      []string // pointers of values that are spoilt
}

func (x *explainer) add(p Problem, spoilt ...string) {
	if len(x.problems) == maxStructureProblems {
		x.more++
		return
	}
	x.problems = append(x.problems, p)
	x.bad = append(x.bad, spoilt...)
}

// find returns the value of a finding and its pointer. The validator leaves out
// the step of an empty name, so where a step leads nowhere an empty name is
// taken to be there. The value is nil when that leads nowhere either.
func (x *explainer) find(pointer string) (*jsontext.Node, string) {
	n, real := x.root, ""
	if pointer == "" {
		return n, ""
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		next := x.child(n, token)
		for next == nil && n != nil {
			n, real = n.Get(""), real+"/"
			next = x.child(n, token)
		}
		n, real = next, real+"/"+token
	}
	return n, real
}

// child is one step of Node.At, in constant time however wide an object is.
func (x *explainer) child(n *jsontext.Node, token string) *jsontext.Node {
	const wide = 64
	switch {
	case n == nil || n.Kind != jsontext.KindObject || len(n.Members) < wide:
		return n.At("/" + token)
	case x.members[n] == nil:
		x.members[n] = members(n)
	}
	return x.members[n][jsontext.UnescapeToken(token)]
}

// explain makes problems of one finding.
func (x *explainer) explain(f finding) {
	cut := strings.LastIndexByte(f.rule, '/')
	if cut < 0 {
		x.add(problem(CodeSchemaInvalid, x.doc.place(x.root), f.message, ""), "")
		return
	}
	keyword, owner := f.rule[cut+1:], f.rule[:cut]
	schema := x.trees[f.schema].At(owner)
	code := x.code(f.schema, f.rule)
	value, instance := x.find(f.instance)
	f.instance = instance
	switch {
	case value == nil || schema == nil:
		x.add(problem(code, x.doc.place(x.root), f.message, ""), "")
	case f.name:
		if keyword == "minLength" { // the validator's place of an empty name is the object's own
			f.instance += "/"
			value = x.child(value, "")
		}
		x.add(problem(code, x.doc.keyPlace(value), nameText(value, keyword, schema.Get(keyword)), ""), f.instance)
	case keyword == "additionalProperties":
		x.unknownKeys(f, schema, value)
	case keyword == "required":
		x.missingKeys(f, schema, value)
	default:
		text, hint := valueText(keyword, schema, value, f.message)
		x.add(problem(code, x.doc.place(value), text, hint), f.instance)
	}
}

// code returns the problem code of a rule: that of the innermost schema on the
// way to it that has one.
func (r *rules) code(file, pointer string) Code {
	n := r.trees[file]
	code := CodeInvalidJSON
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if c := n.Get("x-demi-code"); c != nil {
			code = Code(c.Text)
		}
		if n = n.At("/" + token); n == nil {
			break
		}
	}
	return code
}

// unknownKeys makes a problem of each key that the schema does not know.
func (x *explainer) unknownKeys(f finding, schema, object *jsontext.Node) {
	known := schema.Get("properties")
	for i := range object.Members {
		m := &object.Members[i]
		if known.Get(m.Key) != nil {
			continue
		}
		if len(x.problems) == maxStructureProblems {
			x.more++
			continue
		}
		code, text := CodeUnknownKey, fmt.Sprintf("unknown key %q", m.Key)
		right, how := nearestKey(schema, m.Key)
		switch {
		case f.schema == schemas.DataSchema:
			code, text = CodeSchemaInvalid, fmt.Sprintf("keyword %q is not supported", m.Key)
		case how == matchCase:
			code = CodeWrongCaseKey
		}
		x.add(problem(code, x.doc.keyPlace(m.Value), text, keyHint(schema, right, how)), f.instance+"/"+jsontext.EscapeToken(m.Key))
	}
}

// missingKeys makes a problem of each required key that is absent.
func (x *explainer) missingKeys(f finding, schema, object *jsontext.Node) {
	const most = 64 // of members that are asked whether they were meant to be it
	for _, name := range schema.Get("required").Items {
		if object.Get(name.Text) != nil {
			continue
		}
		owner := f.rule[:strings.LastIndexByte(f.rule, '/')]
		code := x.code(f.schema, owner+"/properties/"+jsontext.EscapeToken(name.Text)+"/type")
		hint := ""
		for i := range object.Members[:min(len(object.Members), most)] {
			if right, how := nearestKey(schema, object.Members[i].Key); how != matchNone && right == name.Text {
				hint = fmt.Sprintf("is %q meant to be it?", object.Members[i].Key)
			}
		}
		x.add(problem(code, x.doc.place(object), fmt.Sprintf("%q is missing", name.Text), hint), f.instance)
	}
}
