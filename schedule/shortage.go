package schedule

import "fmt"

// blame records why slots of a role stay empty.
func (s *site) blame(r *role, missing int) {
	s.shortages = append(s.shortages, Shortage{
		Roles: []RoleKey{{r.cluster.key, r.name}}, Need: r.must, Capacity: r.must - missing, Rejected: r.rejected,
		Text: fmt.Sprintf("%s: needs %s, short %d", r, count(r.must, "more host"), missing),
	})
}
