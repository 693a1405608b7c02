package push

import (
	"bytes"
	"testing"
	"time"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/forge"
	"github.com/airshipit/sipgen/publish"
)

// TestPagesOnOtherHosts: sipgen says in its own words only where pages are that are on the forge's host.
func TestPagesOnOtherHosts(t *testing.T) {
	p := &pullRequester{repository: forge.Repository{Kind: forge.Gitea, Web: "https://git.example.org", Path: "acme/fleet"}, target: publish.Target{Branch: "main", Proposal: "sipgen/dc1"}}
	const own, others = "Visit the existing pull request:; https://git.example.org/acme/fleet/pulls/7; done", "Visit the existing pull request:; https://git.example.org.evil.example/acme/fleet/pulls/7; done"
	if rest, hint := p.CutHint(own); rest != "done" || hint.Page != "https://git.example.org/acme/fleet/pulls/7" || !hint.Open {
		t.Errorf("found %q, %+v", rest, hint)
	}
	if rest, hint := p.CutHint(others); rest != others || hint.Page != "" || hint.Open {
		t.Errorf("another host's page is taken for the forge's: %q, %+v", rest, hint)
	}
	if rest, hint := (&pullRequester{local: true}).CutHint(own); rest != "done" || !hint.Open {
		t.Errorf("the hook of a repository on this machine: %q, %+v", rest, hint)
	}
	var out bytes.Buffer
	p.sayOpened(&terminal.UI{Err: &out}, &forge.Opened{Outcome: forge.Created, URL: "https://git.example.org/acme/fleet/pulls/7", Number: 7, OtherHost: "evil.example"})
	need.Words(t, "", out.String(),
		"warning: pull request: the forge gave the address of its page on another host, evil.example; if the forge's pages are there, set --forge-url\n",
		"pull request: opened: https://git.example.org/acme/fleet/pulls/7\n")
}

// TestForgeEndsWithTheRun: a short --timeout is the forge's, too.
func TestForgeEndsWithTheRun(t *testing.T) {
	for limit, want := range map[time.Duration]time.Duration{0: 2 * time.Minute, time.Second: time.Second, time.Hour: 2 * time.Minute} {
		p := &proposal{branch: "sipgen/dc1", forge: "gitea"}
		environment := func(name string) string { return map[string]string{"SIPGEN_FORGE_TOKEN": "t0ken"}[name] }
		r, err := p.prepare(publish.Target{URL: "https://git.example.org/acme/fleet.git", Branch: "main", Timeout: limit}, environment)
		if err != nil || r.client == nil || r.client.Timeout != want {
			t.Errorf("--timeout %s: found %+v, %v, want %s", limit, r, err, want)
		}
	}
}
