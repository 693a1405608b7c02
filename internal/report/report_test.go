package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var keys = schedule.LabelKeys{ClusterNamespace: "ns", ClusterName: "name", NodeType: "role", Standby: "standby"}

func host(name string, labels map[string]string, state func(*inventory.State)) inventory.Host {
	h := inventory.Host{Namespace: "metal3", Name: name, UID: "uid-" + name, Labels: map[string]string{"kind": "x"}}
	h.State = inventory.State{Known: true, Provisioning: "available", Operational: "OK"}
	for key, value := range labels {
		h.Labels[key] = value
	}
	if state != nil {
		state(&h.State)
	}
	return h
}

func cluster(name string, active int) v1.SIPCluster {
	c := v1.SIPCluster{}
	c.Namespace, c.Name = "t", name
	c.Spec.Nodes = map[string]v1.NodeSet{v1.RoleWorker: {
		LabelSelector: metav1.LabelSelector{MatchLabels: map[string]string{"kind": "x"}},
		Count:         &v1.NodeCount{Active: active},
	}}
	return c
}

func held(cluster string) map[string]string {
	return map[string]string{"ns": "t", "name": cluster, "role": v1.RoleWorker}
}

// site has one of everything: a keeps one and releases one, b gets one, c is short, one of a's is in use and stays,
// gone has no spec.
func site(t *testing.T) *Plan {
	t.Helper()
	clusters := []v1.SIPCluster{cluster("a", 1), cluster("b", 1), cluster("c", 5)}
	clusters[2].Spec.Priority = -1
	hosts := []inventory.Host{
		host("a1", held("a"), nil), host("a2", held("a"), nil),
		host("a3", held("a"), func(s *inventory.State) { s.Provisioning = "provisioned" }),
		host("f1", nil, nil), host("f2", nil, nil),
		host("g1", held("gone"), nil),
		host("x1", nil, func(s *inventory.State) { s.Paused = true }),
	}
	before := schedule.Previous{Claims: []schedule.PreviousClaim{{Host: schedule.HostKey{Namespace: "metal3",
		Name: "g1"}, Cluster: schedule.ClusterKey{Namespace: "t", Name: "gone"}, Role: "Worker"}}}
	p := need.Value(schedule.Plan(clusters, hosts, before, schedule.Options{Keys: keys}))(t)
	return Of("dc1", clusters, p)
}

func TestTableShowsEverySlot(t *testing.T) {
	p := site(t)
	var out bytes.Buffer
	Table(&out, p, TableOptions{Wide: true})
	for _, word := range []string{
		"t/a", "t/c (unschedulable)", "t/gone (leaving)", "released", "short", "uid-a1", p.Summary(),
	} {
		assert.Contains(t, out.String(), word)
	}
	for _, line := range strings.Split(out.String(), "\n") {
		assert.Equal(t, line, strings.TrimRight(line, " "), "blanks at the end of")
	}
}

func TestCommitMessageSaysWhatChanges(t *testing.T) {
	p := site(t)
	p.Files = []File{{Path: "policy/a.yaml", Kind: "changed"}, {Path: "clusters/t/a/infra/x.cfg", Kind: "changed"},
		{Path: "clusters/t/a/hosts/h.yaml", Kind: "added"}, {Path: "PLAN.md", Kind: "changed"}}
	message := CommitMessage(p, "")
	subject, body, _ := strings.Cut(message, "\n")
	assert.Truef(t, strings.HasPrefix(subject, "dc1: ") && strings.Contains(subject, "released"), "subject %q", subject)
	assert.NotContains(t, body, "  kept ", "what is kept is in the message")
	for _, word := range []string{
		"change: 2 hosts that nothing uses are released: metal3/a1, metal3/a2",
		"danger: t/gone is being decommissioned: 1 host released: metal3/", "  new      metal3/f",
		"danger: the policies that guard the hosts change", "  host patches of t/a: 1",
	} {
		assert.Contains(t, body, word)
	}
	assert.Contains(t, "\n"+CommitMessage(p, "mine"), "\nmine\n\n", "subject")
	const lists = "Each cluster's folder gets a list"
	assert.NotContains(t, message, lists)
	p.OneList = true
	assert.Contains(t, CommitMessage(p, ""), lists)
}

// TestWhyInACommit: the message has the reason of a slot, but for a new host, where the reason is the assignment.
func TestWhyInACommit(t *testing.T) {
	message := CommitMessage(new(slots(Slot{Host: "m/new", Status: StatusNew, Why: "of the role"},
		Slot{Host: "m/old", Status: StatusReleased, Why: "too many"})), "")
	assert.Contains(t, message, "m/old  Worker  (too many)\n")
	assert.NotContains(t, message, "of the role")
}

// TestCommitMessageOfManyChanges: most dangers are counted, the worst come first, and however many they are, what
// happened to each host is said below, before the changed files: history reads it there.
func TestCommitMessageOfManyChanges(t *testing.T) {
	const n = 200
	var hosts []inventory.Host
	var before schedule.Previous
	for i := range 2 * n { // of each two hosts one is released, and one is gone
		name := fmt.Sprintf("h%03d", i)
		before.Claims = append(before.Claims,
			schedule.PreviousClaim{Host: schedule.HostKey{Namespace: "metal3", Name: name},
				Cluster: schedule.ClusterKey{Namespace: "t", Name: "a"}, Role: "Worker"})
		if i%2 == 0 {
			hosts = append(hosts, host(name, held("a"), nil))
		}
	}
	clusters := []v1.SIPCluster{cluster("a", 1)}
	placed, err := schedule.Plan(clusters, hosts, before, schedule.Options{Keys: keys})
	require.NoError(t, err)
	p := Of("dc1", clusters, placed)
	p.Hosts[0].Emptied = true
	p.Files = []File{{Path: "clusters/t/a/hosts/h.yaml", Kind: "deleted"}}
	message := CommitMessage(p, "")
	said, below, _ := strings.Cut(message, "\n"+p.Summary()+"\n")
	lines := strings.Split(said, "\n")[2:]
	inOrder(t, said, "is EMPTY", "it is not in the inventory",
		fmt.Sprintf("… and %d more dangers", len(Dangers(p))-mostDangers), "are released")
	assert.Len(t, lines, mostDangers+2, "dangers, a line about the others, and one about idle hosts")
	inOrder(t, below, "\nt/a\n", "it is not in the inventory\n", "\nwarning: ",
		"\nChanged files\n  host patches of t/a: 1\n")
	for _, claim := range before.Claims {
		assert.Contains(t, message, claim.Host.String(), "what became of it")
	}
}

// A tenant's mistake can be as long as its file: the lines after it, and the dangers of others among them, are read all
// the same.
func TestLongProblems(t *testing.T) {
	p := &Plan{Site: "dc1", Findings: []finding.Finding{{Message: "bank/core: " + strings.Repeat("Z ", 100_000)},
		{Message: "edge/b: the last one"}}}
	for name, found := range map[string]string{"commit": CommitMessage(p, ""), "pull request": Markdown(p, false)} {
		assert.Contains(t, found, "the last one", name)
		assert.Truef(t, len(found) <= 20_000, "%s: found %d bytes", name, len(found))
	}
}

// Forges take 65,536 characters: a longer text is cut at a line's end, and says how much is left out.
func TestCut(t *testing.T) {
	var text strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&text, "line %d ü\n", i)
	}
	found := Cut(text.String(), 1000)
	assert.Truef(t, len(found) <= 1000, "found %d bytes", len(found))
	assert.Contains(t, found, fmt.Sprintf("… %d more lines", 10_000-strings.Count(found, "line ")),
		found[len(found)-60:])
	assert.Equal(t, "short\n", Cut("short\n", 1000), "a short text is changed")
}

// TestChangesAreSaid: what happens to hosts that stay, and what is wrong with them, in every text.
func TestChangesAreSaid(t *testing.T) {
	spec := cluster("a", 1)
	spec.Spec.Nodes[v1.RoleWorker].Count.Standby = 1
	inError := func(s *inventory.State) { s.Operational, s.ErrorType = "error", "power management error" }
	standby := held("a")
	standby["standby"] = "true"
	used := host("b1", held("b"), inError)
	used.State.Consumer = &inventory.Consumer{Kind: "Metal3Machine", Namespace: "metal3", Name: "b-0"}
	hosts := []inventory.Host{host("a1", held("a"), inError), host("a2", standby, nil), used,
		host("f1", map[string]string{"kind": "other"}, nil), host("f2", nil, inError)}
	before := schedule.Previous{}
	for _, claim := range []schedule.PreviousClaim{{Host: schedule.HostKey{Name: "a1"}},
		{Host: schedule.HostKey{Name: "a2"}, Standby: true}, {Host: schedule.HostKey{Name: "f1"}, Releasing: true},
		{Host: schedule.HostKey{Name: "f2"}, Releasing: true}} {
		claim.Host.Namespace, claim.Cluster, claim.Role = "metal3", schedule.ClusterKey{Namespace: "t",
			Name: "a"}, "Worker"
		before.Claims = append(before.Claims, claim)
	}
	clusters := []v1.SIPCluster{spec, cluster("b", 1)}
	placement := need.Value(schedule.Plan(clusters, hosts, before, schedule.Options{Keys: keys}))(t)
	p := Of("dc1", clusters, placement)
	p.Since(placement.Holdings, nil, nil)
	var table bytes.Buffer
	Table(&table, p, TableOptions{})
	for name, text := range map[string]string{
		"table": table.String(), "commit": CommitMessage(p, ""), "pull request": plain(PullRequest(p, About{})),
		"markdown": plain(Markdown(p, false)),
	} {
		for _, word := range []string{
			"promoted from standby", "replaces metal3/a1 (in error (power management error))", "adopted",
			"t/b Worker metal3/b1: in error (power management error): held, consumed by Metal3Machine metal3/b-0",
			"now free: metal3/f1, which t/a Worker released\n",
			"not free: metal3/f2, which t/a Worker released, has lost its labels; it cannot be assigned: in error (power management error)",
			"1 free, 1 not eligible.",
		} {
			assert.Contains(t, text, word, name)
		}
	}
	subject, _, _ := strings.Cut(CommitMessage(p, ""), "\n")
	assert.Equal(t,
		"dc1: 2 hosts assigned, 1 promoted, 1 adopted, 1 released, 1 now free, 1 not free, 1 failed, 1 short", subject)
}

func plain(markdown string) string { return strings.ReplaceAll(markdown, "`", "") }

// TestTableOfChanges: of a large site only what changes is shown, with what stays the same counted; colors say what
// becomes of a host.
func TestTableOfChanges(t *testing.T) {
	p := &Plan{Clusters: []ClusterResult{
		{Namespace: "t", Name: "a", Roles: []RoleResult{{Name: "Worker", Held: 2, New: 1, ShortActive: 2, Slots: []Slot{
			{Host: "m/a1", Status: StatusKept}, {Host: "m/a2", Status: StatusNew},
			{Host: "m/a3", Status: StatusKept, Changes: []string{"promoted from standby"}},
			{Host: "m/a4", Status: StatusReleased},
		}}}},
		{Namespace: "t", Name: "b", Roles: []RoleResult{{Name: "Worker", Held: 1,
			Slots: []Slot{{Host: "m/b1", Status: StatusKept}}}}},
		{Namespace: "t", Name: "c"},
	}}
	for _, row := range []struct {
		options    TableOptions
		want, none []string
	}{
		{TableOptions{}, []string{"m/a1", "m/a2", "m/a3", "m/a4", "m/b1", "t/c", "2 short"},
			[]string{"unchanged", "\x1b"}},
		{TableOptions{Changes: true}, []string{"m/a2", "m/a3", "m/a4", "2 short",
			"2 hosts unchanged; --all shows them.\n"}, []string{"m/a1", "m/b1", "t/b", "t/c", "\x1b"}},
		{TableOptions{Color: true}, []string{"\x1b[32mnew\x1b[0m", "\x1b[33mkept, promoted from standby\x1b[0m",
			"\x1b[31mreleased\x1b[0m", "\x1b[31m2 short\x1b[0m", "kept\n"}, nil},
	} {
		var out bytes.Buffer
		Table(&out, p, row.options)
		for _, word := range row.want {
			assert.Contains(t, out.String(), word, row.options)
		}
		for _, word := range row.none {
			assert.NotContains(t, out.String(), word, row.options)
		}
	}
}

// TestAlikeRolesShareALine: roles that do not have a host for the same reason share a line, which names the first of
// them and counts the others, those among them that are only counted. What differs in one word stays apart.
func TestAlikeRolesShareALine(t *testing.T) {
	reason := func(n int, why schedule.Reason) (out []schedule.RoleReason) {
		for i := range n {
			out = append(out, schedule.RoleReason{Role: schedule.RoleKey{Cluster: schedule.ClusterKey{Namespace: "t",
				Name: fmt.Sprint("c", i)}, Role: "Worker"}, Reason: why})
		}
		return out
	}
	roles := slices.Concat(reason(1, schedule.Satisfied{Want: 2}), reason(1, schedule.Satisfied{Want: 3}),
		reason(4, schedule.NotGranted{}))
	more := []schedule.ReasonCount{{Reason: schedule.NotGranted{}, Count: 7}, {Reason: schedule.Satisfied{}, Count: 2}}
	line := &schedule.HostLine{Reason: schedule.NotInspected{}}
	own := alike(schedule.Explanation{Line: line, Roles: reason(1, schedule.NotInspected{})})
	assert.Equal(t, []string{"t/c0 Worker: selects it, but it is not eligible"}, own,
		"the host's own reason stands above")
	assert.Equal(t, []string{
		"t/c0 Worker: could use it, but has its 2 hosts",
		"t/c0 Worker: could use it, but has its 3 hosts",
		"each of t/c0 Worker, t/c1 Worker, t/c2 Worker, 8 more roles: selects it, but its tenant is not granted it",
		"each of 2 more roles: could use it, but has all its hosts",
	}, alike(schedule.Explanation{Line: &schedule.HostLine{}, Roles: roles, More: more}))
}

// TestWholeCommands: a terminal shows the command of a frozen cluster whole, however many hosts it names; other text is
// bounded.
func TestWholeCommands(t *testing.T) {
	command := "; fix it with: kubectl patch -n m baremetalhosts.metal3.io " + strings.Repeat("host-1 ",
		1000) + "--type=json"
	var out strings.Builder
	Table(&out, &Plan{Clusters: []ClusterResult{{Namespace: "t", Name: "a",
		Frozen: []string{"its spec is owned" + command, strings.Repeat("x", 3000)}}}}, TableOptions{Width: 80})
	assert.Contains(t, out.String(), "its spec is owned"+command+"\n", "the table")
	assert.NotContains(t, out.String(), strings.Repeat("x", 1001), "the table")
}

// TestConsumers: the table names the consumer of every host that stays, also of one that is to leave and of one whose
// cluster is frozen.
func TestConsumers(t *testing.T) {
	used := func(name string) *inventory.Host {
		h := host(name, held("a"), func(s *inventory.State) {
			s.Provisioning, s.Consumer = "provisioned", &inventory.Consumer{Kind: "Metal3Machine", Namespace: "t", Name: name}
		})
		return &h
	}
	waits := schedule.ReleaseWaits{Why: schedule.Surplus{Want: 1},
		Use: schedule.Condition{Why: holdings.Why{Code: holdings.InUse, Detail: "Metal3Machine t/h1"}}}
	frozen := schedule.Kept{Refused: []schedule.Refusal{schedule.Contradiction{Problem: "no spec"}}}
	free := host("h4", held("a"), nil)
	role := roleOf(&schedule.Role{Name: v1.RoleWorker, Assigned: []schedule.Assignment{
		{Host: used("h1"), Pending: true, Reason: waits},
		{Host: used("h2"), Reason: frozen},
		{Host: used("h3"), Reason: frozen, Trouble: schedule.MarkedForRemoval{}},
		{Host: &free, Reason: frozen},
	}}, nil)
	var out bytes.Buffer
	Table(&out, &Plan{Clusters: []ClusterResult{{Namespace: "t", Name: "a", Roles: []RoleResult{role}}}}, TableOptions{})
	for _, words := range []string{
		"release pending, consumed by Metal3Machine t/h1", "kept, consumed by Metal3Machine t/h2",
	} {
		assert.Contains(t, out.String(), words)
	}
	assert.Equal(t, 2, strings.Count(out.String(), "consumed by"), out.String())
}
