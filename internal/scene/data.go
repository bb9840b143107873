package scene

// Kind is the kind of a Data value.
type Kind uint8

// The kinds of Data, those of JSON.
const (
	Null Kind = iota
	Bool
	Number
	Text
	List
	Map
)

// String returns the kind as messages spell it.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "a boolean"
	case Number:
		return "a number"
	case Text:
		return "a string"
	case List:
		return "a list"
	case Map:
		return "an object"
	}
	return "an unknown kind"
}

// Data is a JSON-like value that keeps the order of its keys. Values are
// shared between a prefab and its instances: treat them as constants and build
// new ones to change something.
type Data struct {
	Kind   Kind
	Bool   bool
	Number float64
	Text   string
	Items  []Data   // of a List
	Keys   []Member // of a Map, in the order written, without duplicates
}

// Member is one key of a Map.
type Member struct {
	Key   string
	Value Data
}

// NumberOf returns a Number.
func NumberOf(v float64) Data { return Data{Kind: Number, Number: v} }

// TextOf returns a Text.
func TextOf(v string) Data { return Data{Kind: Text, Text: v} }

// BoolOf returns a Bool.
func BoolOf(v bool) Data { return Data{Kind: Bool, Bool: v} }

// NumbersOf returns a List of Numbers.
func NumbersOf(v ...float64) Data {
	items := make([]Data, len(v))
	for i, n := range v {
		items[i] = NumberOf(n)
	}
	return Data{Kind: List, Items: items}
}

// MapOf returns a Map with these keys.
func MapOf(keys ...Member) Data { return Data{Kind: Map, Keys: keys} }

// Get returns the value of a Map's key.
func (d Data) Get(key string) (Data, bool) {
	for i := range d.Keys {
		if d.Keys[i].Key == key {
			return d.Keys[i].Value, true
		}
	}
	return Data{}, false
}

// size is about what the value takes in memory, in bytes.
func (d Data) size() int {
	n := 96 + len(d.Text)
	for i := range d.Items {
		n += d.Items[i].size()
	}
	for i := range d.Keys {
		n += 16 + len(d.Keys[i].Key) + d.Keys[i].Value.size()
	}
	return n
}

// With returns a copy of a Map in which key has the value.
func (d Data) With(key string, v Data) Data {
	out := Data{Kind: Map, Keys: make([]Member, 0, len(d.Keys)+1)}
	found := false
	for _, m := range d.Keys {
		if m.Key == key {
			m.Value, found = v, true
		}
		out.Keys = append(out.Keys, m)
	}
	if !found {
		out.Keys = append(out.Keys, Member{key, v})
	}
	return out
}
