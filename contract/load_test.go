package contract

import (
	"testing"
)

func TestDemiFFALoadsClean(t *testing.T) {
	fsys, closer, err := OpenDir("testdata/demi-ffa")
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	p, problems := LoadProject(fsys)
	for _, q := range problems {
		t.Error(q)
	}
	c, problems := Load(fsys, p)
	for _, q := range problems {
		t.Error(q)
	}
	if c == nil {
		t.Fatal("the published shooter's contract must load")
	}
	if want := "fnv1a64:824d5af63a325e40"; c.CompatibilityHash != want {
		t.Errorf("compatibility hash %s, want the engine's own %s", c.CompatibilityHash, want)
	}
	t.Logf("%x\n%s\n%+v", c.MeaningHash, c.Document, c.Prefabs)
}

func BenchmarkRules(b *testing.B) {
	for b.Loop() {
		newRules()
	}
}
