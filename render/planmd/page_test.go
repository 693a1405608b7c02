package planmd

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
	in := In{Site: &v1alpha1.Site{}, Clusters: []Cluster{{Cluster: &schedule.Cluster{
		Key:   role.Cluster,
		Roles: []schedule.Role{{Name: forged, TopologyKeys: []string{forged, forged}, PerDomain: []int{1, 1}, Active: 1, ShortActive: 1}},
	}}}}
	in.Site.Name = "lab"
	page := string(Page(in))
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
	for why, row := range map[string]struct {
		spec *v1.SIPCluster
		want bool
	}{"patches": {&v1.SIPCluster{Spec: v1.SIPClusterSpec{Patches: make([]v1.Patch, 1)}}, true}, "none": {&v1.SIPCluster{}, false}, "no spec": {nil, false}} {
		var out bytes.Buffer
		if writePatches(&out, row.spec); strings.Contains(out.String(), "**Any patches:**") != row.want {
			t.Errorf("%s: found %q", why, &out)
		}
	}
}

func TestMarkdownCells(t *testing.T) {
	if found := escapeCell("a|b<script>\nc"); found != `a\|b&lt;script> c` {
		t.Errorf("found %q", found)
	}
}
