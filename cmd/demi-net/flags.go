package main

import (
	"net/netip"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"demi.network/internal/app"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
	"demi.network/runtime/udp"
	"demi.network/session"
)

// playFlags are the flags that host, join and run share.
type playFlags struct {
	name     string
	link     string
	seed     int64
	duration float64
	ticks    uint64
	report   string
	drive    string
	inputs   []string
	anyPort  bool // nobody gave a port: the target decides
}

func (f *playFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.link, "link", "", "impair what this process sends: latency=40,jitter=5,loss=2%,… or a preset (lan, broadband, wifi, 4g, 3g, bad)")
	cmd.Flags().Int64Var(&f.seed, "seed", 0, "seed of the simulated link, the drive and the scripts' random numbers; 0 draws one")
	cmd.Flags().Float64Var(&f.duration, "duration", 0, "stop after so many seconds; 0 = when told to")
	cmd.Flags().Uint64Var(&f.ticks, "ticks", 0, "stop after so many ticks; 0 = when told to")
	cmd.Flags().StringVar(&f.report, "report", "", "write the report to this file as JSON")
}

func (f *playFlags) addInputs(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.drive, "drive", "none", "play the project's input actions: sine or none")
	cmd.Flags().StringArrayVar(&f.inputs, "input", nil, "hold an input action: name=value (may be repeated)")
}

// config turns the shared flags into the start of an app.Config.
func (f *playFlags) config() (app.Config, error) {
	c := app.Config{PlayerName: f.name, Seed: uint64(f.seed), Entropy: udp.Entropy}
	if f.seed == 0 {
		c.Seed = uint64(udp.Entropy())<<32 | uint64(udp.Entropy())
	}
	if !(f.duration >= 0 && f.duration <= maxDuration.Seconds()) { // NaN is neither
		return c, fault.New(fault.Usage, "--duration %v is not between 0 and %v seconds", f.duration, maxDuration.Seconds())
	}
	var err error
	if f.name != "" {
		if c.PlayerName, err = session.NormalName(f.name); err != nil {
			return c, err
		}
	}
	if f.link != "" {
		if c.Link, err = udp.ParseLink(f.link); err != nil {
			return c, err
		}
	}
	if c.Drive, err = app.ParseDrive(f.drive); err != nil {
		return c, err
	}
	for _, s := range f.inputs {
		in, err := app.ParseInput(s)
		if err != nil {
			return c, err
		}
		c.Inputs = append(c.Inputs, in)
	}
	return c, nil
}

// maxDuration is a year: anything longer is a slip of the finger.
const maxDuration = 365 * 24 * time.Hour

// parsePort reads a --port value: 0…65535.
func parsePort(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil {
		return 0, fault.New(fault.Usage, "port %q is not a number from 0 to 65535", s)
	}
	return int(n), nil
}

// parseBind reads a --bind value: a literal IP address.
func parseBind(s string) (netip.Addr, error) {
	a, err := transport.ParseBind(s, 0)
	if err != nil {
		return netip.Addr{}, fault.New(fault.Usage, "--bind: %v", err)
	}
	return a.Addr(), nil
}

func itoa(n int) string { return strconv.Itoa(n) }
