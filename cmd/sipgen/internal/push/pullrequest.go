package push

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/forge"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/publish"
)

// ErrNoPullRequest: the branch was pushed, and the pull request could not be opened or updated.
var ErrNoPullRequest = errors.New("pushed, but the pull request could not be opened or updated")

// pullRequester opens the pull request of a pushed proposal, or prints where to open it. A nil pullRequester does
// nothing.
type pullRequester struct {
	target     publish.Target
	labels     []string
	repository forge.Repository
	local      bool // the repository is on no forge
	silent     bool // --forge none
	client     *forge.Client
}

// CutHint removes the server's message about a pull request from its output: Request reports it once. A message with
// an address on another host than the forge's stays as the server's.
func (p *pullRequester) CutHint(serverSaid string) (string, forge.PullRequestHint) {
	if p == nil || p.silent {
		return serverSaid, forge.PullRequestHint{}
	}
	rest, hint := forge.CutPullRequestHint(serverSaid)
	if on, _ := p.repository.OnHost(hint.Page); !on && !p.local {
		return serverSaid, forge.PullRequestHint{}
	}
	return rest, hint
}

// Request opens or updates the pull request with a token; without one it prints where to open it.
func (p *pullRequester) Request(ctx context.Context, ui *terminal.UI, done *Publication,
	hint forge.PullRequestHint) error {
	describe := func() string {
		return report.PullRequest(done.Report, About(done.Plan.Loaded, done.Changes, done.Meta, done.Commit))
	}
	return p.request(ctx, ui, done.Published, len(done.Changes) == 0, describe, hint)
}

// RequestFleet is Request for a commit with many Sites.
func (p *pullRequester) RequestFleet(ctx context.Context, ui *terminal.UI, done *publish.Published, meta publish.Meta,
	review *report.Review, hint forge.PullRequestHint) error {
	empty := review.Changed == 0
	describe := func() string {
		return report.FleetRequest(review, report.About{Empty: empty, Stamps: stamps(meta, done.Commit)})
	}
	return p.request(ctx, ui, done, empty, describe, hint)
}

// request opens or updates the pull request of a commit, with its description.
func (p *pullRequester) request(ctx context.Context, ui *terminal.UI, done *publish.Published, empty bool,
	describe func() string, hint forge.PullRequestHint) error {
	if p == nil {
		return nil
	}
	page := p.repository.Page(p.target.Branch, p.target.Proposal)
	if page == "" {
		page = hint.Page
	}
	switch {
	case p.client != nil:
		return p.open(ctx, ui, done, empty, describe(), page)
	case empty:
		ui.Say("no pull request needed: %s already has everything", p.target.Branch)
	case hint.Open:
		ui.Say("pull request already open: %s", hint.Page)
	case page != "":
		ui.Say("open the pull request: %s", page)
	case p.silent || p.local:
		ui.Say("proposed on branch %s, for %s", p.target.Proposal, p.target.Branch)
	default:
		ui.Say("proposed on branch %s, for %s; %s is a forge of unknown kind: set --forge to github, gitlab or gitea",
			p.target.Proposal, p.target.Branch, p.repository.Web)
	}
	return nil
}

func (p *pullRequester) open(ctx context.Context, ui *terminal.UI, done *publish.Published, empty bool, body,
	page string) error {
	subject, _, _ := strings.Cut(done.Message, "\n")
	opened, err := p.client.Open(ctx, p.repository, forge.Request{
		Base: p.target.Branch, Head: p.target.Proposal, Commit: done.Commit, Marker: "`" + done.Commit + "`",
		Title: subject, Body: body, Labels: p.labels, UpdateOnly: empty,
	})
	if err != nil {
		if page != "" && !empty {
			ui.Say("open the pull request: %s", page)
		}
		return fmt.Errorf("%w: %w", ErrNoPullRequest, err)
	}
	p.sayOpened(ui, opened)
	return nil
}

// sayOpened reports the outcome of the pull request, and its URL.
func (p *pullRequester) sayOpened(ui *terminal.UI, opened *forge.Opened) {
	for _, warning := range opened.Warnings {
		ui.Say("warning: pull request: %s", warning)
	}
	if opened.OtherHost != "" {
		ui.Say("warning: pull request: the forge gave the address of its page on another host, %s; "+
			"if the forge's pages are there, set --forge-url", opened.OtherHost)
	}
	switch opened.Outcome {
	case forge.Nothing:
		ui.Say("no pull request needed: %s already has everything", p.target.Branch)
	case forge.Declined:
		ui.Say("pull request: %s at this commit, not opened again: %s", opened.Outcome, opened.URL)
	default:
		ui.Say("pull request: %s: %s", opened.Outcome, opened.URL)
	}
}

// Publication is a commit that was pushed, or was there already, and the tree in it.
type Publication struct {
	*publish.Published
	Plan *app.Planned
	// Report is the plan's, with what changes in the services that were there before.
	Report *report.Plan
	// Meta is the metadata of the commit.
	Meta publish.Meta
}

// About returns the content of a pull request apart from the plan.
func About(loaded *app.Loaded, changes []publish.Change, meta publish.Meta, commit string) report.About {
	about := report.About{Empty: len(changes) == 0, Stamps: stamps(meta, commit)}
	if age := loaded.Age(meta.When); age != "" {
		about.Inventory = fmt.Sprintf("%s, was %s old", loaded.Hosts.Context, age)
	}
	return about
}

// stamps returns what a commit was made from, for people.
func stamps(meta publish.Meta, commit string) [][2]string {
	out := [][2]string{{"Commit", commit}}
	for _, trailer := range meta.Trailers {
		if strings.HasSuffix(trailer.Key, digestTrailer) {
			continue // the commit has it, for programs
		}
		out = append(out, [2]string{trailer.Key, trailer.Value})
	}
	return out
}

// unencrypted returns warnings about credentials that are sent unencrypted: git's and the forge's.
func unencrypted(target publish.Target, requester *pullRequester) []string {
	warnings := cmdline.Unencrypted(target)
	if requester == nil || requester.client == nil {
		return warnings
	}
	if address, err := url.Parse(requester.repository.Web); err == nil && cmdline.InTheClear(address) {
		warnings = append(warnings, "the forge's token goes to http://"+address.Host+" unencrypted: use https")
	}
	return warnings
}
