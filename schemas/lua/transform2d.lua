---@meta demi.transform2d

--- Where entities are. Getters of an entity without a Transform2D (or 3D) give
--- nil, setters false.
---@class demi.transform2d
local Transform = {}

--- In units; three numbers of an entity with a Transform3D.
---@param entity_id string
---@return number|nil x
---@return number|nil y
---@return number|nil z
function Transform.get_position(entity_id) end

---@param entity_id string
---@param x number
---@param y number
---@param z? number of a Transform3D
---@return boolean
function Transform.set_position(entity_id, x, y, z) end

--- Moves an entity by a distance.
---@param entity_id string
---@param dx number
---@param dy number
---@param dz? number
---@return boolean
function Transform.add_position(entity_id, dx, dy, dz) end

--- In radians; three Euler angles of an entity with a Transform3D.
---@param entity_id string
---@return number|nil angle
---@return number|nil y
---@return number|nil z
function Transform.get_rotation(entity_id) end

---@param entity_id string
---@param angle number
---@param y? number
---@param z? number
---@return boolean
function Transform.set_rotation(entity_id, angle, y, z) end

---@param entity_id string
---@return number|nil x
---@return number|nil y
---@return number|nil z
function Transform.get_scale(entity_id) end

---@param entity_id string
---@param x number
---@param y number
---@param z? number
---@return boolean
function Transform.set_scale(entity_id, x, y, z) end

return Transform
