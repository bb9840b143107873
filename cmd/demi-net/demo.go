package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"demi.network/examples/arena"
	"demi.network/runtime"
	"demi.network/runtime/fault"
)

// demoLink is the bad link that every process of the demo sends through: an
// 80 ms round trip, 4 ms of jitter, 2 % loss each way.
const demoLink = "rtt=80,jitter=4,loss=2%"

// demoPatience bounds each wait of the demo. Nothing waits for it when things
// go well.
const demoPatience = 30 * time.Second

func demoCommand(out *output) *cobra.Command {
	var keep string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the arena: a host and clients as processes over a bad link, then a table of what was checked",
		Long: "Run the arena example as six processes of their own over loopback UDP and a simulated bad link\n(" + demoLink + "): a host, two players, " +
			"a late joiner, a player that sends what the contract\nforbids, and a peer with another contract. Each row of the table is read from the reports of two processes.\n" +
			"Exit 1 if a row fails.",
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir := keep
			if dir == "" {
				tmp, err := os.MkdirTemp("", "demi-net-demo-")
				if err != nil {
					return fault.Wrap(err, fault.Internal, "no folder for the demo's reports")
				}
				defer os.RemoveAll(tmp)
				dir = tmp
			} else if err := os.MkdirAll(dir, 0o755); err != nil {
				return fault.Wrap(err, fault.Usage, "--keep %s cannot be written to", dir)
			}
			rows, err := newDemo(dir, out).run()
			if err != nil {
				return err
			}
			return printRows(out, rows)
		},
	}
	cmd.Flags().StringVar(&keep, "keep", "", "keep projects and reports in this folder")
	return cmd
}

// demo runs the processes and collects their reports.
type demo struct {
	dir  string
	out  *output
	host *child
	all  []*child
}

func newDemo(dir string, out *output) *demo { return &demo{dir: dir, out: out} }

// evidence is what the rows are read from.
type evidence struct {
	host, ann, bob, cat, mal runtime.Report
	stranger                 childEnd // the peer with another contract
}

// childEnd is how a process that reports nothing ended.
type childEnd struct {
	Exit    int
	Code    string
	Message string
}

// run plays the story: who comes when, and who leaves.
func (d *demo) run() ([]row, error) {
	defer d.kill()
	project, other, err := d.projects()
	if err != nil {
		return nil, err
	}
	if d.host, err = d.spawn("host", "host", project, "--port", "0", "--seed", "1"); err != nil {
		return nil, err
	}
	listening, err := d.host.await("listening")
	if err != nil {
		return nil, err
	}
	addr, _ := listening["address"].(string)
	d.say("host listens on %s, every process sends through %s", addr, demoLink)
	join := func(name, project string, seed int, more ...string) (*child, error) {
		args := append([]string{"join", addr, project, "--name", name, "--seed", itoa(seed)}, more...)
		return d.spawn(name, args...)
	}
	ann, err := join("ann", project, 2)
	if err != nil {
		return nil, err
	}
	bob, err := join("bob", project, 3)
	if err != nil {
		return nil, err
	}
	for _, c := range []*child{ann, bob} {
		if _, err := c.await("active"); err != nil {
			return nil, err
		}
	}
	d.say("ann and bob play")
	stranger, err := join("stranger", other, 4)
	if err != nil {
		return nil, err
	}
	mal, err := join("mal", project, 5, "--unchecked", "--input", "tamper=1", "--duration", "4")
	if err != nil {
		return nil, err
	}
	var ev evidence
	ev.stranger = stranger.wait()
	d.say("a peer with another contract came and was turned away")
	mal.wait()
	d.say("mal, who skips the local checks, tried to send the host's own message")
	cat, err := join("cat", project, 6)
	if err != nil {
		return nil, err
	}
	if _, err := cat.await("active"); err != nil {
		return nil, err
	}
	d.say("cat joined late")
	if err := d.host.ticks(3 * time.Second); err != nil {
		return nil, err
	}
	ann.quit()
	d.say("ann left")
	if err := d.host.ticks(3 * time.Second); err != nil {
		return nil, err
	}
	for _, c := range []*child{bob, cat, d.host} {
		c.quit()
	}
	for _, r := range []struct {
		c  *child
		to *runtime.Report
	}{{d.host, &ev.host}, {ann, &ev.ann}, {bob, &ev.bob}, {cat, &ev.cat}, {mal, &ev.mal}} {
		if *r.to, err = readReport(r.c.report); err != nil {
			return nil, err
		}
	}
	return judge(ev), nil
}

// projects writes the arena twice: as it is, and with one rate_limit changed.
func (d *demo) projects() (project, other string, err error) {
	project, other = filepath.Join(d.dir, "arena"), filepath.Join(d.dir, "arena-changed")
	for _, dir := range []string{project, other} {
		if err := copyProject(arena.Project, dir); err != nil {
			return "", "", fault.Wrap(err, fault.Internal, "the arena cannot be written to %s", d.dir)
		}
	}
	path := filepath.Join(other, filepath.FromSlash(arena.ContractPath))
	text, err := os.ReadFile(path)
	if err == nil {
		changed, ok := changeRateLimit(string(text), demoChangedMessage)
		if !ok {
			return "", "", fault.New(fault.Internal, "the arena's contract has no rate_limit of %s to change", demoChangedMessage)
		}
		err = os.WriteFile(path, []byte(changed), 0o644)
	}
	if err != nil {
		return "", "", fault.Wrap(err, fault.Internal, "the changed contract")
	}
	return project, other, nil
}

// demoChangedMessage is the message whose rate_limit the stranger's contract
// has otherwise; both sides must name it.
const demoChangedMessage = "shot"

// changeRateLimit gives one message another rate_limit.
func changeRateLimit(text, message string) (string, bool) {
	at := strings.Index(text, `"`+message+`": {`)
	if at < 0 {
		return "", false
	}
	const key = `"rate_limit": `
	key0 := strings.Index(text[at:], key)
	if key0 < 0 {
		return "", false
	}
	n := at + key0 + len(key)
	return text[:n] + "1" + text[n:], true // 12 becomes 112
}

func copyProject(from fs.FS, dir string) error {
	return fs.WalkDir(from, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(path))
		if e.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		b, err := fs.ReadFile(from, path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, b, 0o644)
	})
}

func (d *demo) say(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	d.out.event("step", map[string]any{"text": text}, "  "+text)
}

// kill ends what is still running, however the demo ended.
func (d *demo) kill() {
	for _, c := range d.all {
		_ = c.cmd.Process.Kill()
		c.wait()
	}
}
