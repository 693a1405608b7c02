// Package push handles a commit apart from the tree: its destination, metadata, approval, and pull request.
package push

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/api/v1alpha1/validation"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/fleet"
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
	to, err := d.to(d.repo, meta)
	if err != nil {
		return nil, err
	}
	if inside := validation.BaseInside(loaded.Site, to.Target.Path); inside != "" {
		return nil, redact.Errorf("--path: spec.hosts.base: %s", inside)
	}
	to.Warnings = append(d.Elsewhere(loaded.Site, to.Target), to.Warnings...)
	to.Meta.Adopt = d.adopt
	own, err := Trailers(loaded, d.Version)
	if err != nil {
		return nil, err
	}
	to.Meta.Trailers = append(own, to.Meta.Trailers...)
	return to, d.hydrator.add(&to.Meta, specs)
}

// to returns the destination in a repository, without trailers.
func (d *Settings) to(repo cmdline.Repository, meta publish.Meta) (*Destination, error) {
	to := &Destination{Meta: meta, Subject: d.commit.message}
	var err error
	if to.Target, err = repo.Target(); err != nil {
		return nil, err
	}
	to.Target.Proposal, to.Target.Create = d.proposal.branch, d.create
	if to.PullRequest, err = d.proposal.prepare(to.Target, os.Getenv); err != nil {
		return nil, err
	}
	to.Warnings = unencrypted(to.Target, to.PullRequest)
	return to, nil
}

// Proposes reports whether the commit is for a pull request.
func (d *Settings) Proposes() bool { return d.proposal.branch != "" }

// Place returns the repository and branch of a Site of a fleet, by the flags and the Site.
func (d *Settings) Place(site *fleet.Site) (url, branch string) {
	return cmp.Or(d.repo.URL, site.URL), cmp.Or(d.repo.Branch, site.Branch)
}

// Previous returns the tree that a commit for the Site of a fleet follows.
func (d *Settings) Previous(in *cmdline.Inputs) *cmdline.Previous {
	return cmdline.Compared("", d.repo, in)
}

// FleetDestination returns the destination of the commit for Sites of one repository and branch.
func (d *Settings) FleetDestination(sites []fleet.Site, meta publish.Meta) (*Destination, error) {
	repo := d.repo
	repo.URL, repo.Branch = d.Place(&sites[0])
	meta.Trailers = slices.Clone(meta.Trailers)
	to, err := d.to(repo, meta)
	if err != nil {
		return nil, err
	}
	var files []string
	for i := range sites {
		files = append(files, sites[i].Files...)
	}
	return to, d.hydrator.add(&to.Meta, files)
}

// FleetTrailers name the inputs of a commit for many Sites: the digests of those of all Sites, by their names.
func FleetTrailers(sites []string, own [][]publish.Trailer) (trailers []publish.Trailer) {
	for i := range own[0] {
		trailer := own[0][i]
		if strings.HasSuffix(trailer.Key, digestTrailer) {
			var all strings.Builder
			for j, name := range sites {
				fmt.Fprintf(&all, "%s %s\n", name, own[j][i].Value)
			}
			sum := sha256.Sum256([]byte(all.String()))
			trailer.Value = "sha256:" + hex.EncodeToString(sum[:])
		}
		trailers = append(trailers, trailer)
	}
	return trailers
}

// Elsewhere warns of a target that differs from the place in the tree's own sync objects. It is intended if another
// job copies the tree from there.
func (d *Settings) Elsewhere(site *v1alpha1.Site, target publish.Target) []string {
	var out []string
	if d.hydrator.file != "" { // GitOps Promoter carries it on
		return nil
	}
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
