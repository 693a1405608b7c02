package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/publish"
)

// previousFlags are the flags that name the tree as it was: a folder, or a branch of a repository.
type previousFlags struct {
	dir string
	git repository
	// compared: the tree is what the next one is compared with, by a flag of its own, and may not be there yet.
	compared bool
}

// noPrevious is the word for --previous that says there is none.
const noPrevious = "none"

// previousError: the previous tree is in the Site's repository, which no flag named, and that cannot be read.
type previousError struct{ err error }

func (e *previousError) Error() string {
	return "the previous tree is in the Site's repository: " + e.err.Error()
}
func (e *previousError) Unwrap() error { return e.err }

// notTreeError: the folder that --previous names holds something else. It is only read, so nothing can be adopted.
type notTreeError struct {
	dir string
	err error
}

func (e *notTreeError) Error() string {
	if errors.Is(e.err, publish.ErrForeign) {
		return fmt.Sprintf("--previous: %s: not a tree that sipgen wrote: it has files, but no %s", e.dir, publish.OwnershipFile)
	}
	return "--previous: " + e.err.Error()
}

func (e *notTreeError) Unwrap() error { return e.err }

func (e *notTreeError) hint() string {
	if errors.Is(e.err, publish.ErrForeign) {
		return "--previous takes the folder that sipgen render wrote, with everything in it; --repo URL reads the tree of a repository, and --previous none plans without one"
	}
	return "" // the error says what to do
}

func (p *previousFlags) flags(command *cobra.Command) {
	command.Flags().StringVar(&p.dir, "previous", "", "the previous tree: a `DIR` that sipgen render wrote, or the word none (default: the Site's repository)")
	p.git.flags(command)
}

// read gives the tree as it was: that of the Site's repository, where the flags name no other. The site says the branch and the folder
// where the flags do not. Where there is none yet, that is said: every host that has no labels is free then.
func (p *previousFlags) read(ctx context.Context, ui *terminal.UI, site *v1alpha1.Site) (app.Before, error) {
	switch {
	case p.dir != "" && p.git.url != "" && p.dir == os.Getenv("SIPGEN_PREVIOUS") && p.git.url == os.Getenv("SIPGEN_REPO"):
		return app.Before{}, errors.New("$SIPGEN_PREVIOUS and $SIPGEN_REPO are both set, and each says where the previous tree is: unset one of them")
	case p.dir != "" && p.git.url != "":
		return app.Before{}, errors.New("--previous and --repo: use only one of them")
	case p.dir == noPrevious && !p.compared:
		return app.Before{}, nil
	case p.dir != "":
		return p.readFolder(ctx)
	}
	named := p.git.url != ""
	p.git.defaults(site)
	target, err := p.git.target()
	if err != nil {
		return app.Before{}, err
	}
	for _, warning := range unencrypted(target, nil) {
		ui.Say("warning: %s", warning)
	}
	done := ui.Stage("reading " + target.String())
	snapshot, err := publish.Read(ctx, target)
	done()
	switch {
	case err != nil && named, err != nil && p.compared:
		return app.Before{}, err
	case err != nil:
		return app.Before{}, &previousError{err}
	}
	before, err := app.ReadSnapshot(target, snapshot)
	if err == nil && len(before.Files) == 0 && before.Unsealed == nil && !p.compared {
		ui.Say("no previous tree: %s has none yet", target)
	}
	return before, err
}

// readOrWarn is read for commands that decide nothing: where the Site's repository cannot be read, they go on without a previous tree.
func (p *previousFlags) readOrWarn(ctx context.Context, ui *terminal.UI, site *v1alpha1.Site) (app.Before, error) {
	before, err := p.read(ctx, ui, site)
	//guard: nobody can look at hosts and specs while git is down
	if unread := (*previousError)(nil); errors.As(err, &unread) {
		ui.Say("warning: %s: going on without it, so decisions that are not synced yet are not known", unread)
		return app.Before{}, nil
	}
	return before, err
}

// readFolder gives the tree in the folder that --previous names.
func (p *previousFlags) readFolder(ctx context.Context) (app.Before, error) {
	// A name that is misspelt would make every host a new one.
	about, err := os.Stat(p.dir)
	//guard: a misspelt --previous is a site without decisions: every host is new
	if !p.compared && err != nil {
		hint := ""
		if errors.Is(err, fs.ErrNotExist) && manifest.Nearest(p.dir, []string{noPrevious}) != "" {
			hint = fmt.Sprintf(", did you mean %q?", noPrevious)
		}
		return app.Before{}, fmt.Errorf("--previous: %s: %w%s", p.dir, reasonOf(err), hint)
	}
	if !p.compared && !about.IsDir() {
		return app.Before{}, fmt.Errorf("--previous: %s: a file, want the folder of a tree", p.dir)
	}
	//guard: who names a repository as the previous tree is told to adopt it
	if isRepository(p.dir) && !p.compared {
		return app.Before{}, fmt.Errorf("--previous: %s is a git repository: --repo is for that", p.dir)
	}
	tree, err := app.ReadFolder(ctx, p.dir, false)
	if err != nil && !p.compared {
		//guard: who names the wrong folder as the previous tree is told to adopt it
		err = &notTreeError{p.dir, err}
	}
	return tree, err
}

// repository is the flags that name a repository, a branch and a folder in it.
type repository struct {
	url, branch, path string
	timeout           time.Duration
}

func (r *repository) flags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&r.url, "repo", "", "the git repository: a path, or a file, ssh or https `URL`")
	flags.StringVar(&r.branch, "branch", "", "the branch (default: the Site's)")
	flags.StringVar(&r.path, "path", "", "the tree's folder in the repository (default: the Site's)")
	flags.DurationVar(&r.timeout, "timeout", 30*time.Minute, "time limit for everything that involves the repository")
}

// defaults fills what the flags leave open from the site.
func (r *repository) defaults(site *v1alpha1.Site) {
	if r.url == "" {
		r.url = site.Spec.Repository.URL
	}
	if r.branch == "" {
		r.branch = site.Spec.Repository.Branch
	}
	if r.path == "" {
		r.path = site.Spec.Repository.Path
	}
}

// target is the repository with credentials from the environment.
func (r *repository) target() (publish.Target, error) {
	//guard: --path leads out of the repository
	if r.path != "" && !filepath.IsLocal(filepath.FromSlash(r.path)) {
		return publish.Target{}, redact.Errorf("--path: found %q, want a folder inside the repository", r.path)
	}
	if near := nearRepository(r.url); near != "" {
		return publish.Target{}, redact.Errorf("--repo: %s: no such repository, did you mean %q?", r.url, near)
	}
	auth, err := authFromEnvironment(os.Getenv)
	return publish.Target{URL: r.url, Branch: r.branch, Path: r.path, Auth: auth, Timeout: r.timeout}, err
}

// nearRepository is the folder that was probably meant by a path where there is nothing.
func nearRepository(url string) string {
	if strings.Contains(url, ":") || url == "" || app.There(url) {
		return ""
	}
	entries, err := os.ReadDir(filepath.Dir(url))
	if err != nil {
		return ""
	}
	var folders []string
	for _, entry := range entries {
		if entry.IsDir() {
			folders = append(folders, entry.Name())
		}
	}
	near := manifest.Nearest(filepath.Base(url), folders)
	if near == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(url), near)
}

// isRepository says that a folder is a bare git repository.
func isRepository(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if !app.There(filepath.Join(dir, name)) {
			return false
		}
	}
	return !app.There(filepath.Join(dir, publish.OwnershipFile))
}

// elsewhere says in what a target is not the place that the tree is synced from, by its own objects. Where somebody carries the tree on from
// there, that is meant.
func elsewhere(site *v1alpha1.Site, target publish.Target) []string {
	var out []string
	repository := site.Spec.Repository
	if target.Branch != repository.Branch {
		out = append(out, redact.Sprintf("--branch is %q, but the rendered sync objects use branch %q (the Site's spec.repository.branch)", target.Branch, repository.Branch))
	}
	if path.Clean("./"+target.Path) != path.Clean("./"+repository.Path) {
		out = append(out, redact.Sprintf("--path is %q, but the rendered sync objects use folder %q (the Site's spec.repository.path)", target.Path, repository.Path))
	}
	return out
}

// reasonOf is why a path could not be looked at, without the name of the system's call.
func reasonOf(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}
