package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/push"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/release"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/publish"
)

func newPublish(ui *terminal.UI) *cobra.Command {
	var (
		in     cmdline.Inputs
		losses tolerance
		dest   = push.Settings{Version: release.Version()}
		ask    push.Approval
	)
	command := &cobra.Command{
		Use:   "publish --repo URL",
		Short: "Commit the tree to a branch of a git repository and push it",
		Long: `Commit the tree to a branch of a git repository and push it. The tip of the branch is the previous
tree; its assignments are kept. An unchanged tree makes no commit. Only sipgen's files are changed
or deleted. If another push comes first, sipgen plans again on top of it.

Of a fleet the Sites of one repository and branch are one commit, and after another push only the
Sites whose folders it changed are planned again.

A cluster with a wrong spec, or with missing hosts, keeps its hosts and services; the others are
published, and the exit code is 1. It is also 1 if standby hosts are missing, or lint finds an
error in a spec.

sipgen prints the dangers first. On a terminal it then asks, unless --yes is given. --dry-run stops
there, without a push.

With --propose the commit goes to another branch, on top of --branch, for a pull request. The next
proposal replaces it, unless the branch has commits of another author. With SIPGEN_FORGE_TOKEN,
sipgen opens and updates the pull request; otherwise it prints the URL. A closed pull request is not
reopened for the same commit. Set --forge unless the host name is one of docs/pull-requests.md,
such as github.com. With --forge github, gitlab or gitea and https, SIPGEN_GIT_TOKEN replaces a
missing SIPGEN_FORGE_TOKEN.

Credentials come from the environment. For https: SIPGEN_GIT_USERNAME and SIPGEN_GIT_PASSWORD, or
SIPGEN_GIT_TOKEN. For ssh: SIPGEN_SSH_KEY_FILE, SIPGEN_SSH_KEY_PASSPHRASE and
SIPGEN_SSH_KNOWN_HOSTS, else the SSH agent and ~/.ssh. SIPGEN_GIT_CA_FILE, SIPGEN_GIT_CERT_FILE,
SIPGEN_GIT_KEY_FILE and SIPGEN_GIT_PROXY apply to git and the forge's API. Each secret can come
from a file: NAME_FILE is its path. Without any of these, git's credential helper is used.`,
		Example: `  sipgen publish --site site.yaml -f tenants --inventory hosts --repo fleet.git
  sipgen publish --site site.yaml -f tenants --inventory cluster \
    --repo https://git.example.org/fleet.git --propose sipgen/dc1`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if in.Fleet() {
				return publishFleet(cmd, ui, &in, losses, &dest, &ask)
			}
			meta, err := dest.Meta(time.Now())
			if err != nil {
				return err
			}
			how, err := losses.of(&in)
			if err != nil {
				return err
			}
			how.Pushes = true
			loaded, err := in.Load(ctx, ui)
			if err != nil {
				return unpushed(err)
			}
			to, err := dest.Destination(loaded, meta, in.Files())
			if err != nil {
				return err
			}
			for _, warning := range to.Warnings {
				ui.Say("warning: %s", warning)
			}
			ask.Begin(ui, to)
			published, err := publishTree(ctx, ui, loaded, to, how, &ask)
			if errors.Is(err, push.ErrDryRun) {
				return outcome(published.Plan)
			}
			if err != nil {
				return err
			}
			if published.Changed {
				ui.Done = fmt.Sprintf("%s: %s is pushed", to.Target, published.Commit)
			}
			serverSaid, hint := to.PullRequest.CutHint(published.Server)
			sayPublished(ui, to, published, serverSaid)
			if err := to.PullRequest.Request(ctx, ui, published, hint); err != nil {
				return err
			}
			return outcome(published.Plan)
		},
	}
	in.Flags(command)
	in.SelectFlag(command)
	dest.Flags(command)
	losses.flags(command)
	command.Flags().BoolVar(&losses.NewerTree, "accept-newer-tree", false,
		"write over a tree of a newer minor version of sipgen")
	ask.Flags(command)
	return command
}

// unpushedError ends a run before anything was pushed.
type unpushedError struct{ error }

func (e *unpushedError) Unwrap() []error { return []error{e.error} }

// unpushed marks an error that ends a run before anything was pushed.
func unpushed(err error) error { return &unpushedError{err} }

// publishTree plans on top of the branch's tip, commits and pushes the tree, again as long as others are faster.
func publishTree(ctx context.Context, ui *terminal.UI, loaded *app.Loaded, to *push.Destination, how app.Tolerance,
	ask *push.Approval) (*push.Publication, error) {
	defer ui.Stage("publishing to " + to.Target.String())()
	to.Target.Waiting = func(reason string) {
		ui.Say("another push holds the branch; trying again for up to three minutes: %s", reason)
	}
	again := func(tip *publish.Snapshot) (publish.Tree, publish.Meta, *push.Publication, error) {
		fail := func(err error) (publish.Tree, publish.Meta, *push.Publication, error) {
			return nil, publish.Meta{}, nil, unpushed(err)
		}
		before, err := app.ReadSnapshot(ctx, to.Target, tip, loaded.Hosts.TakenAt)
		if err != nil {
			return fail(err)
		}
		before.Adopt = to.Meta.Adopt
		checked, err := publishable(ctx, ui, loaded, before, how)
		if err != nil {
			return fail(err)
		}
		words := compare(ui, checked.Rendered)
		meta := to.Meta
		meta.Lists = checked.Rendered.Lists()
		meta.Message = func(changes []publish.Change) string {
			words.Files = push.FilesOf(changes)
			return push.CommitMessage(loaded, words, to.Subject)
		}
		meta.Approve = func(changes []publish.Change) error {
			words.Files = push.FilesOf(changes)
			return ask.Approve(ui, words, sayKinds(countKinds(changes)))
		}
		return checked.Rendered.Tree, meta, &push.Publication{Plan: checked.Plan, Report: words, Meta: to.Meta}, nil
	}
	done, out, err := publish.Loop(ctx, to.Target, again)
	if out == nil {
		return nil, err
	}
	out.Published = done
	return out, err
}

// sayPublished reports the commit, and serverSaid, the server's output without its messages about pull requests.
func sayPublished(ui *terminal.UI, to *push.Destination, p *push.Publication, serverSaid string) {
	sayAge(ui, p.Plan.Loaded, p.Meta.When)
	if serverSaid != "" {
		ui.Say("%s reports: %s", to.Target, serverSaid)
	}
	if !p.Changed { // what a reviewer would have read in the commit
		for _, danger := range p.Report.Standing() {
			ui.Say("danger: %s", danger)
		}
		ui.Say("%s: nothing to commit, up to date at %s", to.Target, p.Commit)
		return
	}
	fmt.Fprintln(ui.Out, p.Commit)
	ui.Say("%s: committed %s, %s", to.Target, p.Commit, sayKinds(countKinds(p.Changes)))
}

// countKinds counts changes by their kinds.
func countKinds(changes []publish.Change) map[publish.Kind]int {
	n := map[publish.Kind]int{}
	for i := range changes {
		n[changes[i].Kind]++
	}
	return n
}

// sayKinds returns how many files a commit adds, changes and deletes.
func sayKinds(n map[publish.Kind]int) string {
	return fmt.Sprintf("%s added, %d changed, %d deleted%s", text.Count(n[publish.Added], "file"), n[publish.Changed],
		n[publish.Deleted], andList(n[publish.Added]+n[publish.Changed]+n[publish.Deleted]))
}

// andList names the lists of sipgen's files: one changes with any of them.
func andList(changes int) string {
	if changes == 0 {
		return ""
	}
	return ", and " + publish.OwnershipFile
}
