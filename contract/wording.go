package contract

import (
	"fmt"
	"strings"

	"demi.network/contract/jsontext"
)

// match says how a wrong key resembles a right one.
type match uint8

const (
	matchNone    match = iota
	matchCase          // upper and lower case differ
	matchSynonym       // people's other word for it
	matchNear          // a slip of the keyboard
	matchExact
)

// nearestKey finds the known key that key was meant to be.
func nearestKey(schema *jsontext.Node, key string) (string, match) {
	known := schema.Get("properties")
	if known == nil {
		return "", matchNone
	}
	names := make([]string, 0, len(known.Members))
	for i := range known.Members {
		names = append(names, known.Members[i].Key)
	}
	for _, n := range names {
		if n == key {
			return n, matchExact
		}
	}
	for _, n := range names {
		if strings.EqualFold(n, key) {
			return n, matchCase
		}
	}
	if right := synonym(schema, key); right != "" {
		return right, matchSynonym
	}
	if n := nearest(key, names); n != "" {
		return n, matchNear
	}
	return "", matchNone
}

// keyHint is what to do about an unknown key.
func keyHint(schema *jsontext.Node, right string, how match) string {
	switch how {
	case matchCase:
		return fmt.Sprintf("did you mean %q? Keys differ by upper and lower case", right)
	case matchSynonym:
		return fmt.Sprintf("the format calls it %q", right)
	case matchNear:
		return fmt.Sprintf("did you mean %q?", right)
	}
	known := schema.Get("properties")
	if known == nil {
		return ""
	}
	var names []string
	for i := range known.Members {
		if name := known.Members[i].Key; !isNote(name) {
			names = append(names, name)
		}
	}
	return "known here: " + strings.Join(names, ", ")
}

// synonym returns the format's word for one that people write, or "".
func synonym(schema *jsontext.Node, word string) string {
	synonyms := schema.Get("x-demi-synonyms")
	if synonyms == nil {
		return ""
	}
	for i := range synonyms.Members {
		if strings.EqualFold(synonyms.Members[i].Key, word) {
			return synonyms.Members[i].Value.Text
		}
	}
	return ""
}

// valueHint is what to write in place of a word that an enum does not list.
func valueHint(schema, enum *jsontext.Node, word string) string {
	if right := synonym(schema, word); right != "" {
		return fmt.Sprintf("the format calls it %q", right)
	}
	var names []string
	for _, item := range enum.Items {
		names = append(names, item.Text)
	}
	if right := nearest(word, names); right != "" {
		return fmt.Sprintf("did you mean %q?", right)
	}
	return ""
}

// nearest returns the candidate that word most likely was meant to be, or "".
func nearest(word string, candidates []string) string {
	const longest = 64 // of a word that is compared: the cost is its square
	if len(word) > longest {
		return ""
	}
	scheme := word[:max(0, strings.Index(word, "://"))] // of an id: no likeness
	best, bestDistance := "", 0
	for _, c := range candidates {
		if len(c) > longest {
			continue
		}
		from := 0
		if strings.HasPrefix(c, scheme+"://") {
			from = len(scheme)
		}
		d := distance(strings.ToLower(word[from:]), strings.ToLower(c[from:]))
		if most := max(1, (min(len(word), len(c))-from)/3); d > most {
			continue
		}
		if best == "" || d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours between two words.
func distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	two := make([]int, len(b)+1)
	for j := range before {
		before[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(before[j]+1, row[j-1]+1, before[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], two[j-2]+1)
			}
		}
		two, before, row = before, row, two
	}
	return before[len(b)]
}

// valueText says what is wrong with a value, and what to do.
func valueText(keyword string, schema, value *jsontext.Node, fallback string) (text, hint string) {
	rule := schema.Get(keyword)
	switch keyword {
	case "type":
		found := article(value.Kind.String())
		if value.Kind == jsontext.KindNumber {
			found = show(value)
		}
		return fmt.Sprintf("expected %s, found %s", typeWords(rule), found), ""
	case "enum":
		text = fmt.Sprintf("%s is not one of %s", show(value), showList(rule))
		if value.Kind == jsontext.KindString {
			hint = valueHint(schema, rule, value.Text)
		}
		return text, hint
	case "const":
		return fmt.Sprintf("%s is not allowed, only %s", show(value), show(rule)), ""
	case "minimum", "maximum", "exclusiveMinimum":
		if schema.Get("minimum") != nil && schema.Get("maximum") != nil {
			return fmt.Sprintf("%s is outside %s", show(value), rangeText(schema)), ""
		}
		return fmt.Sprintf("%s is not %s", show(value), rangeText(schema)), ""
	case "minLength":
		return "the text is empty", ""
	case "maxLength":
		return fmt.Sprintf("the text is longer than %s characters", show(rule)), ""
	case "pattern":
		prefix := strings.TrimSuffix(strings.TrimPrefix(rule.Text, "^"), ".")
		text = fmt.Sprintf("%s does not start with %q", show(value), prefix)
		if value.Text == prefix {
			text = fmt.Sprintf("%s lacks a name behind it", show(value))
		}
		return text, ""
	case "maxItems", "maxProperties":
		return fmt.Sprintf("more than %s entries", show(rule)), ""
	case "minItems", "minProperties":
		return fmt.Sprintf("fewer than %s entries", show(rule)), ""
	}
	return fallback, ""
}

// nameText says what is wrong with a key that the author may choose.
func nameText(value *jsontext.Node, keyword string, rule *jsontext.Node) string {
	if keyword == "minLength" {
		return "a name is empty"
	}
	return fmt.Sprintf("a name is longer than %s characters", show(rule))
}

// rangeText spells the range of a number: "1 … 240", "more than 0".
func rangeText(schema *jsontext.Node) string {
	least, above, most := schema.Get("minimum"), schema.Get("exclusiveMinimum"), schema.Get("maximum")
	switch {
	case above != nil && most != nil:
		return fmt.Sprintf("more than %s, at most %s", above.Text, most.Text)
	case above != nil:
		return "more than " + above.Text
	case least != nil && most != nil:
		return least.Text + " … " + most.Text
	case least != nil:
		return "at least " + least.Text
	case most != nil:
		return "at most " + most.Text
	}
	return "any number"
}

func typeWords(rule *jsontext.Node) string {
	if rule.Kind == jsontext.KindString {
		return article(rule.Text)
	}
	var words []string
	for _, item := range rule.Items {
		words = append(words, article(item.Text))
	}
	return strings.Join(words, " or ")
}

func article(kind string) string {
	switch {
	case kind == "null":
		return kind
	case strings.IndexByte("aeio", kind[0]) >= 0:
		return "an " + kind
	}
	return "a " + kind
}

// show spells a value in a sentence, shortened.
func show(n *jsontext.Node) string {
	const most = 48
	switch n.Kind {
	case jsontext.KindString:
		if r := []rune(n.Text); len(r) > most {
			return fmt.Sprintf("%q", string(r[:most])+"…")
		}
		return fmt.Sprintf("%q", n.Text)
	case jsontext.KindNumber:
		if len(n.Text) > most {
			return n.Text[:most] + "…"
		}
		return n.Text
	case jsontext.KindBool:
		if n.Bool {
			return "true"
		}
		return "false"
	}
	return article(n.Kind.String())
}

func showList(rule *jsontext.Node) string {
	var words []string
	for _, item := range rule.Items {
		if item.Kind == jsontext.KindString {
			words = append(words, item.Text)
		} else {
			words = append(words, show(item))
		}
	}
	return strings.Join(words, ", ")
}

// isNote says whether a key of an object whose keys the format fixes is there
// for readers only: it is not part of the meaning.
func isNote(key string) bool {
	switch key {
	case "$schema", "$comment", "title", "description":
		return true
	}
	return false
}
