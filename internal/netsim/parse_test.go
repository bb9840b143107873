package netsim

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"demi.network/runtime/fault"
)

func TestParseSpec(t *testing.T) {
	const ms = time.Millisecond
	wifi, _ := preset("wifi")
	faster := wifi
	faster.Latency, faster.Loss = 5*ms, 0
	for text, want := range map[string]Spec{
		"":                        {},
		"latency=40":              {Latency: 40 * ms},
		"rtt=80":                  {Latency: 40 * ms},
		"rtt=80,jitter=4,loss=2%": {Latency: 40 * ms, Jitter: 4 * ms, Loss: 0.02},
		"latency=40,jitter=5,loss=0.02,duplicate=0,reorder=0,rate=1mbit": {Latency: 40 * ms, Jitter: 5 * ms, Loss: 0.02, Rate: 1e6},
		" RTT = 81ms , loss = 0.5 % ":                                    {}, // see below
		"latency=1.5":                                                    {Latency: 1500 * time.Microsecond},
		"latency=2s,jitter=250us":                                        {Latency: 2 * time.Second, Jitter: 250 * time.Microsecond},
		"rate=64kbit,queue=3000,mtu=900,burst=4,loss=1%":                 {Rate: 64e3, Queue: 3000, MTU: 900, Burst: 4, Loss: 0.01},
		"rate=2gbit":          {Rate: 2e9},
		"rate=9600":           {Rate: 9600},
		"rate=9600bit":        {Rate: 9600},
		"duplicate=1%":        {Duplicate: 0.01},
		"wifi":                wifi,
		"wifi,rtt=10,loss=0":  faster,
		"WIFI, loss=0,rtt=10": faster,
		"loss=1":              {Loss: 1},
		"loss=100%":           {Loss: 1},
	} {
		if strings.Contains(text, " %") {
			if _, err := ParseSpec(text); fault.CodeOf(err) != fault.Usage {
				t.Errorf("%q: %v, want E_NET_USAGE: the percent sign belongs to the number", text, err)
			}
			continue
		}
		got, err := ParseSpec(text)
		if err != nil || got != want {
			t.Errorf("%q is %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestParseSpecRefusals(t *testing.T) {
	for text, names := range map[string]string{
		"latency":              "latency",
		"satellite":            "satellite",
		"rtt=80,wifi":          "must come first",
		"speed=3":              "speed=3: no such key",
		"loss=2":               "loss=2: not between 0 and 1 (write percent",
		"loss=101%":            "loss=101%",
		"loss=-0.1":            "loss=-0.1",
		"loss=NaN":             "loss=NaN: not a number",
		"loss=":                "loss=: not a number",
		"latency=inf":          "latency=inf",
		"latency=1e300":        "latency=1e300",
		"latency=-1":           "latency=-1",
		"latency=0x10":         "latency=0x10",
		"latency=1_0":          "latency=1_0",
		"latency=61000":        "latency=61000",
		"latency=40,rtt=80":    "latency is given twice",
		"loss=1%,loss=2%":      "loss is given twice",
		"rate=1":               "rate=1: less than 1kbit",
		"rate=1e300gbit":       "rate=",
		"rate=fast":            "rate=fast",
		"mtu=1.5":              "mtu=1.5: not a whole number",
		"mtu=99999":            "mtu=99999",
		"rtt=80,,loss=2%":      "neither",
		"rtt=80;loss=2%":       "rtt=80;loss",
		"=5":                   "no such key",
		"\x00=\xff,\x80":       "no such key",
		"latency=40ms40":       "latency=40ms40",
		"latency=40,jitter=ms": "jitter=ms",
	} {
		_, err := ParseSpec(text)
		if fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), names) {
			t.Errorf("%q: %v, want E_NET_USAGE that says %q", text, err, names)
		}
	}
}

func TestPresetsGetWorse(t *testing.T) {
	list := Presets()
	for i, p := range list {
		if back, err := ParseSpec(p.Spec.String()); err != nil || back != p.Spec {
			t.Errorf("%s prints as %q, which reads as %+v, %v", p.Name, p.Spec, back, err)
		}
		if p.Doc == "" {
			t.Errorf("%s has no description", p.Name)
		}
		if i > 0 && (p.Spec.Latency <= list[i-1].Spec.Latency || p.Spec.Rate >= list[i-1].Spec.Rate) {
			t.Errorf("%s is not worse than %s", p.Name, list[i-1].Name)
		}
	}
}

// FuzzParseSpec holds that no text panics, that every refusal is typed, and
// that what is accepted prints as something that means the same.
func FuzzParseSpec(f *testing.F) {
	for _, s := range []string{"", "rtt=80,jitter=4,loss=2%", "wifi,rate=1mbit", "bad", "latency=1e-9,burst=2", "loss=2,=", "rate=1.5kbit,queue=0,mtu=1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSpec(text)
		if err != nil {
			if fault.CodeOf(err) != fault.Usage {
				t.Errorf("%q: %v is not E_NET_USAGE", text, err)
			}
			return
		}
		if s.Latency < 0 || s.Jitter < 0 || s.Rate < 0 || !(s.Loss >= 0 && s.Loss <= 1) || !(s.Burst >= 0) {
			t.Errorf("%q gave %+v", text, s)
		}
		back, err := ParseSpec(s.String())
		if err != nil || back != s {
			t.Errorf("%q gave %+v, which prints as %q and reads as %+v, %v", text, s, s.String(), back, err)
		}
	})
}

func TestTheDocumentListsThePresets(t *testing.T) {
	b, err := os.ReadFile("../../docs/links.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("| Preset | Spec | What it is |\n|---|---|---|\n")
	for _, p := range Presets() {
		fmt.Fprintf(&want, "| `%s` | `%s` | %s |\n", p.Name, p.Spec, p.Doc)
	}
	if !strings.HasSuffix(string(b), want.String()) {
		t.Errorf("docs/links.md must end with this table:\n%s", want.String())
	}
	for _, key := range strings.Split(specKeys, ", ") {
		if !strings.Contains(string(b), "| `"+key+"` |") {
			t.Errorf("docs/links.md does not explain %q", key)
		}
	}
}
