---@meta demi.input

--- Input actions of the project. Without devices, they are set by --input,
--- --drive and tests; one that the project does not have reads as 0.
---@class demi.input
local Input = {}

---@param action string
---@return number -1 … 1, a button 0 … 1
function Input.action_value(action) end

---@param action string
---@return boolean went down since the last tick
function Input.action_pressed(action) end

---@param action string
---@return boolean went up since the last tick
function Input.action_released(action) end

---@param action string
---@return boolean is held
function Input.action_down(action) end

---@param action string
---@return number
function Input.value(action) end

---@param action string
---@return boolean
function Input.pressed(action) end

---@param action string
---@return boolean
function Input.released(action) end

---@param action string
---@return boolean
function Input.down(action) end

--- Two axes as a direction of length 1 at most.
---@param x_action string
---@param y_action string
---@return number x
---@return number y
function Input.vector(x_action, y_action) end

---@param button integer
---@return boolean
function Input.mouse_down(button) end

---@param button integer
---@return boolean
function Input.mouse_pressed(button) end

---@return boolean
function Input.ui_pointer_captured() end

---@return number x
---@return number y
function Input.mouse_position() end

---@return number x
---@return number y
function Input.mouse_world_position() end

return Input
