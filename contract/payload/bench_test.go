package payload

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// The payload of bench.md P4: five fields, an array of 4 bounded numbers, a
// bounded string and a nested object among them.
const (
	benchSchema = `{"format_version": 1, "type": "object", "additionalProperties": false,
	"required": ["axes", "name", "aim", "seq", "fire"],
	"properties": {
		"axes": {"type": "array", "minItems": 4, "maxItems": 4, "items": {"type": "number", "minimum": -1, "maximum": 1}},
		"name": {"type": "string", "maxLength": 32},
		"aim": {"type": "object", "additionalProperties": false, "required": ["x", "y"], "properties": {
			"x": {"type": "number", "minimum": -1000, "maximum": 1000}, "y": {"type": "number", "minimum": -1000, "maximum": 1000}}},
		"seq": {"type": "integer", "minimum": 0},
		"fire": {"type": "boolean"}}}`
	benchValue = `{"axes": [0.25, -1, 0.123456789, 1], "name": "player one", "aim": {"x": 12.5, "y": -7.125}, "seq": 123456, "fire": true}`
)

func BenchmarkPayload(b *testing.B) {
	p := mustCompile(b, benchSchema)
	var v Value
	if err := p.DecodeJSON([]byte(benchValue), Limits{}, &v); err != nil {
		b.Fatal(err)
	}
	wire := p.AppendWire(nil, &v)
	b.Run("DecodeWire", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := p.DecodeWire(wire, Limits{}, &v); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(wire)), "wire-B")
	})
	b.Run("AppendWire", func(b *testing.B) {
		b.ReportAllocs()
		buf := make([]byte, 0, 256)
		for b.Loop() {
			buf = p.AppendWire(buf[:0], &v)
		}
	})
	b.Run("DecodeJSON", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := p.DecodeJSON([]byte(benchValue), Limits{}, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("RefuseWire", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := p.DecodeWire(wire[:len(wire)-1], Limits{}, &v); err == nil {
				b.Fatal("a cut payload was accepted")
			}
		}
	})
	// The reference validates a value that is decoded already.
	b.Run("jsonschema-v5-Validate", func(b *testing.B) {
		oracle := jsonschema.MustCompileString("bench.json", strings.Replace(benchSchema, `"format_version": 1, `, "", 1))
		var decoded any
		if err := json.Unmarshal([]byte(benchValue), &decoded); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if err := oracle.Validate(decoded); err != nil {
				b.Fatal(err)
			}
		}
	})
}
