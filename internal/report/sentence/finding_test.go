package sentence

import (
	"fmt"
	"slices"
	"testing"

	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
)

// TestFindings: each warning names its cluster and its role, or its host, and has a code of the table.
func TestFindings(t *testing.T) {
	h1 := schedule.HostKey{Namespace: "metal", Name: "h1"}
	red, blue := schedule.ClusterKey{Namespace: "tenants", Name: "red"}, schedule.ClusterKey{Namespace: "tenants",
		Name: "blue"}
	faulty := func(kind inventory.FaultKind) schedule.Warning {
		return schedule.NotHandedOut{Host: h1,
			Why: schedule.Condition{Why: holdings.Why{Code: holdings.Faulty, Detail: "wrong"}, Fault: kind}}
	}
	h2 := schedule.HostKey{Namespace: "metal", Name: "h2"}
	labeled := func(code holdings.Code) schedule.Warning {
		return schedule.NotHandedOut{Host: h2, Why: schedule.Condition{Why: holdings.Why{Code: code}}}
	}
	p := &schedule.Placement{
		Warnings: []schedule.Warning{
			schedule.OfCluster{Cluster: blue,
				Warning: schedule.AnotherUID{Host: h1, Source: "a.yaml", Was: "1", Is: "2"}},
			faulty(inventory.FaultBMC), faulty(inventory.FaultMAC), faulty(inventory.FaultUID),
			faulty(inventory.FaultNetwork), faulty(inventory.FaultLabel),
			schedule.WithoutStatus{Hosts: 2},
			labeled(holdings.IncompleteLabels), labeled(holdings.InvalidRole), labeled(holdings.OldLabels),
			labeled(holdings.SIPLabels),
		},
		Clusters: []schedule.Cluster{{Key: red,
			Warnings: []schedule.Warning{schedule.NamesNothing{Annotation: "a", Name: "h9"}},
			Roles: []schedule.Role{{Name: "Worker",
				Warnings: []schedule.Warning{schedule.Crowded{Key: "rack", Value: "r1", Hosts: 3, Max: 1}}}},
		}},
	}
	want := []string{
		"SIP056 tenants/blue: host metal/h1: a.yaml has it with uid 1, but its uid is now 2: the host was recreated, so it leaves the cluster: no other cluster gets it before a later run finds it unused and without labels",
		"SIP057 2 hosts without status: assumed to be available",
	}
	for _, code := range []string{"SIP006", "SIP007", "SIP027", "SIP028", "SIP026"} {
		want = append(want, code+" host metal/h1: wrong: it is not handed out until that is fixed; a cluster that holds it keeps it")
	}
	for why, code := range map[holdings.Code]string{ // lint has no finding of its own about labels
		holdings.IncompleteLabels: "SIP054", holdings.InvalidRole: "SIP054", holdings.OldLabels: "SIP054",
		holdings.SIPLabels: "SIP052",
	} {
		want = append(want, code+" host metal/h2: "+conditions[why].general+
			": it is not handed out until that is fixed; a cluster that holds it keeps it")
	}
	want = append(want,
		`SIP058 tenants/red: annotation a names host "h9", which is not in the inventory: this entry has no effect; remove it from the annotation`,
		"SIP060 tenants/red: Worker: rack=r1: 3 of the role's hosts are there, and the limit is 1: they are kept")
	var got []string
	for _, f := range Findings(p) {
		assert.Truef(t, finding.Find(f.Code) != nil && f.Fix != "" && f.Severity == finding.Warning,
			"%+v: want a code of the table, and its remedy", f)
		got = append(got, f.Code+" "+f.Words())
	}
	slices.Sort(got)
	slices.Sort(want)
	assert.Equal(t, want, got)
}

// TestManyMissing: an inventory that is not complete is one finding, whoever has the hosts.
func TestManyMissing(t *testing.T) {
	for _, row := range []struct{ hosts, findings int }{{5, 5}, {6, 1}} {
		p := &schedule.Placement{Clusters: make([]schedule.Cluster, row.hosts)}
		for i := range p.Clusters {
			gone := schedule.NotInInventory{Host: schedule.HostKey{Namespace: "m", Name: fmt.Sprint("h", i)},
				Role: "Worker", Source: "a.yaml"}
			p.Clusters[i] = schedule.Cluster{Key: schedule.ClusterKey{Namespace: "t", Name: fmt.Sprint(i)},
				Warnings: []schedule.Warning{gone}}
		}
		found := Findings(p)
		assert.Truef(t, len(found) == row.findings, "%d hosts: got %d findings, want %d", row.hosts, len(found),
			row.findings)
	}
}
