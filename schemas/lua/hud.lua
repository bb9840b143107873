---@meta demi.hud

--- The screen: every function exists and does nothing.
---@class demi.hud
---@field [string] fun(...)
local Hud = {}

return Hud
