package report

import (
	"strings"
	"testing"
)

// TestHAProxyLinesAreADanger: whoever reviews sees them first, wherever that is.
func TestHAProxyLinesAreADanger(t *testing.T) {
	const said = "has lines of HAProxy's configuration"
	for _, lines := range []bool{true, false} {
		p := &Plan{Clusters: []Cluster{{Namespace: "t", Name: "a", HAProxyLines: lines}}}
		for where, text := range map[string]string{
			"plan": Markdown(p), "commit": CommitMessage(p, "", nil), "pull request": PullRequest(p, About{}), "stderr of publish": strings.Join(Dangers(p, nil), "\n"),
		} {
			if got := strings.Contains(text, said); got != lines {
				t.Errorf("lines %t, %s: found %t\n%s", lines, where, got, text)
			}
		}
	}
}
