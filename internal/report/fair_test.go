package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/stretchr/testify/assert"
)

// TestDangersTakeTurns: however many clusters a tenant breaks, in one namespace or in many, and however much it writes
// into them, what becomes of others is seen, and what else becomes of its own.
func TestDangersTakeTurns(t *testing.T) {
	for why, namespace := range map[string]func(int) string{
		"one namespace":   func(int) string { return "evil" },
		"many namespaces": func(i int) string { return fmt.Sprintf("evil-%d", i) },
	} {
		p := &Plan{Site: "dc1"}
		for i := range 300 {
			p.Clusters = append(p.Clusters,
				ClusterResult{Namespace: namespace(i), Name: fmt.Sprintf("c%03d", i),
					Frozen: []string{strings.Repeat("spec.x: unknown field ", 100)}})
		}
		p.Clusters[299].Frozen, p.Clusters[299].AnyPatches = nil, true
		evil := p.Clusters[299].Key()
		p.Clusters = append(p.Clusters, ClusterResult{Namespace: "good", Name: "edge",
			lost: []lostHost{{words: "good/edge Worker loses m/a"}},
			Roles: []RoleResult{{Name: "Worker", Slots: []Slot{
				{Host: "m/b", Status: StatusReleased, Why: "approved", InUse: "it is provisioned"},
				{Host: "m/c", Status: StatusKept}}}}})
		p.Services = []ServiceChanges{{Cluster: evil,
			Objects: []objdiff.Effect{{Object: "Deployment jumphost", Fields: []string{"command"}, Rolls: true}}}}
		p.Files = []File{{Path: "policy/x.yaml", Kind: "changed"}}
		for name, text := range map[string]string{"pull request": PullRequest(p, About{}),
			"commit": CommitMessage(p, "")} {
			plain := strings.ReplaceAll(text, "`", "")
			for _, word := range []string{
				p.Clusters[0].Key() + " is frozen", evil + " has patches", "good/edge Worker releases m/b",
				"good/edge Worker loses m/a", "the policies that guard the hosts change",
				evil + ": Deployment jumphost changes: command", " more dangers", AllDangers,
			} {
				assert.Contains(t, plain, word, why)
			}
			inOrder(t, plain, "good/edge Worker releases m/b", "good/edge Worker loses m/a",
				p.Clusters[0].Key()+" is frozen", "the policies that guard", "more dangers")
			assert.Truef(t, strings.Count(plain, "is frozen") >= 10, "%s: %s: only %d lines of what fits", why, name,
				strings.Count(plain, "is frozen"))
		}
	}
}

// TestTenantsTakeTurns: what touches what runs comes first, and then no tenant is hidden by another one that has more
// namespaces, more kinds of dangers or more of one kind, and no kind by another kind.
func TestTenantsTakeTurns(t *testing.T) {
	var dangers []danger
	many := func(n int, d danger) {
		for i := range n {
			d.words = fmt.Sprintf("%s of %s %d", d.kind, d.tenant, i)
			dangers = append(dangers, d)
		}
	}
	many(2, danger{kind: "running", level: strong, tenant: "a"})
	many(1, danger{kind: "running", level: strong, tenant: "z"})
	for i := range 20 {
		many(10, danger{kind: fmt.Sprintf("kind %02d", i), tenant: "a"})
		many(1, danger{kind: fmt.Sprintf("kind %02d", i), tenant: "b"})
	}
	many(1, danger{kind: "kind 19", tenant: "z"})
	many(1, danger{kind: "policy"})
	for _, room := range []int{3, 8, 20, 50} {
		shown := fairly(dangers, room, func(string) int { return 1 })
		assert.Len(t, shown, room, room)
		words := strings.Join(sentences(shown), "; ")
		for _, word := range []string{"running of a 0", "running of a 1", "running of z 0"} {
			assert.Contains(t, words, word, fmt.Sprint(room))
		}
		if room > 3 {
			for _, word := range []string{"kind 00 of a 0", "kind 00 of b 0", "policy of  0"} {
				assert.Contains(t, words, word, fmt.Sprint(room))
			}
		}
		if room > 8 {
			assert.Contains(t, words, "kind 19 of z 0", fmt.Sprint(room))
		}
		assert.Equal(t, fmt.Sprintf("%d more dangers", len(dangers)-room), moreDangers(dangers, shown))
	}
	got := fairly(dangers, 1000, func(string) int { return 1 })
	assert.Truef(t, len(got) == len(dangers), "%d of %d", len(got), len(dangers))
}

// TestStrongDangersTakeTurns: where not even the strong ones fit, tenants take turns among them.
func TestStrongDangersTakeTurns(t *testing.T) {
	var dangers []danger
	for i := range 60 {
		dangers = append(dangers, danger{kind: "running", level: strong, tenant: "a", words: fmt.Sprint(i)})
	}
	dangers = append(dangers, danger{kind: "running", level: strong, tenant: "bank", words: "of the bank"})
	shown := sentences(fairly(dangers, 50, func(string) int { return 1 }))
	assert.Contains(t, strings.Join(shown, " "), "of the bank")
}

// TestWordsThatAreNoOrders: names and pages stay as they are.
func TestWordsThatAreNoOrders(t *testing.T) {
	for _, words := range []string{
		"rack-12 of DC1-R12", "SHA-256 and UTF-8", "docs/gitops.md#to-another-folder", "docs/lint.md#sip041",
		"../safety.md#a-tree-that-is-refused", "prefix PROJ-12", "closed: 3 of r-12",
		"fixed-1", "resolve it, rack-12", "C# 8", "a#b", "fix the host rack-1",
	} {
		assert.Equal(t, words, uncommanded(words))
	}
}

// TestNoWordSkipsTheChecks: the words that forges and CI systems obey in a commit message, from their documentation
// (GitHub, GitLab, Gitea, Azure Pipelines, CircleCI, Travis, Buildkite, Netlify). A pull request that is squashed is a
// commit message too.
func TestNoWordSkipsTheChecks(t *testing.T) {
	for _, words := range []string{
		"[skip ci]", "[ci skip]", "[no ci]", "[skip actions]", "[actions skip]", "[skip-ci]", "[ci-skip]", "[CI SKIP]",
		"[skip azurepipelines]", "[azp skip]", "[skip travis]", "[travis skip]",
		"[skip netlify]", "***NO_CI***", "skip-checks: true", "closes GH-1",
		"fixes https://forge.example/a/b/issues/12", "closes #12", "resolves a/b#12",
		"closes https://forge.example/a/b/-/work_items/12",
	} {
		p := &Plan{Site: "dc1", Findings: []finding.Finding{{Message: "unknown field \"" + words + "\""}},
			Clusters: []ClusterResult{{Namespace: "t", Name: "a", Frozen: []string{`spec: "` + words + `" is unknown`},
				Roles: []RoleResult{{Name: words, Slots: []Slot{{
					Host: words, Domain: words, Status: StatusReleased, Why: words, Addresses: []string{words},
				}}}}}}}
		for name, text := range map[string]string{"pull request": PullRequest(p, About{Inventory: words}),
			"commit": CommitMessage(p, ""), "plan": Markdown(p, false)} {
			assert.Truef(t, !strings.Contains(strings.ToLower(text), strings.ToLower(words)), "%s: %q is in\n%s", name,
				words, text)
		}
	}
}
