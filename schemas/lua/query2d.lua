---@meta demi.physics.query2d

---@class demi.RayHit
---@field entity_id string
---@field layer string
---@field distance number
---@field x number
---@field y number
---@field normal_x number
---@field normal_y number
---@field point number[]
---@field normal number[]
---@field fraction number distance as a part of the longest distance

--- What is in the way.
---@class demi.physics.query2d
local Physics2D = {}

--- The nearest collider that a ray meets; one that contains the origin is not met.
---@param x number
---@param y number
---@param dx number need not have length 1
---@param dy number
---@param max_distance? number
---@param layer? string only colliders of this layer
---@param ignored? string an entity that is not met
---@return demi.RayHit|nil
function Physics2D.raycast(x, y, dx, dy, max_distance, layer, ignored) end

return Physics2D
