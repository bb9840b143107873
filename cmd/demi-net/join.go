package main

import (
	"io"

	"github.com/spf13/cobra"

	"demi.network/internal/app"
	"demi.network/runtime"
	"demi.network/runtime/transport"
)

func joinCommand(out *output, stdin io.Reader) *cobra.Command {
	var flags playFlags
	var unchecked bool
	cmd := &cobra.Command{
		Use:   "join HOST:PORT [TARGET]",
		Short: "Join a host as a headless client, or without a target as an observer",
		Long: "Join a host as a headless client that runs the project's scripts. The client's contract must mean\n" +
			"the same as the host's. Without a target it only watches: it takes the host's contract, receives what is\n" +
			"for all, and its report can be compared with the host's. It ends when the host does (exit 0), on a refusal\n" +
			"or a lost connection (exit 1), and when told to, as a host does.",
		Args: usageArgs(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := flags.config()
			if err != nil {
				return err
			}
			cfg.Role, cfg.Unchecked = app.Join, unchecked
			target, err := transport.ParseTarget(args[0], runtime.DefaultPort)
			_, given := transport.ParseTarget(args[0], 0) // only a target with a port of its own is one without a default
			flags.anyPort = given != nil
			if err != nil {
				return err
			}
			if cfg.Targets, err = target.Resolve(); err != nil {
				return err
			}
			if len(args) == 1 {
				return playApp(out, stdin, &flags, cfg)
			}
			return play(out, stdin, args[1], &flags, cfg)
		},
	}
	flags.add(cmd)
	flags.addInputs(cmd)
	cmd.Flags().StringVar(&flags.name, "name", "", "player name, 1 to 32 characters")
	cmd.Flags().BoolVar(&unchecked, "unchecked", false, "send without the local checks: tests of the host's")
	_ = cmd.Flags().MarkHidden("unchecked")
	return cmd
}
