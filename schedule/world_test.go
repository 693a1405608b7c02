package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"

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
	nested   bool
}

// step changes something that people, machines or engines change.
func (w *world) step() string {
	rng := w.rng
	pick := func() *inventory.Host { return &w.hosts[rng.IntN(len(w.hosts))] }
	if len(w.hosts) == 0 || rng.IntN(8) == 0 {
		w.born++
		w.hosts = append(w.hosts, newHost(fmt.Sprintf("x%d", w.born), fmt.Sprintf("flavor=big rack=r%d row=w1", rng.IntN(4))))
		if w.nested {
			w.carry(&w.hosts[len(w.hosts)-1], rng.IntN(6))
		}
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
		w.carry(pick(), rng.IntN(4))
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
	keep := map[HostKey]map[string]string{}
	for i := range w.hosts {
		if !all && w.rng.IntN(2) == 0 {
			labels := map[string]string{}
			for k, v := range w.hosts[i].Labels {
				labels[k] = v
			}
			keep[HostKey{Namespace: w.hosts[i].Namespace, Name: w.hosts[i].Name}] = labels
		}
	}
	adopt(w.hosts, p)
	for i := range w.hosts {
		if labels := keep[HostKey{Namespace: w.hosts[i].Namespace, Name: w.hosts[i].Name}]; labels != nil {
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

// carry brings a host to a rack, and in worlds with rows to the row of that.
func (w *world) carry(h *inventory.Host, rack int) {
	h.Labels["rack"] = fmt.Sprintf("r%d", rack)
	if w.nested {
		h.Labels["row"], h.Labels["zone"] = fmt.Sprintf("w%d", rack/2), fmt.Sprintf("z%d", rack/4)
	}
}
