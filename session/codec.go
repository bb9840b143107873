package session

import (
	"errors"

	"demi.network/contract"
	"demi.network/contract/payload"
)

// codec puts payloads through the one set of rules: Lua and JSON on the way
// out, bytes on the way in. It owns the sink and the values it fills.
type codec struct {
	limits payload.Limits // of the contract; Bytes differs for each message
	any    *payload.Plan  // of what no schema describes
	sink   payload.Sink
	built  payload.Value // what a source described
	read   payload.Value // what bytes described
}

func newCodec(c *contract.Contract) codec {
	return codec{
		limits: payload.Limits{Depth: c.Limits.PayloadDepth, Elements: c.Limits.PayloadElements, StringBytes: c.Limits.StringBytes, Bytes: c.Limits.MessageBytes},
		any:    payload.Any(),
	}
}

// reasonOf maps the payload package's word to the session's.
func reasonOf(err error) Reason {
	why := payload.Accepted
	if r, ok := err.(*payload.Refusal); ok {
		why = r.Reason() // without the allocation that looking through wrapping costs
	} else if err != nil {
		why = payload.ReasonOf(err)
	}
	switch why {
	case payload.Accepted:
		return ReasonNone
	case payload.Oversized:
		return ReasonOversized
	case payload.ExcessiveDepth:
		return ReasonExcessiveDepth
	case payload.ExcessiveElements:
		return ReasonExcessiveElements
	case payload.StringTooLong:
		return ReasonStringTooLong
	case payload.NonFinite:
		return ReasonNonFinite
	case payload.SchemaViolation:
		return ReasonSchemaViolation
	}
	return ReasonTruncated
}

func (c *codec) limitsOf(m *contract.Message) payload.Limits {
	l := c.limits
	if m != nil {
		l.Bytes = m.MaximumBytes
	}
	return l
}

func (c *codec) planOf(m *contract.Message) *payload.Plan {
	if m == nil {
		return c.any
	}
	return m.Schema
}

// encode appends what src describes, under the plan of m (nil: any value). A
// refusal's error says what broke which rule. A nil source is an empty object.
func (c *codec) encode(dst []byte, m *contract.Message, src Source) ([]byte, Reason, error) {
	lim := c.limitsOf(m)
	c.sink.Reset(c.planOf(m), lim, &c.built)
	if src == nil {
		src = emptyObject
	}
	err := src(&c.sink)
	if closed := c.sink.Close(); closed != nil {
		err = closed
	}
	if err != nil {
		return dst, reasonOf(err), err
	}
	from := len(dst)
	dst = c.planOf(m).AppendWire(dst, &c.built)
	if len(dst)-from > lim.Bytes {
		return dst[:from], ReasonOversized, nil
	}
	return dst, ReasonNone, nil
}

func emptyObject(s *payload.Sink) error {
	s.Empty()
	return s.Err()
}

// decode reads bytes under the plan of m (nil: any value) into v.
func (c *codec) decode(m *contract.Message, b []byte, v *payload.Value) Reason {
	if err := c.planOf(m).DecodeWire(b, c.limitsOf(m), v); err != nil {
		return reasonOf(err)
	}
	return ReasonNone
}

// explain says again what was wrong with bytes that did not pass.
func (c *codec) explain(m *contract.Message, b []byte) string {
	var v payload.Value // and not c.read, which a game's Rules may be looking at
	if err := c.planOf(m).DecodeWire(b, c.limitsOf(m), &v); err != nil {
		return payloadText(err)
	}
	return ""
}

// payloadText says where in a payload what is wrong, without the reason: the
// session's word for that stands before it.
func payloadText(err error) string {
	var r *payload.Refusal
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &r):
		return err.Error()
	case r.Path() == "":
		return r.Text()
	}
	return r.Path() + ": " + r.Text()
}
