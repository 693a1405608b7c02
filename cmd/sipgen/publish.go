package main

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/publish"
	"github.com/airshipit/sipgen/report"
)

func newPublish(ui *ui) *cobra.Command {
	var (
		in      inputs
		repo    repository
		author  string
		message string
		how     rendering
		adopt   bool
	)
	command := &cobra.Command{
		Use:   "publish --site FILE -f SPECS --inventory HOSTS",
		Short: "Commit the tree to a branch of a git repository, and push",
		Long: `Commit the tree to a branch of a git repository, and push. The branch's tip is the previous tree: its
decisions are kept. An unchanged tree makes no commit. Only files that sipgen wrote are changed or deleted.`,
		Example: `  sipgen publish --site site.yaml -f tenants --inventory hosts --repo fleet.git
  sipgen publish --site site.yaml -f tenants --inventory cluster`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			who, err := parseAuthor(author)
			if err != nil {
				return err
			}
			loaded, err := in.load(cmd.Context(), ui)
			if err != nil {
				return err
			}
			repo.defaults(loaded.site)
			return publishLoop(cmd.Context(), ui, loaded, repo.target(), publishOptions{
				author: who, message: message, how: how, adopt: adopt,
			})
		},
	}
	in.flags(command)
	how.flags(command)
	repo.flags(command)
	flags := command.Flags()
	flags.StringVar(&author, "author", "", `who the commit is by, "Name <address>" (default $GIT_AUTHOR_NAME and $GIT_AUTHOR_EMAIL, else sipgen)`)
	flags.StringVarP(&message, "message", "m", "", "the commit's subject line (default: what changes)")
	flags.BoolVar(&adopt, "adopt", false, "take over files that sipgen did not write")
	return command
}

// defaults fills what the flags leave open from the site.
func (r *repository) defaults(site *v1alpha1.Site) {
	if r.path == "" {
		r.path = site.Spec.Repository.Path
	}
}

type publishOptions struct {
	author  publish.Signature
	message string
	how     rendering
	adopt   bool
}

// publishLoop plans on top of the branch's tip and pushes, again as long as others are faster.
func publishLoop(ctx context.Context, ui *ui, loaded *loaded, target publish.Target, options publishOptions) error {
	now := time.Now()
	result, err := publish.Loop(ctx, target, func(tip *publish.Snapshot) (publish.Tree, publish.Meta, error) {
		tree, plan, err := loaded.tree(ui, previousTree{where: target.String(), files: tip.Tree}, options.how)
		if err != nil {
			return nil, publish.Meta{}, err
		}
		return tree, publish.Meta{
			Author: options.author, When: now, Adopt: options.adopt,
			Message: commitMessage(plan, loaded, options.message, now),
		}, nil
	})
	if err != nil {
		return err
	}
	loaded.sayAge(ui, now)
	for _, path := range result.Drifted {
		ui.say("warning: %s was edited by hand; the edit is overwritten", path)
	}
	if result.Server != "" {
		ui.say("%s says: %s", target, result.Server)
	}
	if !result.Changed {
		ui.say("%s: nothing to commit, up to date at %s", target, result.Commit)
		return nil
	}
	fmt.Fprintln(ui.out, result.Commit)
	ui.say("%s: committed %s, %s", target, result.Commit, countChanges(result.Changes))
	return nil
}

// countChanges says how many files a commit adds, changes and deletes.
func countChanges(changes []publish.Change) string {
	n := map[publish.Kind]int{}
	for _, change := range changes {
		n[change.Kind]++
	}
	return fmt.Sprintf("%d files added, %d changed, %d deleted", n[publish.Added], n[publish.Changed], n[publish.Deleted])
}

func commitMessage(plan *report.Plan, loaded *loaded, subject string, now time.Time) string {
	text := report.CommitMessage(plan, subject)
	if age := loaded.age(now); age != "" {
		text += fmt.Sprintf("\nInventory: %s, %s old\n", loaded.hosts.Context, age)
	}
	return text
}

// parseAuthor reads "Name <address>", or takes git's own environment variables.
func parseAuthor(text string) (publish.Signature, error) {
	if text == "" {
		who := publish.Signature{Name: os.Getenv("GIT_AUTHOR_NAME"), Email: os.Getenv("GIT_AUTHOR_EMAIL")}
		if who.Name == "" {
			who.Name = "sipgen"
		}
		if who.Email == "" {
			who.Email = "sipgen@localhost"
		}
		return who, nil
	}
	address, err := mail.ParseAddress(text)
	if err != nil || address.Name == "" {
		return publish.Signature{}, errors.New(`--author: want "Name <address>"`)
	}
	return publish.Signature{Name: address.Name, Email: address.Address}, nil
}
