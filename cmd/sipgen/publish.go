package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/publish"
)

func newPublish(ui *ui) *cobra.Command {
	var (
		in       inputs
		repo     repository
		commit   commitFlags
		how      rendering
		proposal proposal
		hydrator hydrator
		create   bool
		adopt    bool
	)
	command := &cobra.Command{
		Use:   "publish --site FILE -f SPECS --inventory HOSTS --repo URL",
		Short: "Commit the tree to a branch of a git repository and push it",
		Long: `Commit the tree to a branch of a git repository and push it. The tip of the branch is the previous
tree: its decisions are kept. If the tree is unchanged, there is no commit. Only files that sipgen
wrote are changed or deleted. If somebody else pushes first, sipgen plans again on top of that.

With --propose the commit goes to another branch, on top of --branch, for a pull request. The next
proposal replaces it. sipgen prints where to open the pull request by hand. If SIPGEN_FORGE_TOKEN is
set, sipgen opens the pull request, and later updates the open one: it never opens a second one, nor
one that somebody has closed at the same commit. Set --forge if the host name does not show the kind
of forge. With --forge github, gitlab or gitea and an https repository, SIPGEN_GIT_TOKEN is used if
SIPGEN_FORGE_TOKEN is not set.

Credentials come from the environment. For https: SIPGEN_GIT_USERNAME and SIPGEN_GIT_PASSWORD, or
SIPGEN_GIT_TOKEN. For ssh: SIPGEN_SSH_KEY_FILE, SIPGEN_SSH_KEY_PASSPHRASE and
SIPGEN_SSH_KNOWN_HOSTS, else the SSH agent and ~/.ssh. SIPGEN_GIT_CA_FILE, SIPGEN_GIT_CERT_FILE,
SIPGEN_GIT_KEY_FILE and SIPGEN_GIT_PROXY apply to git and the forge's API. Each secret can come from a
file, which NAME_FILE names. Without any of these, git's credential helper is used.`,
		Example: `  sipgen publish --site site.yaml -f tenants --inventory hosts --repo fleet.git
  sipgen publish --site site.yaml -f tenants --inventory cluster --repo https://git.example.org/fleet.git --propose sipgen/dc1`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			now := time.Now()
			meta, err := commit.meta(now)
			if err != nil {
				return err
			}
			loaded, err := in.load(cmd.Context(), ui)
			if err != nil {
				return err
			}
			repo.defaults(loaded.site)
			target, err := repo.target()
			if err != nil {
				return err
			}
			target.Proposal, target.Create = proposal.branch, create
			requester, err := proposal.prepare(target, os.Getenv)
			if err != nil {
				return err
			}
			if hydrator.file == "" { // else GitOps Promoter carries it on
				for _, warning := range elsewhere(loaded.site, target) {
					ui.say("warning: %s", warning)
				}
			}
			meta.Adopt = adopt
			meta.Trailers, err = loaded.trailers()
			if err != nil {
				return err
			}
			if err := hydrator.add(&meta, append([]string{in.site}, in.specs...)); err != nil {
				return err
			}
			done, err := loaded.publish(cmd.Context(), ui, target, meta, commit.message, how)
			if err != nil {
				return err
			}
			serverSaid, hint := requester.cutHint(done.Server)
			loaded.sayPublished(ui, target, meta, done, serverSaid)
			if err := requester.request(cmd.Context(), ui, loaded, meta, done, hint); err != nil {
				return err
			}
			return unschedulable(done.plan)
		},
	}
	in.flags(command)
	repo.flags(command)
	commit.flags(command)
	how.flags(command)
	flags := command.Flags()
	proposal.flags(command)
	hydrator.flags(command)
	flags.BoolVar(&create, "create-branch", false, "if --branch does not exist, create it from the repository's main branch")
	flags.BoolVar(&adopt, "adopt", false, "take over files that sipgen did not write")
	return command
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

// publication is a commit that was pushed, or was there already, and the plan that its tree was rendered from.
type publication struct {
	*publish.Published
	plan *report.Plan
}

// publish plans on top of the branch's tip, and commits and pushes the tree, again as long as others are faster.
func (l *loaded) publish(ctx context.Context, ui *ui, target publish.Target, meta publish.Meta, subject string, how rendering) (*publication, error) {
	defer ui.progress.stage("publishing to " + target.String())()
	result, plan, err := publish.Loop(ctx, target, func(tip *publish.Snapshot) (publish.Tree, publish.Meta, *report.Plan, error) {
		before, err := readSnapshot(target, tip, meta.Adopt)
		if err != nil {
			return nil, publish.Meta{}, nil, err
		}
		tree, plan, err := l.tree(ui, before, how)
		meta := meta
		meta.Message = func(changes []publish.Change) string { return commitMessage(plan, l, subject, changes, meta.When) }
		return tree, meta, plan, err
	})
	return &publication{result, plan}, err
}

// sayPublished says what was committed, and serverSaid, the server's output without what it says of pull requests.
func (l *loaded) sayPublished(ui *ui, target publish.Target, meta publish.Meta, done *publication, serverSaid string) {
	for _, path := range done.Drifted {
		ui.say("warning: %s was edited by hand; the edit is overwritten", path)
	}
	l.sayAge(ui, meta.When)
	if serverSaid != "" {
		ui.say("%s says: %s", target, serverSaid)
	}
	if !done.Changed {
		ui.say("%s: nothing to commit, up to date at %s", target, done.Commit)
		return
	}
	fmt.Fprintln(ui.out, done.Commit)
	ui.say("%s: committed %s, %s", target, done.Commit, countChanges(done.Changes))
}

// countChanges says how many files a commit adds, changes and deletes.
func countChanges(changes []publish.Change) string {
	n := map[publish.Kind]int{}
	for _, change := range changes {
		n[change.Kind]++
	}
	return fmt.Sprintf("%d files added, %d changed, %d deleted", n[publish.Added], n[publish.Changed], n[publish.Deleted])
}
