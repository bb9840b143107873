// Package enetbench owns the roles of "demi-net bench enet": the application
// protocol of the C program enetbench over internal/enet, so that either side
// of a benchmark can be either implementation, and the probe that prints what
// an ENet server sees. It is a program of its own: it reads the clock and
// measures its process. It knows no session and no contract.
package enetbench

import (
	"flag"
	"net/netip"
	"slices"
	"time"

	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
)

// Options are the flags. Default returns the defaults.
type Options struct {
	Scenario string // flood, clients, pingpong, or bare: clients without a protocol
	Role     string // server, client, probe, both
	Addr     string // IP address of the server
	Port     int    // 0: any; a client needs one
	Reliable int    // 1: reliable messages
	Throttle int    // 0: unreliable messages are never thinned out
	Checksum int    // 1: CRC-32 on every datagram; both sides alike
	Compress int    // 1: range coder; both sides alike
	Clients  int
	Hz       int
	Size     int     // bytes of a message
	Count    int     // messages of flood and pingpong
	Seconds  float64 // measured time of clients
	Warmup   float64 // seconds before it
	Loop     string  // clients server: event (wakes per datagram) or tick (drains once a tick)
	SendQ    int     // reliable messages the flood client keeps queued
	Spin     int     // 1: never sleep
	Label    string  // "impl" of the output
	// Child starts the client of role both; the flags follow. Empty: this
	// program with "bench enet".
	Child []string
	// Ready, if set, is told the address a server or probe listens on.
	Ready func(netip.AddrPort)
}

// Default returns what the C program defaults to.
func Default() Options {
	return Options{
		Scenario: "flood", Role: "both", Addr: "127.0.0.1", Throttle: 1, Clients: 64, Hz: 30, Size: 64,
		Count: 1_000_000, Seconds: 10, Warmup: 1, Loop: "event", SendQ: 4096, Label: "demi",
	}
}

// Bind declares the flags, named as the C program names them.
func (o *Options) Bind(fs *flag.FlagSet) {
	fs.StringVar(&o.Scenario, "scenario", o.Scenario, "flood, clients, pingpong, or bare (clients without a protocol)")
	fs.StringVar(&o.Role, "role", o.Role, "server, client, probe or both")
	fs.StringVar(&o.Addr, "addr", o.Addr, "IP `address` of the server")
	fs.IntVar(&o.Port, "port", o.Port, "UDP port; 0 picks one, a client needs one")
	fs.IntVar(&o.Reliable, "reliable", o.Reliable, "1: reliable messages")
	fs.IntVar(&o.Throttle, "throttle", o.Throttle, "0: never thin out unreliable messages")
	fs.IntVar(&o.Checksum, "checksum", o.Checksum, "1: checksum every datagram")
	fs.IntVar(&o.Compress, "compress", o.Compress, "1: ENet's range coder")
	fs.IntVar(&o.Clients, "clients", o.Clients, "`number` of clients")
	fs.IntVar(&o.Hz, "hz", o.Hz, "messages a second and client")
	fs.IntVar(&o.Size, "size", o.Size, "`bytes` of a message")
	fs.IntVar(&o.Count, "count", o.Count, "messages of flood and pingpong")
	fs.Float64Var(&o.Seconds, "seconds", o.Seconds, "measured time of clients")
	fs.Float64Var(&o.Warmup, "warmup", o.Warmup, "seconds before it")
	fs.StringVar(&o.Loop, "loop", o.Loop, "event: wake per datagram; tick: drain once per tick")
	fs.IntVar(&o.SendQ, "sndq", o.SendQ, "reliable messages the flood client keeps queued")
	fs.IntVar(&o.Spin, "spin", o.Spin, "1: busy poll")
	fs.StringVar(&o.Label, "label", o.Label, "name of this implementation in the output")
}

// The least a message holds: its letter and the number in bytes 8…15.
const minSize = 16

func (o *Options) check() error {
	for _, r := range []struct {
		ok   bool
		text string
	}{
		{slices.Contains([]string{"flood", "clients", "pingpong", "bare"}, o.Scenario), "--scenario is flood, clients, pingpong or bare"},
		{slices.Contains([]string{"server", "client", "probe", "both"}, o.Role), "--role is server, client, probe or both"},
		{o.Loop == "event" || o.Loop == "tick", "--loop is event or tick"},
		{o.Port >= 0 && o.Port <= 65535, "--port is 0 to 65535"},
		{o.Scenario != "bare" || o.Role == "server" || o.Role == "client", "--scenario bare has the roles server and client"},
		{o.Port > 0 || o.Role != "client", "--role client needs --port"},
		{o.Clients >= 1 && o.Clients <= 4095, "--clients is 1 to 4095"},
		{o.Hz >= 1 && o.Hz <= 1000, "--hz is 1 to 1000"},
		{o.Size >= 1 && o.Size <= 1<<20, "--size is 1 to 1048576"},
		{o.Count >= 1 && o.Count <= 1<<30, "--count is 1 to 2^30"},
		{o.SendQ >= 1 && o.SendQ <= 1<<20, "--sndq is 1 to 1048576"},
		{o.Seconds > 0 && o.Seconds <= 3600 && o.Warmup >= 0 && o.Warmup <= 3600, "--seconds and --warmup are at most 3600"},
	} {
		if !r.ok {
			return fault.New(fault.Usage, "bench enet: %s", r.text)
		}
	}
	return nil
}

func (o *Options) address() (netip.AddrPort, error) {
	return transport.ParseBind(o.Addr, uint16(o.Port))
}

func (o *Options) mode() transport.Mode {
	if o.Reliable != 0 {
		return transport.Reliable
	}
	return transport.Sequenced
}

func (o *Options) period() time.Duration { return time.Second / time.Duration(o.Hz) }

func seconds(x float64) time.Duration { return time.Duration(x * float64(time.Second)) }
