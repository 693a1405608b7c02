package app

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/render/capi"
)

// componentChanges returns the changes other than replicas in the components for Cluster API of the previous tree.
func (p *Planned) componentChanges(after render.Tree, replicas []report.ReplicaChange) []report.ComponentChange {
	was, is := filesOf(p.Before.compared(), "clusters", "capi/"), filesOf(after, "clusters", "capi/")
	stay := p.componentsStay()
	counted := map[string]bool{}
	for i := range replicas {
		counted[replicas[i].Cluster] = true
	}
	var out []report.ComponentChange
	for i := range p.Clusters.All {
		cluster := p.Clusters.All[i].Key()
		before := was[cluster]
		switch {
		case len(before) == 0, stay[cluster]:
		case p.Loaded.Site.Spec.ClusterAPI == nil:
			out = append(out, report.ComponentChange{Cluster: cluster, What: report.ComponentDeleted})
		case len(is[cluster]) > 0:
			out = append(out, componentChangesOf(cluster, before, is[cluster], counted[cluster])...)
		}
	}
	slices.SortStableFunc(out, func(a, b report.ComponentChange) int { return cmp.Compare(a.Cluster, b.Cluster) })
	return out
}

// componentChangesOf compares the files of one cluster as values, because versions of sipgen may write a file
// differently. counted: its replicas change. The patched objects and their rollout depend on the replicas and on the
// failure domains, so these are not reported again then.
func componentChangesOf(cluster string, was, is map[string][]byte, counted bool) []report.ComponentChange {
	var endpoint, domains *report.ComponentChange
	dexes := map[string]bool{} // folder of a Dex → it is removed
	var others []string
	steered := false
	for _, file := range slices.Sorted(maps.Keys(union(was, is))) {
		before, had := was[file]
		after, has := is[file]
		if had == has && bytes.Equal(before, after) {
			continue
		}
		a, b := capi.ReadPatch(before), capi.ReadPatch(after)
		if dex, _, found := strings.Cut(file, "/"); found && !setsReplicas(file) {
			if _, stays := is[dex+"/kustomization.yaml"]; had && (!has || !a.SameRest(b)) {
				dexes[dex] = !stays
			}
			continue
		}
		if a.Endpoint != b.Endpoint {
			endpoint = &report.ComponentChange{Cluster: cluster, What: report.ComponentEndpoint, From: a.Endpoint,
				To: b.Endpoint}
		}
		if !slices.Equal(a.Domains, b.Domains) {
			domains = &report.ComponentChange{Cluster: cluster, What: report.ComponentDomains,
				From: strings.Join(a.Domains, ", "), To: strings.Join(b.Domains, ", ")}
		}
		switch {
		case file == "kustomization.yaml":
			steered = !a.SameRest(b)
		case had && has && !a.SameRest(b), had && !has && a.Domains == nil && !counted:
			others = append(others, file)
		}
	}
	if steered && !counted && domains == nil {
		others = append(others, "kustomization.yaml")
	}
	var out []report.ComponentChange
	for _, dex := range slices.Sorted(maps.Keys(dexes)) {
		out = append(out, report.ComponentChange{Cluster: cluster, What: report.ComponentAuthentication,
			Files: []string{dex}, Deleted: dexes[dex]})
	}
	for _, change := range []*report.ComponentChange{endpoint, domains} {
		if change != nil {
			out = append(out, *change)
		}
	}
	if len(others) > 0 {
		out = append(out, report.ComponentChange{Cluster: cluster, What: report.ComponentPatches, Files: others})
	}
	return out
}

func union[M ~map[string][]byte](a, b M) map[string]bool {
	out := map[string]bool{}
	for name := range a {
		out[name] = true
	}
	for name := range b {
		out[name] = true
	}
	return out
}

// componentsStay returns the clusters whose components do not change: those without a spec, or with a refused one.
func (p *Planned) componentsStay() map[string]bool {
	stay := map[string]bool{}
	for i := range p.Placement.Clusters {
		c := &p.Placement.Clusters[i]
		stay[c.Key.String()] = c.Gone || len(c.Refused) > 0
	}
	return stay
}

func setsReplicas(file string) bool {
	_, sets := capi.SetsReplicas(file)
	return sets
}

// replicaChanges returns the replicas that differ from the previous tree's, in the components that it has. Those of
// refused clusters and of clusters without a spec do not change.
func (p *Planned) replicaChanges(after render.Tree) []report.ReplicaChange {
	was, is := filesOf(p.Before.compared(), "clusters", "capi/"), filesOf(after, "clusters", "capi/")
	stay := p.componentsStay()
	var out []report.ReplicaChange
	for i := range p.Clusters.All {
		c := &p.Clusters.All[i]
		before, domainsBefore := numbersIn(was[c.Key()], is[c.Key()])
		if len(was[c.Key()]) == 0 || stay[c.Key()] || p.Loaded.Site.Spec.ClusterAPI == nil {
			continue
		}
		_, domainsAfter := numbersIn(is[c.Key()], was[c.Key()])
		for _, machines := range capi.MachinesOf(c) {
			to := machines.Replicas
			from, found := before[machines.File]
			delete(before, machines.File)
			change := report.ReplicaChange{Cluster: c.Key(), Role: machines.Role, File: machines.File, To: &to}
			if found {
				change.From = &from
				change.Domains = domainChanges(domainsBefore[machines.File], domainsAfter[machines.File])
			}
			if !found || from != to || len(change.Domains) > 0 {
				out = append(out, change)
			}
		}
		for file, from := range before {
			out = append(out, report.ReplicaChange{Cluster: c.Key(), File: file, From: &from})
		}
	}
	slices.SortFunc(out, func(a, b report.ReplicaChange) int {
		return strings.Compare(a.Cluster+"/"+a.File, b.Cluster+"/"+b.File)
	})
	return out
}

// numbersIn returns the replicas in the files of a component: by the file of a role, and by that and domain those in
// files that differ from the other component's.
func numbersIn(files, other map[string][]byte) (roles map[string]int, domains map[string]map[string]int) {
	roles, domains = map[string]int{}, map[string]map[string]int{}
	for file, text := range files {
		of, sets := capi.SetsReplicas(file)
		if !sets {
			continue
		}
		if of != file && domains[of] == nil {
			domains[of] = map[string]int{}
		}
		if of != file && bytes.Equal(text, other[file]) {
			continue
		}
		replicas, domain, found := capi.Replicas(text)
		switch {
		case !found:
		case of == file:
			roles[file] = replicas
		default:
			domains[of][domain] = replicas
		}
	}
	return roles, domains
}

// domainChanges compares the numbers of a role's domains, if it had some before and has some now: an earlier version
// wrote none, nor is there one without a topology key.
func domainChanges(was, is map[string]int) (out []report.DomainReplicas) {
	if was == nil || is == nil {
		return nil
	}
	all := maps.Clone(was)
	maps.Copy(all, is)
	for _, domain := range slices.Sorted(maps.Keys(all)) {
		if was[domain] != is[domain] {
			out = append(out, report.DomainReplicas{Domain: domain, From: was[domain], To: is[domain]})
		}
	}
	return out
}
