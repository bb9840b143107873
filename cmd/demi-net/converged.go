package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"demi.network/runtime"
	"demi.network/runtime/fault"
)

// maxReport bounds a report file.
const maxReport = 64 << 20

func convergedCommand(out *output) *cobra.Command {
	var atLeast int
	cmd := &cobra.Command{
		Use:   "converged HOST_REPORT CLIENT_REPORT…",
		Short: "Compare what clients held with what their host says they must hold, tick by tick",
		Args:  usageArgs(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if atLeast < 0 {
				return fault.New(fault.Usage, "--at-least %d is negative", atLeast)
			}
			reports := make([]runtime.Report, len(args))
			for i, path := range args {
				r, err := readReport(path)
				if err != nil {
					return err
				}
				reports[i] = r
			}
			c := runtime.Converged(reports[0], reports[1:]...)
			if out.json {
				out.encode(struct {
					Event string `json:"event"`
					OK    bool   `json:"ok"`
					runtime.Convergence
				}{"report", c.OK(atLeast), c})
			} else {
				printConvergence(out, c)
			}
			if !c.OK(atLeast) {
				e := fault.New(fault.NotConverged, "%d clients differ, %d are unknown to the host, %d snapshots were compared (at least %d of each are asked for)",
					len(c.Difference), len(c.Missing), c.Compared, atLeast)
				e.Data = map[string]any{"differences": c.Difference, "missing": c.Missing}
				return e
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&atLeast, "at-least", 300, "fail when fewer snapshots of a client were compared")
	return cmd
}

// printConvergence tells a person what was compared and what differs.
func printConvergence(out *output, c runtime.Convergence) {
	out.line(fmt.Sprintf("%d snapshots of %d clients compared, %d clients differ", c.Compared, c.Clients, len(c.Difference)))
	for _, d := range c.Difference {
		out.line(fmt.Sprintf("  %s differs in %d snapshots, first at tick %d: it had to hold %s and held %s", d.SenderID, d.Wrong, d.Tick, d.Host, d.Client))
	}
	for _, m := range c.Missing {
		out.line("  " + m)
	}
}

func readReport(path string) (r runtime.Report, err error) {
	fail := func(err error) (runtime.Report, error) {
		e := fault.Wrap(err, fault.Config, "the report cannot be read")
		e.Place.Path = path
		return runtime.Report{}, e
	}
	f, err := os.Open(path)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxReport+1))
	if err == nil && len(b) > maxReport {
		err = fmt.Errorf("it is larger than %d bytes", maxReport)
	}
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil {
		return fail(err)
	}
	return r, nil
}
