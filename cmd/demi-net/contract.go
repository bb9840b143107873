package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"demi.network/contract/tool"
	"demi.network/runtime/fault"
)

func contractCommand(out *output) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "contract",
		Short: "Validate, hash, explain, compare, format and start contracts",
		Long: "A TARGET is a project folder, its demi.project.json, a contract file, or an asset:// id\n" +
			"together with --project.",
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var project string
	cmd.PersistentFlags().StringVar(&project, "project", "", "project folder of an asset id or a contract file")
	request := func(target string) tool.Request {
		r := tool.Request{Target: target, Project: project}
		if out.json {
			r.Style = tool.JSON
		}
		return r
	}
	cmd.AddCommand(validateCommand(out, request), hashCommand(out, request), explainCommand(out, request),
		diffCommand(out, request), formatCommand(out), newCommand(out))
	return cmd
}

type requester func(target string) tool.Request

func validateCommand(out *output, request requester) *cobra.Command {
	var sarif bool
	cmd := &cobra.Command{
		Use:   "validate TARGET",
		Short: "Print every problem with its code, place and hint; exit 1 if there are errors",
		Args:  usageArgs(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			r := request(args[0])
			if sarif {
				r.Style = tool.SARIF
			}
			return tool.Validate(out.stdout, r)
		},
	}
	cmd.Flags().BoolVar(&sarif, "sarif", false, "print one SARIF 2.1.0 document")
	return cmd
}

func hashCommand(out *output, request requester) *cobra.Command {
	var o tool.HashOptions
	cmd := &cobra.Command{
		Use:   "hash TARGET",
		Short: "Print the hash of what a contract means, or the engine's",
		Args:  usageArgs(cobra.ExactArgs(1)),
		RunE:  func(_ *cobra.Command, args []string) error { return tool.Hash(out.stdout, request(args[0]), o) },
	}
	cmd.Flags().BoolVar(&o.Engine, "engine", false, "print the engine's fnv1a64 hash")
	cmd.Flags().BoolVar(&o.Sections, "sections", false, "print the digests of sections and keys as well")
	return cmd
}

func explainCommand(out *output, request requester) *cobra.Command {
	return &cobra.Command{
		Use:   "explain TARGET [POINTER]",
		Short: "Say a rule in words, where it stands, and which refusals it causes",
		Args:  usageArgs(cobra.RangeArgs(1, 2)),
		RunE: func(_ *cobra.Command, args []string) error {
			pointer := ""
			if len(args) == 2 {
				pointer = args[1]
			}
			return tool.Explain(out.stdout, request(args[0]), pointer)
		},
	}
}

func diffCommand(out *output, request requester) *cobra.Command {
	var breaking bool
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Say what changed between two contracts, and what breaks",
		Args:  usageArgs(cobra.ExactArgs(2)),
		RunE: func(_ *cobra.Command, args []string) error {
			return tool.Diff(out.stdout, request(args[0]), request(args[1]), breaking)
		},
	}
	cmd.Flags().BoolVar(&breaking, "breaking", false, "exit 1 when a change is breaking")
	return cmd
}

func formatCommand(out *output) *cobra.Command {
	var o tool.FormatOptions
	cmd := &cobra.Command{
		Use:   "format FILE…",
		Short: "Lay out contract and schema files in the house's way",
		Args:  usageArgs(cobra.MinimumNArgs(1)),
		RunE:  func(_ *cobra.Command, args []string) error { return tool.Format(out.stdout, args, o) },
	}
	cmd.Flags().BoolVarP(&o.Write, "write", "w", false, "put the result in the file's place")
	cmd.Flags().BoolVar(&o.Check, "check", false, "print nothing; exit 1 if a file would change")
	return cmd
}

func newCommand(out *output) *cobra.Command {
	return &cobra.Command{
		Use:   "new DIR [NAME]",
		Short: "Start a contract, with a project where there is none",
		Args:  usageArgs(cobra.RangeArgs(1, 2)),
		RunE: func(_ *cobra.Command, args []string) error {
			name := ""
			if len(args) == 2 {
				name = args[1]
			} else if abs, err := filepath.Abs(args[0]); err == nil {
				name = filepath.Base(abs)
			}
			if name == "" {
				return fault.New(fault.Usage, "a contract needs a name")
			}
			return tool.New(out.stdout, args[0], name)
		},
	}
}
