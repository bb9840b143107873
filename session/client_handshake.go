package session

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"demi.network/contract"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
	"demi.network/runtime/world"
)

// send encodes a frame of the reliable channel and sends it.
func (c *Client) send(k kind, f coded) {
	c.out = appendFrame(c.out[:0], k, c.epoch, f)
	c.transmit(k, channelReliable, transport.Reliable)
}

// transmit hands c.out to the transport. It says whether it was taken.
func (c *Client) transmit(k kind, ch transport.Channel, mode transport.Mode) bool {
	if mode == transport.Reliable && c.stream.queued >= MaxBacklog {
		return false
	}
	if c.host.Send(c.cfg.Peer, ch, mode, c.out) != nil {
		return false
	}
	if mode == transport.Reliable {
		c.stream.queued++
	}
	if k.counts(ch) {
		c.stream.sent++
	}
	return true
}

func (c *Client) sayHello() {
	h := hello{
		Protocol: Protocol, Build: cleanText(c.cfg.Build, maxBuildBytes), Name: wishedName(c.cfg.PlayerName),
		Meaning: c.con.MeaningHash, Scene: c.cfg.Scene, Sections: prints(c.con), Ticket: c.cfg.Ticket,
	}
	if c.cfg.Observer {
		h.Wants |= wantsObserver
	}
	if c.cfg.Contract == nil {
		h.Wants |= wantsDocument
	}
	c.send(kindHello, &h)
}

// wishedName makes a name fit a hello without making it any better: what is too
// long or no UTF-8 stays a name that the host refuses as one.
func wishedName(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	at := min(len(name), 4*maxNameBytes)
	for at < len(name) && !utf8.RuneStart(name[at]) {
		at--
	}
	return name[:at]
}

// welcome adopts what the host gave.
func (c *Client) welcome(now time.Time, body []byte) {
	var w welcome
	if !decode(body, &w) || w.Protocol != Protocol || w.Sender == 0 || w.Epoch&0xff == 0 {
		c.fail(now, kindWelcome)
		return
	}
	c.epoch, c.sender, c.tick = w.Epoch, Sender(w.Sender), w.Tick
	c.name = cleanText(w.Name, maxNameBytes)
	c.set(PhaseAuthenticated, c.at(now))
	if c.cfg.Contract == nil {
		c.in.push(Event{Kind: EventDocument, Text: w.Document}, nil)
		return
	}
	if !c.cfg.HoldReady {
		c.Ready(now)
	}
}

// Adopt gives an observer the contract that EventDocument brought, compiled.
// Reasons: invalid_operation when none is waited for.
func (c *Client) Adopt(now time.Time, con *contract.Contract, l *world.Layout, w *world.World) *Refusal {
	if c.over || c.phase != PhaseAuthenticated || c.cfg.Contract != nil {
		return c.count.local(ReasonInvalidOperation, nil, 0, "no contract is waited for")
	}
	counted, in := c.count, c.in
	epoch := c.epoch
	c.core = newCore(con, c.host, c.start, l, w)
	c.epoch, c.in = epoch, in
	c.count.counts[0], c.count.rejected = counted.counts[0], counted.rejected
	c.cfg.Contract, c.cfg.Layout, c.cfg.World = con, l, w
	if !c.cfg.HoldReady {
		c.Ready(now)
	}
	return nil
}

// Ready says that the game has loaded its scene: the end of HoldReady. Reasons:
// invalid_operation in any phase but authenticated.
func (c *Client) Ready(now time.Time) *Refusal {
	if c.over || c.phase != PhaseAuthenticated || c.cfg.Contract == nil {
		return c.count.local(ReasonInvalidOperation, nil, 0, "ready comes once, after the host's welcome")
	}
	c.set(PhaseReady, c.at(now))
	c.send(kindReady, &ready{Epoch: c.epoch})
	return nil
}

// active ends the joining.
func (c *Client) active(now time.Time, body []byte) {
	var a active
	if !decode(body, &a) || a.Records != c.stream.records {
		c.fail(now, kindActive)
		return
	}
	c.retained = c.reg.last
	c.set(PhaseActive, c.at(now))
	c.in.push(Event{Kind: EventConnected, Sender: c.sender, Name: c.name}, nil)
}

// refuse is a host that does not let this client in. When it says that the
// contracts differ, both sides name what differs.
func (c *Client) refuse(now time.Time, body []byte) {
	var r refuse
	if !decode(body, &r) {
		c.fail(now, kindRefuse)
		return
	}
	code, text := fault.FromWire(r.Code), cleanText(r.Text, maxTextBytes)
	var details map[string]any
	switch code {
	case fault.Version:
		details = map[string]any{"host": int(r.Protocol), "client": Protocol}
	case fault.ContractMismatch:
		c.count.refuse(ReasonContractMismatch, nil, ServerSender, 0)
		var d diff
		list := []any{}
		for _, x := range differences(c.con, &r) {
			line := cleanText(x.String(), maxKeyBytes)
			if len(d.Lines) < maxDiffKeys {
				d.Lines = append(d.Lines, line)
			}
			list = append(list, map[string]any{"section": x.Section, "key": x.Key, "path": x.Path, "here": x.Here, "there": x.There, "text": line})
		}
		if len(d.Lines) > 0 {
			text += ": " + strings.Join(d.Lines, "; ")
		}
		if more := len(list) - len(d.Lines); more > 0 {
			text += fmt.Sprintf("; and %d more", more)
		}
		details = map[string]any{"differences": list}
		c.send(kindDiff, &d)
	}
	if code == fault.Version {
		c.count.refuse(ReasonProtocol, nil, ServerSender, 0)
	}
	c.host.Drop(c.cfg.Peer, 0)
	c.finish(now, code, text, details)
}

// goodbye is the host's.
func (c *Client) goodbye(now time.Time, body []byte) {
	var g goodbye
	if !decode(body, &g) {
		c.fail(now, kindGoodbye)
		return
	}
	c.host.Drop(c.cfg.Peer, 0)
	c.finish(now, fault.FromWire(g.Code), cleanText(g.Text, maxTextBytes), nil)
}
