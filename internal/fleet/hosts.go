package fleet

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/airshipit/sipgen/internal/text"
)

// Hosts are the hosts of the Sites of a run, by their uids: a host is one Site's (contract 35). Its methods may be
// called from several goroutines, and their results depend on no order.
type Hosts struct {
	noting sync.Mutex
	// held and assigned are the names of the Sites with a host in their trees, and of those that assign one.
	held, assigned map[string]map[string]bool
	// taken are the hosts that a Site may not have, with the Sites that do.
	taken map[string]map[string]string
	// bmcs are the Sites by the addresses of BMCs.
	bmcs map[string]map[string]bool
	// applications are those of the Sites, by name.
	applications map[string]Applications
}

// Synced notes the Applications of a Site.
func (h *Hosts) Synced(of Applications) {
	h.noting.Lock()
	defer h.noting.Unlock()
	if h.applications == nil {
		h.applications = map[string]Applications{}
	}
	h.applications[of.Site] = of
}

// Held notes the hosts in a Site's tree.
func (h *Hosts) Held(site string, uids []string) {
	h.noting.Lock()
	defer h.noting.Unlock()
	h.held = note(h.held, site, uids)
}

// Planned notes the hosts that a Site assigns, and the addresses of the BMCs of its inventory.
func (h *Hosts) Planned(site string, uids, bmcs []string) {
	h.noting.Lock()
	defer h.noting.Unlock()
	h.assigned, h.bmcs = note(h.assigned, site, uids), note(h.bmcs, site, bmcs)
}

// note makes a Site's keys be these.
func note(of map[string]map[string]bool, site string, keys []string) map[string]map[string]bool {
	if of == nil {
		of = map[string]map[string]bool{}
	}
	for _, sites := range of {
		delete(sites, site)
	}
	for _, key := range keys {
		if key == "" {
			continue
		}
		if of[key] == nil {
			of[key] = map[string]bool{}
		}
		of[key][site] = true
	}
	return of
}

// Again forgets which Sites lost hosts to others: the branch has changed, and with it who has a host.
func (h *Hosts) Again() {
	h.noting.Lock()
	defer h.noting.Unlock()
	h.taken = nil
}

// Written notes that the hosts that some Sites assign are in their trees from now on.
func (h *Hosts) Written(sites []Site) {
	h.noting.Lock()
	defer h.noting.Unlock()
	for uid, of := range h.assigned {
		for i := range sites {
			if !of[sites[i].Name] {
				continue
			}
			if h.held == nil {
				h.held = map[string]map[string]bool{}
			}
			if h.held[uid] == nil {
				h.held[uid] = map[string]bool{}
			}
			h.held[uid][sites[i].Name] = true
		}
	}
}

// Taken returns the hosts that a Site may not have, with the Sites that do.
func (h *Hosts) Taken(site string) map[string]string {
	h.noting.Lock()
	defer h.noting.Unlock()
	return maps.Clone(h.taken[site])
}

// Resolve gives each host to one Site: to the first by name that has it in its tree, else to the first that assigns it.
// It returns the names of the Sites that assign a host of another: they are to be planned again, without it.
func (h *Hosts) Resolve() (again []string) {
	h.noting.Lock()
	defer h.noting.Unlock()
	lose := map[string]bool{}
	for uid, sites := range h.assigned {
		owners := h.held[uid]
		if len(owners) == 0 {
			owners = sites
		}
		if len(owners) == 0 {
			continue
		}
		owner := slices.Min(slices.Collect(maps.Keys(owners)))
		for site := range sites {
			if site == owner || h.held[uid][site] {
				continue
			}
			if h.taken == nil {
				h.taken = map[string]map[string]string{}
			}
			if h.taken[site] == nil {
				h.taken[site] = map[string]string{}
			}
			h.taken[site][uid], lose[site] = owner, true
		}
	}
	return slices.Sorted(maps.Keys(lose))
}

// Words returns what Sites share: hosts in the trees of several, which each of them keeps, and in one line equal
// addresses of BMCs.
func (h *Hosts) Words() (words []string) {
	h.noting.Lock()
	defer h.noting.Unlock()
	for _, uid := range slices.Sorted(maps.Keys(h.held)) {
		if sites := slices.Sorted(maps.Keys(h.held[uid])); len(sites) > 1 {
			words = append(words, fmt.Sprintf("danger: a host is in the trees of %s: %s (uid %s); release it in all but one",
				text.Count(len(sites), "Site"), text.Some(sites, mostNames), text.Line(uid)))
		}
	}
	const most = 50
	if more := len(words) - most; more > 0 {
		words = append(words[:most], fmt.Sprintf("danger: and %s like it", text.Plural(more, "more host", "more hosts")))
	}
	words = append(words, h.clashes()...)
	shared, sites := 0, map[string]bool{}
	for _, of := range h.bmcs {
		if len(of) > 1 {
			shared++
			maps.Copy(sites, of)
		}
	}
	if shared > 0 {
		words = append(words, fmt.Sprintf("warning: %s at several Sites (%s): right for networks that are apart",
			text.Plural(shared, "BMC address is", "BMC addresses are"),
			text.Some(slices.SortedFunc(maps.Keys(sites), cmp.Compare), mostNames)))
	}
	return words
}

// mostClashes bounds the clashes that are said.
const mostClashes = 20

// clashes says which Sites have Applications of one name.
func (h *Hosts) clashes() (words []string) {
	clashes := Clashes(slices.Collect(maps.Values(h.applications)))
	for i, clash := range clashes {
		if i == mostClashes {
			return append(words, fmt.Sprintf("danger: and %s like it", text.Plural(len(clashes)-i, "more group of Sites",
				"more groups of Sites")))
		}
		more := ""
		if clash.More > 0 {
			more = fmt.Sprintf(" and %d more", clash.More)
		}
		words = append(words, fmt.Sprintf("danger: %s have the Application %s/%s%s: on one Argo CD all but one of their "+
			"roots fail; set spec.argocd.names: site (docs/application-names.md)", text.Some(clash.Sites, mostNames),
			clash.Namespace, clash.Name, more))
	}
	return words
}
