local a = 7 // 2 --> error: Lua 5.4 integer division `//` is not available: scripts are Lua 5.1 with goto
-------
local a = 7 & 2 --> error: Lua 5.4 bitwise `&` is not available
-------
local a = 7 | 2 --> error: bitwise `|`
-------
local a = ~7 --> error: bitwise `~`
-------
local a = 7 ~ 2 --> error: bitwise `~`
-------
local a = 7 << 2 --> error: bit shift `<<`
-------
local a = 7 >> 2 --> error: bit shift `>>`
-------
local a <const> = 7 --> error: attribute `<const>`
-------
local a, b <close> = 7 --> error: attribute `<close>`
-------
local a = 0x1p4 --> error: hexadecimal fraction `0x1p4`
-------
local a = 0xcbf29ce484222325 --> error: integer `0xcbf29ce484222325` is not exact
-------
local a = 'x\z --> error: escape `\z`
   y'
-------
local a = '\xZZ' --> error: two hexadecimal digits
-------
local a = '\u{110000}' --> error: code point
-------
if 1 != 2 then end --> error: `!=` is no operator of Lua
-------
-- what only looks like it: // & | ~ << >> <const>
local a = '// & | ~ << >> <const> \\z' --[[ // & ]] --[==[ ]] // ]==] local b = [[ // ]] .. [=[ & ]=]
local c <= 1 --> error: near '<='
-------
local x, y = 1, 2
local ok = x <y and y> x and x ~= y and x<=y
local function local_(f) return f end local f = function() end
eq(x < y, true) eq(1 ..'', '1') eq(#'--[[', 4)
goto done
do local z = x end
::done::
-------
local t = {
local x = = 1 --> error: syntax error
-------
x = } --> error: syntax error near '}'
-------
for i = 1 do end --> error: syntax error
-------
break --> error: no loop to break
-------
goto nowhere --> error: no visible label 'nowhere'
-------
return ..., 1
-------
::twice::
::twice:: --> error: label 'twice' already defined
-------
do goto inner end --> error: jumps into the scope of local
local x
::inner:: print(x)
