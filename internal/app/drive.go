package app

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"demi.network/internal/scene"
	"demi.network/runtime/fault"
)

// gameplay is the context of the actions that a player plays with. Others, of
// menus and tests, are left alone by a drive.
const gameplay = "gameplay"

// driver plays a headless client's input actions.
type driver struct {
	cfg    Config
	input  *scene.Input
	random *rand.Rand
	phases []float64
	ticks  int
}

func newDriver(cfg Config, in *scene.Input) driver {
	d := driver{cfg: cfg, input: in, random: rand.New(rand.NewPCG(cfg.Seed, 0x64726976))}
	for range in.Actions() {
		d.phases = append(d.phases, d.random.Float64()*2*math.Pi)
	}
	return d
}

// tick sets what the next tick will see.
func (d *driver) tick() {
	if d.cfg.Drive == DriveSine {
		for i, a := range d.input.Actions() {
			if a.Context == gameplay || a.Context == "" {
				d.input.Set(a.Name, d.swing(i, a.Kind))
			}
		}
	}
	for _, in := range d.cfg.Inputs {
		d.input.Set(in.Action, in.Value)
	}
	d.ticks++
}

// swing is a sine of about three seconds for an axis; a button is held for the
// top tenth of it.
func (d *driver) swing(i int, kind scene.ActionKind) float64 {
	v := math.Sin(d.phases[i] + float64(d.ticks)*2*math.Pi/97)
	if kind == scene.Axis1D {
		return v
	}
	if v > 0.95 {
		return 1
	}
	return 0
}

// checkInputs refuses a held input whose action the project does not have.
func checkInputs(inputs []Input, in *scene.Input) error {
	for _, i := range inputs {
		if in.Known(i.Action) {
			continue
		}
		names := make([]string, 0, len(in.Actions()))
		for _, a := range in.Actions() {
			names = append(names, a.Name)
		}
		e := fault.New(fault.Usage, "the project has no input action %q", i.Action)
		if e.Hint = "its actions are " + strings.Join(names, ", "); len(names) == 0 {
			e.Hint = "it has none"
		}
		return e
	}
	return nil
}

func parseFinite(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}
