---@meta demi.application

---@class demi.application
local Application = {}

--- "headless"
---@return string
function Application.platform() end

--- true
---@return boolean
function Application.is_headless() end

return Application
