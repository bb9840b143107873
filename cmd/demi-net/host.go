package main

import (
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"demi.network/internal/app"
	"demi.network/runtime"
	"demi.network/runtime/fault"
)

func hostCommand(out *output, stdin io.Reader) *cobra.Command {
	var flags playFlags
	var port, bind string
	var maxPlayers int
	cmd := &cobra.Command{
		Use:   "host TARGET",
		Short: "Run a dedicated host for a project",
		Long: "Run a dedicated host for a project folder, its demi.project.json, or one of its scene files.\n" +
			"It listens on 127.0.0.1 unless --bind says otherwise. SIGINT, SIGTERM, SIGHUP, the line \"quit\" on\n" +
			"stdin, --duration and --ticks stop it; clients are told. Nobody has to read its output: lines give way, not ticks.",
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := flags.config()
			if err != nil {
				return err
			}
			cfg.Role, cfg.MaxPlayers = app.Host, maxPlayers
			flags.anyPort = !cmd.Flags().Changed("port")
			if cfg.Port, err = parsePort(port); err != nil {
				return err
			}
			if cfg.Bind, err = parseBind(bind); err != nil {
				return err
			}
			if maxPlayers < 0 || maxPlayers > 4000 {
				return fault.New(fault.Usage, "--max-players %d is not between 1 and 4000", maxPlayers)
			}
			return play(out, stdin, args[0], &flags, cfg)
		},
	}
	flags.add(cmd)
	flags.addInputs(cmd)
	cmd.Flags().StringVar(&port, "port", strconv.Itoa(runtime.DefaultPort), "UDP port; 0 picks a free one, and a scene file's default is "+strconv.Itoa(scenePort))
	cmd.Flags().StringVar(&bind, "bind", "", "address to listen on; anything but loopback must be asked for here")
	cmd.Flags().StringVar(&flags.name, "name", "", "name of the host")
	cmd.Flags().IntVar(&maxPlayers, "max-players", 0, "players at a time; 0 = the contract's")
	return cmd
}

func runCommand(out *output, stdin io.Reader) *cobra.Command {
	var flags playFlags
	var bind string
	cmd := &cobra.Command{
		Use:   "run TARGET",
		Short: "Run a project whose script decides whether it hosts or joins",
		Long: "Run a project whose script decides whether it hosts or joins. Its calls of Session.host and connect are the\n" +
			"real ones, at its start or later; a script that hosts listens on 127.0.0.1 unless --bind says otherwise.\n" +
			"It goes on when a session ends, until it is told to stop, as a host is.",
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := flags.config()
			if err != nil {
				return err
			}
			if cfg.Bind, err = parseBind(bind); err != nil {
				return err
			}
			return play(out, stdin, args[0], &flags, cfg)
		},
	}
	flags.add(cmd)
	flags.addInputs(cmd)
	cmd.Flags().StringVar(&flags.name, "name", "", "player name, 1 to 32 characters")
	cmd.Flags().StringVar(&bind, "bind", "", "address to listen on when the script hosts")
	return cmd
}
