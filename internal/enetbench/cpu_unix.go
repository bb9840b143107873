//go:build unix

package enetbench

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func usage(who int) time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(who, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// processCPU is user and system time of this process so far.
func processCPU() time.Duration { return usage(syscall.RUSAGE_SELF) }

// childrenCPU is the same of its ended children.
func childrenCPU() time.Duration { return usage(syscall.RUSAGE_CHILDREN) }

// ticksPerSecond is the unit of /proc/stat on every Linux of the last decades.
const ticksPerSecond = 100

// machineBusy is how many CPU seconds the machine has been busy so far; 0
// where there is no /proc/stat.
func machineBusy() float64 {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(b), "\n")
	sum := 0.0
	for i, f := range strings.Fields(line) {
		if i == 0 || i == 4 || i == 5 || i > 8 { // the label, idle, iowait, guests
			continue
		}
		n, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return 0
		}
		sum += n
	}
	return sum / ticksPerSecond
}
