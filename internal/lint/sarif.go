package lint

import (
	"fmt"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// page is where the codes are explained.
const page = "https://github.com/airshipit/sipgen/blob/main/docs/lint.md"

// SARIF writes the findings in the Static Analysis Results Interchange Format, version 2.1.0 (OASIS), which forges show beside the lines
// they are about. version is sipgen's own.
func SARIF(w io.Writer, findings []Finding, version string) error {
	report := sarif.NewReport()
	run := sarif.NewRunWithInformationURI("sipgen lint", page)
	if version != "" {
		run.Tool.Driver.WithVersion(version)
	}
	for _, code := range Codes() {
		run.AddRule(code.Code).WithDescription(code.Title).WithHelpURI(page + "#" + strings.ToLower(code.Code))
	}
	for i := range findings {
		f := &findings[i]
		result := run.CreateResultForRule(f.Code).
			WithLevel(string(f.Severity)).
			WithMessage(sarif.NewTextMessage(f.text() + ". " + f.Mend))
		location := sarif.NewLocation().AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(f.Object).WithKind("object"))
		if uri := fileURI(f.Place.File); uri != "" {
			physical := sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewSimpleArtifactLocation(uri))
			if f.Place.Line > 0 {
				physical.WithRegion(sarif.NewRegion().WithStartLine(f.Place.Line))
			}
			location.WithPhysicalLocation(physical)
		}
		result.AddLocation(location)
		result.WithPartialFingerprints(map[string]string{"sipgen/v1": fmt.Sprintf("%s|%s|%s", f.Code, f.Object, f.Field)})
	}
	report.AddRun(run)
	if err := report.PrettyWrite(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// fileURI is a file's path as a URI, relative where the path is.
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
