---@meta demi.debug

--- Drawing for developers: line, circle and all else exist and do nothing.
---@class demi.debug
---@field [string] fun(...)
local Debug = {}

--- Writes a line to the log.
---@param ... any
function Debug.log(...) end

return Debug
