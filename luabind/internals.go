package luabind

import (
	"reflect"

	lua "github.com/yuin/gopher-lua"
)

// What follows reads private fields of gopher-lua's types: sizes of a table's
// parts and the frames of a thread. Reflection may read them, at a few
// nanoseconds each; the version is pinned and a test checks the names. shape.go
// alone writes some.

// tableFields are the positions of lua.LTable's private fields.
var tableFields = struct{ array, dict, strdict, keys, k2i int }{
	fieldOf[lua.LTable]("array"), fieldOf[lua.LTable]("dict"), fieldOf[lua.LTable]("strdict"), fieldOf[lua.LTable]("keys"),
	fieldOf[lua.LTable]("k2i"),
}

func fieldOf[T any](name string) int { return fieldIn(reflect.TypeFor[T](), name) }

func fieldIn(t reflect.Type, name string) int {
	f, ok := t.FieldByName(name)
	if !ok {
		panic("luabind: BUG: gopher-lua's " + t.Name() + " has no field " + name)
	}
	return f.Index[0]
}

// arrayLen returns the length of a table's array part, trailing nils included.
func arrayLen(t *lua.LTable) int {
	return reflect.ValueOf(t).Elem().Field(tableFields.array).Len()
}

// stringKeys returns how many string keys a table has.
func stringKeys(t *lua.LTable) int {
	return reflect.ValueOf(t).Elem().Field(tableFields.strdict).Len()
}

// otherKeys returns how many keys a table has that are neither strings nor in
// the array part.
func otherKeys(t *lua.LTable) int {
	return reflect.ValueOf(t).Elem().Field(tableFields.dict).Len()
}

// keySlots returns how many keys a table remembers, deleted ones included.
func keySlots(t *lua.LTable) int {
	return reflect.ValueOf(t).Elem().Field(tableFields.keys).Len()
}

// slotsBetween returns how many remembered keys a step from one key to the next
// went over. A key that is none stands before the first, as a from, or behind
// the last, as a to.
func slotsBetween(t *lua.LTable, from, to lua.LValue) int {
	places := reflect.ValueOf(t).Elem().Field(tableFields.k2i)
	place := func(key lua.LValue, none int) int {
		if key == lua.LNil {
			return none
		}
		if i := places.MapIndex(reflect.ValueOf(key)); i.IsValid() {
			return int(i.Int())
		}
		return none
	}
	return max(0, place(to, keySlots(t))-place(from, -1))
}

// tableBytes estimates the memory of a table without what it refers to.
func tableBytes(t *lua.LTable) int64 {
	v := reflect.ValueOf(t).Elem()
	live := v.Field(tableFields.strdict).Len() + v.Field(tableFields.dict).Len()
	return 112 + 16*int64(v.Field(tableFields.array).Cap()) + 64*int64(live) + 88*int64(v.Field(tableFields.keys).Len())
}

// frameFields are the positions of the private fields that lead from a
// lua.Debug to the instruction each frame is at.
var frameFields = func() (f struct{ frame, parent, fn, pc, base, localBase int }) {
	dbg := reflect.TypeFor[lua.Debug]()
	f.frame = fieldIn(dbg, "frame")
	frame := dbg.Field(f.frame).Type.Elem()
	f.parent, f.fn, f.pc = fieldIn(frame, "Parent"), fieldIn(frame, "Fn"), fieldIn(frame, "Pc")
	f.base, f.localBase = fieldIn(frame, "Base"), fieldIn(frame, "LocalBase")
	return f
}()

var functionFields = struct{ isG, proto int }{fieldOf[lua.LFunction]("IsG"), fieldOf[lua.LFunction]("Proto")}

// registers are the positions that lead to a thread's registers.
var registers = func() (f struct{ reg, array int }) {
	th := reflect.TypeFor[lua.LState]()
	f.reg = fieldIn(th, "reg")
	f.array = fieldIn(th.Field(f.reg).Type.Elem(), "array")
	return f
}()

// registerRoom returns how many registers a thread has reserved, which is as
// many as it ever needed.
func registerRoom(th *lua.LState) int {
	return reflect.ValueOf(th).Elem().Field(registers.reg).Elem().Field(registers.array).Cap()
}

var protoCode = fieldOf[lua.FunctionProto]("Code")

// mayYield reports whether the running Go function of L was reached from the
// start of its thread through call instructions of scripts only. A yield from
// below a metamethod, an iterator or another Go function would return into the
// middle of that function.
func mayYield(L *lua.LState) bool {
	dbg, ok := L.GetStack(0)
	if !ok {
		return false
	}
	frame := reflect.ValueOf(dbg).Elem().Field(frameFields.frame)
	for {
		frame = frame.Elem().Field(frameFields.parent)
		if frame.IsNil() {
			return true
		}
		fn := frame.Elem().Field(frameFields.fn).Elem()
		if fn.Field(functionFields.isG).Bool() {
			return false
		}
		pc := int(frame.Elem().Field(frameFields.pc).Int()) - 1
		op := int(fn.Field(functionFields.proto).Elem().Field(protoCode).Index(pc).Uint() >> 26)
		if op != lua.OP_CALL && op != lua.OP_TAILCALL {
			return false
		}
	}
}

// awaited returns how many values the yield of a suspended thread returns, -1
// for as many as there are; ok is false for a thread that has not started.
func awaited(th *lua.LState) (n int, ok bool) {
	dbg, ok := th.GetStack(0)
	if !ok {
		return 0, false
	}
	frame := reflect.ValueOf(dbg).Elem().Field(frameFields.frame).Elem()
	pc := int(frame.Field(frameFields.pc).Int())
	if pc == 0 {
		return 0, false
	}
	inst := frame.Field(frameFields.fn).Elem().Field(functionFields.proto).Elem().Field(protoCode).Index(pc - 1).Uint()
	if int(inst>>26) != lua.OP_CALL {
		return -1, true
	}
	return int(inst>>9&0x1FF) - 1, true
}

// emptied reports a suspended thread without a frame: its function ended with
// return coroutine.yield(…), and the machine has forgotten it at the tail call.
// A thread that has not started has the frame of its function.
func emptied(th *lua.LState) bool {
	if th.Dead {
		return false
	}
	stack := reflect.ValueOf(th).Elem().Field(threadStack).Elem().Elem()
	return stack.FieldByName("segIdx").Uint() == 0 && stack.FieldByName("segSp").Uint() == 0
}

var threadStack = fieldOf[lua.LState]("stack")

// hiddenArgs returns how many registers lie between a frame's function and its
// first local: the arguments of a vararg function.
func hiddenArgs(dbg *lua.Debug) int {
	frame := reflect.ValueOf(dbg).Elem().Field(frameFields.frame).Elem()
	return int(frame.Field(frameFields.localBase).Int() - frame.Field(frameFields.base).Int() - 1)
}
