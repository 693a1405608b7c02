// Package push handles a commit apart from the tree: its destination, metadata, approval, and pull request.
package push

import (
	"os"
	"path"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/api/v1alpha1/validation"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/publish"
)

// Settings are the flags for the destination and the metadata of a commit.
type Settings struct {
	// Version is sipgen's, for the commit.
	Version  string
	repo     cmdline.Repository
	commit   commitFlags
	proposal proposal
	hydrator hydrator
	create   bool
	adopt    bool
}

func (d *Settings) Flags(command *cobra.Command) {
	d.repo.Flags(command)
	d.commit.flags(command)
	d.proposal.flags(command)
	d.hydrator.flags(command)
	flags := command.Flags()
	flags.BoolVar(&d.create, "create-branch", false,
		"if --branch does not exist, create it from the repository's main branch")
	flags.BoolVar(&d.adopt, "adopt", false, "take over files that sipgen did not write")
}

// Destination is the destination of a commit, with its metadata.
type Destination struct {
	Target  publish.Target
	Meta    publish.Meta
	Subject string
	// PullRequest opens the pull request, nil if there is to be none.
	PullRequest *pullRequester
	Warnings    []string
}

// Meta returns the commit's author, signer and rules; the message comes with the plan.
func (d *Settings) Meta(now time.Time) (publish.Meta, error) { return d.commit.meta(now) }

// Destination returns the destination by the flags, the Site and the environment. specs are the files that the tree
// is made from.
func (d *Settings) Destination(loaded *app.Loaded, meta publish.Meta, specs []string) (*Destination, error) {
	d.repo.Defaults(loaded.Site)
	to := &Destination{Meta: meta, Subject: d.commit.message}
	var err error
	if to.Target, err = d.repo.Target(); err != nil {
		return nil, err
	}
	if inside := validation.BaseInside(loaded.Site, to.Target.Path); inside != "" {
		return nil, redact.Errorf("--path: spec.hosts.base: %s", inside)
	}
	to.Target.Proposal, to.Target.Create = d.proposal.branch, d.create
	if to.PullRequest, err = d.proposal.prepare(to.Target, os.Getenv); err != nil {
		return nil, err
	}
	if d.hydrator.file == "" { // else GitOps Promoter carries it on
		to.Warnings = elsewhere(loaded.Site, to.Target)
	}
	to.Warnings = append(to.Warnings, unencrypted(to.Target, to.PullRequest)...)
	to.Meta.Adopt = d.adopt
	own, err := Trailers(loaded, d.Version)
	if err != nil {
		return nil, err
	}
	to.Meta.Trailers = append(own, to.Meta.Trailers...)
	return to, d.hydrator.add(&to.Meta, specs)
}

// elsewhere warns of a target that differs from the place in the tree's own sync objects. It is intended if another
// job copies the tree from there.
func elsewhere(site *v1alpha1.Site, target publish.Target) []string {
	var out []string
	repository := site.Spec.Repository
	if target.Branch != repository.Branch {
		out = append(out, redact.Sprintf("--branch is %q, but the rendered sync objects use branch %q "+
			"(the Site's spec.repository.branch)", target.Branch, repository.Branch))
	}
	if path.Clean("./"+target.Path) != path.Clean("./"+repository.Path) {
		out = append(out, redact.Sprintf("--path is %q, but the rendered sync objects use folder %q "+
			"(the Site's spec.repository.path)", target.Path, repository.Path))
	}
	return out
}
