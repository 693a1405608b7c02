package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func tableOf(p *Plan) string {
	var out strings.Builder
	Table(&out, p, TableOptions{})
	return out.String()
}

// TestAnyIsADanger: what only the grant patches: any allows is seen first by whoever reviews, wherever that is.
func TestAnyIsADanger(t *testing.T) {
	for _, row := range []struct {
		said    string
		cluster ClusterResult
	}{
		{"", ClusterResult{}},
		{"has lines of HAProxy's configuration", ClusterResult{HAProxyLines: true}},
		{"has patches", ClusterResult{AnyPatches: true}},
	} {
		row.cluster.Namespace, row.cluster.Name = "t", "a"
		p := &Plan{Clusters: []ClusterResult{row.cluster}}
		for where, text := range map[string]string{
			"plan": tableOf(p), "plan -o markdown": Markdown(p, false), "commit": CommitMessage(p, "", nil), "pull request": PullRequest(p, About{}), "stderr of publish": strings.Join(Dangers(p, nil), "\n"),
		} {
			if row.said != "" && !strings.Contains(text, row.said) || row.said == "" && strings.Contains(text, "patches: any") {
				t.Errorf("%q is not in the %s:\n%s", row.said, where, text)
			}
		}
	}
}

// TestLongReasonsAreBounded: a table is as long as its rows, however long the messages of the hosts are; JSON has them whole.
func TestLongReasonsAreBounded(t *testing.T) {
	const hosts, long = 500, 100_000
	role := RoleResult{Name: "Worker"}
	for i := range hosts {
		why := fmt.Sprintf("in error (power management error): %d %s", i, strings.Repeat("\x1b[31m no ", long/9))
		role.Slots = append(role.Slots, Slot{Host: fmt.Sprintf("m/h%d", i), Status: StatusKept, Why: why, Trouble: why, use: why, failed: true})
	}
	p := &Plan{Clusters: []ClusterResult{{Namespace: "t", Name: "a", Roles: []RoleResult{role}}}}
	for _, options := range []TableOptions{{}, {Wide: true}, {Wide: true, Width: 80, Color: true}, {Width: 80}} {
		var out strings.Builder
		if Table(&out, p, options); out.Len() > 5*hosts*maxSentence {
			t.Errorf("%+v: %d bytes", options, out.Len())
		}
	}
	if whole, err := json.Marshal(p); err != nil || len(whole) < hosts*long {
		t.Errorf("JSON has %d bytes: %v", len(whole), err)
	}
}
