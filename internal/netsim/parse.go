package netsim

import (
	"math"
	"strconv"
	"strings"
	"time"

	"demi.network/runtime/fault"
)

// specKeys lists the keys of a link spec in the order of String.
const specKeys = "latency, rtt, jitter, loss, burst, duplicate, reorder, rate, queue, mtu"

// ParseSpec reads a link spec: parts separated by commas, each KEY=VALUE, the
// first perhaps the name of a preset that the others change. Delays are
// milliseconds (or carry a unit: us, ms, s); rtt is the round trip, half of
// it each way. Probabilities are 0…1, or percent with a %. A rate is bits a
// second, with bit, kbit, mbit or gbit; queue and mtu are bytes. A key may be
// given once. The empty spec is the perfect path. Errors are fault.Usage and
// name the key.
func ParseSpec(text string) (Spec, error) {
	var s Spec
	if strings.TrimSpace(text) == "" {
		return s, nil
	}
	seen := map[string]bool{}
	for i, part := range strings.Split(text, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		if !ok {
			p, found := preset(key)
			switch {
			case !found:
				return Spec{}, usage(text, "%q is neither KEY=VALUE nor a preset", part)
			case i > 0:
				return Spec{}, usage(text, "the preset %q must come first", key)
			}
			s = p
			continue
		}
		name := key
		if name == "rtt" {
			name = "latency"
		}
		if seen[name] {
			return Spec{}, usage(text, "%s is given twice", name)
		}
		seen[name] = true
		if why := s.set(key, value); why != "" {
			return Spec{}, usage(text, "%s=%s: %s", key, value, why)
		}
	}
	return s, nil
}

func usage(text, format string, args ...any) error {
	e := fault.New(fault.Usage, "link spec: "+format, args...)
	names := make([]string, 0, 8)
	for _, p := range Presets() {
		names = append(names, p.Name)
	}
	e.Hint = "for example rtt=80,jitter=4,loss=2%; keys: " + specKeys + "; presets: " + strings.Join(names, ", ")
	e.Data = map[string]any{"spec": text}
	return e
}

func preset(name string) (Spec, bool) {
	for _, p := range Presets() {
		if p.Name == name {
			return p.Spec, true
		}
	}
	return Spec{}, false
}

// set changes one property; it returns what is wrong with the value, or "".
func (s *Spec) set(key, value string) string {
	var why string
	switch key {
	case "latency":
		s.Latency, why = delay(value, maxDelay)
	case "rtt":
		s.Latency, why = delay(value, 2*maxDelay)
		s.Latency /= 2
	case "jitter":
		s.Jitter, why = delay(value, maxDelay)
	case "loss":
		s.Loss, why = share(value)
	case "burst":
		s.Burst, why = number(value, 0, maxBurst)
	case "duplicate":
		s.Duplicate, why = share(value)
	case "reorder":
		s.Reorder, why = share(value)
	case "rate":
		s.Rate, why = rate(value)
	case "queue":
		s.Queue, why = whole(value, maxQueue)
	case "mtu":
		s.MTU, why = whole(value, maxMTU)
	default:
		return "no such key"
	}
	return why
}

// number reads a decimal number; spellings like 0x1p3, 1_0 and inf are not
// numbers here.
func number(v string, low, high float64) (float64, string) {
	for _, c := range v {
		if !strings.ContainsRune("0123456789.+-eE", c) {
			return 0, "not a number"
		}
	}
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(x) {
		return 0, "not a number"
	}
	if x < low || x > high {
		return 0, "not between " + strconv.FormatFloat(low, 'g', -1, 64) + " and " + strconv.FormatFloat(high, 'g', -1, 64)
	}
	return x + 0, "" // -0 is 0
}

func whole(v string, high int) (int, string) {
	x, why := number(v, 0, float64(high))
	if why == "" && x != math.Trunc(x) {
		why = "not a whole number"
	}
	return int(x), why
}

func share(v string) (float64, string) {
	if p, ok := strings.CutSuffix(v, "%"); ok {
		x, why := number(p, 0, 100)
		return x / 100, why
	}
	x, why := number(v, 0, 1)
	if strings.HasPrefix(why, "not between") {
		why += " (write percent with a %)"
	}
	return x, why
}

func delay(v string, high time.Duration) (time.Duration, string) {
	unit := time.Millisecond
	for _, u := range []struct {
		name string
		d    time.Duration
	}{{"us", time.Microsecond}, {"ms", time.Millisecond}, {"s", time.Second}} {
		if rest, ok := strings.CutSuffix(v, u.name); ok {
			v, unit = rest, u.d
			break
		}
	}
	x, why := number(v, 0, float64(high)/float64(unit))
	return time.Duration(math.Round(x * float64(unit))), why
}

func rate(v string) (int64, string) {
	v = strings.ToLower(v)
	unit := 1.0
	for _, u := range []struct {
		name string
		bits float64
	}{{"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}, {"bit", 1}} {
		if rest, ok := strings.CutSuffix(v, u.name); ok {
			v, unit = rest, u.bits
			break
		}
	}
	x, why := number(v, 0, maxRate/unit)
	bits := math.Round(x * unit)
	if why == "" && bits > 0 && bits < 1000 {
		why = "less than 1kbit"
	}
	return int64(bits), why
}

// String returns the spec in the form that ParseSpec reads; the perfect path
// is the empty string.
func (s Spec) String() string {
	var b []byte
	add := func(key, value string) {
		if len(b) > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, key...), '='), value...)
	}
	ms := func(d time.Duration) string {
		return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'g', -1, 64)
	}
	if s.Latency != 0 {
		add("latency", ms(s.Latency))
	}
	if s.Jitter != 0 {
		add("jitter", ms(s.Jitter))
	}
	for _, f := range []struct {
		key string
		x   float64
	}{{"loss", s.Loss}, {"burst", s.Burst}, {"duplicate", s.Duplicate}, {"reorder", s.Reorder}} {
		if f.x != 0 {
			add(f.key, strconv.FormatFloat(f.x, 'g', -1, 64))
		}
	}
	for _, f := range []struct {
		key string
		n   int64
	}{{"rate", s.Rate}, {"queue", int64(s.Queue)}, {"mtu", int64(s.MTU)}} {
		if f.n != 0 {
			add(f.key, strconv.FormatInt(f.n, 10))
		}
	}
	return string(b)
}
