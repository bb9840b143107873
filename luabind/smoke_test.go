package luabind

import (
	"strings"
	"testing"
)

func load(t *testing.T, s *State, src string) error {
	t.Helper()
	_, err := s.Load("game.lua", []byte(src))
	return err
}

func TestSmoke(t *testing.T) {
	var out []string
	s := New(Config{Log: func(l string) { out = append(out, l) }})
	err := load(t, s, `
local n = 0
local function inc() n = n + 1 end
print(pcall(error, "x"))
inc() inc()
print(n)
print("a" .. 1 .. "b" .. 2^10)
local t = {1,2,3, [10]=4, x = 5}
t[#t+1] = 9
for k,v in pairs(t) do print(k,v) end
print(select('#', pcall(function() return 1,2,3 end)))
local co = coroutine.wrap(function(a) local b = coroutine.yield(a+1) return b*2 end)
print(co(1), co(10))
print(string.format("%5.2f|%-5d|%05d|%s|%q|%g|%x", 3.14159, 42, 42, "hi", "a\nb", 1e20, 255))
print(("hello world"):gsub("o", "0"), ("k=v"):match("(%w+)=(%w+)"))
print(tonumber("2e2"), tonumber("0x10"), tostring(1e-7), 1/0, -1/0, math.huge)
print(xpcall(function() error({code=1}) end, function(e) return e.code end))
`)
	t.Log(strings.Join(out, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	err = load(t, s, `while true do end`)
	t.Log(err)
	err = load(t, s, "local s = 'x'\nwhile true do s = s .. s end")
	t.Log(err)
	err = load(t, s, "local t = {}\nwhile true do t[#t+1] = {{}} end")
	t.Log(err)
}
