package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

func keyOf(c *v1.SIPCluster) schedule.ClusterKey {
	return schedule.ClusterKey{Namespace: c.Namespace, Name: c.Name}
}

func compareNames(a, b *v1.SIPCluster) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

// beyondGrants are the clusters that ask, by their specs, for what is not theirs. One that is not valid is not looked at: its values are
// not fit to be repeated.
func (l *loaded) beyondGrants() []finding {
	var out []finding
	wrong := map[schedule.ClusterKey]bool{}
	for _, f := range l.findings {
		wrong[f.cluster] = true
	}
	for i := range l.clusters {
		c := &l.clusters[i]
		if l.evicted[c.Namespace] || wrong[keyOf(c)] || !keyOf(c).Valid() {
			continue
		}
		for _, e := range append(l.tenants.Namespace(c), l.tenants.Spec(c)...) {
			out = append(out, finding{cluster: keyOf(c), field: e.Path, err: &beyondError{c.Problem(e.Path, "%s", e.Message)}})
		}
	}
	return out
}

// beyondError is that a spec asks for what its tenant is not granted.
type beyondError struct{ error }

func (e *beyondError) Unwrap() error { return e.error }

// grantable says whether a grant would allow what is wrong: none allows a port beyond the site's range, or makes an image.
func grantable(err error) bool {
	var beyond *beyondError
	return errors.As(err, &beyond) && (strings.Contains(err.Error(), " grant") || strings.Contains(err.Error(), "may have at most"))
}

// evict notes the namespaces of evicted tenants.
func (l *loaded) evict(names []string) error {
	var errs []error
	l.evicted = map[string]bool{}
	for _, name := range names {
		listed, namespace := "", false
		for i := range l.site.Spec.Tenants {
			t := &l.site.Spec.Tenants[i]
			if t.Name == name {
				namespace = true
				for _, n := range t.Namespaces {
					l.evicted[n] = true
				}
			} else if slices.Contains(t.Namespaces, name) {
				listed = t.Name
			}
		}
		switch {
		case namespace:
		case listed != "":
			errs = append(errs, redact.Errorf("--evict: namespace %q is tenant %s's: want the tenant's name", name, listed))
		case !(schedule.ClusterKey{Namespace: name, Name: name}).Valid():
			errs = append(errs, redact.Errorf("--evict: found %q, want a tenant, or a namespace", name))
		default:
			l.evicted[name], l.unlisted = true, append(l.unlisted, name)
		}
	}
	return errors.Join(errs...)
}

// evictsNobody complains about names given to --evict that are no tenant's, and no namespace that has a cluster in the specs, in the tree or by the
// labels of hosts: with a slip of the pen nothing would happen, and nothing would say so.
func (l *loaded) evictsNobody(tree render.Tree, claims schedule.Previous) error {
	if len(l.unlisted) == 0 {
		return nil
	}
	keys := clustersIn(tree, claims)
	for i := range l.clusters {
		keys = append(keys, keyOf(&l.clusters[i]))
	}
	for _, f := range l.findings {
		keys = append(keys, f.cluster)
	}
	keys = append(keys, tenancy.Held(l.clusters, claims, l.hosts.Hosts, options(l.site)).Clusters()...)
	var known []string
	for _, key := range keys {
		known = append(known, key.Namespace)
	}
	for i := range l.site.Spec.Tenants {
		known = append(known, l.site.Spec.Tenants[i].Name)
	}
	var errs []error
	for _, name := range l.unlisted {
		if slices.Contains(known, name) {
			continue
		}
		hint := ""
		if near := manifest.Nearest(name, known); near != "" {
			hint = redact.Sprintf(", did you mean %q?", near)
		}
		errs = append(errs, redact.Errorf("--evict: found %q, which is no tenant's name and no namespace with clusters, in the specs or in the tree%s", name, hint))
	}
	return errors.Join(errs...)
}

// settled are the clusters that hosts are handed out to: those of the specs, without those of evicted tenants, and with an empty spec for
// each that is frozen and has none that could be read.
type settled struct {
	clusters []v1.SIPCluster
	// frozen says why clusters keep what they have, as it is.
	frozen map[schedule.ClusterKey][]string
	// here are the reasons as they read on this machine, by how they stand in frozen: with the paths of files as they were given.
	here map[string]string
	// shortened are reasons, as they read here, of which late has a longer form.
	shortened map[string]bool
	// reasons is how many problems each of them has, of which frozen has the first.
	reasons map[schedule.ClusterKey]int
	// inTree as loaded has it: the reasons and what lostWords says get into the tree and into commits.
	inTree *strings.Replacer
	// late are the findings that could not be known before the tree was read, and lost those that freeze nobody.
	late, lost []finding
	// beyond are those of late that are about what tenants are granted, and not about what two clusters claim.
	beyond []v1.ClusterError
	// clashing are those of late that are about what two clusters claim.
	clashing []v1.ClusterError
	// known are the clusters that the tree has, held is what each cluster holds.
	held  tenancy.Holdings
	known map[schedule.ClusterKey]bool
	// absent are the clusters that are frozen because they have no spec any more.
	absent map[schedule.ClusterKey]bool
}

// settle finds out which clusters are frozen.
func (l *loaded) settle(before previousTree, claims schedule.Previous) settled {
	s := settled{frozen: map[schedule.ClusterKey][]string{}, here: map[string]string{}, shortened: map[string]bool{}, known: map[schedule.ClusterKey]bool{},
		absent: map[schedule.ClusterKey]bool{}, inTree: l.inTree}
	for i := range l.clusters {
		if !l.evicted[l.clusters[i].Namespace] {
			s.clusters = append(s.clusters, l.clusters[i])
		}
	}
	known := clustersIn(before.files, claims)
	for _, key := range known {
		s.known[key] = true
	}
	for _, f := range l.findings {
		switch {
		case l.evicted[f.cluster.Namespace]:
		//guard: a tenant writes the name of another one's cluster, which is then frozen and not decommissioned: its hosts come free for nobody
		case f.strange, f.beside && (s.has(f.cluster) || !slices.Contains(known, f.cluster)):
			s.lost = append(s.lost, f)
		case f.cluster != schedule.ClusterKey{}:
			for _, why := range flatten(f.err) {
				s.freeze(f.cluster, why)
			}
			//guard: a time of deletion in one tenant's file refuses the run for everybody
			if f.decided {
				s.stays(f.cluster)
			}
		default:
			s.freezeAll(l, f, known)
		}
	}
	for _, f := range l.empty {
		s.freezeCutOff(l, f, known, claims)
	}
	s.freezeAbsent(l, known, claims)
	s.addMissing()
	if l.tenants == nil {
		return s
	}
	options := options(l.site)
	options.Known, options.LabelsOlder = s.known, l.labelsOlder(before)
	held := tenancy.Held(s.clusters, claims, l.hosts.Hosts, options)
	s.leaveAlone(l, held, claims)
	gone := s.gone(claims)
	kept := slices.DeleteFunc(known, func(key schedule.ClusterKey) bool { return !gone[key.String()] && !s.has(key) })
	s.beyond = l.tenants.Clusters(s.clusters, kept, s.isFrozen())
	s.complain(s.beyond)
	beyond := l.tenants.Hosts(s.clusters, held, s.isFrozen())
	s.complain(beyond)
	s.beyond = append(s.beyond, beyond...)
	s.held = held
	//guard: a tenant's load balancer gets an address that Ironic gives to a machine
	s.overlaps(l, before.files, gone, held)
	s.clashes(l, before.files, gone)
	s.crowds(l, append(kept, held.Clusters()...))
	return s
}

// mostNewcomers are of one tenant the frozen clusters that have nothing yet, and are planned and said.
const mostNewcomers = 20

// crowds leaves out what a tenant has too many of: clusters that are frozen and have neither files in the tree nor hosts. Whoever writes thousands of them
// would fill the plan, PLAN.md and the pull request, and nobody would find the other tenants in them. Those in no tenant's namespace count together.
func (s *settled) crowds(l *loaded, known []schedule.ClusterKey) {
	has := map[schedule.ClusterKey]bool{}
	for _, key := range known {
		has[key] = true
	}
	left, names := map[schedule.ClusterKey]bool{}, map[string][]string{}
	for i := range s.clusters { // sorted by name
		key := keyOf(&s.clusters[i])
		if len(s.frozen[key]) == 0 || has[key] {
			continue
		}
		whose := "no tenant"
		if tenant := l.tenants.Of(key.Namespace); tenant != nil {
			whose = "tenant " + tenant.Name
		}
		if names[whose] = append(names[whose], key.String()); len(names[whose]) > mostNewcomers {
			left[key] = true
		}
	}
	//guard: a tenant writes thousands of clusters that are frozen, and nobody finds the others in the plan
	if len(left) == 0 {
		return
	}
	s.clusters = slices.DeleteFunc(s.clusters, func(c v1.SIPCluster) bool { return left[keyOf(&c)] })
	s.late = slices.DeleteFunc(s.late, func(f finding) bool { return left[f.cluster] })
	for key := range left {
		delete(s.frozen, key)
	}
	for _, whose := range slices.Sorted(maps.Keys(names)) {
		if more := names[whose][min(mostNewcomers, len(names[whose])):]; len(more) > 0 {
			s.lost = append(s.lost, finding{err: fmt.Errorf("%d clusters of %s are frozen and have nothing yet: %d of them are not planned, from %s to %s",
				len(names[whose]), whose, len(more), more[0], more[len(more)-1])})
		}
	}
}

// clustersIn are the clusters that the tree knows.
func clustersIn(tree render.Tree, claims schedule.Previous) []schedule.ClusterKey {
	found := map[schedule.ClusterKey]bool{}
	for _, claim := range claims.Claims {
		found[claim.Cluster] = true
	}
	for name, content := range tree {
		if parts := strings.SplitN(name, "/", 4); len(parts) == 4 && parts[0] == "clusters" && !render.IsEmptied(content) {
			found[schedule.ClusterKey{Namespace: parts[1], Name: parts[2]}] = true
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b schedule.ClusterKey) int { return strings.Compare(a.String(), b.String()) })
}

// has says whether a cluster has a spec.
func (s *settled) has(key schedule.ClusterKey) bool {
	return slices.ContainsFunc(s.clusters, func(c v1.SIPCluster) bool { return keyOf(&c) == key })
}

// freeze notes why a cluster is frozen: the first reasons, which all who read the plan get to see, and how many more there are.
func (s *settled) freeze(key schedule.ClusterKey, why error) {
	if s.reasons == nil {
		s.reasons = map[schedule.ClusterKey]int{}
	}
	s.reasons[key]++
	const most = v1.MaxProblems + 1 // the last of a spec's own says how many more it has
	if more := s.reasons[key] - most; more > 0 {
		s.frozen[key] = append(s.frozen[key][:most], fmt.Sprintf("and %d more problems", more))
		return
	}
	s.frozen[key] = append(s.frozen[key], s.said(why))
}

// said is a reason as it may stand in the tree. here has it as it reads on this machine.
func (s *settled) said(why error) string {
	words := s.inTree.Replace(why.Error())
	s.here[words] = why.Error()
	return words
}

// stays: a cluster is not let go, though it is being deleted.
func (s *settled) stays(key schedule.ClusterKey) {
	for i := range s.clusters {
		if keyOf(&s.clusters[i]) == key {
			s.clusters[i].DeletionTimestamp = nil
		}
	}
}

// freezeAll freezes those whose spec may be in a file that cannot be read: the clusters of whoever writes there that have no spec now.
// Of a file that is in no tenant's folder it may be anybody's.
func (s *settled) freezeAll(l *loaded, f finding, known []schedule.ClusterKey) {
	author := l.tenants.Author(f.file)
	nobody := true
	for _, key := range known {
		if s.has(key) || l.evicted[key.Namespace] || author != nil && l.tenants.Of(key.Namespace) != author {
			continue
		}
		s.freeze(key, f.err)
		nobody = false
	}
	if nobody {
		s.lost = append(s.lost, f)
	}
}

// freezeCutOff freezes the clusters whose spec may have been in a file that is empty now: who wants them gone deletes the file. A cluster that gave its hosts up in
// an earlier run goes on doing so, and a file that was no cluster's freezes nobody.
func (s *settled) freezeCutOff(l *loaded, f finding, known []schedule.ClusterKey, claims schedule.Previous) {
	serves, claimed := map[schedule.ClusterKey]bool{}, map[schedule.ClusterKey]bool{}
	for role := range l.serving(claims) {
		serves[role.Cluster] = true
	}
	for _, claim := range claims.Claims {
		claimed[claim.Cluster] = true
	}
	author := l.tenants.Author(f.file)
	for _, key := range known {
		//guard: a stray empty file stops a cluster that is on its way out
		if s.has(key) || l.evicted[key.Namespace] || author != nil && l.tenants.Of(key.Namespace) != author || claimed[key] && !serves[key] {
			continue
		}
		s.freeze(key, fmt.Errorf("%w, and the cluster has no spec any more; if it is to go, delete the file", f.err))
	}
}

// freezeAbsent freezes the clusters of the tree that have no spec any more and that nobody has named: -f may name a part of the specs. One that is being
// decommissioned goes on with that.
func (s *settled) freezeAbsent(l *loaded, known []schedule.ClusterKey, claims schedule.Previous) {
	holds, leaves := map[schedule.ClusterKey]bool{}, map[schedule.ClusterKey]bool{}
	for _, claim := range claims.Claims {
		if claim.Releasing || claim.Pending {
			leaves[claim.Cluster] = true
		} else {
			holds[claim.Cluster] = true
		}
	}
	for _, key := range known {
		switch {
		case s.has(key), len(s.frozen[key]) > 0, l.evicted[key.Namespace], leaves[key] && !holds[key]:
			continue
		case l.asksGone, slices.Contains(l.mayGo, key.String()):
			continue
		}
		//guard: a run with -f of one tenant's folder decommissions every other tenant
		s.absent[key] = true
		s.late = append(s.late, finding{cluster: key, err: fmt.Errorf("%s: it is in the tree, but has no SIPCluster in %s any more: put the spec back, or decommission the cluster with --accept-gone %s",
			key, redact.Plain(strings.Join(l.specs, " ")), key)})
		short := fmt.Errorf("its spec is gone; --accept-gone %s decommissions the cluster", key)
		s.freeze(key, short)
		s.shortened[short.Error()] = true
	}
}

// addMissing gives frozen clusters without a spec an empty one: they are not gone.
func (s *settled) addMissing() {
	for _, key := range slices.SortedFunc(maps.Keys(s.frozen), func(a, b schedule.ClusterKey) int { return strings.Compare(a.String(), b.String()) }) {
		if !s.has(key) {
			stub := v1.SIPCluster{Source: key.String()}
			stub.Namespace, stub.Name = key.Namespace, key.Name
			//guard: a spec with a mistake is a cluster that is gone: its hosts are released
			s.clusters = append(s.clusters, stub)
		}
	}
	slices.SortFunc(s.clusters, func(a, b v1.SIPCluster) int { return compareNames(&a, &b) })
}

func (s *settled) isFrozen() map[schedule.ClusterKey]bool {
	out := map[schedule.ClusterKey]bool{}
	for key := range s.frozen {
		out[key] = true
	}
	return out
}

func (s *settled) complain(errs []v1.ClusterError) {
	for _, e := range errs {
		f := finding{cluster: keyOf(e.Cluster), err: e.Cluster.Problem(e.Path, "%s", e.Message)}
		if s.reasons[f.cluster] <= v1.MaxProblems {
			s.late = append(s.late, f)
		}
		s.freeze(f.cluster, f.err)
	}
}

// overlaps freezes those who ask for what the site's services, or hosts, have: what they have in the tree stays as it is. A host that no cluster holds
// and nothing uses freezes nobody who has its address in the tree: it gets a fault.
func (s *settled) overlaps(l *loaded, tree render.Tree, gone map[string]bool, holders tenancy.Holdings) {
	inTree := sync.OnceValue(func() map[string]v1.Held { return s.inUse(tree, gone) })
	l.network.Yield(func(cluster string) v1.Held { return inTree()[cluster] }, func(host *inventory.Host) bool {
		_, held := holders.Holder(schedule.HostKey{Namespace: host.Namespace, Name: host.Name})
		return held || host.State.InUse()
	})
	//guard: a host with the address of a tenant's service is handed out
	l.network.Faults(l.hosts.Hosts)
	was := s.isFrozen()
	for _, refused := range l.network.Refused() {
		key := keyOf(refused.Cluster)
		if !s.has(key) || was[key] {
			continue
		}
		s.late = append(s.late, finding{cluster: key, err: refused.Cluster.Problem(refused.Field, "%s", refused.Message)})
		short := refused.Cluster.Problem(refused.Field, "%s", refused.Short)
		s.freeze(key, short)
		s.shortened[short.Error()] = true
	}
}

// clashes freezes the newcomers of those who claim the same thing: who has it in the tree keeps it. A frozen cluster has what its services in the
// tree have, and one without a spec as long as it has hosts, because its services stay so long; that may be what another one claims. So it is
// looked again until nobody is frozen any more.
func (s *settled) clashes(l *loaded, tree render.Tree, gone map[string]bool) {
	ports := l.site.Spec.NodePorts
	if len(s.frozen)+len(gone) == 0 && len(v1.ValidateSite(s.clusters, ports.Start, ports.End)) == 0 {
		return
	}
	held := s.inUse(tree, gone)
	for {
		var active []v1.SIPCluster
		for i := range s.clusters {
			if len(s.frozen[keyOf(&s.clusters[i])]) == 0 {
				active = append(active, s.clusters[i])
			}
		}
		clashes := v1.ValidateHeld(active, held, ports.Start, ports.End)
		if len(clashes) == 0 {
			return
		}
		s.clashing = append(s.clashing, clashes...)
		s.complain(clashes)
	}
}

// inUse is what the services in the tree have, of clusters that have a spec, or hosts.
func (s *settled) inUse(tree render.Tree, gone map[string]bool) map[string]v1.Held {
	given := map[string]bool{}
	for i := range s.clusters {
		given[s.clusters[i].Key()] = true
	}
	held := tenancy.Served(tree)
	maps.DeleteFunc(held, func(key string, _ v1.Held) bool { return !given[key] && !gone[key] })
	return held
}

// gone are the clusters, "namespace/name", that have hosts and no spec: their services stay until the last of them is released.
func (s *settled) gone(claims schedule.Previous) map[string]bool {
	gone := map[string]bool{}
	for _, claim := range claims.Claims {
		//guard: the port of a cluster that waits for its release is handed out while its Service has it
		gone[claim.Cluster.String()] = true
	}
	for i := range s.clusters {
		delete(gone, s.clusters[i].Key())
	}
	return gone
}

// lostWords are the findings that freeze nobody, for the report.
func (s *settled) lostWords() []string {
	var out []string
	for _, f := range s.lost {
		out = append(out, "left out: "+s.inTree.Replace(f.err.Error()))
	}
	return out
}
