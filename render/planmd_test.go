package render

import (
	"bytes"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/schedule"
)

// TestPlanMarkdownKeepsItsLines: whatever a placement has in it, only sipgen writes headings, elements and links in PLAN.md.
func TestPlanMarkdownKeepsItsLines(t *testing.T) {
	const forged = "x\n\n## good/g\n\nowned <b>owned</b> [owned](javascript:owned)\r\x1b[31m\u202e\u3164"
	role := schedule.RoleKey{Cluster: schedule.ClusterKey{Namespace: "evil", Name: forged}, Role: forged}
	in := Input{
		Site: &v1alpha1.Site{},
		Placement: &schedule.Placement{
			Clusters: []schedule.Cluster{{
				Key:   role.Cluster,
				Roles: []schedule.Role{{Name: forged, TopologyKeys: []string{forged, forged}, PerDomain: []int{1, 1}, Active: 1, ShortActive: 1}},
			}},
			Shortages: []schedule.Shortage{{Roles: []schedule.RoleKey{role}, Need: 1, Unmatched: true, Near: forged}},
		},
	}
	in.Site.Name = "lab"
	s := &site{Input: in, specs: map[schedule.ClusterKey]*v1.SIPCluster{}}
	page := string(s.planMarkdown())
	if strings.Count(page, "owned") < 8 {
		t.Errorf("the words are not in the page: %s", page)
	}
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "## good") || strings.HasPrefix(line, "owned") || strings.Contains(line, "<b>") || strings.Contains(line, "](") {
			t.Errorf("%q", line)
		}
	}
	if bytes.ContainsAny([]byte(page), "\r\x1b\u202e\u3164") {
		t.Errorf("what is not text is in %q", page)
	}
}

// TestAnyPatches: a reviewer reads which clusters have patches, and what these may do.
func TestAnyPatches(t *testing.T) {
	with, without := schedule.ClusterKey{Name: "with"}, schedule.ClusterKey{Name: "without"}
	s := &site{specs: map[schedule.ClusterKey]*v1.SIPCluster{with: {Spec: v1.SIPClusterSpec{Patches: make([]v1.Patch, 1)}}, without: {}}}
	for key, want := range map[schedule.ClusterKey]bool{with: true, without: false} {
		var out bytes.Buffer
		if s.wideMarkdown(&out, key); strings.Contains(out.String(), "**Any patches:**") != want {
			t.Errorf("%s: found %q", key.Name, &out)
		}
	}
}
