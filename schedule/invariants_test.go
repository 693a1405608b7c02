package schedule

import (
	"fmt"
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// check holds a placement against what Plan promises.
func (w *world) check(p *Placement, before []inventory.Host) error {
	where, released := map[HostKey]RoleKey{}, map[HostKey]bool{}
	byKey := map[HostKey]inventory.Host{}
	for _, h := range before {
		byKey[HostKey{Namespace: h.Namespace, Name: h.Name}] = h
	}
	specs := map[ClusterKey]v1.SIPCluster{}
	for _, c := range w.clusters {
		specs[ClusterKey{Namespace: c.Namespace, Name: c.Name}] = c
	}
	claims := map[HostKey]PreviousClaim{}
	for _, t := range w.tree.Claims {
		claims[t.Host] = t
	}
	for _, c := range p.Clusters {
		for _, r := range c.Roles {
			role := RoleKey{c.Key, r.Name}
			in := map[[2]string]int{}
			set := specs[c.Key].Spec.Nodes[r.Name]
			active := 0
			for _, a := range r.Assigned {
				key := HostKey{Namespace: a.Host.Namespace, Name: a.Host.Name}
				if other, twice := where[key]; twice {
					return fmt.Errorf("host %s is in %v and %v", key, other, role)
				}
				where[key] = role
				bad := failed(&candidate{Host: a.Host}) != nil || specs[c.Key].Annotations[v1.RemoveAnnotation] == a.Host.Name
				for _, key := range set.Keys() {
					if d := a.Host.Labels[key]; d != "" && !a.Pending && !bad {
						in[[2]string{key, d}]++
					}
				}
				if !a.Standby && !a.Pending {
					active++
				}
			}
			if !c.Unschedulable && r.ShortActive == 0 && active < r.Active {
				return fmt.Errorf("%v: %d active, want %d, and no shortage", role, active, r.Active)
			}
			for _, a := range r.Assigned {
				key := HostKey{Namespace: a.Host.Namespace, Name: a.Host.Name}
				live := a.Host.Labels[testOptions.Keys.ClusterName]
				t, inTree := claims[key]
				if a.Origin != New {
					if live == "" && !(inTree && t.Cluster == c.Key && !t.Releasing) {
						return fmt.Errorf("%v: host %s is held, but nothing claimed it", role, key)
					}
					continue
				}
				if live != "" || inTree && !t.Releasing && t.UID == a.Host.UID {
					return fmt.Errorf("%v: host %s is new, but it was claimed", role, key)
				}
				if len(c.Refused) > 0 || c.Gone || c.Unschedulable && a.Standby { // one that is short gets successors
					return fmt.Errorf("%v: a new host for a cluster that gets none", role)
				}
				if reason := reject(&candidate{Host: a.Host}); reason != nil {
					return fmt.Errorf("%v: new host %s is not eligible: %s", role, key, Say.Reason(reason))
				}
				selector, _ := set.HostSelector()
				if !matches(selector, a.Host) {
					return fmt.Errorf("%v: new host %s does not match", role, key)
				}
				for _, label := range set.Keys() {
					d := a.Host.Labels[label]
					if n := in[[2]string{label, d}]; d != "" && n > max(1, set.MaxPerDomain, int(set.MaxPerDomainByKey[label])) {
						return fmt.Errorf("%v: new host %s makes %d in %s=%s", role, key, n, label, d)
					}
				}
			}
			for _, gone := range r.Releasing {
				key := HostKey{Namespace: gone.Host.Namespace, Name: gone.Host.Name}
				if other, twice := where[key]; twice {
					return fmt.Errorf("host %s is in %v and released from %v", key, other, role)
				}
				where[key], released[key] = role, true
				if Say.Reason(gone.Reason) == "" {
					return fmt.Errorf("host %s is released without a reason", key)
				}
				h := candidate{Host: gone.Host}
				gone := gone.Since == FromTree && gone.Host.Labels[testOptions.Keys.ClusterName] == ""
				if use := inUse(&h); use != nil && !gone && specs[c.Key].Annotations[v1.ApproveReleaseAnnotation] != h.Name {
					return fmt.Errorf("host %s is released, but %s", key, Say.Reason(use))
				}
			}
		}
	}
	inTheTree := map[ClusterKey]bool{}
	for _, t := range claims {
		inTheTree[t.Cluster] = true
	}
	// Claims never move.
	for key, h := range byKey {
		name, role := h.Labels[testOptions.Keys.ClusterName], h.Labels[testOptions.Keys.NodeType]
		if name == "" || role == "" {
			continue
		}
		want := RoleKey{ClusterKey{Namespace: "tenants", Name: name}, role}
		got := where[key]
		t, inTree := claims[key]
		_, known := specs[want.Cluster]
		used := inUse(&candidate{Host: &h}) != nil
		inTree = inTree && (used || t.UID == h.UID || t.Cluster == want.Cluster)
		given := used && specs[t.Cluster].Annotations[v1.ApproveReleaseAnnotation] == h.Name
		switch {
		case used && (!inTree || t.Releasing || given) && (known || inTheTree[want.Cluster]):
			if got.Cluster != want.Cluster && !(given && got.Cluster == t.Cluster) {
				return fmt.Errorf("host %s is in use under the labels of %v and is in %v", key, want, got)
			}
		case inTree:
			if of := (RoleKey{t.Cluster, t.Role}); got != of {
				return fmt.Errorf("host %s: the tree says %v, and it is in %v", key, of, got)
			}
		case known:
			if got != want {
				return fmt.Errorf("host %s carries the labels of %v and is in %v", key, want, got)
			}
		case got != RoleKey{}:
			return fmt.Errorf("host %s carries the labels of %v, which nobody knows, and is in %v", key, want, got)
		}
	}
	if len(p.Hosts) != len(before) {
		return fmt.Errorf("%d lines for %d hosts", len(p.Hosts), len(before))
	}
	for _, line := range p.Hosts {
		if line.Verdict == "" || Say.Reason(line.Reason) == "" {
			return fmt.Errorf("host %s: no verdict or reason: %+v", line.Host.Key(), line)
		}
	}
	return nil
}

func live(w *world, steps int) error {
	var story []string
	for range steps {
		before := slices.Clone(w.hosts)
		p, err := Plan(w.clusters, w.hosts, w.tree, w.options)
		if err != nil {
			w.clusters[0].Annotations = nil // an annotation that named a host of another: put right
			for i := range w.clusters {
				w.clusters[i].Annotations = nil
			}
			if p, err = Plan(w.clusters, w.hosts, w.tree, w.options); err != nil {
				return fmt.Errorf("%v: %w", story, err)
			}
		}
		if err := w.check(p, before); err != nil {
			return fmt.Errorf("%v: %w\n%s", story, err, summary(p))
		}
		again, err := Plan(w.clusters, w.hosts, tree(p), w.options)
		if err != nil {
			return fmt.Errorf("%v: second run: %w", story, err)
		}
		if a, b := fmt.Sprint(tree(p)), fmt.Sprint(tree(again)); a != b && !unseen(p) {
			return fmt.Errorf("%v: a second run changes the tree:\n%s\nthen\n%s\n%v", story, words(p), words(again), w.tree)
		}
		clusters, hosts := slices.Clone(w.clusters), slices.Clone(w.hosts)
		w.rng.Shuffle(len(clusters), func(i, j int) { clusters[i], clusters[j] = clusters[j], clusters[i] })
		w.rng.Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
		shuffled, err := Plan(clusters, hosts, w.tree, w.options)
		if err != nil {
			return fmt.Errorf("%v: shuffled: %w", story, err)
		}
		if a, b := words(p), words(shuffled); a != b {
			return fmt.Errorf("%v: shuffled input gives\n%s\ninstead of\n%s", story, b, a)
		}
		w.tree = tree(p)
		w.trees = append(w.trees, w.tree)
		tenants := make([]string, len(w.hosts))
		for i := range w.hosts {
			tenants[i] = w.hosts[i].Labels[testOptions.Keys.ClusterName]
		}
		w.sync(p)
		for i, was := range tenants {
			if is := w.hosts[i].Labels[testOptions.Keys.ClusterName]; was != "" && is != "" && was != is && inUse(&candidate{Host: &w.hosts[i]}) != nil {
				return fmt.Errorf("%v: host %s goes from %s to %s without being released", story, w.hosts[i].Key(), was, is)
			}
		}
		for range 1 + w.rng.IntN(2) {
			story = append(story, w.step())
		}
	}
	return nil
}

// unseen: a host is released that never carried labels. The next run sees it clean, and may use it.
func unseen(p *Placement) bool {
	for _, c := range p.Clusters {
		for _, r := range c.Roles {
			for _, gone := range r.Releasing {
				if gone.Host.Labels[testOptions.Keys.ClusterName] == "" {
					return true
				}
			}
		}
	}
	return false
}

// words is everything that a placement says.
func words(p *Placement) string {
	out := summary(p) + fmt.Sprintf("%+v\n%v\n", p.Shortages, p.Warnings)
	for _, c := range p.Clusters {
		out += fmt.Sprintln(c.Warnings)
		for _, r := range c.Roles {
			out += fmt.Sprintln(r.Warnings, r.Rejected)
			for _, a := range r.Assigned {
				out += Say.Reason(a.Reason) + "\n"
			}
			for _, a := range r.Releasing {
				out += Say.Reason(a.Reason) + "\n"
			}
		}
	}
	for _, line := range p.Hosts {
		out += fmt.Sprintln(line.Host.Key(), line.Verdict, line.Cluster, line.Role, line.Reason)
	}
	return out
}
