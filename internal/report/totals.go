package report

// Totals counts slots over all clusters.
type Totals struct {
	Assigned, New, Pending, Released, Leaving, Short int
	// Promoted and Adopted are among those that are Assigned; so are those that have Failed.
	Promoted, Adopted, Failed int
	// Offered are those that Cluster API may provision from now on: new ones, and promoted ones that nothing uses.
	Offered int
	// Uncleaned are the hosts of Offered that metal3 does not clean, and UncleanedNew how many of them are new.
	Uncleaned    []string
	UncleanedNew int
}

// add adds the numbers of another plan.
func (t *Totals) add(o Totals) {
	for _, both := range [][2]*int{{&t.Assigned, &o.Assigned}, {&t.New, &o.New}, {&t.Pending, &o.Pending},
		{&t.Released, &o.Released}, {&t.Leaving, &o.Leaving}, {&t.Short, &o.Short}, {&t.Promoted, &o.Promoted},
		{&t.Adopted, &o.Adopted}, {&t.Failed, &o.Failed}, {&t.Offered, &o.Offered},
		{&t.UncleanedNew, &o.UncleanedNew}} {
		*both[0] += *both[1]
	}
	t.Uncleaned = append(t.Uncleaned, o.Uncleaned...)
}

// Totals counts the changes of the plan.
func (p *Plan) Totals() Totals {
	var t Totals
	for i := range p.Clusters {
		for j := range p.Clusters[i].Roles {
			role := &p.Clusters[i].Roles[j]
			t.Assigned += role.Held + role.New + role.Pending
			t.New += role.New
			t.Offered += role.New
			t.Pending += role.Pending
			if len(p.Clusters[i].Frozen) == 0 { // else its spec is not placed, whatever hosts there are
				t.Short += role.ShortActive + role.ShortStandby
			}
			for _, slot := range role.Slots {
				if slot.failed {
					t.Failed++
				}
				offered := slot.Status == StatusNew
				for _, change := range slot.Changes {
					switch change {
					case promoted:
						t.Promoted++
						if slot.use == "" {
							t.Offered++
							offered = true
						}
					case adopted:
						t.Adopted++
					}
				}
				if slot.uncleaned && offered {
					t.Uncleaned = append(t.Uncleaned, slot.Host)
				}
				switch slot.Status {
				case StatusNew:
					if slot.uncleaned {
						t.UncleanedNew++
					}
				case StatusReleased:
					t.Released++
				case StatusLeaving:
					t.Leaving++
				}
			}
		}
	}
	return t
}
