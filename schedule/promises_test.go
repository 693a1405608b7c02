package schedule

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// TestPromisesComeTrue: where nothing changes but that the tree is applied, every cluster that is "placed as soon as" hosts are seen without labels has all its active
// slots in the next plan, and after four plans no host's labels change any more.
func TestPromisesComeTrue(t *testing.T) {
	worlds := RandomSites(t, 600)
	promises := 0
	for seed := range worlds.Seeds() {
		w := newWorld(uint64(seed))
		if seed%3 == 2 {
			w = newNestedWorld(uint64(seed))
		}
		if seed%4 > 0 { // a settled fleet, then a change
			if _, err := settle(w); err != nil {
				t.Errorf("world %d: %v", seed, err)
			}
		} else if err := live(w, 3+seed%6); err != nil {
			t.Fatalf("world %d: %v", seed, err)
		}
		squeeze(w)
		kept, err := settle(w)
		if err != nil {
			t.Errorf("world %d: %v", seed, err)
		}
		promises += kept
	}
	worlds.Want("promises", promises, 80)
}

// squeeze makes clusters wait: some give hosts up, a host fails, an annotation names hosts that may be on their way, and other clusters want more.
func squeeze(w *world) {
	rng := w.rng
	name := func() string { return w.hosts[rng.IntN(len(w.hosts))].Name }
	if len(w.hosts) == 0 {
		return
	}
	for i := range w.clusters {
		c := &w.clusters[i]
		c.Annotations = nil
		if rng.IntN(5) == 0 {
			c.Annotations = map[string]string{[]string{v1.ApproveReleaseAnnotation, v1.RemoveAnnotation}[rng.IntN(2)]: name() + "," + name()}
		}
		for _, role := range slices.Sorted(maps.Keys(c.Spec.Nodes)) { // a world is the same whenever it is made
			set := c.Spec.Nodes[role]
			was, standby := set.Want()
			set.Count = &v1.NodeCount{Active: max(0, was+rng.IntN(5)-2), Standby: standby}
			c.Spec.Nodes[role] = set
		}
	}
	for range rng.IntN(3) {
		w.hosts[rng.IntN(len(w.hosts))].State.Operational = "error"
	}
}

// settle plans and applies until nothing changes. It counts the promises that came true.
func settle(w *world) (kept int, err error) {
	story := describe(w.clusters, w.hosts)
	promised := map[ClusterKey]string{}
	for step := 1; ; step++ {
		p, err := Plan(w.clusters, w.hosts, w.tree, w.options)
		if err != nil {
			for i := range w.clusters {
				w.clusters[i].Annotations = nil
			}
			if p, err = Plan(w.clusters, w.hosts, w.tree, w.options); err != nil {
				return kept, err
			}
		}
		story += fmt.Sprintf("plan %d:\n%s", step, summary(p))
		if twice := promisedTwice(p); twice != "" {
			return kept, fmt.Errorf("%s\n%s", twice, story)
		}
		for i := range p.Clusters {
			c := &p.Clusters[i]
			words, was := promised[c.Key]
			delete(promised, c.Key)
			if was && c.Unschedulable {
				return kept, fmt.Errorf("%s: %q, and cannot be\n%s", c.Key, words, story)
			}
			for _, r := range c.Roles {
				if was && r.ShortActive > 0 {
					return kept, fmt.Errorf("%s: %q, and is not\n%s", c.Key, words, story)
				}
				if c.Unschedulable && moved(r.Releasing) {
					return kept, fmt.Errorf("%s cannot be placed, and loses a host of %s\n%s", c.Key, r.Name, story)
				}
			}
			if was {
				kept++
			}
			for _, warning := range c.Warnings {
				if found, is := warning.(Rearrangement); is && found.Way == Done {
					promised[c.Key] = Say.Warnings([]Warning{warning})[0]
					story += c.Key.String() + ": " + promised[c.Key] + "\n"
				}
			}
		}
		before, released := fmt.Sprint(labelsOf(w)), unseen(p)
		w.tree = tree(p)
		adopt(w.hosts, p)
		if before == fmt.Sprint(labelsOf(w)) && !released {
			return kept, nil
		}
		if step > 4 {
			return kept, fmt.Errorf("no end after %d plans\n%s", step, story)
		}
	}
}

func labelsOf(w *world) (all []map[string]string) {
	for _, h := range w.hosts {
		all = append(all, h.Labels)
	}
	return all
}

// promisedTwice names a host that a plan promises to two clusters.
func promisedTwice(p *Placement) string {
	to := map[HostKey]ClusterKey{}
	for i := range p.Clusters {
		c := &p.Clusters[i]
		for _, warning := range c.Warnings {
			found, is := warning.(Rearrangement)
			if !is {
				continue
			}
			hosts := slices.Clone(found.Waits)
			for _, m := range found.Moves {
				if m.To.Cluster == c.Key {
					hosts = append(hosts, m.Host)
				}
			}
			for _, host := range hosts {
				if other, known := to[host]; known && other != c.Key {
					return fmt.Sprintf("%s is promised to %s and to %s", host, other, c.Key)
				}
				to[host] = c.Key
			}
		}
	}
	return ""
}
