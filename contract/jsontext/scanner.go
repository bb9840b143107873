// Package jsontext owns strict JSON text: a scanner that allocates nothing and
// a parser that keeps the order, the spelling and the place of everything. It
// follows RFC 8259 without leniency: the whole input is one value, text is
// valid UTF-8 without lone surrogates, and nesting is bounded. It knows no
// schema, no contract and no file, and it never guesses what an author meant.
package jsontext

// MaxDepth is the number of containers that may be open at once.
const MaxDepth = 128

// Event is what the scanner found.
type Event uint8

// The events. Invalid is final: Fault says what and where.
const (
	Invalid Event = iota
	EOF           // the value ended, and so did the input
	BeginObject
	EndObject
	BeginArray
	EndArray
	Key
	Text
	Num
	True
	False
	Nil
)

// Fault is a lexical or structural fault of JSON text.
type Fault uint8

// The faults a scanner reports, and those that only Parse finds (from FaultDuplicate on).
const (
	FaultNone      Fault = iota
	FaultSyntax          // a byte that cannot stand here
	FaultTruncated       // the input ends inside the value
	FaultTrailing        // something follows the value
	FaultUTF8            // bytes of a string are not UTF-8
	FaultSurrogate       // an escape names half a surrogate pair
	FaultEscape          // an unknown or cut escape
	FaultControl         // a control character inside a string must be escaped
	FaultNumber          // a number JSON does not allow, such as 01, +1, .5 or NaN
	FaultRange           // a number no double can hold, such as 1e999
	FaultDepth           // more than MaxDepth containers open
	FaultDuplicate       // an object has this key already
	FaultBOM             // a byte order mark stands before the value
	FaultTooMany         // more faults than are reported
	FaultPaths           // the names on the way to the values are longer than MaxPaths in all
	faultCount           // number of faults
)

var faultTexts = [faultCount]string{
	FaultNone:      "no fault",
	FaultSyntax:    "this character cannot stand here",
	FaultTruncated: "the text ends before the value does",
	FaultTrailing:  "text follows the end of the value",
	FaultUTF8:      "the bytes are not valid UTF-8",
	FaultSurrogate: "an escape names half of a surrogate pair",
	FaultEscape:    "unknown escape",
	FaultControl:   "a control character must be written as an escape",
	FaultNumber:    "this is not a JSON number",
	FaultRange:     "the number is too large for a double",
	FaultDepth:     "nested too deeply",
	FaultDuplicate: "the key is given twice",
	FaultBOM:       "a byte order mark stands before the text",
	FaultTooMany:   "more faults follow",
	FaultPaths:     "too many values below names that are too long",
}

// String returns the fault in words, without a place.
func (f Fault) String() string {
	if f < faultCount {
		return faultTexts[f]
	}
	return "unknown fault"
}

// Scanner turns JSON text into events, checking structure as well as
// spelling. It allocates nothing and keeps the input. The zero Scanner scans
// nothing; call Reset. Not safe for concurrent use.
type Scanner struct {
	b       []byte
	pos     int // of the next unread byte
	start   int // of the token last returned
	depth   int
	object  [MaxDepth/64 + 1]uint64 // bit d: the container at depth d is an object
	state   state
	escaped bool // the string last returned has escapes
	integer bool // the number last returned has neither fraction nor exponent
	fault   Fault
	where   int
}

// state says what may come next.
type state uint8

const (
	wantValue   state = iota // a value, nothing else
	wantFirst                // a value, or the end of an empty array
	wantKey                  // a key
	wantFirstKy              // a key, or the end of an empty object
	wantColon                // a colon and a value
	wantMore                 // a comma or the end of the container
	wantEOF                  // nothing
	failed
)

// Reset starts on b, which must not change while it is scanned. A byte order
// mark is no JSON: cut it off first.
func (s *Scanner) Reset(b []byte) { *s = Scanner{b: b} }

// Start returns the offset of the event last returned.
func (s *Scanner) Start() int { return s.start }

// End returns the offset behind the event last returned.
func (s *Scanner) End() int { return s.pos }

// Depth returns how many containers are open.
func (s *Scanner) Depth() int { return s.depth }

// Fault returns what went wrong and at which offset.
func (s *Scanner) Fault() (Fault, int) { return s.fault, s.where }

// Raw returns the spelling of the event last returned, quotes included. It
// aliases the input.
func (s *Scanner) Raw() []byte { return s.b[s.start:s.pos] }

// Escaped says whether the Key or Text last returned has escapes. One without
// is Raw less its quotes.
func (s *Scanner) Escaped() bool { return s.escaped }

// Integer says whether the Num last returned is spelled without fraction and
// exponent.
func (s *Scanner) Integer() bool { return s.integer }

func (s *Scanner) fail(f Fault, at int) Event {
	if s.state != failed {
		s.state, s.fault, s.where = failed, f, at
	}
	return Invalid
}

func (s *Scanner) space() {
	for s.pos < len(s.b) {
		switch s.b[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// Next returns the next event. After Invalid or EOF it returns the same again.
func (s *Scanner) Next() Event {
	if s.state == failed {
		return Invalid
	}
	s.space()
	if s.pos >= len(s.b) {
		s.start = s.pos
		if s.state == wantEOF {
			return EOF
		}
		return s.fail(FaultTruncated, s.pos)
	}
	c := s.b[s.pos]
	if s.state == wantMore || s.state == wantColon {
		if e := s.separator(c); e != separated {
			return e
		}
		if s.pos >= len(s.b) {
			return s.fail(FaultTruncated, s.pos)
		}
		c = s.b[s.pos]
	}
	s.start = s.pos
	switch s.state {
	case wantEOF:
		return s.fail(FaultTrailing, s.pos)
	case wantFirstKy, wantKey:
		return s.key(c)
	case wantFirst:
		if c == ']' {
			return s.close(c)
		}
	}
	return s.value(c)
}

// separated is no event: a comma or colon was skipped.
const separated Event = 255

// separator skips the comma or colon that must stand before c's successor, or
// ends the container.
func (s *Scanner) separator(c byte) Event {
	switch {
	case s.state == wantColon:
		if c != ':' {
			return s.fail(FaultSyntax, s.pos)
		}
		s.state = wantValue
	case c != ',':
		return s.close(c)
	case s.inObject():
		s.state = wantKey
	default:
		s.state = wantValue
	}
	s.pos++
	s.space()
	return separated
}

func (s *Scanner) inObject() bool { return s.object[s.depth>>6]>>(s.depth&63)&1 == 1 }

// ended moves on after a complete value.
func (s *Scanner) ended() {
	s.state = wantMore
	if s.depth == 0 {
		s.state = wantEOF
	}
}

func (s *Scanner) open(e Event) Event {
	if s.depth == MaxDepth {
		return s.fail(FaultDepth, s.pos)
	}
	s.pos++
	s.depth++
	word, bit := s.depth>>6, uint64(1)<<(s.depth&63)
	if e == BeginObject {
		s.object[word] |= bit
		s.state = wantFirstKy
	} else {
		s.object[word] &^= bit
		s.state = wantFirst
	}
	return e
}

func (s *Scanner) close(c byte) Event {
	s.start = s.pos
	e, want := EndArray, byte(']')
	if s.inObject() {
		e, want = EndObject, '}'
	}
	if c != want {
		return s.fail(FaultSyntax, s.pos)
	}
	s.pos++
	s.depth--
	s.ended()
	return e
}

func (s *Scanner) key(c byte) Event {
	if c == '}' && s.state == wantFirstKy {
		return s.close(c)
	}
	if c != '"' {
		return s.fail(FaultSyntax, s.pos)
	}
	if !s.text() {
		return Invalid
	}
	s.state = wantColon
	return Key
}

func (s *Scanner) value(c byte) Event {
	e := Invalid
	switch c {
	case '{':
		return s.open(BeginObject)
	case '[':
		return s.open(BeginArray)
	case '"':
		if !s.text() {
			return Invalid
		}
		e = Text
	case 't':
		e = s.word("true", True)
	case 'f':
		e = s.word("false", False)
	case 'n':
		e = s.word("null", Nil)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		e = s.number()
	case '+', '.', 'N', 'I':
		return s.fail(FaultNumber, s.pos)
	default:
		return s.fail(FaultSyntax, s.pos)
	}
	if e != Invalid {
		s.ended()
	}
	return e
}
