package luabind

import (
	lua "github.com/yuin/gopher-lua"

	"demi.network/contract"
	"demi.network/internal/scene"
	"demi.network/runtime"
)

// engine is what the engine's services are made of. headless is nil when the
// scene is an embedder's: then services that need more of an engine than
// runtime.Scene has are absent.
type engine struct {
	L        *lua.LState
	onPanic  func()
	scene    runtime.Scene
	headless *scene.Scene
	contract *contract.Contract
	charge   charge
	log      func(string)
	display  func(lua.LValue) string
	call     func(fn lua.LValue, args ...lua.LValue) bool // and record its error
	held     *lua.LTable                                  // takes what Events holds
}

// service is one service: a global in older projects, modules in newer ones.
type service struct {
	global  string
	modules []string
	table   *lua.LTable
}

// services makes the services.
func (e engine) services() []service {
	b := body{e.scene}
	list := []service{
		e.service("Transform", b.transformFuncs(), "demi.transform2d", "demi.transform"),
		e.service("Rigidbody2D", b.rigidbodyFuncs(), "demi.physics.rigidbody2d", "demi.rigidbody2d"),
		e.service("Events", (&bus{call: e.call, charge: e.charge, held: e.held}).funcs(), "demi.events"),
		e.service("Application", applicationFuncs(), "demi.application"),
		{"Sprite2D", []string{"demi.sprite2d"}, drawing(e.L, e.onPanic, spriteFuncs(e.scene)...)},
		{"Debug", []string{"demi.debug"}, drawing(e.L, e.onPanic, debugFuncs(e.charge, e.log, e.display)...)},
		{"Hud", []string{"demi.hud"}, drawing(e.L, e.onPanic)},
	}
	if e.headless == nil {
		f := newFieldEntities(e.scene, e.contract)
		return append(list, e.service("Entity", f.entityFuncs(), "demi.entity"), e.service("Prefab", f.prefabFuncs(), "demi.prefab"))
	}
	n := &entities{scene: e.headless, charge: e.charge, log: e.log}
	return append(list,
		e.service("Entity", n.entityFuncs(), "demi.entity"),
		e.service("Prefab", n.prefabFuncs(), "demi.prefab"),
		e.service("Physics2D", physicsFuncs(e.headless, e.charge), "demi.physics.query2d", "demi.physics2d"),
		e.service("Input", inputFuncs(&e.headless.Input), "demi.input"),
	)
}

func (e engine) service(global string, funcs []Func, modules ...string) service {
	return service{global, modules, NewModule(e.L, e.onPanic, funcs...)}
}
