package report

import (
	"fmt"
	"slices"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/schedule"
)

// TestAlikeRolesShareALine: roles that do not have a host for the same reason share a line, which names the first of them and counts the others, those among them that are
// only counted. What differs in one word stays apart.
func TestAlikeRolesShareALine(t *testing.T) {
	reason := func(n int, why schedule.Reason) (out []schedule.RoleReason) {
		for i := range n {
			out = append(out, schedule.RoleReason{Role: schedule.RoleKey{Cluster: schedule.ClusterKey{Namespace: "t", Name: fmt.Sprint("c", i)}, Role: "Worker"}, Reason: why})
		}
		return out
	}
	for _, row := range []struct {
		found schedule.Explanation
		want  []string
	}{
		{schedule.Explanation{Roles: reason(1, schedule.Satisfied{Want: 2})}, []string{"t/c0 Worker: could use it, but has the 2 hosts it wants"}},
		{schedule.Explanation{Roles: reason(4, schedule.NotGranted{})}, []string{"t/c0 Worker, t/c1 Worker, t/c2 Worker and t/c3 Worker: select it, but their tenants are not granted it"}},
		{schedule.Explanation{Roles: reason(5, schedule.NotGranted{})}, []string{"t/c0 Worker, t/c1 Worker, t/c2 Worker and 2 other roles: select it, but their tenants are not granted it"}},
		{schedule.Explanation{Roles: reason(2, schedule.AsksForNone{})}, []string{"t/c0 Worker and t/c1 Worker: select it, but ask for no hosts"}},
		{
			schedule.Explanation{Roles: slices.Concat(reason(2, schedule.NothingNew{}), reason(3, schedule.NotGranted{})), More: []schedule.ReasonCount{
				{Reason: schedule.NotGranted{}, Count: 7}, {Reason: schedule.Satisfied{}, Count: 2},
			}},
			[]string{
				"t/c0 Worker and t/c1 Worker: could use it, but their clusters cannot have all they need and get nothing new",
				"t/c0 Worker, t/c1 Worker, t/c2 Worker and 7 other roles: select it, but their tenants are not granted it",
				"2 more roles: could use it, but have the hosts they want",
			},
		},
		{
			schedule.Explanation{Roles: slices.Concat(reason(1, schedule.Satisfied{Want: 2}), reason(1, schedule.Satisfied{Want: 3}))},
			[]string{"t/c0 Worker: could use it, but has the 2 hosts it wants", "t/c0 Worker: could use it, but has the 3 hosts it wants"},
		},
	} {
		need.Same(t, "", alike(row.found), row.want)
	}
}
