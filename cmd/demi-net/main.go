// Command demi-net hosts, joins, validates and inspects multiplayer games of
// the engine's project format. It owns flags, the clock, the loop and signals;
// everything a game can observe is in the packages below.
package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"demi.network/runtime/fault"
)

func main() {
	// A closed stdout must not kill a host: without this, the Go runtime ends
	// the process at the first write to a broken pipe on fd 1 or 2.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program but for the process itself; it returns the exit
// code: 0 ok, 1 coded error, 2 usage, 5 cannot bind.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := &output{stdout: stdout, stderr: stderr}
	defer out.close()
	cmd := root(out, stdin)
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	if err := cmd.Execute(); err != nil {
		return out.fail(err)
	}
	return 0
}

func root(out *output, stdin io.Reader) *cobra.Command {
	cmd := &cobra.Command{
		Use:           "demi-net COMMAND",
		Short:         "Host, join, validate and inspect multiplayer games of Lua projects",
		Args:          usageArgs(cobra.NoArgs),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	cmd.PersistentFlags().BoolVar(&out.json, "json", false, "JSON lines on stdout: events first, the report last")
	cmd.CompletionOptions.HiddenDefaultCmd = true
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError(cmd, err)
	})
	for _, sub := range []*cobra.Command{
		demoCommand(out),
		hostCommand(out, stdin),
		joinCommand(out, stdin),
		runCommand(out, stdin),
		convergedCommand(out),
		contractCommand(out),
		benchCommand(out),
		versionCommand(out),
	} {
		cmd.AddCommand(sub)
	}
	strictHelp(cmd)
	return cmd
}

// strictHelp makes help of a command that there is not a usage error, as the
// command itself is.
func strictHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Args = usageArgs(func(_ *cobra.Command, args []string) error {
				if found, rest, err := root.Find(args); err != nil || len(rest) > 0 {
					return fmt.Errorf("unknown command %q for %q", strings.Join(args, " "), found.CommandPath())
				}
				return nil
			})
		}
	}
}

// usageArgs turns cobra's complaint about positional arguments into a coded
// usage error (exit 2).
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError(cmd, err)
		}
		return nil
	}
}

func usageError(cmd *cobra.Command, err error) error {
	e := fault.New(fault.Usage, "%v", err)
	e.Hint = "see " + cmd.CommandPath() + " --help"
	return e
}
