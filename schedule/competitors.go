package schedule

import (
	"cmp"
	"slices"
	"strings"
)

// mostGroups is how many groups of roles a shortage names.
const mostGroups = 16

// competitors are roles that compete, and what is the same in every shortage in which they do. Where thousands of clusters compete, each may lack a host.
type competitors struct {
	roles    []*role
	keys     []RoleKey
	rejected []ReasonCount
}

// competitors are those of the last shortage, if these are the same.
func (s *site) competitors(roles []*role) *competitors {
	if s.competing != nil && slices.Equal(s.competing.roles, roles) {
		return s.competing
	}
	s.competing = &competitors{roles: roles, keys: make([]RoleKey, len(roles)), rejected: s.rejectedOf(roles)}
	for i, r := range roles {
		s.competing.keys[i] = r.key()
	}
	return s.competing
}

// groups are all roles by name and selector.
type groups struct {
	all []RoleGroup // by role, then by selector
	of  []int32     // by role
}

func (s *site) newGroups() *groups {
	number := map[RoleGroup]int32{}
	g := &groups{of: make([]int32, len(s.roles))}
	for i, r := range s.roles {
		id := RoleGroup{Role: r.name, Selector: r.selector.String()}
		n, known := number[id]
		if !known {
			n = int32(len(g.all))
			number[id] = n
			g.all = append(g.all, id)
		}
		g.of[i] = n
	}
	slices.SortFunc(g.all, func(a, b RoleGroup) int {
		return cmp.Or(strings.Compare(a.Role, b.Role), strings.Compare(a.Selector, b.Selector))
	})
	place := make([]int32, len(g.all))
	for at, id := range g.all {
		place[number[id]] = int32(at)
	}
	for i, n := range g.of {
		g.of[i] = place[n]
	}
	return g
}

// grouped sums up what roles need by name and selector, those first that need most: a few, and all others together.
func (s *site) grouped(roles []*role, needs []int) (most []RoleGroup, others RoleGroup) {
	if len(roles) == 1 {
		return []RoleGroup{{Role: roles[0].name, Selector: roles[0].selector.String(), Roles: 1, Need: needs[0]}}, RoleGroup{}
	}
	if s.groups == nil {
		s.groups = s.newGroups()
	}
	g := s.groups
	var these []int32
	for i, r := range roles {
		at := g.of[r.index]
		if g.all[at].Roles == 0 {
			these = append(these, at)
		}
		g.all[at].Roles++
		g.all[at].Need += needs[i]
	}
	first := make([]int32, 0, mostGroups+1) // in order
	for _, at := range these {
		if len(first) == mostGroups && g.compare(at, first[mostGroups-1]) > 0 {
			continue
		}
		to, _ := slices.BinarySearchFunc(first, at, g.compare)
		first = slices.Insert(first, to, at)
		first = first[:min(len(first), mostGroups)]
	}
	for _, at := range first {
		most = append(most, g.all[at])
	}
	for _, at := range these {
		others.Roles += g.all[at].Roles
		others.Need += g.all[at].Need
		g.all[at].Roles, g.all[at].Need = 0, 0
	}
	for _, group := range most {
		others.Roles -= group.Roles
		others.Need -= group.Need
	}
	return most, others
}

// compare orders groups by what they need, most first.
func (g *groups) compare(a, b int32) int {
	return cmp.Or(cmp.Compare(g.all[b].Need, g.all[a].Need), cmp.Compare(a, b))
}
