package scene

import (
	"testing"

	"demi.network/contract"
)

func BenchmarkScene(b *testing.B) {
	s := ffa(b)
	r, _ := s.Find("ent_player")
	b.Run("ReadField", func(b *testing.B) {
		for b.Loop() {
			s.ReadField(r, Position2D)
		}
	})
	b.Run("Read", func(b *testing.B) {
		for b.Loop() {
			s.Read("ent_player", "Transform2D.position")
		}
	})
	b.Run("Write", func(b *testing.B) {
		for b.Loop() {
			s.Write("ent_player", "Transform2D.position", contract.FieldValue{1, 2})
		}
	})
	b.Run("Raycast", func(b *testing.B) {
		for b.Loop() {
			s.Raycast(0, 0, 1, 0.3, 50, "arena_wall", "ent_player")
		}
	})
	b.Run("Step", func(b *testing.B) {
		for b.Loop() {
			s.Step(1.0/30, nil)
		}
	})
}
