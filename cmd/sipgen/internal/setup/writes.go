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
	if err := b.writeSchemas(ui); err != nil { // first: an error is for a run that has written nothing
		return err
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
		shown := b.trial
		if b.Repo != "" {
			shown = b.Repo
		}
		ui.Say("next: read both files, then sipgen plan; %ssipgen publish --propose first; "+
			"git -C %s show first; sipgen publish", b.baseSteps(answers, shown), quoted(shown))
		return nil
	}
	if answers.Base != "" {
		ui.Say("the engine builds the hosts from the repository: it needs the manifests in %s there, "+
			"with a kustomization.yaml that lists them", answers.Base)
	}
	ui.Say("next: read both files, then sipgen lint and sipgen plan; "+
		"the namespace %s has to exist before the first sync", answers.Namespace)
	return nil
}

// baseSteps returns the commands that put the manifests of the hosts into the repository of a trial, with a
// kustomization that lists them: the tree's overlay is built on it.
func (b *Beginning) baseSteps(answers survey.Answers, repository string) string {
	if answers.Base == "" {
		return ""
	}
	// A clone beside the repository, as git names it.
	clone := strings.TrimSuffix(filepath.Base(filepath.Clean(repository)), ".git")
	to := quoted(clone + "/" + answers.Base)
	git := "git -C " + quoted(clone) + " "
	steps := []string{"git clone " + quoted(repository), "mkdir -p " + to}
	if info, err := os.Stat(b.In.Inventory); err == nil && info.IsDir() {
		steps = append(steps, "cp -R "+quoted(b.In.Inventory)+"/. "+to)
	} else {
		steps = append(steps, "cp "+quoted(b.In.Inventory)+" "+to)
	}
	if built, _ := filepath.Glob(filepath.Join(b.In.Inventory, "[Kk]ustomization*")); len(built) == 0 {
		steps = append(steps, "(cd "+to+" && hosts=$(find . -name '*.yaml' | sort | sed 's/^/- /') && "+
			`printf 'resources:\n%s\n' "$hosts" >kustomization.yaml)`)
	}
	return strings.Join(append(steps, git+"add .", git+"commit -m hosts", git+"push", ""), "; ")
}

// quoted returns a word as a shell reads it.
func quoted(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
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
	folder := b.trial
	if _, err := os.Lstat(folder); !answers.Trial || !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	author := publish.Signature{Name: "sipgen", Email: "sipgen@localhost"}
	if err := publish.NewRepository(folder, trialBranch, author, time.Now()); err != nil {
		return fmt.Errorf("--repo: %w", err)
	}
	ui.Say("made %s, a bare git repository with a branch %s", folder, trialBranch)
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
