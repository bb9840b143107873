---@meta demi.prefab

---@class demi.PrefabOptions
---@field id? string of the new entity; one of the prefab's name and a number
---@field position? number[]
---@field rotation? number|number[]
---@field scale? number[]

--- Makes entities from prefabs. What shall be replicated is made known with Session.spawn.
---@class demi.prefab
local Prefab = {}

---@param prefab string prefab://… or a key of the contract
---@param options? demi.PrefabOptions
---@return string|nil entity_id
function Prefab.instantiate(prefab, options) end

return Prefab
