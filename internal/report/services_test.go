package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/stretchr/testify/assert"
)

// quiet is a plan in which no host changes.
func quiet(services ...ServiceChanges) *Plan {
	return &Plan{Site: "dc1", Services: services, Clusters: []ClusterResult{{
		Namespace: "t", Name: "a", Roles: []RoleResult{{Name: "Worker", Held: 1,
			Slots: []Slot{{Host: "m/h", Status: StatusKept}}}},
	}}}
}

func TestDangersOfServices(t *testing.T) {
	files := []File{{Path: "clusters/t/a/infra/kustomization.yaml", Kind: "changed"}}
	type effect = objdiff.Effect
	change := func(of ...effect) *Plan { return quiet(ServiceChanges{Cluster: "t/a", Objects: of}) }
	for _, row := range []struct {
		why       string
		plan      *Plan
		want, not string
	}{
		{"a patch alone", change(effect{Object: "Deployment lb",
			Fields: []string{"spec.replicas 2 → 3", "spec.template.spec.containers[lb].image a → b"}, Rolls: true}),
			"t/a: Deployment lb changes: spec.replicas 2 → 3, spec.template.spec.containers[lb].image a → b, and its pods roll", "its kustomization"},
		{"a jump host's pod rolls", change(effect{Object: "Deployment jumphost-a",
			Fields: []string{"configuration hosts"}, Rolls: true}),
			"t/a: Deployment jumphost-a changes: configuration hosts, and its pods roll: open sessions end",
			"its kustomization"},
		{"one that has to be made anew",
			change(effect{Object: "Service lb", Fields: []string{"spec.clusterIP"},
				Immutable: []string{"spec.clusterIP"}}),
			"t/a: Service lb changes: spec.clusterIP; spec.clusterIP cannot change in a live object, so the sync fails until the Service lb is deleted; the engine then recreates it", "pods roll"},
		{"some go", change(effect{Object: "Deployment x", Gone: true}, effect{Object: "Service x", Gone: true},
			effect{Object: "Service y", Added: true}),
			"t/a: deleted: Deployment x, Service x", "Service y"},
		{"a new one that opens", change(effect{Object: "Service y", Added: true, Reached: "every node, port 30022"}),
			"t/a: Service y is new; it is reached at every node, port 30022", "its kustomization"},
		{"who may log in", change(effect{Object: "ConfigMap y-keys", Added: true, Logins: []string{"k 1", "k 2"},
			NoLogins: []string{"k 3"}}),
			"t/a: ConfigMap y-keys: may now log in: k 1, k 2; lose the login: k 3", ""},
		{"all go", quiet(ServiceChanges{Cluster: "t/a", Gone: true}), "t/a: all its services are deleted",
			"files of lb"},
		{"all go, with Flux", quiet(ServiceChanges{Cluster: "t/a", Gone: true, Account: true}),
			"t/a: all its services are deleted; let Flux sync this commit before you publish the next one, which removes",
			"files of lb"},
		{"all leave", quiet(ServiceChanges{Cluster: "t/a", Gone: true, Emptied: true, Leaves: true}),
			"t/a: its services leave this tree: the engine deletes them, unless it let go of them before", "are deleted"},
		{"not known", quiet(ServiceChanges{Cluster: "t/a", Unknown: "kustomization.yaml: missing"}),
			"t/a: the changes in its services are unknown, so look at its files: kustomization.yaml: missing", ""},
	} {
		row.plan.Files = files
		message, request := CommitMessage(row.plan, ""), PullRequest(row.plan, About{})
		assert.Contains(t, message, "danger: ", row.why)
		assert.Contains(t, message, row.want, row.why)
		assert.Equal(t, strings.Contains(row.want, ": deleted: "), strings.Contains(message, ": deleted: "), row.why)
		assert.Truef(t, row.not == "" || !strings.Contains(message, row.not), "%s: %q is in\n%s", row.why, row.not,
			message)
		assert.Contains(t, request, "**Dangers**", row.why)
	}
	request := PullRequest(change(effect{Object: "Service y", Added: true}), About{})
	assert.Contains(t, "\n"+request, "\nNo dangers", "what is new has nothing to lose")
}

// Field names and images come from trees that anybody may have edited.
func TestServicesAreNoMarkup(t *testing.T) {
	for _, words := range hostile {
		p := quiet(ServiceChanges{Cluster: "t/a",
			Objects: []objdiff.Effect{{Object: "Deployment " + words, Fields: []string{words}, Reached: words,
				WasReached: words, Logins: []string{words}}, {Object: words, Gone: true}}},
			ServiceChanges{Cluster: "t/b", Unknown: words})
		text := ours.Replace(outside(PullRequest(p, About{})))
		assert.Truef(t, allowed.MatchString(strings.NewReplacer("**", "", "\n- ", "\n").Replace(text)), "%q: got\n%s",
			words, text)
		for line := range strings.Lines(CommitMessage(p, "")) {
			assert.Truef(t, !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "/"), "%q: got the line %q",
				words, line)
		}
	}
}

// TestLongReasonsAreBounded: a table is as long as its rows, however long the messages of the hosts are; JSON has them
// whole.
func TestLongReasonsAreBounded(t *testing.T) {
	const hosts, long = 500, 100_000
	role := RoleResult{Name: "Worker"}
	for i := range hosts {
		why := fmt.Sprintf("in error (power management error): %d %s", i, strings.Repeat("\x1b[31m no ", long/9))
		role.Slots = append(role.Slots, Slot{Host: fmt.Sprintf("m/h%d", i), Status: StatusKept, Why: why, Trouble: why,
			use: why, failed: true})
	}
	p := &Plan{Clusters: []ClusterResult{{Namespace: "t", Name: "a", Roles: []RoleResult{role}}}}
	for _, options := range []TableOptions{{}, {Wide: true}, {Wide: true, Width: 80, Color: true}, {Width: 80}} {
		var out strings.Builder
		Table(&out, p, options)
		assert.Truef(t, out.Len() <= 5*hosts*maxSentence, "%+v: %d bytes", options, out.Len())
	}
	whole, err := json.Marshal(p)
	assert.Truef(t, err == nil && len(whole) >= hosts*long, "JSON has %d bytes: %v", len(whole), err)
}
