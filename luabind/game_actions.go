package luabind

import (
	"regexp"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"demi.network/internal/scene"
)

// actionBinding ties an input action to a function of a script.
type actionBinding struct {
	action string
	method string
	line   int
}

var (
	handleAction = regexp.MustCompile(`^\s*--+\s*@HandleAction\(\s*(?:"([^"]*)"|'([^']*)')\s*\)`)
	functionHead = regexp.MustCompile(`^\s*function\s+[\w.]*[.:](\w+)\s*\(`)
	functionItem = regexp.MustCompile(`^\s*(?:[\w.]*\.)?(\w+)\s*=\s*function\b`)
)

// findActions reads the comments `-- @HandleAction("name")` of a script: each
// binds the function below it, which other comments and empty lines may
// precede. lost are the lines of those that have no function below.
func findActions(src string) (list []actionBinding, lost []int) {
	var waiting []actionBinding
	for i, line := range strings.Split(src, "\n") {
		if m := handleAction.FindStringSubmatch(line); m != nil {
			waiting = append(waiting, actionBinding{action: m[1] + m[2], line: i + 1})
			continue
		}
		text := strings.TrimSpace(line)
		if len(waiting) == 0 || text == "" || strings.HasPrefix(text, "--") {
			continue
		}
		m := functionHead.FindStringSubmatch(line)
		if m == nil {
			m = functionItem.FindStringSubmatch(line)
		}
		for _, b := range waiting {
			if m == nil {
				lost = append(lost, b.line)
				continue
			}
			b.method = m[1]
			list = append(list, b)
		}
		waiting = waiting[:0]
	}
	for _, b := range waiting {
		lost = append(lost, b.line)
	}
	return list, lost
}

// actions calls the functions that are bound to input: of a button when it goes
// down, of an axis when its value changes, with the value.
func (g *Game) actions(o *object) {
	in := &g.cfg.Scene.Input
	for i, b := range o.script.actions {
		value := lua.LNumber(in.Value(b.action))
		told := o.axes[i]
		o.axes[i] = value
		if g.kindOf(b.action) == scene.Button && !in.Pressed(b.action) ||
			g.kindOf(b.action) == scene.Axis1D && value == told || !g.cfg.Scene.Alive(o.ref) {
			continue
		}
		if g.ticks < o.tired[onAction].until {
			continue
		}
		fn, err := g.method(o.self, b.method)
		if err != nil {
			g.ended(o, onAction, err)
		} else if callable(fn) {
			g.invoke(o, onAction, fn, []lua.LValue{value})
		}
	}
}

// kindOf is what an action is; an unknown one is a button that nobody presses.
func (g *Game) kindOf(action string) scene.ActionKind {
	for _, a := range g.cfg.Scene.Input.Actions() {
		if a.Name == action {
			return a.Kind
		}
	}
	return scene.Button
}
