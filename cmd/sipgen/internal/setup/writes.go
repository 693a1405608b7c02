package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/airshipit/sipgen/api"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/fields"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/survey"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/publish"
)

// write writes both files, or neither: they are read first as every command reads them. Where no host is free there is
// no first SIPCluster to propose, and the Site is written alone: so it is where other clusters have all hosts already.
// others are why hosts are not free.
func (b *Beginning) write(ui *terminal.UI, found *survey.Found, proposal survey.Proposal, answers survey.Answers,
	others, site, spec string) error {
	folder := filepath.Dir(spec)
	there := !b.Named && hasManifests(folder)
	alone := len(proposal.Roles) == 0 || there
	siteText, specText := survey.SiteYAML(found, answers), []byte(nil)
	_, siteErr := api.ParseSite(site, siteText)
	var specErr error
	if !alone {
		specText = survey.ClusterYAML(found, proposal, answers)
		docs, err := manifest.Parse(spec, specText)
		if specErr = err; err == nil {
			_, specErr = api.ClustersFromDocuments(docs)
		}
	}
	if err := errors.Join(siteErr, specErr); err != nil {
		return err
	}
	if _, err := os.Lstat(spec); !alone && !errors.Is(err, fs.ErrNotExist) {
		return redact.Errorf("%s: there is one already", spec)
	}
	if err := os.MkdirAll(filepath.Dir(spec), 0o755); err != nil {
		return err
	}
	if err := b.makeRepository(ui, answers); err != nil {
		return err
	}
	if !alone {
		if err := writeNew(spec, specText); err != nil {
			return err
		}
	}
	if err := writeNew(site, siteText); err != nil {
		return err
	}
	if err := b.writeSchemas(ui); err != nil {
		return err
	}
	ui.Done = site + " is written"
	fmt.Fprintf(ui.Out, "\nwrote %s\n", text.Line(site))
	switch {
	case there:
		ui.Say("%s has files already, so no first SIPCluster was written; "+
			"next: read the Site, then sipgen lint and sipgen plan", folder)
		return nil
	case alone:
		ui.Say("no host is free (%s), so no first SIPCluster was written; next: read the Site, and put specs into %s",
			others, folder)
		return nil
	}
	fmt.Fprintf(ui.Out, "wrote %s\n", text.Line(spec))
	if answers.Trial {
		shown := strings.TrimPrefix(answers.Repository, "file://")
		if b.Repo != "" {
			shown = b.Repo
		}
		ui.Say("next: read both files, then sipgen plan; sipgen publish --propose first; "+
			"git -C %s show first; sipgen publish", shown)
		return nil
	}
	ui.Say("next: read both files, then sipgen lint and sipgen plan; "+
		"the namespace %s has to exist before the first sync", answers.Namespace)
	return nil
}

// writeSchemas writes the JSON Schema of each kind, for editors. Files that are there stay.
func (b *Beginning) writeSchemas(ui *terminal.UI) error {
	folder := filepath.Join(b.Dir, survey.SchemaFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	kinds, err := fields.Kinds()
	if err != nil {
		return err
	}
	for i := range kinds {
		schema, err := kinds[i].JSONSchema()
		if err != nil {
			return err
		}
		file := filepath.Join(folder, strings.ToLower(kinds[i].Name)+".json")
		if err := writeNew(file, schema); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	ui.Say("%s has their JSON Schemas, for editors; sipgen fields writes newer ones", folder)
	return nil
}

// makeRepository makes the repository of a trial if it is not there.
func (b *Beginning) makeRepository(ui *terminal.UI, answers survey.Answers) error {
	folder := strings.TrimPrefix(answers.Repository, "file://")
	if _, err := os.Lstat(folder); !answers.Trial || !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	author := publish.Signature{Name: "sipgen", Email: "sipgen@localhost"}
	if err := publish.NewRepository(folder, "main", author, time.Now()); err != nil {
		return fmt.Errorf("--repo: %w", err)
	}
	ui.Say("made %s, a bare git repository with a branch main", folder)
	return nil
}

// hasManifests reports whether a folder has files that a run would read.
func hasManifests(folder string) bool {
	found := false
	// unreadable files are not specs
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// writeNew writes a file that is not there.
func writeNew(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}
