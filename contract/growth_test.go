package contract

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// large is a contract with n messages and n prefabs, one fault among them when
// broken is set.
func large(n int, broken bool) string {
	var b strings.Builder
	b.WriteString(`{"format_version": 1, "id": "network-contract://t/t", "components": {"A": {"x": {"type": "float", "step": 0.1}}}, "replicated_prefabs": {`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"p%d": {"prefab": "prefab://p%d", "components": {"Transform2D": {"position": {"write_by": "owner"}}, "A": {"x": {}}}}`, i, i)
	}
	b.WriteString(`}, "messages": {`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		extra := ""
		if broken {
			extra = `, "rate": 3`
		}
		fmt.Fprintf(&b, `"m%d": {"from": "all", "schema": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}%s}`, i, extra)
	}
	b.WriteString(`}}`)
	return b.String()
}

// TestWorkGrowsWithTheContract counts allocations, which a clock does not
// disturb: four times the messages and prefabs may cost four times as much and
// a little, not sixteen times.
func TestWorkGrowsWithTheContract(t *testing.T) {
	count := func(n int) float64 {
		text := []byte(large(n, false))
		return testing.AllocsPerRun(1, func() {
			if c, problems := loadText(text); c == nil {
				t.Fatal(problems)
			}
		})
	}
	small, big := count(100), count(400)
	if ratio := big / small; ratio > 5 {
		t.Errorf("4 times the contract costs %.1f times the allocations (%.0f, %.0f)", ratio, small, big)
	}
}

// TestProblemsAreBounded: a file full of faults does not fill memory or the
// screen.
func TestProblemsAreBounded(t *testing.T) {
	_, problems := loadText([]byte(large(2000, true)))
	if len(problems) < 100 || len(problems) > maxStructureProblems {
		t.Errorf("%d problems", len(problems))
	}
	if last := problems[len(problems)-1].Text; !strings.Contains(last, "more faults") {
		t.Errorf("the last problem says %q, not how many more there are", last)
	}
}

// BenchmarkLoad shows the time for contracts of growing size, good and bad:
// ns/op divided by the size must not grow.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		for _, broken := range []bool{false, true} {
			text := []byte(large(n, broken))
			b.Run(fmt.Sprintf("messages=%d/broken=%v", n, broken), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					LoadText("c.json", text)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/message")
			})
		}
	}
}

// many joins n parts, each made of its number.
func many(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(parts, ",")
}

// TestHostileFilesCostLittle: files whose faults once cost the square of their
// number, or gigabytes. Each takes a fraction of a second; with the square of
// its size this test would run for minutes.
func TestHostileFilesCostLittle(t *testing.T) {
	const head = `{"format_version": 1, "id": "network-contract://t/t", `
	name := strings.Repeat("k", 1<<20)
	for why, text := range map[string]string{
		"messages of a wrong type":       head + `"messages": {` + many(40_000, `"m%d":1`) + `}}`,
		"unknown keys":                   head + many(40_000, `"k%d":1`) + `}`,
		"the same key":                   `{` + many(80_000, `"a":%d`) + `}`,
		"schemas with a wrong type":      head + `"messages": {` + many(4000, `"m%d":{"schema":{"type":1}}`) + `}}`,
		"schemas that contradict":        head + `"messages": {` + many(4000, `"m%d":{"schema":{"minLength":5,"maxLength":3}}`) + `}}`,
		"fields that are near a hundred": head + `"components": {"C": {` + many(2000, `"field_%d":{"type":"int"}`) + `}}, "replicated_prefabs": {"p": {"prefab": "prefab://p", "components": {"D": {` + many(2000, `"feld_%d":{}`) + `}}}}}`,
		"warnings":                       head + `"messages": {` + many(4000, `"m%d":{"from":"server","to":"server"}`) + `}, "lockstep": 1}`,
		"a long name":                    head + `"messages": {"` + name + `": {` + many(2000, `"q%d":{}`) + `}}}`,
		"a long name of a property":      head + `"messages": {"m": {"schema": {"properties": {"` + name + `": {"properties": {` + many(200, `"q%d":{}`) + `}}}}}}}`,
	} {
		c, problems := loadText([]byte(text))
		if c != nil || problems.Errors() == 0 {
			t.Errorf("%s: valid", why)
		}
		if len(problems) > 3*maxProblems {
			t.Errorf("%s: %d problems", why, len(problems))
		}
		for _, p := range problems {
			if len(p.Text)+len(p.Hint)+len(p.Place.Pointer) > 4096 {
				t.Fatalf("%s: a problem of %d bytes", why, len(p.Text)+len(p.Hint)+len(p.Place.Pointer))
			}
		}
	}
}

// TestWarningsNeverHideAnError: what is beyond the bound is counted by
// severity, so that a contract with any number of warnings still says why it
// does not load.
func TestWarningsNeverHideAnError(t *testing.T) {
	warned := `{"format_version": 1, "id": "network-contract://t/t", "messages": {` + many(2*maxProblems, `"m%d":{"from":"server","to":"server"}`)
	c, problems := loadText([]byte(warned + `}}`))
	if c == nil || problems.Warnings() != maxProblems {
		t.Errorf("loaded %v, %d warnings", c != nil, problems.Warnings())
	}
	if last := problems[len(problems)-1].Text; !strings.HasSuffix(last, "and 500 more warnings") {
		t.Errorf("the last warning says %q", last)
	}
	c, problems = loadText([]byte(warned + `, "z": {"maximum_bytes": 9999}}}`))
	if c != nil || problems.Errors() != 1 {
		t.Errorf("loaded %v, %d errors", c != nil, problems.Errors())
	}
}

// countingFS counts how often each file is opened.
type countingFS struct {
	fstest.MapFS
	opened map[string]int
}

func (f countingFS) Open(name string) (fs.File, error) {
	f.opened[name]++
	return f.MapFS.Open(name)
}

// TestAPrefabIsReadOnceForAllKeys: a thousand keys that name one large prefab
// cost one reading of it.
func TestAPrefabIsReadOnceForAllKeys(t *testing.T) {
	fsys := countingFS{fstest.MapFS{
		"demi.project.json":       {Data: []byte(`{"format_version": 1, "network_contract": "asset://t"}`)},
		"assets/t.asset.json":     {Data: []byte(`{"format_version": 1, "id": "asset://t", "type": "NetworkContract", "source": "t.network.json"}`)},
		"assets/t.network.json":   {Data: []byte(`{"format_version": 1, "id": "network-contract://t/t", "replicated_prefabs": {` + many(1000, `"p%d":{"prefab":"prefab://p"}`) + `}}`)},
		"prefabs/p.prefab.json":   {Data: []byte(`{"format_version": 1, "id": "prefab://p", "entities": [{"id": "p"}]}`)},
		"prefabs/too.prefab.json": {Data: []byte(`{"format_version": 1, "id": "prefab://q", "entities": [{"id": "p"}]}`)},
	}, map[string]int{}}
	if c, problems := check(fsys, "", ready); c == nil {
		t.Fatal(problems)
	}
	if n := fsys.opened["prefabs/p.prefab.json"]; n > 2 { // for its id, and for its components
		t.Errorf("the prefab is opened %d times", n)
	}
}
