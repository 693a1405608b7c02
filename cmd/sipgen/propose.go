package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/forge"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/publish"
)

// proposal is the flags of a commit that goes to a branch of its own, for a pull request.
type proposal struct {
	branch string
	forge  string
	web    string
	labels []string
}

func (p *proposal) flags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&p.branch, "propose", "", "push to this `BRANCH` instead, for a pull request")
	flags.StringVar(&p.forge, "forge", "auto", "the `KIND` of forge for --propose: auto (by well-known host names), github, gitlab, gitea (Forgejo too), none")
	cmdline.CompleteFlag(command, "forge", forgeKinds...)
	flags.StringVar(&p.web, "forge-url", "", "the base `URL` of the forge's pages, if --repo does not show it: https://git.example.org:8443/forge")
	flags.StringArrayVar(&p.labels, "label", nil, "add this label to the pull request, by `NAME`; may be repeated")
}

const (
	forgeToken = "SIPGEN_FORGE_TOKEN"
	gitToken   = "SIPGEN_GIT_TOKEN"
)

// errNoPullRequest: the branch was pushed, and the pull request could not be opened or updated.
var errNoPullRequest = errors.New("pushed, but the pull request could not be opened or updated")

// pullRequester opens the pull request of a pushed proposal, or says where to open it. A nil pullRequester does nothing.
type pullRequester struct {
	target     publish.Target
	labels     []string
	repository forge.Repository
	local      bool // the repository is on no forge
	silent     bool // --forge none
	client     *forge.Client
}

// forgeKinds are what --forge may say.
var forgeKinds = []string{"auto", "github", "gitlab", "gitea", "none"}

// prepare checks the flags and the environment, before anything is read or pushed.
func (p *proposal) prepare(target publish.Target, getenv func(string) string) (*pullRequester, error) {
	if !slices.Contains(forgeKinds, p.forge) {
		hint := ""
		if near := manifest.Nearest(p.forge, forgeKinds); near != "" {
			hint = redact.Sprintf(", did you mean %q?", near)
		}
		return nil, redact.Errorf("--forge: found %q, want %s or %s%s", p.forge, strings.Join(forgeKinds[:len(forgeKinds)-1], ", "), forgeKinds[len(forgeKinds)-1], hint)
	}
	if p.branch == "" {
		var given []string
		for _, flag := range []struct {
			name string
			is   bool
		}{{"--forge", p.forge != "auto" && p.forge != "none"}, {"--forge-url", p.web != ""}, {"--label", len(p.labels) > 0}} {
			if flag.is {
				given = append(given, flag.name)
			}
		}
		if len(given) > 0 {
			return nil, fmt.Errorf("%s: only with --propose", strings.Join(given, ", "))
		}
		return nil, nil
	}
	r := &pullRequester{target: target, labels: p.labels}
	for _, label := range p.labels {
		if strings.TrimSpace(label) == "" || strings.ContainsAny(label, ",\n\r") {
			return nil, redact.Errorf("--label: found %q, want a name without commas", label)
		}
	}
	if p.forge == "none" {
		r.silent = true
		return r, nil
	}
	kind, err := forge.KindOf(target.URL, p.forge)
	if err != nil {
		return nil, fmt.Errorf("--forge: %w", err)
	}
	repository, found, err := forge.Locate(target.URL, kind, p.web)
	if err != nil && (kind != forge.Unknown || p.web != "") {
		return nil, fmt.Errorf("--forge: %w", err)
	}
	r.repository, r.local = repository, !found
	switch {
	case !found && (p.forge != "auto" || p.web != ""):
		return nil, fmt.Errorf("--forge: %s is a folder on this machine, and on no forge: want an https or ssh URL, or --forge none", target.URL)
	case !found:
		return r, nil
	}
	token, name, err := p.token(target, repository, getenv)
	switch {
	case err != nil:
		return nil, err
	case token == "":
		return r, nil
	case kind == forge.Unknown:
		return nil, fmt.Errorf("%s is set, but the kind of forge at %s is unknown: set --forge to github, gitlab or gitea, or to none for no pull request", name, repository.Web)
	}
	httpClient, err := target.Auth.HTTPClient()
	if err != nil {
		return nil, err
	}
	r.client = &forge.Client{HTTP: httpClient, Token: token, TokenName: name, Timeout: forgeTimeout(target.Timeout)}
	return r, nil
}

// forgeTimeout is how long a forge may take, where --timeout says how long the repository may.
func forgeTimeout(limit time.Duration) time.Duration {
	const most = 2 * time.Minute
	if limit <= 0 {
		return most
	}
	//guard: a run with a short --timeout waits two minutes for a forge
	return min(limit, most)
}

// token gives the token for the forge's API and the name of its variable. git's own is taken only where --forge
// names the forge, so that nobody's pull request appears unasked, and where git sends it to the same server.
func (p *proposal) token(target publish.Target, repository forge.Repository, getenv func(string) string) (token, name string, err error) {
	value, err := cmdline.Secret(forgeToken, getenv)
	if err != nil {
		return "", "", err
	}
	if file := getenv(forgeToken + "_FILE"); file != "" && value == "" {
		return "", "", fmt.Errorf("%s_FILE: %s is empty", forgeToken, file)
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", "", fmt.Errorf("%s: contains a space or a character that cannot be in a token", forgeToken)
	}
	if value != "" {
		return value, forgeToken, nil
	}
	//guard: git's token is sent to another server
	if p.forge != "auto" && target.Auth.Token != "" && strings.HasPrefix(target.URL, "http") && p.web == "" {
		return target.Auth.Token, gitToken, nil
	}
	return "", "", nil
}

// cutHint takes what the server says of a pull request out of its output: request reports it once, in sipgen's words. An address on another host than the
// forge's stays the server's word.
func (p *pullRequester) cutHint(serverSaid string) (string, forge.PullRequestHint) {
	if p == nil || p.silent {
		return serverSaid, forge.PullRequestHint{}
	}
	rest, hint := forge.CutPullRequestHint(serverSaid)
	//guard: what a git server prints after a push sends people to a page on any host, in sipgen's words
	if on, _ := p.repository.OnHost(hint.Page); !on && !p.local {
		return serverSaid, forge.PullRequestHint{}
	}
	return rest, hint
}

// request opens or updates the pull request where there is a token, and says where a person does it where there is none.
func (p *pullRequester) request(ctx context.Context, ui *terminal.UI, done *publication, hint forge.PullRequestHint) error {
	if p == nil {
		return nil
	}
	page := p.repository.Page(p.target.Branch, p.target.Proposal)
	if page == "" {
		page = hint.Page
	}
	switch {
	case p.client != nil:
		return p.open(ctx, ui, done, page)
	case len(done.Changes) == 0:
		ui.Say("no pull request needed: %s already has everything", p.target.Branch)
	case hint.Open:
		ui.Say("pull request already open: %s", hint.Page)
	case page != "":
		ui.Say("open the pull request: %s", page)
	case p.silent || p.local:
		ui.Say("proposed on branch %s, for %s", p.target.Proposal, p.target.Branch)
	default:
		ui.Say("proposed on branch %s, for %s; %s is a forge of unknown kind: set --forge to github, gitlab or gitea", p.target.Proposal, p.target.Branch, p.repository.Web)
	}
	return nil
}

func (p *pullRequester) open(ctx context.Context, ui *terminal.UI, done *publication, page string) error {
	about := aboutOf(done.plan.Loaded, done.Changes, done.meta, done.Commit)
	subject, _, _ := strings.Cut(done.Message, "\n")
	opened, err := p.client.Open(ctx, p.repository, forge.Request{
		Base: p.target.Branch, Head: p.target.Proposal, Commit: done.Commit, Marker: "`" + done.Commit + "`",
		Title: subject, Body: report.PullRequest(done.report, about), Labels: p.labels, UpdateOnly: about.Empty,
	})
	if err != nil {
		if page != "" && !about.Empty {
			ui.Say("open the pull request: %s", page)
		}
		return fmt.Errorf("%w: %w", errNoPullRequest, err)
	}
	p.sayOpened(ui, opened)
	return nil
}

// sayOpened says what became of the pull request, and where it is.
func (p *pullRequester) sayOpened(ui *terminal.UI, opened *forge.Opened) {
	for _, warning := range opened.Warnings {
		ui.Say("warning: pull request: %s", warning)
	}
	if opened.OtherHost != "" {
		ui.Say("warning: pull request: the forge gave the address of its page on another host, %s; if the forge's pages are there, set --forge-url", opened.OtherHost)
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

// aboutOf is what a pull request says besides the plan.
func aboutOf(loaded *app.Loaded, changes []publish.Change, meta publish.Meta, commit string) report.About {
	about := report.About{Files: filesOf(changes), Empty: len(changes) == 0, Stamps: [][2]string{{"Commit", commit}}}
	if age := loaded.Age(meta.When); age != "" {
		about.Inventory = fmt.Sprintf("%s, was %s old", loaded.Hosts.Context, age)
	}
	for _, trailer := range meta.Trailers {
		if strings.HasSuffix(trailer.Key, digestTrailer) {
			continue // the commit has it, for programs
		}
		about.Stamps = append(about.Stamps, [2]string{trailer.Key, trailer.Value})
	}
	return about
}

// unencrypted says what a run will send so that everybody on the way can read it: git's credentials and the forge's.
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
