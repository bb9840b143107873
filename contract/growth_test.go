package contract

import (
	"fmt"
	"strings"
	"testing"
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
