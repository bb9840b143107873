//go:build !unix

package enetbench

import "time"

// Without getrusage there are no CPU figures; the rest works.
func processCPU() time.Duration  { return 0 }
func childrenCPU() time.Duration { return 0 }
func machineBusy() float64       { return 0 }
