package schedule

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// world is a site over time: specs, hosts, and the tree that was published last.
type world struct {
	rng      *rand.Rand
	clusters []v1.SIPCluster
	hosts    []inventory.Host
	tree     Previous
	trees    []Previous // all that were ever published
	born     int
	options  Options
}

// step changes something that people, machines or engines change.
func (w *world) step() string {
	rng := w.rng
	pick := func() *inventory.Host { return &w.hosts[rng.IntN(len(w.hosts))] }
	if len(w.hosts) == 0 || rng.IntN(8) == 0 {
		w.born++
		w.hosts = append(w.hosts, newHost(fmt.Sprintf("x%d", w.born), fmt.Sprintf("flavor=big rack=r%d row=w1", rng.IntN(4))))
		return "a host is added"
	}
	switch rng.IntN(17) {
	case 14:
		w.tree = w.trees[rng.IntN(len(w.trees))]
		return "the tree is rolled back"
	case 15:
		if name := pick().Labels[testOptions.Keys.ClusterName]; name != "" {
			claimed(*pick(), name, v1.RoleControlPlane)
		}
		return "somebody labels a host for another cluster"
	case 16:
		claimed(*pick(), "elsewhere", v1.RoleWorker)
		return "another site labels a host"
	case 0:
		pick().State.Operational = "error"
		return "a host fails"
	case 1:
		h := pick()
		h.State.Operational, h.State.ErrorMessage, h.State.Paused = "OK", "", false
		return "a host recovers"
	case 2, 3:
		h := pick()
		if h.Labels[testOptions.Keys.ClusterName] != "" {
			h.State.Consumer = &inventory.Consumer{Kind: "Metal3Machine", Namespace: "tenants", Name: h.Name}
			h.State.Provisioning, h.State.Image = "provisioned", true
		}
		return "a host is provisioned"
	case 4:
		h := pick()
		h.State.Consumer, h.State.Provisioning, h.State.Image = nil, "available", false
		return "a host is let go"
	case 5:
		w.hosts = slices.Delete(w.hosts, 0, 1)
		return "a host is gone"
	case 6:
		if len(w.clusters) > 0 {
			c := &w.clusters[rng.IntN(len(w.clusters))]
			set := c.Spec.Nodes[v1.RoleControlPlane]
			set.Count = &v1.NodeCount{Active: rng.IntN(4), Standby: rng.IntN(2)}
			c.Spec.Nodes[v1.RoleControlPlane] = set
		}
		return "a count changes"
	case 7:
		if len(w.clusters) > 1 {
			w.clusters = w.clusters[1:]
		}
		return "a cluster is removed"
	case 8:
		w.born++
		w.clusters = append(w.clusters, newCluster(fmt.Sprintf("n%d", w.born), map[string]v1.NodeSet{v1.RoleControlPlane: nodes("flavor=big", 1+rng.IntN(2), rng.IntN(2))}))
		return "a cluster is added"
	case 9:
		if len(w.clusters) > 0 {
			c := &w.clusters[rng.IntN(len(w.clusters))]
			name := ""
			for _, h := range w.hosts {
				if h.Labels[testOptions.Keys.ClusterName] == c.Name && rng.IntN(2) == 0 {
					name = h.Name
				}
			}
			c.Annotations = map[string]string{[]string{v1.ApproveReleaseAnnotation, v1.RemoveAnnotation}[rng.IntN(2)]: name}
		}
		return "an annotation names a host"
	case 10:
		pick().Labels["rack"] = fmt.Sprintf("r%d", rng.IntN(4))
		return "a host is carried to another rack"
	case 11:
		if len(w.clusters) > 0 && rng.IntN(3) == 0 {
			now := metav1.Now()
			w.clusters[rng.IntN(len(w.clusters))].DeletionTimestamp = &now
		}
		return "a cluster is deleted"
	}
	return "nothing"
}

// sync applies the tree to some of the hosts, or to all.
func (w *world) sync(p *Placement) {
	all := w.rng.IntN(2) == 0
	before := map[string]map[string]string{}
	for i := range w.hosts {
		if !all && w.rng.IntN(2) == 0 {
			before[w.hosts[i].Key()] = maps.Clone(w.hosts[i].Labels)
		}
	}
	adopt(w.hosts, p)
	for i := range w.hosts {
		if labels := before[w.hosts[i].Key()]; labels != nil {
			w.hosts[i].Labels = labels
		}
	}
}

func newWorld(seed uint64) *world {
	w := &world{rng: rand.New(rand.NewPCG(seed, 2)), options: testOptions}
	w.options.StandbyRequired, w.options.LabelsNewer = seed%5 == 0, true
	w.clusters, w.hosts = randomSite(w.rng)
	return w
}

// live plans, publishes and changes a site some times. What a placement says does not depend on the order of the inputs. Package lives
// looks at what holds whatever happens.
func live(w *world, steps int) error {
	var story []string
	for range steps {
		p, err := Plan(w.clusters, w.hosts, w.tree, w.options)
		if err != nil {
			for i := range w.clusters {
				w.clusters[i].Annotations = nil // one named a host of another
			}
			if p, err = Plan(w.clusters, w.hosts, w.tree, w.options); err != nil {
				return fmt.Errorf("%v: %w", story, err)
			}
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
		w.sync(p)
		for range 1 + w.rng.IntN(2) {
			story = append(story, w.step())
		}
	}
	return nil
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

// randomSite is small enough to try every assignment, and tight enough that greed fails.
func randomSite(rng *rand.Rand) ([]v1.SIPCluster, []inventory.Host) {
	var hosts []inventory.Host
	for i := range 2 + rng.IntN(7) {
		labels := fmt.Sprintf("row=w%d flavor=%s", rng.IntN(2), []string{"big", "small"}[rng.IntN(2)])
		if rng.IntN(8) > 0 {
			labels += fmt.Sprintf(" rack=r%d", rng.IntN(4))
		}
		if rng.IntN(3) == 0 {
			labels += " tier=gold"
		}
		h := newHost(fmt.Sprintf("h%d", i), labels)
		switch rng.IntN(12) {
		case 0:
			h.State.Paused = true
		case 1:
			h.Addresses = nil
		}
		hosts = append(hosts, h)
	}
	var clusters []v1.SIPCluster
	for c := range 1 + rng.IntN(3) {
		roles := map[string]v1.NodeSet{}
		for _, role := range []string{v1.RoleControlPlane, v1.RoleWorker, "Edge"}[:1+rng.IntN(3)] {
			selector := []string{"", "flavor=big", "flavor=small", "tier=gold"}[rng.IntN(4)]
			set := nodes(selector, rng.IntN(4), rng.IntN(2))
			switch rng.IntN(6) {
			case 0:
				set.TopologyKey = ""
			case 1:
				set.TopologyKey = "row"
			case 2:
				set.MaxPerDomain = 2
			}
			if set.TopologyKey != "" && rng.IntN(3) == 0 {
				set.Unlabelled = v1.UnlabelledAllow
			}
			roles[role] = set
		}
		cluster := newCluster(fmt.Sprintf("c%d", c), roles)
		cluster.Spec.Priority = int32(rng.IntN(2))
		if rng.IntN(2) == 0 {
			cluster.Spec.Services.JumpHost = []v1.JumpHost{{NodeInterface: "oam"}}
		}
		clusters = append(clusters, cluster)
	}
	return clusters, hosts
}

func describe(clusters []v1.SIPCluster, hosts []inventory.Host) string {
	var b strings.Builder
	for _, h := range hosts {
		fmt.Fprintf(&b, "%s %v paused=%v addresses=%d\n", h.Name, h.Labels, h.State.Paused, len(h.Addresses))
	}
	for _, c := range clusters {
		for name, set := range c.Spec.Nodes {
			fmt.Fprintf(&b, "%s (%d) %s: %v keys=%v%s max=%d %v count=%+v jump=%d\n", c.Name, c.Spec.Priority, name, set.LabelSelector.MatchLabels, set.Keys(), set.Unlabelled, set.MaxPerDomain, set.MaxPerDomainByKey, *set.Count, len(c.Spec.Services.JumpHost))
		}
	}
	return b.String()
}
