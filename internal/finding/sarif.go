package finding

import (
	"fmt"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
)

// page is where the codes are explained.
const page = "https://github.com/airshipit/sipgen/blob/main/docs/lint.md"

// The part of the Static Analysis Results Interchange Format that is written: version 2.1.0, by OASIS, section 3.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
		HelpURI          string    `json:"helpUri"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		// The fingerprint identifies a finding for a forge when its line moves.
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
)

// SARIF writes the findings in the Static Analysis Results Interchange Format, which forges show next to the lines.
// version is sipgen's own.
func SARIF(w io.Writer, findings []Finding, version string) error {
	codes := Codes()
	var run sarifRun
	run.Tool.Driver = sarifDriver{Name: "sipgen lint", Version: version, InformationURI: page}
	for _, code := range codes {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: code.Code, ShortDescription: sarifText{code.Title}, HelpURI: page + "#" + strings.ToLower(code.Code),
		})
	}
	run.Results = []sarifResult{} // [] is a run without findings, null one that has not been made
	for i := range findings {
		f := &findings[i]
		run.Results = append(run.Results, sarifResult{
			RuleID:       f.Code,
			RuleIndex:    slices.IndexFunc(codes, func(c Code) bool { return c.Code == f.Code }),
			Level:        string(f.Severity),
			Message:      sarifText{f.text() + ". " + f.Fix},
			Locations:    []sarifLocation{f.location()},
			Fingerprints: map[string]string{"sipgen/v1": fmt.Sprintf("%s|%s|%s", f.Code, f.Object, f.Field)},
		})
	}
	return text.JSON(w, sarifLog{
		Schema:  "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/main/sarif-2.1/schema/sarif-schema-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

func (f *Finding) location() sarifLocation {
	location := sarifLocation{Logical: []sarifLogical{{f.Object.String(), "object"}}}
	uri := fileURI(f.Place.File)
	if uri == "" {
		return location
	}
	location.Physical = &sarifPhysical{}
	location.Physical.Artifact.URI = uri
	if f.Place.Line > 0 {
		location.Physical.Region = &sarifRegion{f.Place.Line}
	}
	return location
}

// fileURI returns a file's path as a URI, relative where the path is.
func fileURI(file string) string {
	if file == "" {
		return ""
	}
	file = path.Clean(filepath.ToSlash(file))
	if path.IsAbs(file) {
		return (&url.URL{Scheme: "file", Path: file}).String()
	}
	return (&url.URL{Path: file}).String()
}
