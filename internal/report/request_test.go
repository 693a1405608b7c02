package report

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func about() About {
	return About{
		Inventory: "management, was 3m2s old",
		Stamps:    [][2]string{{"Commit", "c0ffee"}, {"Specs-Digest", "sha256:aa"}},
	}
}

// files are changes of a tree.
func files() []File {
	return []File{
		{Path: "clusters/t/a/infra/loadbalancer-worker-a.cfg", Kind: "changed"},
		{Path: "clusters/t/b/infra/loadbalancer-worker-b.cfg", Kind: "added"},
		{Path: "clusters/t/a/infra/jumphost-a/start", Kind: "deleted"}, {Path: "policy/guard.yaml", Kind: "changed"},
	}
}

func inOrder(t *testing.T, text string, wants ...string) {
	t.Helper()
	at := 0
	for _, want := range wants {
		next := strings.Index(text[at:], want)
		require.Truef(t, next >= 0, "no %q, or not after what was before it, in\n%s", want, text)
		at += next
	}
}

func TestPullRequestSaysDangersFirst(t *testing.T) {
	p := site(t)
	p.Clusters[0].Roles[0].Slots[len(p.Clusters[0].Roles[0].Slots)-1].InUse = inUse(inventory.State{Provisioning: "provisioned"})
	p.Files = files()
	body := PullRequest(p, about())
	inOrder(t, body, "**Dangers**", "the host is IN USE: it is provisioned", "is being decommissioned",
		"the policies that guard the hosts change",
		"**Changes**", "handed out",
		"Site `dc1`: 4 clusters", "management, was `3m2s` old",
		"### Short", "### Hosts being released", "2 of 3", "### `t/a`",
		"| host | role | domain | address | status | why |", "unchanged; PLAN.md in the branch has", "### Inputs",
		"`c0ffee`", "`sha256:aa`")
	for _, word := range []string{"2 of 3: this pull request removes its labels", "| new |", "| released |"} {
		assert.Contains(t, body, word)
	}
	for i := range p.Shortages {
		assert.Contains(t, body, "- "+prose(p.Shortages[i]), "no certificate")
	}
}

func TestEveryStepOfARelease(t *testing.T) {
	p := big(3, 1)
	for i, status := range []Status{StatusPending, StatusReleased, StatusLeaving} {
		p.Clusters[i].Roles[0].Slots[0].Status = status
	}
	inOrder(t, PullRequest(p, about()), "| `tenant-0/edge Worker` | 1 of 3: it stays",
		"| `tenant-1/edge Worker` | 2 of 3: this pull request removes",
		"| `tenant-2/edge Worker` | 3 of 3: its labels are removed")
}

func TestPullRequestWithoutDangers(t *testing.T) {
	p := &Plan{Site: "dc1", Clusters: []ClusterResult{{Namespace: "t", Name: "a",
		Roles: []RoleResult{{Name: "Worker", Held: 1, Slots: []Slot{{Host: "m/h", Status: StatusKept}}}}}}}
	page := "\n" + PullRequest(p, About{})
	for _, word := range []string{"\nNo dangers", "The age of the inventory is unknown"} {
		assert.Contains(t, page, word)
	}
	empty := PullRequest(p, About{Empty: true, Stamps: [][2]string{{"Commit", "c0ffee"}}})
	assert.Contains(t, empty, "nothing left to merge")
	assert.Contains(t, empty, "c0ffee")
	assert.NotContains(t, empty, "m/h")
}

// hostile is what names and reasons must not do to a pull request.
var hostile = []string{
	"@team", "@acme/admins look", "#123", "GH-123", "acme/fleet#1", "!12", "![img](https://evil.example/x.png)",
	"[click](https://evil.example)",
	"https://evil.example", "www.evil.example", "<img src=x onerror=alert(1)>", "<!--", "a|b|c", "`", "```", "a`b``c",
	"``", "\n/close", "/approve", "\n# heading", "\n- [ ] task",
	"**bold**", "~~gone~~", "$x$", "&lt;script&gt;", "mail@evil.example", "c0ffee1", "deadbeef", "\u202egnp.exe",
	"\x1b[31m", "\u2028", "1.", "~label", "%5", "\\", "a\\|b", "\\`", ":smile:",
}

var (
	// span is a code span as CommonMark reads it: a run of backticks, anything, a run of the same length.
	tick    = regexp.MustCompile("`+")
	allowed = regexp.MustCompile(`^[A-Za-z0-9 ,.;:()'|\n…-]*$`)
	ours    = strings.NewReplacer("\n### ", "\n", "**Dangers**", "", "**Changes**", "")
)

// outside gives the text that is not in code spans.
func outside(text string) string {
	var out strings.Builder
	for {
		open := tick.FindStringIndex(text)
		if open == nil {
			out.WriteString(text)
			return out.String()
		}
		fence, rest := text[open[0]:open[1]], text[open[1]:]
		end := -1
		for _, run := range tick.FindAllStringIndex(rest, -1) {
			if rest[run[0]:run[1]] == fence {
				end = run[1]
				break
			}
		}
		out.WriteString(text[:open[0]])
		if end < 0 {
			out.WriteString("UNCLOSED" + fence)
			return out.String() + rest
		}
		text = rest[end:]
	}
}

func TestNothingFromOutsideIsMarkup(t *testing.T) {
	clean := site(t)
	for _, words := range hostile {
		p := site(t)
		dirty := func(text *string) { *text = words + " " + *text + " " + words }
		dirty(&p.Site)
		for i := range p.Clusters {
			c := &p.Clusters[i]
			dirty(&c.Name)
			for j := range c.Roles {
				for k := range c.Roles[j].Slots {
					slot := &c.Roles[j].Slots[k]
					for _, field := range []*string{&slot.Host, &slot.Domain, &slot.Why} {
						dirty(field)
					}
					slot.Addresses = []string{words}
				}
			}
		}
		for i := range p.Shortages {
			dirty(&p.Shortages[i])
			p.Shortages[i] = "short 1: " + p.Shortages[i] // how each of them begins
		}
		p.Findings = []finding.Finding{{Message: words}}
		clean.Findings = []finding.Finding{{Message: "x"}}
		changed := about()
		changed.Inventory = words + ", was 3m old"
		p.Files, clean.Files = files(), files()
		p.Files[0].Path = "clusters/" + words + "/a/infra/x.cfg"
		for name, body := range map[string]string{"PullRequest": PullRequest(p, changed),
			"Markdown": Markdown(p, false)} {
			rest := ours.Replace(outside(body))
			for _, line := range strings.Split(rest, "\n") {
				require.Truef(t, allowed.MatchString(line) && !strings.Contains(line, "UNCLOSED"),
					"%s: %q: outside of code: %q", name, words, line)
			}
			for _, word := range []string{"www.", "GH-1", "c0ffee1", "deadbeef", "\n1.", "- 1."} {
				assert.NotContains(t, rest, word, name)
			}
			assert.Truef(t, !strings.ContainsAny(body, "\x1b\u202e\u2028"), "%s: %q: a control character is left",
				name, words)
			for _, line := range strings.Split(body, "\n") {
				known := !strings.HasPrefix(line, "|") || slices.Contains([]int{5, 7, 8}, strings.Count(line, "|"))
				assert.Truef(t, known, "%s: %q: a row of %d bars: %s", name, words, strings.Count(line, "|"), line)
			}
		}
		n, without := strings.Count(PullRequest(p, changed), "\n"), strings.Count(PullRequest(clean, about()), "\n")
		assert.Truef(t, n >= without-3 && n <= without+3, "%q: %d lines, %d without", words, n, without)
		message := CommitMessage(p, "")
		assert.Truef(t,
			!regexp.MustCompile(`@[A-Za-z]|#[0-9]`).MatchString(message) && !strings.ContainsAny(message,
				"\x1b\u202e") && !strings.Contains(message, "\n/close"),
			"%q: in the commit message:\n%s", words, message)
	}
}

// big is a site of 1,000 clusters: the last one releases a host that runs something.
func big(clusters, hosts int) *Plan {
	p := &Plan{Site: "dc1"}
	for i := range clusters {
		role := RoleResult{Name: "Worker", Held: hosts}
		for j := range hosts {
			role.Slots = append(role.Slots, Slot{
				Host: fmt.Sprintf("metal3/rack-%d-host-%d", i, j), Domain: fmt.Sprintf("rack-%d", j),
				Addresses: []string{fmt.Sprintf("10.%d.%d.%d", i/250, i%250, j)}, Status: StatusKept,
				Why: "held: its labels are live",
			})
		}
		p.Clusters = append(p.Clusters, ClusterResult{Namespace: fmt.Sprintf("tenant-%d", i), Name: "edge",
			Roles: []RoleResult{role}})
	}
	last := &p.Clusters[clusters-1].Roles[0].Slots[0]
	last.Status, last.InUse, last.Why = StatusReleased, "it is provisioned", "more than the 4 requested hosts"
	return p
}

func forgeSize(text string) int { return len(utf16.Encode([]rune(text))) }

func TestPullRequestFitsTheForges(t *testing.T) {
	for _, row := range []struct {
		why    string
		change func(*Plan, *About)
		wants  []string
	}{
		{"1,000 clusters", func(*Plan, *About) {}, []string{"tenant-999/edge` Worker releases", "the host is IN USE"}},
		{"all of them released", func(p *Plan, _ *About) {
			for i := range p.Clusters {
				for j := range p.Clusters[i].Roles[0].Slots {
					p.Clusters[i].Roles[0].Slots[j].Status, p.Clusters[i].Roles[0].Slots[j].Why = StatusReleased, "more than the 4 requested hosts"
				}
			}
		}, []string{"more dangers", "more hosts being released"}},
		{"all services change", func(p *Plan, _ *About) {
			for i := range 1000 {
				p.Services = append(p.Services,
					ServiceChanges{Cluster: fmt.Sprintf("tenant-%d/edge", i), Unknown: fmt.Sprintf("file %d", i)})
				p.Files = append(p.Files,
					File{Path: fmt.Sprintf("clusters/tenant-%d/edge/infra/loadbalancer-worker-edge.cfg", i),
						Kind: "changed"})
			}
		}, []string{"more dangers", "more parts of the tree"}},
		{"names in another script", func(p *Plan, _ *About) {
			for i := range p.Clusters {
				p.Clusters[i].Roles[0].Slots[1].Why = strings.Repeat("𝒳ü漢 ", 200)
			}
		}, nil},
		{"all warned of", func(p *Plan, _ *About) {
			for i := range 3000 {
				p.Findings = append(p.Findings, finding.Finding{Message: fmt.Sprintf("host metal3/h%d has no rack", i)})
			}
			p.Clusters = p.Clusters[:3]
		}, []string{"more notes"}},
	} {
		t.Run(row.why, func(t *testing.T) {
			p, about := big(1000, 4), about()
			row.change(p, &about)
			changed, same := 0, 0
			for i := range p.Clusters {
				for j := range p.Clusters[i].Roles[0].Slots {
					same++
					if p.Clusters[i].Roles[0].Slots[j].changed() {
						changed++
					}
				}
			}
			same -= changed
			body := PullRequest(p, about)
			for _, word := range append(row.wants, "Site `dc1`", "c0ffee") {
				assert.Contains(t, body, word)
			}
			for name, limited := range map[string]struct {
				body string
				most int
			}{"pull request": {body, 65_536}, "comment": {Markdown(p, false), 27_000}} {
				n := forgeSize(limited.body)
				assert.Truef(t, n <= limited.most, "%s: %d characters", name, n)
				_, tables, _ := strings.Cut(limited.body, "\n### `tenant-")
				shown, left := strings.Count(tables, "| `metal3/rack-"), 0
				if found := regexp.MustCompile(`and \*\*(\d+) more changed hosts? that do not fit here\*\*: \d+ \w`).FindStringSubmatch(limited.body); found != nil {
					left, _ = strconv.Atoi(found[1])
				}
				assert.Truef(t, shown+left == changed,
					"%s: %d hosts change, %d are shown, and it says that %d are not", name, changed, shown, left)
				assert.Truef(t, same == 0 || strings.Contains(limited.body, fmt.Sprintf("\n%d hosts of", same)),
					"%s: no %d", name, same)
			}
		})
	}
}

// TestOnlyChangesHaveRows: hosts without a change are counted, and have rows on request.
func TestOnlyChangesHaveRows(t *testing.T) {
	p := big(3, 2)
	for name, page := range map[string]string{"pull request": PullRequest(p, about()), "markdown": Markdown(p, false)} {
		inOrder(t, page, "### `tenant-2/edge`", "`metal3/rack-2-host-0`", "5 hosts of 3 clusters unchanged")
		assert.Truef(t, !strings.Contains(page, "rack-2-host-1") && !strings.Contains(page, "### `tenant-0"),
			"%s: a host without a change has a row:\n%s", name, page)
	}
	all := Markdown(p, true)
	inOrder(t, all, "### `tenant-0/edge`", "rack-0-host-0", "### `tenant-2/edge`", "rack-2-host-0", "rack-2-host-1")
	assert.NotContains(t, all, "unchanged")
	p.Clusters = append(p.Clusters, ClusterResult{Namespace: "t", Name: "none"})
	assert.Contains(t, Markdown(p, true), "\n### `t/none`\n\nNo hosts.\n")
	assert.Equal(t, 3999, strings.Count(Markdown(big(1000, 4), true), "| kept |"), "a long plan with --all")
}

// TestProseKeepsValuesWhole: what is in quotes is a value from outside, and no word of it passes for sipgen's own.
func TestProseKeepsValuesWhole(t *testing.T) {
	for in, want := range map[string]string{
		`found "approved by the security team", want a name`: "found `\"approved by the security team\"`, want a name",
		`labels["x y"]: found "a \" b is fine": it is not`:   "`labels[\"x y\"]`: found `\"a \\\" b is fine\"`: it is not",
		`found "Worker", did you mean "Edge"?`:               "found \"Worker\", did you mean `\"Edge\"?`",
		`found "` + strings.Repeat("fine ",
			100) + `and well", as said`: "found `" + text.Truncate(`"`+strings.Repeat("fine ", 100),
			maxCell) + "`, as said",
	} {
		assert.Equal(t, want, prose(in), in)
	}
}
