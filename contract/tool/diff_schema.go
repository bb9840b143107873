package tool

import (
	"encoding/json"
	"slices"
	"strings"
)

// schemaKeyword walks through a payload schema to the keyword that a path ends
// at or in, and returns it with what is left of the path: "properties" and a
// name, "required" and an index. A name that the author chose is never taken
// for a keyword. The keyword is "" when the path ends at a schema.
func schemaKeyword(path []string) (word string, rest []string) {
	for len(path) > 0 {
		switch path[0] {
		case "properties", "$defs":
			if len(path) <= 2 {
				return path[0], path[1:]
			}
			path = path[2:]
		case "items", "additionalProperties":
			if len(path) == 1 {
				return path[0], nil
			}
			path = path[1:]
		default:
			return path[0], path[1:]
		}
	}
	return "", nil
}

// judgeSchema: values that were valid must stay valid.
func judgeSchema(path []string, c *Change) (breaking bool, why string) {
	const wider, narrower = "every payload that was valid still is", "a payload that was valid may be refused"
	word, rest := schemaKeyword(path)
	switch word {
	case "properties":
		switch c.Kind {
		case Added:
			return false, "a property more; whether it is required is a change of its own"
		case Removed:
			return true, "scripts that send or read the property no longer work"
		}
	case "$defs":
		return false, "a definition alone changes nothing: see where it is named"
	case "$ref":
		return true, narrower
	case "required":
		if c.Kind == Removed {
			return false, wider
		}
	case "enum":
		switch {
		case len(rest) == 0 && c.Kind == Changed:
			return true, "the values are the same in another order: recordings number them by place"
		case (len(rest) == 0) == (c.Kind == Removed): // no list any more, or a value more
			return false, wider
		}
	case "maximum", "exclusiveMaximum", "maxLength", "maxItems":
		if c.Kind == Removed {
			return false, wider
		}
		return larger(c, narrower, wider)
	case "minimum", "exclusiveMinimum", "minLength", "minItems":
		if c.Kind == Removed {
			return false, wider
		}
		return smaller(c, narrower, wider)
	case "type": // the word or the list, else one word of the list
		if len(rest) == 0 && (c.Kind == Removed || c.Kind == Changed && coversTypes(c.Old, c.New)) || len(rest) > 0 && c.Kind == Added {
			return false, wider
		}
	case "additionalProperties":
		if c.Kind == Removed || c.Old == "false" {
			return false, wider
		}
	default: // the schema itself, items, const
		if c.Kind == Removed {
			return false, wider
		}
	}
	return true, narrower
}

// coversTypes says whether everything of the types old has one of the types new.
func coversTypes(old, new string) bool {
	types := typeList(new)
	for _, t := range typeList(old) {
		if !slices.Contains(types, t) && !(t == "integer" && slices.Contains(types, "number")) {
			return false
		}
	}
	return true
}

// typeList reads the value of a type keyword: a word or a list of words.
func typeList(text string) []string {
	var list []string
	if !strings.HasPrefix(text, "[") {
		text = "[" + text + "]"
	}
	if json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	return list
}
