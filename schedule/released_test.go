package schedule

import (
	"fmt"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestReleasedAndStillInUse: whose machine is on a host that was released is known until the host is seen without one.
func TestReleasedAndStillInUse(t *testing.T) {
	const worker = v1.RoleWorker
	machine := func(name string) string { return "Metal3Machine tenants/" + name }
	h1 := func() inventory.Host { return host1("h1", "w", "r1") }
	imageOnly := func(h inventory.Host) inventory.Host { return with(h, func(s *inventory.State) { s.Image = true }) }
	anew := provisionedBy(h1(), "m")
	anew.UID = "another"
	released := []PreviousClaim{releasing(inTree("h1", "a", worker))}
	noted := func(cluster, consumer string) []StillUsed {
		return []StillUsed{{Host: HostKey{Namespace: "metal", Name: "h1"}, UID: "uid-h1", Cluster: ClusterKey{Namespace: "tenants", Name: cluster}, Consumer: consumer}}
	}
	for _, row := range []struct {
		why   string
		host  inventory.Host
		tree  []PreviousClaim
		noted []StillUsed
		older bool
		want  string
	}{
		{"its labels are not gone yet", provisionedBy(claimed(h1(), "a", worker), "m"), released, nil, false, ""},
		{"its labels are gone", provisionedBy(h1(), "m"), released, nil, false, "metal/h1 uid-h1 tenants/a " + machine("m")},
		{"its labels are gone, and nobody consumes it, but its image is there", imageOnly(h1()), released, nil, false, "metal/h1 uid-h1 tenants/a "},
		{"the machine was deleted before", h1(), released, nil, false, ""},
		{"noted before", provisionedBy(h1(), "m"), nil, noted("a", machine("m")), false, "metal/h1 uid-h1 tenants/a " + machine("m")},
		{"noted before, for a cluster without a spec", provisionedBy(h1(), "m"), nil, noted("gone", machine("m")), false, "metal/h1 uid-h1 tenants/gone " + machine("m")},
		{"noted before, and its machine is deleted, but it is not clean yet", with(h1(), func(s *inventory.State) { s.Provisioning = "deprovisioning" }), nil, noted("a", machine("m")), false,
			"metal/h1 uid-h1 tenants/a " + machine("m")},
		{"noted before, and clean", h1(), nil, noted("a", machine("m")), false, ""},
		{"noted before, and clean in an inventory that is older than that", h1(), nil, noted("a", machine("m")), true, "metal/h1 uid-h1 tenants/a " + machine("m")},
		{"noted before, and consumed by another machine", provisionedBy(h1(), "other"), nil, noted("a", machine("m")), false, ""},
		{"noted before, and another host of that name", anew, nil, noted("a", machine("m")), false, ""},
		{"noted before, and somebody labelled it", provisionedBy(claimed(h1(), "a", worker), "m"), nil, noted("a", machine("m")), false, ""},
		{"noted before, and another cluster's labels are on it", provisionedBy(claimed(h1(), "strange", worker), "m"), nil, noted("a", machine("m")), false, ""},
		{"noted before, and the tree gave it to a cluster", provisionedBy(h1(), "m"), []PreviousClaim{inTree("h1", "b", worker)}, noted("a", machine("m")), false, ""},
		{"noted before, and released by another cluster since", provisionedBy(h1(), "m"), []PreviousClaim{releasing(inTree("h1", "b", worker))}, noted("a", machine("m")), false,
			"metal/h1 uid-h1 tenants/b " + machine("m")},
		{"noted before, and not in the inventory any more", provisionedBy(host1("h2", "w", "r1"), "m"), nil, noted("a", machine("m")), false, ""},
	} {
		options := testOptions
		options.LabelsOlder = row.older
		c := newCluster("a", map[string]v1.NodeSet{worker: nodes("kind=w", 0, 0)})
		p := plan(t, []v1.SIPCluster{c}, []inventory.Host{row.host}, Previous{Claims: row.tree, StillUsed: row.noted}, options)
		var found []string
		for _, u := range p.StillUsed {
			found = append(found, fmt.Sprintf("%s %s %s %s", u.Host, u.UID, u.Cluster, u.Consumer))
		}
		if got := strings.Join(found, ", "); got != row.want {
			t.Errorf("%s: got %q, want %q", row.why, got, row.want)
		}
		words := strings.Join(Say.Warnings(p.Warnings), "\n")
		if says := strings.Contains(words, "and still in use: counted towards the tenant's hosts.max until the machine is gone: metal/h1"); says != (row.want != "") {
			t.Errorf("%s: said %q", row.why, words)
		}
	}
}
