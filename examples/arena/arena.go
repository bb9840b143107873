// Package arena holds the example game as files, so that `demi-net demo` can
// play it from any folder. The game itself is in Lua and JSON; see README.md.
package arena

import "embed"

// Project is the game's project folder.
//
//go:embed demi.project.json assets prefabs scenes scripts
var Project embed.FS

// ContractPath is where the contract is in Project.
const ContractPath = "assets/network/arena.network.json"
