package enet

import (
	"math/rand/v2"
	"net/netip"
	"testing"

	"demi.network/internal/netsim"
	"demi.network/runtime/transport"
	"demi.network/runtime/transport/hosttest"
)

// seeded returns a Config.Random that gives the same bits every time.
func seeded(seed uint64) func() uint32 {
	return rand.New(rand.NewPCG(seed, 1)).Uint32
}

func TestConformance(t *testing.T) {
	for name, cfg := range map[string]Config{
		"plain":    {Accept: true},
		"checksum": {Accept: true, Checksum: true},
		"compress": {Accept: true, Compress: true},
		"both":     {Accept: true, Checksum: true, Compress: true},
	} {
		t.Run(name, func(t *testing.T) {
			hosttest.Conformance(t, hosttest.Config{Network: func(t testing.TB) func() transport.Host {
				n := netsim.New(1)
				host := byte(0)
				return func() transport.Host {
					host++
					link, err := n.Listen(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, host}), 0))
					if err != nil {
						t.Fatal(err)
					}
					cfg.Random = seeded(uint64(host))
					h, err := New(link, cfg)
					if err != nil {
						t.Fatal(err)
					}
					return h
				}
			}})
		})
	}
}
