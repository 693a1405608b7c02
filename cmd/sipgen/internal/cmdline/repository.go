package cmdline

import (
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/publish"
)

// Repository is the flags that name a repository, a branch and a folder in it.
type Repository struct {
	URL, Branch, Path string
	Timeout           time.Duration
}

func (r *Repository) Flags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&r.URL, "repo", "", "the git repository: a path, or a file, ssh or https `URL`")
	flags.StringVar(&r.Branch, "branch", "", "the branch (default: the Site's)")
	flags.StringVar(&r.Path, "path", "", "the tree's folder in the repository (default: the Site's)")
	flags.DurationVar(&r.Timeout, "timeout", 30*time.Minute, "time limit for everything that involves the repository")
}

// Defaults fills what the flags leave open from the site.
func (r *Repository) Defaults(site *v1alpha1.Site) {
	if r.URL == "" {
		r.URL = site.Spec.Repository.URL
	}
	if r.Branch == "" {
		r.Branch = site.Spec.Repository.Branch
	}
	if r.Path == "" {
		r.Path = site.Spec.Repository.Path
	}
}

// Target returns the repository with credentials from the environment.
func (r *Repository) Target() (publish.Target, error) {
	if r.Path != "" && !filepath.IsLocal(filepath.FromSlash(r.Path)) {
		return publish.Target{}, redact.Errorf("--path: found %q, want a folder inside the repository", r.Path)
	}
	auth, err := authFromEnvironment(os.Getenv)
	return publish.Target{URL: r.URL, Branch: r.Branch, Path: r.Path, Auth: auth, Timeout: r.Timeout}, err
}

// IsRepository reports whether a folder is a bare git repository.
func IsRepository(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if !app.There(filepath.Join(dir, name)) {
			return false
		}
	}
	return !app.There(filepath.Join(dir, publish.OwnershipFile))
}
