package world

import (
	"math"

	"demi.network/contract"
)

// MaxFields is the largest number of fields of a type: a Mask has a bit each.
const MaxFields = 64

// Mask selects fields of one type: bit f is field f.
type Mask uint64

// Has reports whether field f is selected.
func (m Mask) Has(f int) bool { return m>>uint(f)&1 == 1 }

// Layout describes the rows of every type. It is plain data made from a
// contract: packages that work on Worlds read this and never the contract.
type Layout struct {
	Types []Type // by type id
}

// Type describes the rows of one replicated prefab.
type Type struct {
	Key     string // of the contract's replicated_prefabs
	Stride  int    // columns of a row
	Fields  []Field
	Columns []Column

	defaults []int32
	all      Mask
	visible  [audiences]Mask
	writable [audiences]Mask
}

// The parties that masks are kept for.
const (
	toServer  = iota
	toOwner   // a client that owns the entity
	toOther   // a client that does not
	audiences = iota
)

// Field describes one field: a run of columns.
type Field struct {
	Path        string // "Transform2D.position"
	Kind        contract.FieldType
	Column      int // first column
	Width       int // columns
	Rate        int // per second
	Reliable    bool
	Tolerance   float64 // engine units
	Interpolate contract.Interpolation
	Predict     contract.Prediction
}

// Column describes one column. A cell is Step / 2^SubBits engine units; the
// wire value is the cell rounded to whole Steps.
type Column struct {
	Step    float64 // engine units of a wire value
	SubBits uint8
	Minimum int32 // smallest and largest wire value
	Maximum int32
	Default int32 // a cell

	perUnit  float64 // cells per engine unit where that is a whole number, else 0
	cellStep float64 // engine units of a cell
	low      float64 // the declared range in engine units
	high     float64
}

// NewLayout compiles the layout of a contract. A prefab with more than
// MaxFields fields, which contract loading refuses, panics.
func NewLayout(c *contract.Contract) *Layout {
	l := &Layout{Types: make([]Type, len(c.Prefabs))}
	for i := range c.Prefabs {
		l.Types[i] = newType(&c.Prefabs[i])
	}
	return l
}

func newType(p *contract.Prefab) Type {
	if len(p.Fields) > MaxFields {
		panic("world: BUG: a prefab with more than 64 fields")
	}
	t := Type{Key: p.Key, Fields: make([]Field, len(p.Fields))}
	for i := range p.Fields {
		f := &p.Fields[i]
		t.Fields[i] = Field{
			Path: f.Path, Kind: f.Type, Column: t.Stride, Width: f.Type.Columns(), Rate: f.Rate, Reliable: f.Reliable,
			Tolerance: f.Tolerance, Interpolate: f.Interpolate, Predict: f.Predict,
		}
		for j := 0; j < f.Type.Columns(); j++ {
			t.Columns = append(t.Columns, newColumn(f))
		}
		t.Stride += f.Type.Columns()
		t.addMasks(i, f)
	}
	t.defaults = make([]int32, t.Stride)
	for i := range p.Fields {
		// A default out of range is a contract problem; here it is clamped.
		t.Quantise(i, p.Fields[i].Default, t.defaults)
		for c := t.Fields[i].Column; c < t.Fields[i].Column+t.Fields[i].Width; c++ {
			t.Columns[c].Default = t.defaults[c]
		}
	}
	return t
}

func newColumn(f *contract.Field) Column {
	step := f.Step
	if !(step > 0) {
		step = 1
	}
	cells := float64(int64(1) << f.SubBits)
	c := Column{Step: step, SubBits: f.SubBits, cellStep: step / cells, low: f.Minimum, high: f.Maximum}
	if inv := math.Round(1 / step); inv >= 1 && math.Abs(inv*step-1) < 1e-9 {
		c.perUnit = inv * cells
	}
	// A wire value must also fit when it is shifted up to a cell.
	limit := float64(int32(math.MaxInt32) >> f.SubBits)
	if !(c.low < c.high) {
		c.low, c.high = -limit*step, limit*step
	}
	// The nudge keeps a bound that is a whole number of steps, but not in
	// binary, inside the range.
	const nudge = 1e-6
	c.Minimum = int32(math.Max(-limit, math.Ceil(c.low/step-nudge)))
	c.Maximum = int32(math.Min(limit, math.Floor(c.high/step+nudge)))
	if c.Minimum > c.Maximum {
		c.Maximum = c.Minimum
	}
	return c
}

func (t *Type) addMasks(i int, f *contract.Field) {
	bit := Mask(1) << uint(i)
	t.all |= bit
	t.visible[toServer] |= bit
	switch f.VisibleTo {
	case contract.VisibleAll:
		t.visible[toOwner] |= bit
		t.visible[toOther] |= bit
	case contract.VisibleOwner, contract.VisibleOwnerAndServer:
		t.visible[toOwner] |= bit
	case contract.VisibleServer:
	}
	switch f.WriteBy {
	case contract.ActorServer:
		t.writable[toServer] |= bit
	case contract.ActorOwner:
		t.writable[toOwner] |= bit
	case contract.ActorAll:
		t.writable[toServer] |= bit
		t.writable[toOwner] |= bit
	}
}

// All selects every field of the type.
func (t *Type) All() Mask { return t.all }

// VisibleTo selects the fields that peer receives of an entity owned by owner
// (0 = the server, in both places). The server, which holds the truth, sees
// all.
func (t *Type) VisibleTo(owner, peer uint32) Mask { return t.visible[audience(owner, peer)] }

// WritableBy selects the fields that peer may write on an entity owned by
// owner. The server owning an entity writes the owner's fields too; a client
// writes nothing of an entity that is another's, not even what is write_by all,
// which are the server and the owner.
func (t *Type) WritableBy(owner, peer uint32) Mask {
	if peer == 0 && owner == 0 {
		return t.writable[toServer] | t.writable[toOwner]
	}
	return t.writable[audience(owner, peer)]
}

func audience(owner, peer uint32) int {
	switch {
	case peer == 0:
		return toServer
	case peer == owner:
		return toOwner
	}
	return toOther
}

// Default returns a new row with the defaults of the contract.
func (t *Type) Default() []int32 { return append([]int32(nil), t.defaults...) }

// Type finds a type by key, or returns -1.
func (l *Layout) Type(key string) int {
	for i := range l.Types {
		if l.Types[i].Key == key {
			return i
		}
	}
	return -1
}

// Field finds a field by path, or returns -1.
func (t *Type) Field(path string) int {
	for i := range t.Fields {
		if t.Fields[i].Path == path {
			return i
		}
	}
	return -1
}

// Copy copies the columns of the selected fields from src to dst.
func (t *Type) Copy(dst, src []int32, m Mask) {
	for i := range t.Fields {
		if m.Has(i) {
			f := &t.Fields[i]
			copy(dst[f.Column:f.Column+f.Width], src[f.Column:f.Column+f.Width])
		}
	}
}
