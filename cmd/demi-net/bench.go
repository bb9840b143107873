package main

import (
	"flag"

	"github.com/spf13/cobra"

	"demi.network/internal/enetbench"
)

func benchCommand(out *output) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Whole-process benchmarks; each compares two things in one run",
		Args:  usageArgs(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	options := enetbench.Default()
	enet := &cobra.Command{
		Use:   "enet",
		Short: "ENet's application protocol of docs/measured.md, as server, client, probe or both",
		Args:  usageArgs(cobra.NoArgs),
		RunE:  func(*cobra.Command, []string) error { return enetbench.Run(options, out.stdout) },
	}
	flags := flag.NewFlagSet("enet", flag.ContinueOnError)
	options.Bind(flags)
	enet.Flags().AddGoFlagSet(flags)
	cmd.AddCommand(enet)
	return cmd
}
