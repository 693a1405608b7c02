package main

import (
	"os"
	"path"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/publish"
)

// destinationFlags are the flags that say where a commit goes and what it carries.
type destinationFlags struct {
	repo     cmdline.Repository
	commit   commitFlags
	proposal proposal
	hydrator hydrator
	create   bool
	adopt    bool
}

func (d *destinationFlags) flags(command *cobra.Command) {
	d.repo.Flags(command)
	d.commit.flags(command)
	d.proposal.flags(command)
	d.hydrator.flags(command)
	flags := command.Flags()
	flags.BoolVar(&d.create, "create-branch", false, "if --branch does not exist, create it from the repository's main branch")
	flags.BoolVar(&d.adopt, "adopt", false, "take over files that sipgen did not write")
}

// destination is where a commit goes, and what it carries beside the tree.
type destination struct {
	target  publish.Target
	meta    publish.Meta
	subject string
	// requester opens the pull request, nil if there is to be none.
	requester *pullRequester
	warnings  []string
}

// destination is what the flags say, the Site where they do not, and the environment. specs are the files that the tree is made from.
func (d *destinationFlags) destination(loaded *app.Loaded, meta publish.Meta, specs []string) (*destination, error) {
	d.repo.Defaults(loaded.Site)
	to := &destination{meta: meta, subject: d.commit.message}
	var err error
	if to.target, err = d.repo.Target(); err != nil {
		return nil, err
	}
	//guard: --path puts the tree around the hosts' manifests, whose kustomization it replaces
	if inside := loaded.Site.BaseInside(to.target.Path); inside != "" {
		return nil, redact.Errorf("--path: spec.hosts.base: %s", inside)
	}
	to.target.Proposal, to.target.Create = d.proposal.branch, d.create
	if to.requester, err = d.proposal.prepare(to.target, os.Getenv); err != nil {
		return nil, err
	}
	if d.hydrator.file == "" { // else GitOps Promoter carries it on
		to.warnings = elsewhere(loaded.Site, to.target)
	}
	//guard: a run that sends its token in the clear does not say so
	to.warnings = append(to.warnings, unencrypted(to.target, to.requester)...)
	to.meta.Adopt = d.adopt
	if to.meta.Trailers, err = trailers(loaded); err != nil {
		return nil, err
	}
	return to, d.hydrator.add(&to.meta, specs)
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
