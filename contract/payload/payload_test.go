package payload

import (
	"testing"

	"demi.network/contract/jsontext"
)

// compile returns the plan or the issues that are no warnings.
func compile(text string) (*Plan, []Issue) {
	doc, problems := jsontext.Parse([]byte(text))
	if doc == nil {
		panic("the test's schema is not JSON: " + problems[0].Text)
	}
	return Compile(doc)
}

func mustCompile(t testing.TB, text string) *Plan {
	t.Helper()
	p, issues := compile(text)
	if p == nil {
		t.Fatalf("schema %s is refused: %v", text, issues)
	}
	return p
}
