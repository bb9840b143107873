package luabind

import (
	"fmt"
	"math"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"demi.network/contract/jsontext"
	"demi.network/contract/payload"
)

// bench is a converter with everything around it.
type bench struct {
	s     *State
	c     converter
	plan  *payload.Plan
	lim   payload.Limits
	sink  payload.Sink
	value payload.Value
}

func newBench(t testing.TB, schema string) *bench {
	t.Helper()
	s := New(Config{Instructions: 100_000_000})
	b := &bench{s: s, c: newConverter(s.L), plan: payload.Any(), lim: payload.Limits{Depth: 32, Elements: 100, StringBytes: 1024, Bytes: 4096}}
	if schema != "" {
		doc, err := jsontext.Parse([]byte(schema))
		if err != nil {
			t.Fatal(err)
		}
		plan, issues := payload.Compile(doc)
		if len(issues) > 0 {
			t.Fatal(issues)
		}
		b.plan = plan
	}
	return b
}

// eval evaluates Lua source.
func (b *bench) eval(t testing.TB, src string) lua.LValue {
	t.Helper()
	v, err := b.s.Load("eval.lua", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// send converts a value; the text is the refusal's, "" when it was accepted.
func (b *bench) send(v lua.LValue) string {
	b.sink.Reset(b.plan, b.lim, &b.value)
	_ = b.c.write(&b.sink, v)
	if err := b.sink.Close(); err != nil {
		return err.Error()
	}
	return ""
}

// deliver reads the accepted value back into Lua, as the variable got.
func (b *bench) deliver() { b.s.SetGlobal("got", b.c.read(b.value.Root())) }

func (b *bench) check(t *testing.T, src string) {
	t.Helper()
	if v := b.eval(t, src); v != lua.LTrue {
		t.Errorf("%s is %v", src, v)
	}
}

func TestFieldLogPayloadVerdicts(t *testing.T) {
	const score = `{"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 100}}}`
	const chat = `{"type": "object", "required": ["text"], "additionalProperties": false, "properties": {"text": {"type": "string", "maxLength": 64}}}`
	const bag = `{"type": "object", "properties": {"items": {"type": "array", "items": {"type": "integer"}}}}`
	for _, c := range []struct{ id, schema, src, want string }{
		{"B30", "", "local t = {} for i = 1, 50000 do t = {t} end return {v = t}", "excessive_depth"},
		{"B30", "", "local t = {} t.t = t return t", "excessive_depth"},
		{"B31", score, "return {n = 0/0}", "non_finite"},
		{"B31", score, "return {n = 1/0}", "non_finite"},
		{"B31", score, "return {n = -1/0}", "non_finite"},
		{"B31", "", "return {deep = {{x = 0/0}}}", "non_finite"},
		{"B31", "", "return {[1] = 0/0}", "non_finite"},
		{"B31", "", "return {-0.0, 5e-324, 1.7976931348623157e308}", ""},
		{"B33", "", "return {[305419896] = true}", "hole at index 1"},
		{"B33", "", "return {[1] = true, [1000000] = true}", "hole at index 2"},
		{"B33", "", "return {[2^53] = 1}", "hole at index 1"},
		{"B33", "", "return {[-1] = 1}", "the key -1 is neither"},
		{"B33", "", "return {[0] = 1}", "the key 0 is neither"},
		{"B33", "", "return {[1.5] = 1}", "the key 1.5 is neither"},
		{"B33", "", "return {[1] = 1, a = 2}", "both names and numbers"},
		{"B33", "", "return {[1/0] = 1}", "the key inf is neither"},
		{"B34", bag, "return {items = {1, nil, 3}}", "hole at index 2"},
		{"B34", bag, "return {items = {nil, nil, 3}}", "hole at index 1"},
		{"B34", bag, "local t = {1, 2, 3, 4, 5} t[3] = nil return {items = t}", "hole at index 3"},
		{"B34", bag, "local u = {1, 2, 3} for i = 1, 3 do u[i] = nil end u[#u + 1] = 9 return {items = u}", ""},
		{"B34", bag, "return {items = {1, 2, 3, nil}}", ""},
		{"B34", "", "return {n = 3, 1, nil, 3}", "both names and numbers"},
		{"B34", "", "return {n = 3, 1, 2, 3}", "both names and numbers"},
		{"B34", "", "local t = {} t[1] = 1 t[3] = 3 return t", "hole at index 2"},
		{"B34", "", "local t = {} t[3] = 3 t[1] = 1 return t", "hole at index 2"},
		{"B34", "", "local t = {} t[3] = 3 t[1] = 1 t[2] = 2 return t", ""},
		{"B35", chat, "return {text = '\\255\\254x'}", "UTF-8"},
		{"B35", chat, "return {text = '\\237\\160\\128'}", "UTF-8"},
		{"B35", chat, "return {text = '\\226\\130'}", "UTF-8"},
		{"B35", chat, "return {text = '\\192\\128'}", "UTF-8"},
		{"B35", "", "return {['a\\255'] = 1}", "UTF-8"},
		{"B35", chat, "return {text = 'ok\\0nul'}", ""},
		{"B35", chat, "return {text = '👩‍🚀\\226\\128\\168<script>&'}", ""},
		{"B36", chat, "return {text = '\\255'}", "UTF-8"},
		{"B36", chat, "return {text = ('\\255'):rep(64)}", "UTF-8"},
		{"B36", chat, "return {text = ('x'):rep(64)}", ""},
		{"B36", chat, "return {text = ('x'):rep(65)}", "schema_violation"},
		{"B39", score, "return {n = 5}", ""},
		{"B39", score, "return {n = 5.0}", ""},
		{"B39", score, "return {n = 5.5}", "schema_violation"},
		{"B39", score, "return {n = '5'}", "schema_violation"},
		{"B39", score, "return {n = true}", "schema_violation"},
		{"B39", score, "return {n = 100.0000000000001}", "schema_violation"},
		{"B39", score, "return {n = -0.0}", ""},
		{"B41", "", "return {[{}] = 1}", "a table as a key"},
		{"B41", "", "return {[true] = 1}", "a boolean as a key"},
		{"B41", "", "return {[print] = 1}", "a function as a key"},
		{"B41", "", "return {f = print}", "a function is no data"},
		{"B41", "", "return {c = coroutine.create(function() end)}", "a thread is no data"},
		{"B41", "", "return {[{}] = 1, x = 1, 2}", "a table as a key"},
		{"B43", chat, "return {text = ('x'):rep(10000)}", "string_too_long"},
		{"B43", chat, "return {text = ('x'):rep(10000000)}", "string_too_long"},
		{"B43", "", "local t = {} for i = 1, 100000 do t['k' .. i] = i end return t", "excessive_elements"},
		{"B43", "", "local t = {} for i = 1, 100000 do t[i] = i end return t", "excessive_elements"},
		{"B43", "", "return {[('k'):rep(1000000)] = 1}", "string_too_long"},
		{"metatables are not asked", "", "return setmetatable({a = 1}, {__index = error, __len = error, __pairs = error})", ""},
	} {
		t.Run(c.id, func(t *testing.T) {
			b := newBench(t, c.schema)
			v := b.eval(t, c.src)
			got := b.send(v)
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("%s: got %q, want %q", c.src, got, c.want)
			}
		})
	}
}

// TestFieldLogB33NoCostForHugeKeys: the price of a refusal does not grow with
// the key.
func TestFieldLogB33NoCostForHugeKeys(t *testing.T) {
	b := newBench(t, "")
	v := b.eval(t, "return {[305419896] = true}")
	if n := testing.AllocsPerRun(10, func() { b.send(v) }); n > 20 {
		t.Errorf("a huge key costs %v allocations", n)
	}
}

func TestFieldLogB38NumbersSurvive(t *testing.T) {
	b := newBench(t, "")
	for _, src := range []string{"951824235837328", "1684119503", "2^53", "-2^53", "1e15", "1e21", "0.1", "1/3", "5e-324", "2^31", "2^32 - 1",
		"123456789012345.678", "-0.0", "255", "256", "-1", "1.7976931348623157e308"} {
		v := b.eval(t, "want = "+src+" return want")
		if refused := b.send(v); refused != "" {
			t.Errorf("%s: %s", src, refused)
			continue
		}
		b.deliver()
		b.check(t, "return got == want")
	}
	b.send(lua.LNumber(math.Copysign(0, -1)))
	b.deliver()
	b.check(t, "return 1 / got == math.huge and tostring(got) == '0'") // -0 is 0, documented
}

func TestFieldLogB40NamesStayStrings(t *testing.T) {
	b := newBench(t, "")
	for _, src := range []string{"{['1'] = 10, ['3'] = 30}", "{['10'] = 1, ['9'] = 2}", "{[''] = 1}", "{['1.5'] = 1}", "{['-1'] = 1}", "{__index = 1}", "{constructor = 1}"} {
		v := b.eval(t, "want = "+src+" return want")
		if refused := b.send(v); refused != "" {
			t.Errorf("%s: %s", src, refused)
			continue
		}
		b.deliver()
		b.check(t, "for k, v in pairs(want) do if got[k] ~= v or type(k) ~= 'string' then return k end end for k in pairs(got) do if want[k] == nil then return k end end return got[1] == nil")
		if refused := b.send(b.s.Global("got")); refused != "" {
			t.Errorf("%s: what came must be sent back as it is: %s", src, refused)
		}
	}
}

func TestFieldLogB42NullIsNil(t *testing.T) {
	b := newBench(t, `{"type": "object", "properties": {"a": {"type": ["integer", "null"]}}}`)
	read := func(json string) {
		if err := b.plan.DecodeJSON([]byte(json), b.lim, &b.value); err != nil {
			t.Fatal(err)
		}
		b.deliver()
	}
	read(`{"a": null}`)
	b.check(t, "return got.a == nil and next(got) == nil")
	read(`{"a": 5}`)
	b.check(t, "return got.a == 5")
	if got := b.send(lua.LNil); !strings.Contains(got, "schema_violation") {
		t.Errorf("nil is null, which this schema does not allow: %q", got)
	}
}

// TestFieldLogB82OrderOfMembers: whatever the order a table was filled in, and
// whatever way it came, pairs visits a payload in one order.
func TestFieldLogB82OrderOfMembers(t *testing.T) {
	b := newBench(t, "")
	var want lua.LValue
	for i := range 30 {
		v := b.eval(t, fmt.Sprintf("local t, n = {}, %d for j = 0, 19 do t[('k%%02d'):format((j * 7 + n) %% 20 + 1)] = {z = 1, a = {y = 2, b = 3}} end return t", i))
		if refused := b.send(v); refused != "" {
			t.Fatal(refused)
		}
		b.deliver()
		order := b.eval(t, "local o = {} for k, v in pairs(got) do o[#o + 1] = k for k2, v2 in pairs(v) do o[#o + 1] = k2 if k2 == 'a' then for k3 in pairs(v2) do o[#o + 1] = k3 end end end end return table.concat(o, ' ')")
		if want == nil {
			want = order
		}
		if order != want || !strings.HasPrefix(order.String(), "k01 a b y z k02") {
			t.Fatalf("the order depends on history: %v, then %v", want, order)
		}
	}
}

// TestConvertingAllocatesNothing holds the sending half of P5.
func TestConvertingAllocatesNothing(t *testing.T) {
	if RaceEnabled {
		t.Skip("the race detector allocates")
	}
	b := newBench(t, "")
	v := b.eval(t, "return {pos = {1, 2.5, -3, 400}, name = 'rocket', hit = {id = 7, ok = true}}")
	b.send(v)
	if n := testing.AllocsPerRun(100, func() { b.send(v) }); n != 0 {
		t.Errorf("converting a table costs %v allocations", n)
	}
}

func TestNamesAreCachedWithinBounds(t *testing.T) {
	b := newBench(t, "")
	for i := range 3 * maxNames {
		b.c.name([]byte(fmt.Sprint("name", i)))
	}
	b.c.name([]byte(strings.Repeat("x", 1000)))
	if len(b.c.names) > maxNames {
		t.Errorf("%d names are cached, at most %d may be", len(b.c.names), maxNames)
	}
}
