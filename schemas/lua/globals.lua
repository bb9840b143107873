---@meta

--- Older projects use the modules as globals.

NetworkSession = require("demi.network.session")
Transform = require("demi.transform2d")
Rigidbody2D = require("demi.physics.rigidbody2d")
Physics2D = require("demi.physics.query2d")
Input = require("demi.input")
Events = require("demi.events")
Entity = require("demi.entity")
Prefab = require("demi.prefab")
Application = require("demi.application")
Sprite2D = require("demi.sprite2d")
Debug = require("demi.debug")
Hud = require("demi.hud")
