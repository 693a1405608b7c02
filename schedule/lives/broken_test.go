package lives

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// failsWith says whether one of some lives ends with an error that has a text.
func failsWith(text string, decides program) (last error, is bool) {
	for seed := range uint64(150) {
		l := newLife(seed, decides)
		if err := l.lived(); err != nil {
			last = err
			if strings.Contains(err.Error(), text) {
				return err, true
			}
		}
	}
	return last, false
}

// TestBrokenProgramsAreNoticed breaks the program in one way each. The check that is there for it notices.
func TestBrokenProgramsAreNoticed(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, notices string
		breaks        program
	}{
		{"a host is in two overlays", "two clusters have a host", after(func(now *site, before, t *tree) {
			change(now, t, func(h *host, e *entry) bool {
				t.hosts[h.name] = append(t.hosts[h.name], entry{slot: slot{cluster: "z"}, uid: h.uid})
				return true
			})
		})},
		{"a host in use is let go", "a host in use moves or leaves", after(func(now *site, before, t *tree) {
			change(now, t, func(h *host, e *entry) bool { e.leaving = e.leaving || h.use != ""; return h.use != "" })
		})},
		{"an approval holds for each use", "a host in use moves or leaves", after(func(now *site, before, t *tree) {
			change(now, t, func(h *host, e *entry) bool {
				if e.token == "" {
					return false
				}
				e.token = "1/machine-0"
				return true
			})
		})},
		{"the tree is believed of a host in use", "a host in use moves", after(func(now *site, before, t *tree) {
			change(now, t, func(h *host, e *entry) bool {
				was, ok := before.of(h.name)
				if !ok || h.use == "" || was.cluster == e.cluster {
					return false
				}
				*e = was
				return true
			})
		})},
		{"an idle host changes hands", "a held host moves", after(func(now *site, before, t *tree) {
			change(now, t, func(h *host, e *entry) bool {
				if e.cluster != "a" || h.use != "" {
					return false
				}
				e.cluster = "b"
				return true
			})
		})},
		{"a host leaves in one commit", "leaves in one commit", after(func(now *site, before, t *tree) {
			change(now, t, func(h *host, e *entry) bool {
				if was, ok := before.of(h.name); !ok || was.leaving || !e.leaving {
					return false
				}
				delete(t.hosts, h.name)
				return true
			})
		})},
		{"a leaving host is handed out", "handed out that is not free", after(func(now *site, before, t *tree) {
			change(now, t, func(h *host, e *entry) bool {
				if was, ok := before.of(h.name); !ok || !was.leaving || h.label.cluster == "" || e.cluster == "b" ||
					h.use != "" {
					return false
				}
				*e = entry{slot: slot{cluster: "b", role: "Worker"}, uid: h.uid}
				return true
			})
		})},
		{"a host that was made anew is free at once", "made anew is handed out",
			after(func(now *site, before, t *tree) {
				change(now, t, func(h *host, e *entry) bool {
					was, ok := before.of(h.name)
					if !ok || was.uid == h.uid || h.label.cluster != "" {
						return false
					}
					delete(t.hosts, h.name)
					return true
				})
			})},
		{"a host that Cluster API keeps for reuse is free", "handed out that is not free",
			func(now site, before *tree) (*tree, loss, error) {
				now.hosts = slices.Clone(now.hosts)
				for i := range now.hosts {
					now.hosts[i].reuse = false
				}
				return plan(now, before)
			}},
		{"any kind of host will do", "a host is handed out that is not free", reading(func(w *wants) { w.kind = "" })},
		{"racks do not count", "a domain has too many hosts", reading(func(w *wants) { w.perRack = 0 })},
		{"two of a rack are as good as one", "uneven over its racks", reading(func(w *wants) {
			if w.perRack == 2 {
				w.perRack = 0
			}
		})},
		{"a faulty cluster lets go", "a faulty cluster", after(func(now *site, before, t *tree) {
			change(now, t, func(h *host, e *entry) bool {
				if s := now.specs[e.cluster]; s == nil || !s.here || !s.fault || h.use != "" {
					return false
				}
				e.leaving = true
				return true
			})
		})},
		{"a missing spec is a cluster that leaves", "a cluster whose spec is missing",
			func(now site, before *tree) (*tree, loss, error) {
				now.specs = maps.Clone(now.specs)
				for name, s := range now.specs {
					if !s.here {
						now.specs[name] = &spec{here: true, roles: s.roles, deleted: true}
					}
				}
				return plan(now, before)
			}},
		{"one of several hosts", "a cluster gets some of its active hosts", after(func(now *site, before, t *tree) {
			change(now, t, func(h *host, e *entry) bool {
				if _, ok := before.of(h.name); ok || h.label.cluster != "" {
					return false
				}
				delete(t.hosts, h.name)
				return true
			})
		})},
		{"nothing is lost, it reports", "the brake does not hold", func(now site, before *tree) (*tree, loss, error) {
			now.most = len(now.hosts)
			t, _, err := plan(now, before)
			return t, loss{}, err
		}},
		{"a namespace that leaves is no loss", "leaves with its namespace",
			func(now site, before *tree) (*tree, loss, error) {
				t, lost, err := plan(now, before)
				lost.total, lost.outside = max(0, lost.total-lost.outside), 0
				return t, lost, err
			}},
		{"no limit holds", "a tenant gets more than it may have", func(now site, before *tree) (*tree, loss, error) {
			now.limit = 0
			return plan(now, before)
		}},
		{"spares are free", "reserved hosts are handed out", without("spares")},
		{"a minimum is free", "reserved hosts are handed out", without("a minimum")},
		{"hosts of one cluster are free", "reserved hosts are handed out", without("hosts of one cluster")},
		{"a vendor does not count", "a host is handed out that is not free", reading(func(w *wants) { w.vendor = "" })},
		{"new clusters come first", "out of turn", func(now site, before *tree) (*tree, loss, error) {
			now.specs = maps.Clone(now.specs)
			for name, s := range now.specs {
				if s = s.clone(); !before.clusters()[name] {
					s.priority += 2
				}
				now.specs[name] = s
			}
			return plan(now, before)
		}},
		{"the number is one too few", "does not work", func(now site, before *tree) (*tree, loss, error) {
			t, lost, err := plan(now, before)
			for name := range lost.asks {
				lost.asks[name]--
			}
			return t, lost, err
		}},
		{"the first cluster is another's", "the order of the inputs", preferring},
		{"standby goes to and fro", "at rest: commit", after(func(now *site, before, t *tree) {
			change(now, t, func(h *host, e *entry) bool {
				was, ok := before.of(h.name)
				e.standby = ok && !was.standby
				return true
			})
		})},
		{"a host that left is never free", "leaving for ever", after(func(now *site, before, t *tree) {
			for i := range now.hosts {
				if was, ok := before.of(now.hosts[i].name); ok && was.leaving && len(t.hosts[now.hosts[i].name]) == 0 {
					t.hosts[now.hosts[i].name] = []entry{was}
				}
			}
		})},
	} {
		if err, noticed := failsWith(row.notices, row.breaks); !noticed {
			t.Errorf("%s: found %v, want %q", row.name, err, row.notices)
		}
	}
}

// TestAnAcceptanceIsForOneLoss has a cluster go twice from four hosts to none. Random lives lose the same number twice
// too rarely to notice a program that forgets which texts are used up.
func TestAnAcceptanceIsForOneLoss(t *testing.T) {
	t.Parallel()
	forgetful := func(now site, before *tree) (*tree, loss, error) {
		if before != nil {
			memory := before.memory.(schedule.Previous)
			memory.Accepted = nil
			forgot := *before
			forgot.memory, before = memory, &forgot
		}
		return plan(now, before)
	}
	for why, row := range map[string]struct {
		decides program
		goes    bool // the second time, too
	}{"the program": {plan, false}, "one that forgets": {forgetful, true}} {
		l := newLife(0, row.decides)
		l.left, l.names, l.specs = false, []string{"b"}, map[string]*spec{"b": {here: true, roles: map[string]wants{}}}
		l.hosts = slices.Clone(l.hosts[:4])
		for i := range l.hosts {
			l.hosts[i].annex, l.hosts[i].kind = false, "a"
		}
		asked := 0
		turn := func(active int, accepting bool) error {
			l.specs["b"].roles["Worker"] = wants{active: active}
			for range 3 {
				after, refused, err := l.decide(l.hosts, false, accepting)
				if err != nil {
					return err
				}
				if number := l.specs["b"].acceptLoss; number > 0 {
					asked = number
				}
				if !refused {
					l.branch = append(l.branch, after)
					l.syncAll()
				}
			}
			return nil
		}
		for _, active := range []int{4, 0, 4} {
			require.NoError(t, turn(active, true))
		}
		assert.Equal(t, 4, asked, why+": asked for")
		require.NoError(t, turn(0, false))
		e, has := l.tip().of(l.hosts[0].name)
		assert.Truef(t, (has && !e.leaving) != row.goes, "%s: after the second loss: %v", why, l.tip())
	}
}

// after is the program, and what becomes of each tree that it makes.
func after(breaks func(now *site, before, t *tree)) program {
	return func(now site, before *tree) (*tree, loss, error) {
		t, lost, err := plan(now, before)
		if err == nil {
			breaks(&now, before, t)
		}
		return t, lost, err
	}
}

// preferring is the program, to which the first cluster that it reads comes before all others.
func preferring(now site, before *tree) (*tree, loss, error) {
	now.specs = maps.Clone(now.specs)
	first := now.specs[now.names[0]].clone()
	first.priority = 5
	now.specs[now.names[0]] = first
	return plan(now, before)
}

// change goes through the hosts by name that are in a tree, until one of them is changed.
func change(now *site, t *tree, do func(*host, *entry) bool) {
	hosts := slices.SortedFunc(slices.Values(now.hosts), func(a, b host) int { return strings.Compare(a.name, b.name) })
	for i := range hosts {
		if entries := t.hosts[hosts[i].name]; hosts[i].here && len(entries) > 0 && do(&hosts[i], &entries[0]) {
			return
		}
	}
}

// without is the program, which reads no reservations of one sort.
func without(sort string) program {
	return func(now site, before *tree) (*tree, loss, error) {
		now.reserved = slices.DeleteFunc(slices.Clone(now.reserved),
			func(by reserve) bool { return by.String() == sort })
		return plan(now, before)
	}
}

// reading is the program, which reads something else in each role than what it wants.
func reading(misread func(*wants)) program {
	return func(now site, before *tree) (*tree, loss, error) {
		specs := map[string]*spec{}
		for name, s := range now.specs {
			specs[name] = s.clone()
			for role, w := range s.roles {
				misread(&w)
				specs[name].roles[role] = w
			}
		}
		now.specs = specs
		return plan(now, before)
	}
}
