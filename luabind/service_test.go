package luabind_test

import (
	"testing"

	"demi.network/luabind"
)

const yardScene = `{"format_version": 1, "id": "scene://main", "name": "main", "entities": [
	{"id": "game", "name": "game", "components": {"LuaScript": {"module": "script://scripts/game.lua"}}},
	{"id": "ball", "name": "Ball", "components": {"Transform2D": {"position": [1, 2], "rotation": 0.5, "scale": [2, 2]},
		"Rigidbody2D": {"body_type": "kinematic", "velocity": [3, 4]}, "Sprite": {"color": [1, 0, 0, 1], "texture": "ball.png"}, "Tags": {"list": ["a", "b"], "deep": {"x": 1}}}},
	{"id": "cube", "name": "Cube", "components": {"Transform3D": {"position": [1, 2, 3], "rotation": [0, 0, 0], "scale": [1, 1, 1]}}},
	{"id": "wall", "name": "Wall", "components": {"Transform2D": {"position": [10, 2]}, "BoxCollider2D": {"size": [2, 20], "layer": "wall"}}},
	{"id": "post", "name": "Post", "components": {"Transform2D": {"position": [5, 2]}, "CircleCollider2D": {"radius": 1, "layer": "post"}}}
]}`

// TestServices holds the headless services to what scripts of the engine ask of
// them.
func TestServices(t *testing.T) {
	p := newPlay(t, project("return {}", scenarioContract, "scenes/main.scene.json", yardScene, "scripts/t.lua", scenarioLibrary), "")
	for name, text := range map[string]string{
		"Transform": `
			local function same(what, want, ...) t.check(what, t.spell({...}), want) end
			same("position", "{1, 2}", Transform.get_position("ball"))
			same("set", "{true}", Transform.set_position("ball", 3, 4))
			same("add", "{true}", Transform.add_position("ball", 1, -1))
			same("position", "{4, 3}", Transform.get_position("ball"))
			same("rotation", "{0.5}", Transform.get_rotation("ball"))
			same("set_rotation", "{true}", Transform.set_rotation("ball", 1.5))
			same("scale", "{2, 2}", Transform.get_scale("ball"))
			same("3D", "{1, 2, 3}", Transform.get_position("cube"))
			same("3D set", "{true}", Transform.set_position("cube", 4, 5, 6))
			same("3D flat", "{false}", Transform.set_position("cube", 4, 5))
			same("3D add", "{true}", Transform.add_position("cube", 1, 1, 1))
			same("3D", "{5, 6, 7}", Transform.get_position("cube"))
			same("nobody", "{}", Transform.get_position("nobody"))
			same("nobody", "{false}", Transform.set_position("nobody", 1, 1))
			same("not a number", "{false}", Transform.set_position("ball", 0/0, 1))
			same("unmoved", "{4, 3}", Transform.get_position("ball"))`,
		"Rigidbody2D": `
			t.check("velocity", t.spell({Rigidbody2D.get_velocity("ball")}), "{3, 4}")
			t.check("set", Rigidbody2D.set_velocity("ball", 1, 2), true)
			t.check("set x", Rigidbody2D.set_velocity_x("ball", 7), true)
			t.check("set y", Rigidbody2D.set_velocity_y("ball", 8), true)
			t.check("x", Rigidbody2D.get_velocity_x("ball"), 7)
			t.check("y", Rigidbody2D.get_velocity_y("ball"), 8)
			t.check("no body", Rigidbody2D.set_velocity("wall", 1, 2), false)
			t.check("no body", Rigidbody2D.get_velocity_x("wall"), nil)`,
		"Physics2D": `
			local hit = Physics2D.raycast(0, 2, 2, 0, 100)
			t.check("first", hit.entity_id, "post")
			t.check("all of it", t.spell(hit), '{distance=4, entity_id="post", fraction=0.04, layer="post", normal={-1, 0}, normal_x=-1, normal_y=0, point={4, 2}, x=4, y=2}')
			t.check("layer", Physics2D.raycast(0, 2, 1, 0, 100, "wall").entity_id, "wall")
			t.check("ignored", Physics2D.raycast(0, 2, 1, 0, 100, nil, "post").entity_id, "wall")
			t.check("too far", Physics2D.raycast(0, 2, 1, 0, 3), nil)
			t.check("other way", Physics2D.raycast(0, 2, -1, 0, 100), nil)
			t.check("no end", Physics2D.raycast(0, 2, 1, 0).fraction, 0)
			t.check("no direction", Physics2D.raycast(0, 2, 0, 0, 5), nil)`,
		"Entity": `
			t.check("exists", Entity.exists("ball"), true)
			t.check("find", Entity.find("Ball"), "ball")
			t.check("name", Entity.name("ball"), "Ball")
			t.check("config", Entity.get_config("ball", "Sprite", "texture"), "ball.png")
			t.check("list", t.spell(Entity.get_config("ball", "Tags", "list")), '{"a", "b"}')
			t.check("deep", Entity.get_config("ball", "Tags", "deep.x"), 1)
			t.check("field", t.spell(Entity.get_field("ball", "Sprite", "color")), "{1, 0, 0, 1}")
			t.check("set", Entity.set_field("ball", "Tags", "mood", {kind = "good", n = {1, 2}}), true)
			t.check("get", t.spell(Entity.get_field("ball", "Tags", "mood")), '{kind="good", n={1, 2}}')
			t.check("no component", Entity.set_field("ball", "Nothing", "x", 1), false)
			t.check("no entity", Entity.get_field("nobody", "Sprite", "color"), nil)
			local deep = {} for i = 1, 20 do deep = {x = deep} end
			t.check("too deep", pcall(Entity.set_field, "ball", "Tags", "mood", deep), false)
			local wide = {} for i = 1, 2000 do wide[i] = i end
			t.check("too wide", pcall(Entity.set_field, "ball", "Tags", "mood", wide), false)
			t.check("odd keys", pcall(Entity.set_field, "ball", "Tags", "mood", {[true] = 1}), false)`,
		"Prefab": `
			t.check("own id", Prefab.instantiate("prefab://crate", {id = "c1", position = {3, 4}, rotation = 1, scale = {2, 2}}), "c1")
			t.check("position", t.spell({Transform.get_position("c1")}), "{3, 4}")
			t.check("rotation", Transform.get_rotation("c1"), 1)
			local a, b = Prefab.instantiate("prefab://crate"), Prefab.instantiate("hero")
			t.check("two", Entity.exists(a) and Entity.exists(b) and a ~= b, true)
			t.check("options", pcall(Prefab.instantiate, "prefab://crate", {position = "x"}), false)
			t.check("destroy", Entity.destroy(a), true)`,
		"Events": `
			local heard = {}
			local function hear(v) heard[#heard + 1] = v end
			local one = Events.subscribe("e", hear)
			Events.subscribe("e", function(v)
				hear(v * 10)
				if v == 1 then Events.unsubscribe(one) Events.subscribe("e", function(w) hear(w * 100) end) Events.emit("e", 2) end
			end)
			Events.emit("e", 1)
			Events.emit("other", 5)
			t.check("order", t.spell(heard), "{1, 10, 20, 200}")
			t.check("gone", Events.unsubscribe(one), false)
			Events.subscribe("f", hear)
			t.check("by handler", Events.unsubscribe("f", hear), true)
			local function loop() Events.emit("loop") end
			Events.subscribe("loop", loop)
			loop()
			local many = 0
			while pcall(Events.subscribe, "many", hear) do many = many + 1 end
			t.check("bounded", many < 1024 and many > 1000, true)`,
		"Input": `
			t.check("value", Input.action_value("move"), 0)
			t.check("unknown", Input.action_value("nothing"), 0)
			t.check("vector", t.spell({Input.vector("move", "move")}), "{0, 0}")
			t.check("mouse", t.spell({Input.mouse_world_position()}), "{0, 0}")
			t.check("mouse", Input.mouse_down(1), false)
			t.check("ui", Input.ui_pointer_captured(), false)`,
		"drawing": `
			t.check("color", Sprite2D.set_color("ball", 0.5, 0.25, 0, 1), true)
			t.check("color", t.spell({Sprite2D.get_color("ball")}), "{0.5, 0.25, 0, 1}")
			t.check("flip", Sprite2D.set_flip("ball", true), true)
			t.check("flip", Entity.get_field("ball", "Sprite", "flip_x"), true)
			t.check("nothing", select("#", Sprite2D.play("ball", "run", {})), 0)
			t.check("nothing", select("#", Hud.set_text("score", 5)), 0)
			t.check("nothing", select("#", Debug.line(1, 2, 3, 4)), 0)
			t.check("platform", Application.platform(), "headless")`,
	} {
		t.Run(name, func(t *testing.T) {
			n := p.must(name, luabind.OpenedNothing)
			n.do(t, prelude+text)
			for _, line := range n.said("WRONG") {
				t.Error(line)
			}
			e := n.game.Errors()
			if name == "Events" && len(e) == 1 && e[0].Kind == luabind.ScriptFault {
				return // the endless emit, once
			}
			if len(e) > 0 {
				t.Error(errorsOf(n))
			}
		})
	}
}
