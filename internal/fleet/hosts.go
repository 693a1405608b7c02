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
	// held, assigned and bmcs are what each Site has in its tree, assigns, and has in its inventory. listed are all
	// hosts of the inventory of a Site that assigns none, as sipgen hosts does.
	held, assigned, bmcs, listed map[string][]string
	// taken are the hosts that a Site may not have, with the Sites that do.
	taken map[string]map[string]string
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
	h.assigned, h.bmcs, h.listed = note(h.assigned, site, uids), note(h.bmcs, site, bmcs), note(h.listed, site, nil)
}

// Listed notes the hosts of a Site's clusters and all of its inventory, for a command that assigns none.
func (h *Hosts) Listed(site string, ofClusters, all []string) {
	h.noting.Lock()
	defer h.noting.Unlock()
	h.assigned, h.listed = note(h.assigned, site, ofClusters), note(h.listed, site, all)
}

// note makes a Site's keys be these.
func note(of map[string][]string, site string, keys []string) map[string][]string {
	if of == nil {
		of = map[string][]string{}
	}
	of[site] = slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return key == "" })
	return of
}

// sitesOf returns the names of the Sites by their keys, sorted and each once.
func sitesOf(of map[string][]string) map[string][]string {
	sites := map[string][]string{}
	for _, site := range slices.Sorted(maps.Keys(of)) {
		for _, key := range of[site] {
			if known := sites[key]; len(known) == 0 || known[len(known)-1] != site {
				sites[key] = append(known, site)
			}
		}
	}
	return sites
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
	for i := range sites {
		name := sites[i].Name
		h.held = note(h.held, name, slices.Concat(h.held[name], h.assigned[name]))
	}
}

// Taken returns the hosts that a Site may not have, with the Sites that do.
func (h *Hosts) Taken(site string) map[string]string {
	h.noting.Lock()
	defer h.noting.Unlock()
	return maps.Clone(h.taken[site])
}

// Resolve gives each host to one Site: to the first by name that has it in its tree, else to the first that assigns it,
// else to the first that lists it. It returns the names of the Sites that are to be run again: they assign or list a
// host of another, and are to do without it, or get back one that the other no longer assigns. This ends: a Site loses
// hosts to trees and to Sites before it alone, and the first Site is settled at once.
func (h *Hosts) Resolve() (again []string) {
	h.noting.Lock()
	defer h.noting.Unlock()
	lose := map[string]bool{}
	held, owner := sitesOf(h.held), map[string]string{}
	for _, sites := range []map[string][]string{held, sitesOf(h.assigned), sitesOf(h.listed)} {
		for uid, of := range sites {
			if _, is := owner[uid]; !is {
				owner[uid] = of[0]
			}
			for _, site := range of {
				if site == owner[uid] || slices.Contains(held[uid], site) {
					continue
				}
				if h.taken == nil {
					h.taken = map[string]map[string]string{}
				}
				if h.taken[site] == nil {
					h.taken[site] = map[string]string{}
				}
				h.taken[site][uid], lose[site] = owner[uid], true
			}
		}
	}
	for site, taken := range h.taken {
		for uid, by := range taken {
			switch of, is := owner[uid]; {
			case !is || of == site:
				delete(taken, uid)
				lose[site] = true
			case of != by:
				taken[uid] = of
			}
		}
	}
	return slices.Sorted(maps.Keys(lose))
}

// Words returns what Sites share: hosts in the trees of several, which each of them keeps, and in one line equal
// addresses of BMCs.
func (h *Hosts) Words() (words []string) {
	h.noting.Lock()
	defer h.noting.Unlock()
	held := sitesOf(h.held)
	for _, uid := range slices.Sorted(maps.Keys(held)) {
		if sites := held[uid]; len(sites) > 1 {
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
	for _, of := range sitesOf(h.bmcs) {
		if len(of) < 2 {
			continue
		}
		shared++
		for _, site := range of {
			sites[site] = true
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
