package picture

import (
	"fmt"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// fake is a placement of n hosts, always the same: racks of 40 (of 4 up to 50 hosts), 10 racks a row, one
// cluster per 60 hosts or so, every verdict, and a few hosts outside of racks.
func fake(n int) *schedule.Placement {
	perRack := 40
	if n <= 50 {
		perRack = 4
	}
	clusters := max(2, n/60)
	if n >= 300 {
		clusters = max(clusters, 12)
	}
	p := &schedule.Placement{}
	for i := range clusters {
		key := schedule.ClusterKey{Namespace: fmt.Sprintf("tenant-%c", 'a'+i%26), Name: fmt.Sprintf("edge-%02d", i+1)}
		p.Clusters = append(p.Clusters, schedule.Cluster{Key: key, Roles: []schedule.Role{
			{Name: "ControlPlane", TopologyKeys: []string{"lab.example.org/row", "lab.example.org/rack"}},
			{Name: "Worker", TopologyKeys: []string{"lab.example.org/rack"}},
		}})
	}
	seed := uint32(7)
	next := func(below int) int { // a small congruential generator: the same hosts each time
		seed = seed*1664525 + 1013904223
		return int(seed>>16) % below
	}
	for i := range n {
		rack := i / perRack
		host := &inventory.Host{Namespace: "metal3", Name: fmt.Sprintf("node-%05d", i+1), Labels: map[string]string{
			"lab.example.org/rack": fmt.Sprintf("r%d", rack+1),
			"lab.example.org/row":  fmt.Sprintf("%c", 'A'+rack/10%26),
		}}
		if i%97 == 9 {
			host.Labels = nil
		}
		line := schedule.HostLine{Host: host, Verdict: schedule.Free, Reason: schedule.Fits{Roles: 1}}
		switch dice := next(20); {
		case dice < 14:
			c := &p.Clusters[min(i*clusters/n+next(2), clusters-1)]
			role := &c.Roles[1]
			if next(5) == 0 {
				role = &c.Roles[0]
			}
			line.Cluster, line.Role = c.Key, role.Name
			assignment := schedule.Assignment{Host: host, Standby: next(6) == 0}
			assignment.WasStandby = assignment.Standby
			switch dice {
			case 0, 1:
				line.Verdict, line.Reason = schedule.Assigned, schedule.Chosen{Key: "lab.example.org/rack", Value: host.Labels["lab.example.org/rack"], There: 1}
			case 2:
				line.Verdict, line.Reason = schedule.Pending, schedule.ReleaseWaits{Why: schedule.Surplus{Want: 1}, Use: schedule.Condition{Why: holdings.Why{Code: holdings.InUse, Detail: "Metal3Machine " + host.Name}}}
				assignment.Pending = true
			case 3:
				line.Verdict, line.Reason = schedule.Releasing, schedule.Surplus{Want: 1}
			case 4:
				line.Verdict, line.Reason = schedule.Held, schedule.Kept{Origin: schedule.FromLive}
				assignment.Trouble = schedule.Condition{Why: holdings.Why{Code: holdings.InError, Detail: "power management error"}}
			case 5:
				line.Verdict, line.Reason = schedule.Held, schedule.Kept{Origin: schedule.FromLive}
				assignment.WasStandby = !assignment.Standby
			default:
				line.Verdict, line.Reason = schedule.Held, schedule.Kept{Origin: schedule.FromLive}
			}
			if line.Verdict == schedule.Releasing {
				role.Releasing = append(role.Releasing, schedule.Release{Host: host, Reason: line.Reason})
			} else {
				role.Assigned = append(role.Assigned, assignment)
			}
		case dice < 17:
			line.Verdict, line.Reason = schedule.NotEligible, []schedule.Reason{schedule.Condition{Why: holdings.Why{Code: holdings.InError, Detail: "registration error"}}, schedule.Condition{Why: holdings.Why{Code: holdings.Paused}}, schedule.NoAddress{Network: "oam"}}[next(3)]
		}
		p.Hosts = append(p.Hosts, line)
	}
	p.Warnings = []schedule.Warning{schedule.AddressProblem{Problem: "host metal3/node-00001: the warning of nobody"}}
	p.Clusters[0].Warnings = []schedule.Warning{schedule.AddressProblem{Problem: "the warning of a cluster"}}
	p.Clusters[1].Unschedulable = true
	p.Clusters[1].Roles[0].ShortActive = 1
	p.Shortages = []schedule.Shortage{{Roles: []schedule.RoleKey{{Cluster: p.Clusters[1].Key, Role: "ControlPlane"}}, Need: 3, Capacity: 2, Hosts: 2}}
	return p
}
