package push

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/internal/forge"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
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
	flags.StringVar(&p.forge, "forge", "auto",
		"the `KIND` of forge for --propose: auto (by well-known host names), github, gitlab, gitea (Forgejo too), none")
	cmdline.CompleteFlag(command, "forge", forgeKinds...)
	flags.StringVar(&p.web, "forge-url", "",
		"the base `URL` of the forge's pages, if --repo does not show it: https://git.example.org:8443/forge")
	flags.StringArrayVar(&p.labels, "label", nil, "add this label to the pull request, by `NAME`; may be repeated")
}

const (
	forgeToken = "SIPGEN_FORGE_TOKEN"
	gitToken   = "SIPGEN_GIT_TOKEN"
)

// forgeKinds are the values of --forge.
var forgeKinds = []string{"auto", "github", "gitlab", "gitea", "none"}

// prepare checks the flags and the environment, before anything is read or pushed.
func (p *proposal) prepare(target publish.Target, getenv func(string) string) (*pullRequester, error) {
	if !slices.Contains(forgeKinds, p.forge) {
		hint := ""
		if near := manifest.Nearest(p.forge, forgeKinds); near != "" {
			hint = redact.Sprintf(", did you mean %q?", near)
		}
		return nil, redact.Errorf("--forge: found %q, want %s or %s%s", p.forge,
			strings.Join(forgeKinds[:len(forgeKinds)-1], ", "), forgeKinds[len(forgeKinds)-1], hint)
	}
	if p.branch == "" {
		var given []string
		for _, flag := range []struct {
			name string
			is   bool
		}{{"--forge", p.forge != "auto" && p.forge != "none"}, {"--forge-url", p.web != ""}, {"--label",
			len(p.labels) > 0}} {
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
		return nil, fmt.Errorf("--forge: %s is a folder on this machine, and on no forge: "+
			"want an https or ssh URL, or --forge none", target.URL)
	case !found:
		return r, nil
	}
	token, name, err := p.token(target, getenv)
	switch {
	case err != nil:
		return nil, err
	case token == "":
		return r, nil
	case kind == forge.Unknown:
		return nil, fmt.Errorf("%s is set, but the kind of forge at %s is unknown: "+
			"set --forge to github, gitlab or gitea, or to none for no pull request", name, repository.Web)
	}
	httpClient, err := target.Auth.HTTPClient()
	if err != nil {
		return nil, err
	}
	r.client = &forge.Client{HTTP: httpClient, Token: token, TokenName: name, Timeout: forgeTimeout(target.Timeout)}
	return r, nil
}

// forgeTimeout returns the time limit for a forge, from that of --timeout for the repository.
func forgeTimeout(limit time.Duration) time.Duration {
	const most = 2 * time.Minute
	if limit <= 0 {
		return most
	}
	return min(limit, most)
}

// token returns the token for the forge's API and the name of its variable. git's own is used only if --forge names
// the forge, so that no pull request appears unasked, and if git sends it to the same server.
func (p *proposal) token(
	target publish.Target, getenv func(string) string,
) (token, name string, err error) {
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
	if p.forge != "auto" && target.Auth.Token != "" && strings.HasPrefix(target.URL, "http") && p.web == "" {
		return target.Auth.Token, gitToken, nil
	}
	return "", "", nil
}
