package harness_test

import (
	"fmt"
	"testing/fstest"
	"time"

	"demi.network/contract"
	"demi.network/runtime"
	"demi.network/runtime/harness"
)

const crates = `{"format_version": 1, "id": "network-contract://example/crates", "replicated_prefabs": {
 "crate": {"prefab": "prefab://crate", "components": {"Transform2D": {"position": {"write_by": "owner"}}}}}}`

// A host and a client over a bad link: the host pushes a crate, and two seconds
// later the client has seen it, and both can prove that they held the same.
func Example() {
	c, problems := contract.LoadFile(fstest.MapFS{"crates.json": {Data: []byte(crates)}}, "crates.json")
	if c == nil {
		fmt.Println(problems)
		return
	}
	game, err := harness.New(harness.Config{Contract: c, Seed: 1, Link: "rtt=80,jitter=4,loss=2%"})
	if err != nil {
		fmt.Println(err)
		return
	}
	host, client := game.Host(), game.Join("ann")
	id, _ := host.Spawn("crate", "box", "server")
	host.OnTick = func() {
		v, _ := host.Scene.Read("box", "Transform2D.position")
		v[0] = min(v[0]+0.25, 10)
		host.Scene.Write("box", "Transform2D.position", v)
		_ = host.UpdateEntity(id, host.TickInterval().Seconds()) // refused only for strangers' entities
	}
	game.Step(2 * time.Second)
	local, _ := client.LocalEntity(id)
	v, _ := client.Scene.Read(local, "Transform2D.position")
	fmt.Println("the client sees the crate at", v[0])
	fmt.Println("equal state:", runtime.Converged(host.Report(), client.Report()).OK(30))
	// Output:
	// the client sees the crate at 10
	// equal state: true
}
