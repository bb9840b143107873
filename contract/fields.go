package contract

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"demi.network/contract/jsontext"
)

// declaration is a field of the contract's components section.
type declaration struct {
	keys object
	node *jsontext.Node
}

// isGroup says whether an object below a component holds further fields
// instead of being a rule, as the schema's condition does.
func isGroup(o object) bool {
	if len(o) == 0 {
		return false
	}
	for _, v := range o {
		if _, ok := v.(map[string]any); !ok {
			return false
		}
	}
	return true
}

// eachField calls f for every rule below a component, in byte order of keys;
// keys of nested objects are joined with dots. nodes is the text's object.
func (l *loader) eachField(path string, o object, node *jsontext.Node, f func(path string, rule object, node *jsontext.Node)) {
	nodes := members(node)
	for _, key := range o.keys() {
		inner, ok := o[key].(map[string]any)
		if !ok {
			continue
		}
		l.name("field", key, nodes[key])
		full := path + "." + key
		if isGroup(inner) {
			l.eachField(full, inner, nodes[key], f)
			continue
		}
		f(full, inner, nodes[key])
	}
}

// declarations reads the components section.
func (l *loader) declarations() {
	section := l.root.object("components")
	nodes := members(l.doc.root.Get("components"))
	for _, component := range section.keys() {
		l.name("component", component, nodes[component])
		l.eachField(component, section.object(component), nodes[component], func(path string, keys object, node *jsontext.Node) {
			if _, ok := builtinField(path); ok {
				l.reportKey(CodeInvalidComponents, node, fmt.Sprintf("%s is a built-in field", path), "its rules may still give a step, a range or a tolerance")
				return
			}
			if _, ok := l.declared[path]; ok {
				l.reportKey(CodeInvalidComponents, node, fmt.Sprintf("%s is declared twice", path), "")
				return
			}
			l.declared[path] = declaration{keys, node}
			f := Field{Path: path}
			l.shape(&f, &fieldSource{rule: keys, node: node}, true)
		})
	}
}

// fieldSource is where the shape of a field may come from: its rule, else its
// declaration, else what is built in.
type fieldSource struct {
	rule     object
	node     *jsontext.Node // of rule
	declared object
	builtin  *fieldSpec
}

// number finds a number; ok says that the rule or the declaration has it.
func (s *fieldSource) number(key string) (f float64, ok bool) {
	if f, ok = numberOf(s.rule[key]); ok {
		return f, true
	}
	return numberOf(s.declared[key])
}

func (s *fieldSource) text(key string) string {
	if t := s.rule.text(key); t != "" {
		return t
	}
	return s.declared.text(key)
}

// at is where the key stands, for a problem with it.
func (s *fieldSource) at(key string) *jsontext.Node {
	if n := s.node.Get(key); n != nil {
		return n
	}
	return s.node
}

// shape fills in type, step, range and blending of a field. Declaring says that
// it is a declaration that is looked at and not a rule.
func (l *loader) shape(f *Field, s *fieldSource, declaring bool) {
	spec := fieldSpec{}
	switch name := s.text("type"); {
	case s.builtin != nil:
		spec = *s.builtin
	case name != "":
		spec = typeSpec(valueOf[FieldType](fieldTypeNames, name))
	case declaring:
		return // the structure check has said that the type is missing
	}
	f.Type, f.Step, f.Tolerance, f.Interpolate, f.Default = spec.typ, spec.step, spec.tolerance, spec.interpolate, spec.zero
	l.step(f, s)
	if t, ok := s.number("tolerance"); ok {
		f.Tolerance = t
	} else if spec.path == "" && f.Type != TypeBool && f.Type != TypeInt {
		f.Tolerance = f.Step
	}
	if name := s.text("interpolate"); name != "" {
		f.Interpolate = valueOf[Interpolation](interpolateNames, name)
		if !blends(f.Type, f.Interpolate) {
			l.report(CodeInvalidField, s.at("interpolate"), fmt.Sprintf("%s: %s cannot be blended by %s", f.Path, article(f.Type.String()), f.Interpolate), "")
		}
	}
	f.Predict = valueOf[Prediction](predictNames, s.text("predict"))
	l.bounds(f, s)
}

// step sets Step and SubBits. What a type fixes may be spelled out, as a
// contract's own Document does, but not be something else.
func (l *loader) step(f *Field, s *fieldSource) {
	step, given := s.number("step")
	fixed := f.Type == TypeBool
	switch {
	case given && fixed && step != 1:
		l.report(CodeInvalidField, s.at("step"), fmt.Sprintf("%s: a bool has no step", f.Path), "")
	case given && f.Type == TypeInt && step != math.Trunc(step):
		l.report(CodeInvalidField, s.at("step"), fmt.Sprintf("%s: the step of an int must be a whole number", f.Path), "use the type float for fractions")
	case given:
		f.Step = step
	case f.Step == 0:
		l.report(CodeMissingStep, s.node, fmt.Sprintf("%s: a float needs a step", f.Path),
			"\"step\" is what one unit on the wire is worth: 0.01 keeps two decimals")
		f.Step = 1
	}
	if bits, ok := s.number("sub_bits"); ok {
		if bits != 0 && (f.Type == TypeBool || f.Type == TypeInt) {
			l.report(CodeInvalidField, s.at("sub_bits"), fmt.Sprintf("%s: %s has no sub_bits", f.Path, article(f.Type.String())), "")
			return
		}
		f.SubBits = uint8(bits)
	} else if l.out.Simulation.Declared && f.WriteBy == ActorServer && f.Type != TypeBool && f.Type != TypeInt {
		f.SubBits = 8
	}
}

// halfRange is how many cells the default range reaches to either side of 0.
const halfRange = 1 << 30

// bounds sets Minimum and Maximum.
func (l *loader) bounds(f *Field, s *fieldSource) {
	low, hasLow := s.number("minimum")
	high, hasHigh := s.number("maximum")
	perCell := f.Step / float64(uint(1)<<f.SubBits)
	switch f.Type {
	case TypeBool, TypeColor:
		f.Minimum, f.Maximum = 0, 1
	case TypeQuat:
		f.Minimum, f.Maximum = -1, 1
	case TypeInt:
		f.Minimum, f.Maximum = -math.MaxInt32*f.Step, math.MaxInt32*f.Step
	default:
		f.Minimum, f.Maximum = -halfRange*perCell, halfRange*perCell
	}
	if f.Type == TypeBool || f.Type == TypeColor || f.Type == TypeQuat {
		for key, fixed := range map[string]float64{"minimum": f.Minimum, "maximum": f.Maximum} {
			if v, given := s.number(key); given && v != fixed {
				l.report(CodeInvalidField, s.at(key), fmt.Sprintf("%s: the range of %s is fixed", f.Path, article(f.Type.String())), "")
			}
		}
		return
	}
	if hasLow {
		f.Minimum = low
	}
	if hasHigh {
		f.Maximum = high
	}
	switch {
	case f.Minimum >= f.Maximum:
		l.report(CodeInvalidField, s.at("maximum"), fmt.Sprintf("%s: the maximum is not above the minimum", f.Path), "")
	case max(math.Abs(f.Minimum), math.Abs(f.Maximum))/perCell > math.MaxInt32:
		l.report(CodeInvalidField, s.at("maximum"), fmt.Sprintf("%s: the range does not fit into 32 bits at this step", f.Path),
			"take a larger step, fewer sub_bits or a smaller range")
	}
}

// blends says whether a type can be blended that way.
func blends(t FieldType, i Interpolation) bool {
	switch i {
	case InterpolateSnap:
		return true
	case InterpolateNlerp:
		return t == TypeQuat
	case InterpolateAngle:
		return t == TypeAngle || t == TypeFloat || t == TypeVec3
	}
	return t != TypeBool && t != TypeQuat
}

// field compiles one rule of a prefab and writes what holds back into it: that
// is the meaning.
func (l *loader) field(path string, rule object, node *jsontext.Node) Field {
	component, name, _ := strings.Cut(path, ".")
	f := Field{
		Component: component, Name: name, Path: path,
		WriteBy:   valueOf[Actor](actorNames, rule.text("write_by")),
		VisibleTo: valueOf[Visibility](visibilityNames, rule.text("visible_to")),
		Rate:      rule.int("rate"), Reliable: rule.text("reliability") == "reliable", Place: l.place(node),
	}
	s := &fieldSource{rule: rule, node: node, declared: l.declared[path].keys}
	spec, known := builtinField(path)
	if known {
		s.builtin = &spec
	} else if s.text("type") == "" {
		if s.declared != nil {
			return f // declared without a type, which has been reported
		}
		hint := "declare it in \"components\", or give the rule a \"type\""
		if n := l.suggest(path, l.fieldPaths); n != "" {
			hint = fmt.Sprintf("did you mean %s? Fields of your own are declared in \"components\"", n)
		}
		l.reportKey(CodeFieldNotReplicated, node, fmt.Sprintf("%s is not a replicated field", path), hint)
		return f
	}
	l.shape(&f, s, false)
	l.oneType(&f, s)
	l.rate(&f, rule, node)
	l.reach(&f, node)
	for key, v := range map[string]any{
		"type": f.Type.String(), "step": f.Step, "sub_bits": uint64(f.SubBits), "minimum": f.Minimum, "maximum": f.Maximum,
		"tolerance": f.Tolerance, "interpolate": f.Interpolate.String(), "predict": f.Predict.String(), "rate": uint64(f.Rate),
	} {
		rule[key] = v
	}
	return f
}

// oneType holds a rule's own type against what the field is elsewhere: an
// engine's field has one type, whatever prefab it is in.
func (l *loader) oneType(f *Field, s *fieldSource) {
	given := s.rule.text("type")
	report := func(is, hint string) {
		l.report(CodeInvalidField, s.at("type"), fmt.Sprintf("%s is %s, not %s", f.Path, is, article(given)), hint)
	}
	first, ok := l.types[f.Path]
	switch {
	case s.builtin != nil:
		if given != "" && given != s.builtin.typ.String() {
			report(article(s.builtin.typ.String()), "the type of a built-in field is fixed: leave \"type\" out")
		}
	case s.declared != nil:
		if is := s.declared.text("type"); given != "" && given != is {
			report("declared as "+article(is), "leave \"type\" out, or change it in \"components\"")
		}
	case ok && first != f.Type:
		report(article(first.String())+" in another prefab", "a field has one type: declare it in \"components\"")
	case !ok:
		l.types[f.Path] = f.Type
	}
}

func (l *loader) fieldPaths() []string {
	var paths []string
	for _, b := range builtin {
		paths = append(paths, b.path)
	}
	return append(paths, slices.Sorted(maps.Keys(l.declared))...)
}

// rate holds a field's rate against the tick.
func (l *loader) rate(f *Field, rule object, node *jsontext.Node) {
	tick := l.out.Simulation.TickRate
	at := node.Get("rate")
	checked := f.Predict == PredictCheck
	switch {
	case at == nil && (checked || f.Rate > tick):
		f.Rate = tick
	case f.Rate > tick:
		l.report(CodeUnreachableRule, at, fmt.Sprintf("%s: a rate of %d is above the tick rate of %d, which is what it will be", f.Path, f.Rate, tick), "")
		f.Rate = tick
	case f.Rate < tick && checked:
		l.report(CodePredictRate, at, fmt.Sprintf("%s: predicted and checked every tick, but sent %d times a second", f.Path, f.Rate),
			fmt.Sprintf("leave \"rate\" out, or make it the tick rate of %d", tick))
	}
	if f.Predict != PredictNone && !l.out.Simulation.Declared {
		l.report(CodeUnreachableRule, node.Get("predict"), fmt.Sprintf("%s: nothing is predicted without a \"simulation\" section", f.Path), "")
	}
}

// reach warns of a field that never leaves its writer.
func (l *loader) reach(f *Field, node *jsontext.Node) {
	if f.VisibleTo == VisibleServer && f.WriteBy == ActorServer {
		l.report(CodeUnreachableRule, node.Get("visible_to"), fmt.Sprintf("%s: only the server writes it and only the server sees it, so it never travels", f.Path), "")
	}
}
