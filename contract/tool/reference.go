package tool

import (
	"fmt"
	"io"
	"strings"

	"demi.network/contract"
	"demi.network/schemas"
)

// WriteReference prints the reference part of docs/contract.md: every key of
// the formats as their JSON Schemas state it, the built-in fields, and the
// problem codes. It is Markdown.
func WriteReference(w io.Writer) error {
	p := printer{w: w}
	for _, part := range []struct{ title, file, intro string }{
		{"Contract", schemas.NetworkContract, "`*` stands for a name of your choice. `$comment`, `title` and `description` may stand in every object whose keys are fixed, `$schema` at the top; they are not part of the meaning."},
		{"Payload schema", schemas.DataSchema, "The same keywords hold for a DataSchema file and for a schema inside a contract."},
		{"Asset manifest", schemas.Asset, "`NAME.asset.json` below `assets/`. Other keys belong to the engine."},
		{"Project", schemas.Project, "`demi.project.json`. Other keys belong to the engine."},
	} {
		p.line("### %s\n\n%s\n\n| key | value | default | meaning |\n|---|---|---|---|", part.title, part.intro)
		for _, r := range contract.Reference(part.file) {
			p.line("| `%s` | %s | %s | %s |", strings.TrimPrefix(r.Pattern, "/"), cell(allowed(r)), defaultCell(r), meaningCell(r))
		}
		p.line("")
	}
	p.line("### Built-in fields\n\nThese need no declaration.\n\n| field | type | step | tolerance |\n|---|---|---|---|")
	for _, f := range contract.BuiltinFields() {
		p.line("| `%s` | %s | %.4g | %.4g |", f.Path, f.Type, f.Step, f.Tolerance)
	}
	p.line("\n### Reserved names\n\nThe session's own events reach scripts in the same queue as messages, so no message may be called %s.", code(contract.ReservedNames()))
	p.line("\n### Problem codes\n\nCodes are stable. Those marked * are the engine's own.\n\n| code | severity | when |\n|---|---|---|")
	for _, c := range contract.Codes() {
		star, severity := "", "error"
		if c.Engine {
			star = " *"
		}
		if c.Warning {
			severity = "warning"
		}
		p.line("| `%s`%s | %s | %s |", c.Code, star, severity, c.Doc)
	}
	return p.failure()
}

func cell(s string) string {
	if s == "" {
		return "any value"
	}
	return strings.ReplaceAll(s, "|", `\|`)
}

func defaultCell(r contract.Rule) string {
	switch {
	case r.Required:
		return "required"
	case r.Default == "" || r.Default == "{}":
		return ""
	}
	return "`" + r.Default + "`"
}

func meaningCell(r contract.Rule) string {
	text := cell(r.Doc)
	if len(r.Refusals) > 0 {
		text += " Refuses with " + code(r.Refusals) + "."
	}
	if len(r.Synonyms) > 0 {
		text += fmt.Sprintf(" (Not %s.)", code(r.Synonyms))
	}
	return text
}

// code lists words as Markdown code.
func code(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "`" + w + "`"
	}
	return strings.Join(quoted, ", ")
}
