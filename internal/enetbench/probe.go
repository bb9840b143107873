package enetbench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"time"

	"demi.network/internal/enet"
	"demi.network/runtime/transport"
)

// probe prints what a server sees, one event a line, as the C library's small
// print server does; it switches off the limits that library does not have.
func (o *Options) probe(out io.Writer) error {
	at, err := o.address()
	if err != nil {
		return err
	}
	link, err := transport.ListenUDP(at)
	if err != nil {
		return err
	}
	e, err := o.end(link, enet.Config{
		Accept: true, MaxPeers: 8, Channels: 4, Checksum: o.Checksum != 0, Compress: o.Compress != 0, RawFragments: true,
		Throttle:   enet.Throttle{Slack: -1},
		Limits:     enet.Limits{Packet: 32 << 20, Waiting: 32 << 20, Commands: -1, Incomplete: -1},
		Handshakes: patient,
	})
	if err != nil {
		return err
	}
	defer e.close()
	if o.Ready != nil {
		o.Ready(link.LocalAddr())
	}
	w := bufio.NewWriterSize(out, 1<<16)
	fmt.Fprintln(w, "ready")
	for {
		if err := w.Flush(); err != nil {
			return err
		}
		if err := e.turn(20*time.Millisecond, func(ev transport.Event) { describe(w, ev) }); err != nil {
			return err
		}
	}
}

// showText is how many bytes of a message the probe prints as text.
const showText = 24

func describe(w io.Writer, ev transport.Event) {
	switch ev.Kind {
	case transport.Connected:
		fmt.Fprintf(w, "connect %d\n", ev.Code)
	case transport.Disconnected:
		fmt.Fprintf(w, "disconnect %d\n", ev.Code)
	case transport.Message:
		text := ev.Data
		if len(text) > showText {
			text = nil
		}
		if i := bytes.IndexByte(text, 0); i >= 0 {
			text = text[:i]
		}
		fmt.Fprintf(w, "receive ch=%d len=%d %s\n", ev.Channel, len(ev.Data), text)
	}
}
