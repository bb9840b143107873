package session

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

const docFile = "../docs/session.md"

// frameCells says in the words of the documents who sends a frame, on which
// channels, and how large it may be.
func frameCells(k kind) (from, chans, most string) {
	r := &kindRules[k]
	from = map[side]string{byClient: "client", byServer: "host", byClient | byServer: "both"}[r.from]
	var list []string
	for ch := range 4 {
		if r.on>>ch&1 == 1 {
			list = append(list, fmt.Sprint(ch))
		}
	}
	most = "—"
	if r.max > 0 {
		most = fmt.Sprint(r.max)
	}
	return from, strings.Join(list, ", "), most
}

// docTables makes the rows of every table of docs/session.md out of the code,
// by heading.
func docTables() map[string][]string {
	t := map[string][]string{}
	for p := PhaseClosed; p < phaseCount; p++ {
		t["Phases"] = append(t["Phases"], fmt.Sprintf("| `%s` | %s |", p, phaseList(moves[p])))
	}
	for k := kindNone + 1; k < kindCount; k++ {
		r := &kindRules[k]
		from, chans, most := frameCells(k)
		t["Frames"] = append(t["Frames"], fmt.Sprintf("| %d | `%s` | %s | %s | %s | %s | %s |",
			k, r.name, from, phaseList(r.phases), chans, most, yes(r.counted)))
	}
	for r := ReasonNone + 1; r < reasonCount; r++ {
		t["Refusals"] = append(t["Refusals"], fmt.Sprintf("| `%s` | %s | %s |", r, yes(!r.Quiet()), r.Text()))
	}
	t["Limits"] = []string{
		fmt.Sprintf("| silence of a peer | %s | dropped, `E_NET_TIMEOUT` |", SilenceTimeout),
		fmt.Sprintf("| a dial without an answer | %s | fails, `E_NET_TIMEOUT` |", ConnectTimeout),
		fmt.Sprintf("| a connection without `hello`, or a `hello` without an answer | %s | ends, `E_NET_TIMEOUT` |", HelloTimeout),
		fmt.Sprintf("| `ready` after the welcome | %s, or the host's `ReadyTimeout` | dropped, `E_NET_TIMEOUT` |", ReadyTimeout),
		fmt.Sprintf("| `diff` after a `refuse` | %s | dropped |", DiffTimeout),
		fmt.Sprintf("| reliable commands waiting for a peer | %d | a client's send is refused (`backlog`), a host drops the peer, `E_NET_BACKLOG` |", MaxBacklog),
		fmt.Sprintf("| messages nobody polled | %d, or %d MiB | the oldest gives way, counted as dropped |", MaxMessages, MaxInboxBytes>>20),
		fmt.Sprintf("| life-cycle events nobody polled | %d, then twice what is left; or %d MiB of metadata | compacted |", compactAt, MaxInboxBytes>>20),
		fmt.Sprintf("| news of refusals nobody polled | %d | the oldest gives way, counted as dropped |", maxNews),
		fmt.Sprintf("| visits (joined and left) nobody polled | %d | the oldest gives way, counted as dropped |", maxVisits),
		fmt.Sprintf("| connections not yet welcomed | %d | the oldest gives way to one more, `E_NET_FULL` |", MaxPending),
		fmt.Sprintf("| observers | %d, or the host's `MaxObservers` | refused, `E_NET_FULL` |", MaxObservers),
		fmt.Sprintf("| entities | %d | a spawn is refused, `entity_limit` |", MaxEntities),
	}
	return t
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func phaseList(s phases) string {
	var list []string
	for p := PhaseClosed; p < phaseCount; p++ {
		if s.has(p) {
			list = append(list, "`"+p.String()+"`")
		}
	}
	return strings.Join(list, ", ")
}

// TestDocumentation compares the tables of docs/session.md with the code.
func TestDocumentation(t *testing.T) {
	b, err := os.ReadFile(docFile)
	if err != nil {
		t.Fatal(err)
	}
	tables := docTables()
	var out []string
	heading, rows, seen := "", false, map[string]bool{}
	for _, line := range strings.Split(string(b), "\n") {
		if h, ok := strings.CutPrefix(line, "## "); ok {
			heading = h
		}
		table := strings.HasPrefix(line, "|")
		if rows && table {
			continue
		}
		rows = rows && table
		out = append(out, line)
		if table && strings.HasPrefix(line, "|---") && tables[heading] != nil {
			out, rows = append(out, tables[heading]...), true
			seen[heading] = true
		}
	}
	for h := range tables {
		if !seen[h] {
			t.Errorf("%s has no table under %q", docFile, h)
		}
	}
	want := strings.Join(out, "\n")
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(docFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(b) {
		for i, line := range strings.Split(want, "\n") {
			if have := strings.Split(string(b), "\n"); i >= len(have) || have[i] != line {
				t.Fatalf("%s:%d differs from the code; it should say\n%s", docFile, i+1, line)
			}
		}
		t.Fatalf("%s has rows that the code does not know", docFile)
	}
	for r := ReasonNone + 1; r < reasonCount; r++ {
		if !strings.Contains(string(b), "`"+r.String()+"`") {
			t.Errorf("%s does not mention %s", docFile, r)
		}
	}
}
