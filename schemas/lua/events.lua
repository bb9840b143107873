---@meta demi.events

--- A bus between the scripts of one process. Nothing of it travels.
---@class demi.events
local Events = {}

--- An error of one handler reaches neither the others nor who emits.
---@param name string
---@param handler fun(...)
---@return integer subscription
function Events.subscribe(name, handler) end

---@param subscription integer|string what subscribe returned, or a name and its handler
---@param handler? fun(...)
---@return boolean there was such a one
function Events.unsubscribe(subscription, handler) end

--- Calls the handlers of a name at once, in the order of subscribing.
---@param name string
---@param ... any
function Events.emit(name, ...) end

return Events
