package main

import (
	goruntime "runtime"
	"runtime/debug"
	"sort"

	"github.com/spf13/cobra"

	"demi.network/session"
)

// versionInfo is what `version --json` prints.
type versionInfo struct {
	Version      string            `json:"version"`
	Protocol     int               `json:"protocol"`
	Go           string            `json:"go"`
	Platform     string            `json:"platform"`
	Dependencies map[string]string `json:"dependencies"`
}

func version() versionInfo {
	v := versionInfo{Version: "devel", Protocol: session.Protocol, Go: goruntime.Version(),
		Platform: goruntime.GOOS + "/" + goruntime.GOARCH, Dependencies: map[string]string{}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		v.Version = info.Main.Version
	}
	for _, d := range info.Deps {
		v.Dependencies[d.Path] = d.Version
	}
	return v
}

func versionCommand(out *output) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print version, protocol, Go and dependencies",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			v := version()
			if out.json {
				out.encode(v)
				return nil
			}
			out.line("demi-net " + v.Version)
			out.line("protocol " + itoa(v.Protocol))
			out.line(v.Go + " " + v.Platform)
			names := make([]string, 0, len(v.Dependencies))
			for n := range v.Dependencies {
				names = append(names, n)
			}
			sort.Strings(names)
			for _, n := range names {
				out.line("  " + n + " " + v.Dependencies[n])
			}
			return nil
		},
	}
}
