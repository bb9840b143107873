package tool

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"demi.network/contract"
	"demi.network/runtime/fault"
)

// Validate loads a contract and prints every problem. As JSON it prints one
// line for each and then {"event": "report", ok, errors, warnings, hash}; as
// SARIF one document. The error is that of Problems.Err: warnings are none.
func Validate(w io.Writer, r Request) error {
	s := load(r)
	switch r.Style {
	case JSON:
		p := printer{w: w}
		for _, q := range s.problems {
			p.json(q.Fields())
		}
		p.json(report(s))
		if p.err != nil {
			return p.failure()
		}
	case SARIF:
		if err := writeSARIF(w, s.problems); err != nil {
			return (&printer{err: err}).failure()
		}
	default:
		p := printer{w: w}
		WriteText(w, s.problems)
		p.line("%s", summary(s))
		if p.err != nil {
			return p.failure()
		}
	}
	return ended(r.Style, s.problems)
}

// WriteText prints problems for people, one line each and a second for the
// hint.
func WriteText(w io.Writer, problems contract.Problems) {
	for _, q := range problems {
		fmt.Fprintf(w, "%s: %s: %s [%s]\n", q.Place, q.Severity, q.Text, q.Code)
		if q.Hint != "" {
			fmt.Fprintf(w, "    %s\n", q.Hint)
		}
	}
}

func report(s subject) map[string]any {
	hash := ""
	if s.contract != nil {
		hash = meaningText(s.contract)
	}
	return map[string]any{
		"event": "report", "ok": s.contract != nil, "hash": hash,
		"errors": s.problems.Errors(), "warnings": s.problems.Warnings(),
	}
}

// summary is the last line for people.
func summary(s subject) string {
	if s.contract == nil {
		return fmt.Sprintf("not valid: %s, %s", count(s.problems.Errors(), "error"), count(s.problems.Warnings(), "warning"))
	}
	c := s.contract
	text := fmt.Sprintf("valid: %s, %s, %s, %s", c.ID,
		count(len(c.Messages), "message"), count(len(c.Prefabs), "replicated prefab"), meaningText(c))
	if n := s.problems.Warnings(); n > 0 {
		text += ", " + count(n, "warning")
	}
	return text
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// meaningText spells the hash that the handshake compares.
func meaningText(c *contract.Contract) string {
	return "sha256:" + hex.EncodeToString(c.MeaningHash[:])
}

// printer writes lines and remembers the first failure.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) json(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic("tool: BUG: " + err.Error())
	}
	p.line("%s", b)
}

// failure is the coded error of a writer that failed, nil without one.
func (p *printer) failure() error {
	if p.err == nil {
		return nil
	}
	return fault.Wrap(p.err, fault.Internal, "the output could not be written")
}

// loaded is load for commands that need a sound contract.
func loaded(r Request) (*contract.Contract, error) {
	s := load(r)
	return s.contract, s.problems.Err()
}

// HashOptions say which hash is printed.
type HashOptions struct {
	Engine   bool // the engine's fnv1a64 hash in place of the meaning's SHA-256
	Sections bool // the digests of sections and keys as well
}

// Hash prints a contract's hash: one line "sha256:…", or "fnv1a64:…" for the
// engine's. With Sections, a line for each section and key follows: digest,
// section, key.
func Hash(w io.Writer, r Request, o HashOptions) error {
	c, err := loaded(r)
	if err != nil {
		return err
	}
	hash := meaningText(c)
	if o.Engine {
		hash = c.CompatibilityHash
	}
	p := printer{w: w}
	if r.Style != Text {
		p.json(hashFields(c, hash, o))
		return p.failure()
	}
	p.line("%s", hash)
	if o.Sections {
		for _, s := range c.Sections {
			p.line("%s  %s", hex.EncodeToString(s.Digest[:]), s.Name)
			for _, k := range s.Keys {
				if k.Name != "" {
					p.line("%s  %s/%s", hex.EncodeToString(k.Digest[:]), s.Name, k.Name)
				}
			}
		}
		p.line("%s  scene", hex.EncodeToString(c.Scene[:]))
	}
	return p.failure()
}

func hashFields(c *contract.Contract, hash string, o HashOptions) map[string]any {
	fields := map[string]any{
		"event": "report", "id": c.ID, "hash": hash,
		"meaning_hash": meaningText(c), "compatibility_hash": c.CompatibilityHash,
	}
	if !o.Sections {
		return fields
	}
	sections := map[string]any{"scene": map[string]any{"digest": hex.EncodeToString(c.Scene[:])}}
	for _, s := range c.Sections {
		keys := map[string]any{}
		for _, k := range s.Keys {
			keys[k.Name] = hex.EncodeToString(k.Digest[:])
		}
		sections[s.Name] = map[string]any{"digest": hex.EncodeToString(s.Digest[:]), "keys": keys}
	}
	fields["sections"] = sections
	return fields
}
