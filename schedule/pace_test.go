package schedule

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPace is contract 22: failed hosts lose their slots to others only while fewer of them than the number of the
// brake wait to leave clusters that stay, or none of the same tenant. The tenant is that of c and d; e is another's.
func TestPace(t *testing.T) {
	for _, row := range []struct {
		why                   string
		most                  int
		clusters, hosts, tree string
		want                  string
		stay                  int // failed hosts that wait for others
	}{
		{"as many as may", 2, "c:2", "a/r1!&=c b/r2!&=c x/r3 y/r4", "", "c Worker: (a) (b) +x +y", 0},
		{"one more stays", 2, "c:3", "a/r1!&=c b/r2!&=c d/r3!&=c x/r4 y/r5 z/r6", "",
			"c Worker: a (b) (d) +x +y", 1},
		{"one waits from before", 1, "c:2", "a/r1!&=c b/r2!&=c x/r3=c y/r4", "?a=c b=c x=c", "c Worker: (a) b x", 1},
		{"its user has begun to let it go", 1, "c:2", "a/r1!&=c b/r2!-&=c x/r3=c y/r4", "a=c ?b=c x=c",
			"c Worker: (a) (b) x +y", 0},
		{"idle ones count in the run that replaces them", 1, "c:2", "a/r1&=c b/r2&=c x/r3 y/r4", "",
			"c Worker: a +x -b", 1},
		{"and in that run alone", 1, "c:2", "a/r1&=c b/r2&=c x/r3=c y/r4", "a=c -b=c x=c", "c Worker: x +y -a -b", 0},
		{"those that are only named are their spec's own loss", 1, "c:3!remove=a,b",
			"a/r1!=c b/r2!=c d/r3!&=c x/r4 y/r5 z/r6", "",
			"c Worker: (a) (b) (d) +x +y +z", 0},
		{"of another tenant", 1, "c:1 e:1", "a/r1!&=c b/r2!&=e x/r3 y/r4", "", "c Worker: (a) +x\ne Worker: (b) +y", 0},
		{"of another tenant, by its own standby host", 1, "c:1 e:1+1", "a/r1!&=c x/r2=c b/r3!&=e s/r4~=e y/r5",
			"?a=c x=c", "c Worker: (a) x\ne Worker: (b) s +~y", 0},
		{"of the same tenant, with its own standby host", 1, "c:1 d:1+1", "a/r1!&=c x/r2=c b/r3!&=d s/r4~=d y/r5",
			"?a=c x=c", "c Worker: (a) x\nd Worker: b ~s", 1},
		{"of another cluster of the tenant", 1, "c:1 d:1", "a/r1!&=c b/r2!&=d x/r3 y/r4", "",
			"c Worker: (a) +x\nd Worker: b", 1},
		{"first those whose role has the other host", 1, "c:1 d:1+1", "a/r1!&=c b/r2!&=d s/r3~=d x/r4", "",
			"c Worker: a\nd Worker: (b) s +~x", 1},
		{"first those that a role takes back", 1, "c:2", "a/r1!&=c b/r2!&=c d/r3=c x/r4", "a=c b=c -d=c",
			"c Worker: a (b) d", 1},
		{"those of a cluster that leaves do not count", 1, "c:1 d:0!deleted", "a/r1!&=c b/r2!&=d x/r3", "a=c ?b=d",
			"c Worker: (a) +x\nd Worker: (b)", 0},
		{"a failed standby host counts, too", 1, "c:1+1", "a/r1!&=c s/r2!&~=c x/r3 y/r4", "", "c Worker: (a) +x ~s", 1},
		{"standby hosts stand in for as many", 1, "c:2+2", "a/r1!&=c b/r2!&=c s/r3~=c t/r4~=c x/r5", "",
			"c Worker: a (b) s ~t +~x", 1},
		{"fewer are wanted: a loss, and no replacement", 1, "c:1", "a/r1!&=c b/r2!&=c d/r3=c", "",
			"c Worker: (a) (b) d", 0},
	} {
		clusters, hosts, tree := sited(t, row.clusters, row.hosts, row.tree)
		options := newerLabels()
		options.Brake = func(int) int { return row.most }
		tenant, other := &Limit{Hosts: 100, Standby: 100}, &Limit{Hosts: 100, Standby: 100}
		options.Limits = map[ClusterKey]*Limit{{Namespace: "tenants", Name: "c"}: tenant,
			{Namespace: "tenants", Name: "d"}: tenant, {Namespace: "tenants", Name: "e"}: other}
		p := plan(t, clusters, hosts, tree, options)
		wantPlaced(t, row.why, p, row.want)
		stay := 0
		for i := range p.Clusters {
			for _, a := range p.Clusters[i].Roles[0].Assigned {
				if kept, _ := a.Reason.(Kept); kept.Stays != nil {
					stay++
					assert.Truef(t, len(kept.Stays.(WaitsForOthers).Hosts) > 0, "%s: %s waits for no other", row.why,
						a.Host.Name)
				}
			}
		}
		assert.Equal(t, row.stay, stay, row.why+": hosts that keep their slots")
	}
}
