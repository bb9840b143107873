package session

import (
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"demi.network/contract"
	"demi.network/runtime/fault"
)

// hello is the handshake, in the order of its checks: version, open, contract,
// scene, name, room, and last the game's Rules.
func (s *Server) hello(now time.Time, p *peer, body []byte) {
	if p.refused.code != "" {
		s.refused(now, p, ReasonInvalidOperation, nil, 0)
		return
	}
	var h hello
	if !decode(body, &h) {
		s.refused(now, p, ReasonTruncated, nil, 0)
		s.turnAway(now, p, &h, fault.New(fault.Protocol, "the hello does not parse"))
		return
	}
	name, err := s.judge(p, &h)
	if err != nil {
		s.turnAway(now, p, &h, err)
		return
	}
	p.name = uniqueName(name, s.peers.called)
	p.observer = h.Wants&wantsObserver != 0
	s.peers.seat(p)
	w := welcome{
		Protocol: Protocol, Sender: uint32(p.sender), Epoch: s.epoch, Tick: s.reg.world.Tick,
		TickRate: uint32(s.con.Simulation.TickRate), Players: uint32(s.cfg.MaxPlayers), Name: p.name, Build: cleanText(s.cfg.Build, maxBuildBytes),
	}
	if h.Wants&wantsDocument != 0 {
		w.Document = s.con.Document
	}
	s.send(p, kindWelcome, &w)
	p.set(PhaseAuthenticated, s.at(now))
}

// judge returns the name of a client that may come in, or why it may not.
func (s *Server) judge(p *peer, h *hello) (string, error) {
	observer, document := h.Wants&wantsObserver != 0, h.Wants&wantsDocument != 0
	switch {
	case h.Protocol != Protocol:
		s.count.refuse(ReasonProtocol, nil, stranger, 0)
		err := fault.New(fault.Version, "the host speaks protocol %d, the client %d", Protocol, h.Protocol)
		err.Data = map[string]any{"host": Protocol, "client": int(h.Protocol)}
		return "", err
	case s.shut:
		return "", fault.New(fault.Refused, "the host lets nobody in at this time")
	case document && (!observer || len(s.con.Document) > maxDocument):
		return "", fault.New(fault.Refused, "the contract is given to observers only, and up to %d bytes", maxDocument)
	case !document && h.Meaning != s.con.MeaningHash:
		s.count.refuse(ReasonContractMismatch, nil, stranger, 0)
		return "", fault.New(fault.ContractMismatch, "the client runs another contract")
	case !document && h.Scene != s.cfg.Scene:
		return "", fault.New(fault.SceneMismatch, "the client's scene gives replicated prefabs other defaults")
	}
	name, err := NormalName(h.Name)
	if err != nil {
		return "", err
	}
	switch {
	case !observer && s.peers.players >= s.cfg.MaxPlayers:
		return "", fault.New(fault.Full, "all %d places are taken", s.cfg.MaxPlayers)
	case observer && s.peers.observers() >= max(s.cfg.MaxObservers, 0):
		return "", fault.New(fault.Full, "no more observers are let in")
	}
	if s.cfg.Rules == nil {
		return name, nil
	}
	return name, s.cfg.Rules.Admit(Applicant{
		Name: name, Build: cleanText(h.Build, maxBuildBytes), Observer: observer, Ticket: h.Ticket, Remote: s.host.Remote(p.link),
	})
}

// turnAway refuses a client. When contracts differ it may answer with what
// differs, so that the host can name it as well; otherwise it is dropped.
func (s *Server) turnAway(now time.Time, p *peer, h *hello, why error) {
	code, text := fault.Refused, why.Error()
	var f *fault.Error
	if errors.As(why, &f) {
		if text = f.Text; f.Code.Wire() != 0 {
			code = f.Code
		}
	}
	r := refuse{Protocol: Protocol, Code: code.Wire(), Text: cleanText(text, maxTextBytes)}
	p.refused = refusedHello{code: code, name: cleanText(h.Name, maxNameBytes), text: r.Text}
	p.machine.since = s.at(now)
	if code != fault.ContractMismatch {
		s.send(p, kindRefuse, &r)
		var data map[string]any
		if f != nil {
			data = f.Data
		}
		s.turnedAway(p, data)
		s.drop(now, p, code)
		return
	}
	r.Keys, r.Truncated = refuseKeys(s.con, h.Sections)
	s.send(p, kindRefuse, &r)
}

// turnedAway tells the game, once.
func (s *Server) turnedAway(p *peer, details map[string]any) {
	if p.refused.code == "" {
		return
	}
	s.in.push(Event{Kind: EventTurnedAway, Code: p.refused.code, Name: p.refused.name, Text: p.refused.text, Details: details}, nil)
	p.refused.code = ""
}

// diff ends the connection of a client whose contract differs.
func (s *Server) diff(now time.Time, p *peer, body []byte) {
	if p.refused.code != fault.ContractMismatch {
		s.refused(now, p, ReasonInvalidOperation, nil, 0)
		return
	}
	var d diff
	if !decode(body, &d) {
		s.refused(now, p, ReasonTruncated, nil, 0)
		return
	}
	lines := make([]any, 0, len(d.Lines))
	for _, l := range d.Lines {
		lines = append(lines, cleanText(l, maxKeyBytes))
	}
	if len(lines) > 0 {
		p.refused.text += ", which says: " + lines[0].(string)
	}
	s.turnedAway(p, map[string]any{"differences": lines})
	s.drop(now, p, fault.ContractMismatch)
}

// ready starts the retained walk of a welcomed client.
func (s *Server) ready(now time.Time, p *peer, body []byte) {
	var r ready
	if !decode(body, &r) || r.Epoch != s.epoch {
		s.refused(now, p, ReasonStaleEpoch, nil, 0)
		return
	}
	p.set(PhaseReady, s.at(now))
	if s.meta.set {
		s.sendBytes(p, kindSessionStart, s.meta.bytes)
	}
	s.advanceWalk(now, p)
}

// printOf is what a Hello says of a definition.
func printOf(k *contract.Key) uint32 {
	h := fnv.New32a()
	h.Write([]byte(k.Name))
	h.Write(k.Digest[:])
	return h.Sum32()
}

// maxPrints is the most keys that a Hello speaks of, all sections together.
const maxPrints = 1400

// prints describes a contract in a Hello. Keys that do not fit are left out:
// the host then takes them for different.
func prints(c *contract.Contract) []sectionPrint {
	list := make([]sectionPrint, 0, len(c.Sections))
	room := maxPrints
	for i := range c.Sections[:min(len(c.Sections), maxSections)] {
		sec := &c.Sections[i]
		p := sectionPrint{Name: cleanText(sec.Name, maxKeyBytes), Digest: sec.Digest}
		for j := range sec.Keys[:min(len(sec.Keys), maxKeys, room)] {
			p.Prints = append(p.Prints, printOf(&sec.Keys[j]))
		}
		room -= len(p.Prints)
		list = append(list, p)
	}
	return list
}

// keyList gathers the keys of a Refuse, as far as the frame reaches.
type keyList struct {
	keys      []keyPrint
	room      int
	truncated bool
}

// add lists a key, with its definition when that is asked for and short enough.
func (l *keyList) add(section string, k *contract.Key, define bool) {
	kp := keyPrint{Section: section, Name: k.Name, Digest: k.Digest}
	cost := len(kp.Section) + len(kp.Name) + len(kp.Digest) + 8
	if cost > l.room || len(l.keys) == maxKeys || len(k.Name) > maxKeyBytes {
		l.truncated = true
		return
	}
	l.room -= cost
	if d := k.Definition; define && len(d) <= min(maxDefinition, l.room) {
		kp.Sent, kp.Definition = true, d
		l.room -= len(d)
	}
	l.keys = append(l.keys, kp)
}

// refuseKeys lists the keys of the sections that differ: first those that the
// client does not have like this, with their definitions, then the others, so
// that the client knows which of its keys the host lacks.
func refuseKeys(c *contract.Contract, theirs []sectionPrint) ([]keyPrint, bool) {
	l := keyList{room: maxRefuse - headerBytes - maxTextBytes - 16}
	for _, wanted := range []bool{true, false} {
		for i := range c.Sections {
			sec := &c.Sections[i]
			known, same := printsOf(theirs, sec)
			for j := range sec.Keys {
				if k := &sec.Keys[j]; !same && wanted != known[printOf(k)] {
					l.add(sec.Name, k, wanted)
				}
			}
		}
	}
	return l.keys, l.truncated
}

// printsOf returns what the client said of a section, and whether it is the
// same there.
func printsOf(theirs []sectionPrint, sec *contract.Section) (known map[uint32]bool, same bool) {
	known = map[uint32]bool{}
	for j := range theirs {
		if theirs[j].Name == sec.Name {
			same = theirs[j].Digest == sec.Digest
			for _, p := range theirs[j].Prints {
				known[p] = true
			}
		}
	}
	return known, same
}

// differences is what a client makes of a Refuse: what differs, here (its own
// contract) against there (the host's).
func differences(c *contract.Contract, r *refuse) []contract.Difference {
	var list []contract.Difference
	for i := range c.Sections {
		sec := &c.Sections[i]
		var there []contract.Key
		for j := range r.Keys {
			if k := &r.Keys[j]; k.Section == sec.Name {
				def := k.Definition
				if !k.Sent {
					def = unsent(sec, k)
				}
				there = append(there, contract.Key{Name: k.Name, Digest: k.Digest, Definition: def})
			}
		}
		if len(there) == 0 {
			continue // the same, or left out
		}
		here := sec.Keys
		if r.Truncated {
			here = named(sec.Keys, there)
		}
		list = append(list, contract.Differences(sec.Name, here, there)...)
	}
	return list
}

// unsent stands for a definition that the host did not send: the client's own
// when the digests agree.
func unsent(sec *contract.Section, k *keyPrint) string {
	for i := range sec.Keys {
		if sec.Keys[i].Name == k.Name && sec.Keys[i].Digest == k.Digest {
			return sec.Keys[i].Definition
		}
	}
	return fmt.Sprintf("a definition with digest %x", k.Digest[:4])
}

// named returns the keys that there has as well: of the others the host has
// said nothing.
func named(here, there []contract.Key) []contract.Key {
	var list []contract.Key
	for i := range here {
		for j := range there {
			if here[i].Name == there[j].Name {
				list = append(list, here[i])
			}
		}
	}
	return list
}
