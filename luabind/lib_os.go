package luabind

import (
	"fmt"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// openOS makes what of os has to do with time, on the host's clock, in UTC.
func (s *State) openOS() {
	s.library("os", []Func{
		{"clock", s.osClock}, {"date", s.osDate}, {"difftime", osDifftime}, {"time", s.osTime},
	})
}

// osClock returns the seconds since the state was made.
func (s *State) osClock(a Args) int {
	a.push(s.cfg.Now().Sub(s.start).Seconds())
	return 1
}

func osDifftime(a Args) int {
	later := a.num(1)
	if a.Has(2) {
		later -= a.num(2)
	}
	a.push(later)
	return 1
}

func (s *State) osTime(a Args) int {
	t := a.OptTable(1)
	if t == nil {
		a.push(float64(s.cfg.Now().Unix()))
		return 1
	}
	field := func(name string, d int) int {
		switch v := t.RawGetString(name).(type) {
		case lua.LNumber:
			n := clampInt(float64(v))
			return max(min(n, 1<<30), -1<<30)
		case lua.LString:
			if n, ok := parseNumber(string(v)); ok {
				return max(min(clampInt(n), 1<<30), -1<<30)
			}
		}
		if d < 0 {
			a.L.RaiseError("field '%s' missing in date table", name)
		}
		return d
	}
	at := time.Date(field("year", -1), time.Month(field("month", -1)), field("day", -1),
		field("hour", 12), field("min", 0), field("sec", 0), 0, time.UTC)
	a.push(float64(at.Unix()))
	return 1
}

func (s *State) osDate(a Args) int {
	format := strings.TrimPrefix(a.OptString(1, "%c"), "!")
	at := s.cfg.Now().UTC()
	if a.Has(2) {
		n := a.num(2)
		if !(n > -1<<40 && n < 1<<40) {
			a.Fail(2, "time out of range")
		}
		at = time.Unix(int64(n), 0).UTC()
	}
	if strings.HasPrefix(format, "*t") {
		t := a.L.CreateTable(0, 9)
		for _, f := range []struct {
			name string
			n    int
		}{
			{"year", at.Year()}, {"month", int(at.Month())}, {"day", at.Day()}, {"hour", at.Hour()}, {"min", at.Minute()},
			{"sec", at.Second()}, {"wday", int(at.Weekday()) + 1}, {"yday", at.YearDay()},
		} {
			t.RawSetString(f.name, lua.LNumber(f.n))
		}
		t.RawSetString("isdst", lua.LFalse)
		a.L.Push(t)
		return 1
	}
	if len(format) > 1024 {
		a.Fail(1, "format too long")
	}
	s.meter.charge(a.L, int64(30+16*len(format)))
	a.L.Push(lua.LString(strftime(a, format, at)))
	return 1
}

// strftime knows C's conversions of the C locale.
func strftime(a Args, format string, at time.Time) string {
	layouts := map[byte]string{
		'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'c': "Mon Jan _2 15:04:05 2006", 'd': "02", 'D': "01/02/06",
		'F': "2006-01-02", 'H': "15", 'I': "03", 'm': "01", 'M': "04", 'p': "PM", 'S': "05", 'T': "15:04:05", 'x': "01/02/06",
		'X': "15:04:05", 'y': "06", 'Y': "2006", 'z': "-0700", 'Z': "MST", 'h': "Jan", 'R': "15:04", 'e': "_2", 'r': "03:04:05 PM",
	}
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		if i++; i >= len(format) {
			a.Fail(1, "invalid conversion specifier '%%'")
		}
		switch c := format[i]; c {
		case '%':
			b.WriteByte('%')
		case 'j':
			fmt.Fprintf(&b, "%03d", at.YearDay())
		case 'w':
			fmt.Fprintf(&b, "%d", int(at.Weekday()))
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		default:
			layout, ok := layouts[c]
			if !ok {
				a.Fail(1, "invalid conversion specifier '%%%c'", c)
			}
			b.WriteString(at.Format(layout))
		}
	}
	return b.String()
}
