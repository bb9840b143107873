---@meta demi.sprite2d

--- Drawing: every other function exists here and does nothing.
---@class demi.sprite2d
---@field [string] fun(...)
local Sprite2D = {}

--- Parts from 0 to 1. Sprite.color is a field that can be replicated.
---@param entity_id string
---@param r number
---@param g number
---@param b number
---@param a? number
---@return boolean
function Sprite2D.set_color(entity_id, r, g, b, a) end

---@param entity_id string
---@return number|nil r
---@return number|nil g
---@return number|nil b
---@return number|nil a
function Sprite2D.get_color(entity_id) end

---@param entity_id string
---@param x boolean
---@param y? boolean
---@return boolean
function Sprite2D.set_flip(entity_id, x, y) end

return Sprite2D
