---@meta demi.physics.rigidbody2d

--- Velocities of bodies, in units per second.
---@class demi.physics.rigidbody2d
local Rigidbody2D = {}

---@param entity_id string
---@return number|nil x
---@return number|nil y
function Rigidbody2D.get_velocity(entity_id) end

---@param entity_id string
---@param x number
---@param y number
---@return boolean
function Rigidbody2D.set_velocity(entity_id, x, y) end

---@param entity_id string
---@return number|nil
function Rigidbody2D.get_velocity_x(entity_id) end

---@param entity_id string
---@param x number
---@return boolean
function Rigidbody2D.set_velocity_x(entity_id, x) end

---@param entity_id string
---@return number|nil
function Rigidbody2D.get_velocity_y(entity_id) end

---@param entity_id string
---@param y number
---@return boolean
function Rigidbody2D.set_velocity_y(entity_id, y) end

return Rigidbody2D
