package report

import (
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
			"plan": tableOf(p), "plan -o markdown": Markdown(p), "commit": CommitMessage(p, "", nil), "pull request": PullRequest(p, About{}), "stderr of publish": strings.Join(Dangers(p, nil), "\n"),
		} {
			if row.said != "" && !strings.Contains(text, row.said) || row.said == "" && strings.Contains(text, "patches: any") {
				t.Errorf("%q is not in the %s:\n%s", row.said, where, text)
			}
		}
	}
}
