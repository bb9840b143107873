---@meta demi.entity

--- Entities of the scene by id, and what their components say.
---@class demi.entity
local Entity = {}

---@param entity_id string
---@return boolean
function Entity.exists(entity_id) end

---@param entity_id string
---@return boolean it existed
function Entity.destroy(entity_id) end

--- The live value of a field, else what the component's file says.
---@param entity_id string
---@param component string
---@param name string
---@return any
function Entity.get_field(entity_id, component, name) end

--- The same as get_field.
---@param entity_id string
---@param component string
---@param name string
---@return any
function Entity.get_config(entity_id, component, name) end

---@param entity_id string
---@param component string
---@param name string
---@param value boolean|number|string|table
---@return boolean
function Entity.set_field(entity_id, component, name, value) end

---@param entity_id string
---@return string|nil display name
function Entity.name(entity_id) end

---@param name string
---@return string|nil entity_id of the first entity of that name
function Entity.find(name) end

return Entity
