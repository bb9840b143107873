package tool

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"demi.network/contract"
)

// The parts of SARIF 2.1.0 that we write.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool     `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name  string      `json:"name"`
	Rules []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID    string       `json:"id"`
	Short sarifMessage `json:"shortDescription"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	Level     string          `json:"level"`
	Message   sarifMessage    `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifLocation struct {
	Physical sarifPhysical  `json:"physicalLocation"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

// writeSARIF prints problems as one SARIF 2.1.0 document. Columns count
// Unicode code points, and the document says so.
func writeSARIF(w io.Writer, problems contract.Problems) error {
	driver := sarifDriver{Name: "demi-net", Rules: []sarifRule{}}
	for _, c := range contract.Codes() {
		if slices.ContainsFunc(problems, func(p contract.Problem) bool { return p.Code == c.Code }) {
			driver.Rules = append(driver.Rules, sarifRule{string(c.Code), sarifMessage{c.Doc}})
		}
	}
	run := sarifRun{Tool: sarifTool{driver}, ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	for _, p := range problems {
		run.Results = append(run.Results, sarifOf(p))
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run},
	})
}

func sarifOf(p contract.Problem) sarifResult {
	text := p.Text
	if p.Hint != "" {
		text += " (" + p.Hint + ")"
	}
	l := sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifact{fileURI(p.Place.Path)}}}
	if p.Place.Line > 0 {
		l.Physical.Region = &sarifRegion{p.Place.Line, p.Place.Column}
	}
	if p.Place.Pointer != "" {
		l.Logical = []sarifLogical{{p.Place.Pointer, "value"}}
	}
	return sarifResult{RuleID: string(p.Code), Level: p.Severity.String(), Message: sarifMessage{text}, Locations: []sarifLocation{l}}
}

// fileURI spells a path as a URI reference, relative where the path is.
func fileURI(name string) string {
	uri := url.URL{Path: filepath.ToSlash(name)}
	if strings.HasPrefix(uri.Path, "/") {
		uri.Scheme = "file"
	}
	return uri.String()
}
