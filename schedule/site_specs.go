package schedule

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	apivalidation "github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/internal/order"
	"github.com/airshipit/sipgen/internal/redact"
)

func (s *planner) addCluster(spec *v1.SIPCluster, key ClusterKey) *cluster {
	c := &cluster{key: key, spec: spec, gone: spec == nil || s.options.Leaves(spec)}
	s.byKey[key] = c
	s.clusters = append(s.clusters, c)
	if spec == nil {
		return c
	}
	for name := range spec.Spec.Nodes { // sorted by serve
		if invalidRole(name) || shown(name) != name { // a role's name is printed, and committed
			if len(s.options.Refused[key]) == 0 { // else that is reported already
				c.refuse(Contradiction{redact.Sprintf("spec.nodes: found a role %q, want a valid label value that is not a secret",
					name)})
			}
			continue
		}
		s.addRole(c, name)
	}
	return c
}

// invalidRole reports whether a name cannot be a role's: it becomes a label value.
func invalidRole(name string) bool {
	return name == "" || len(validation.IsValidLabelValue(name)) > 0
}

// notShown replaces topology keys and networks that are invalid or secrets in reasons, which repeat them.
const notShown = "(not shown)"

func labelKey(key string) string {
	if len(validation.IsQualifiedName(key)) > 0 {
		return notShown
	}
	return shown(key)
}

// shown returns a name of the spec as reasons may repeat it.
func shown(name string) string {
	if _, secret := redact.Find(name); secret {
		return notShown
	}
	return name
}

// networksOf returns the networks on which services reach a role.
func networksOf(spec *v1.SIPCluster, role string) []string {
	networks := spec.Networks(role)
	for i, network := range networks {
		if network != "" && !apivalidation.IsNetworkID(network) {
			networks[i] = notShown
			continue
		}
		networks[i] = shown(network)
	}
	return networks
}

func (s *planner) addRole(c *cluster, name string) *role {
	r := &role{cluster: c, name: name, selector: labels.Nothing(), topo: -1, even: -1, packed: -1}
	c.roles = append(c.roles, r)
	if c.spec == nil {
		return r
	}
	set, ok := c.spec.Spec.Nodes[name]
	if !ok {
		return r
	}
	for _, key := range set.Keys() {
		most := set.PerDomain(key)
		r.keys = append(r.keys, labelKey(key))
		r.limits = append(r.limits, most)
	}
	if c.gone {
		return r
	}
	r.active, r.standby = set.Want()
	r.anyLabels = set.Unlabelled == v1.UnlabelledAllow
	if set.Pack != "" {
		r.pack = labelKey(set.Pack)
	}
	if set.Spread != nil {
		r.spread = &v1.Spread{TopologyKey: labelKey(set.Spread.TopologyKey), MaxSkew: set.Spread.MaxSkew}
	}
	selector, err := set.HostSelector()
	if err != nil {
		if len(s.options.Refused[c.key]) == 0 { // else that is reported already
			c.refuse(Contradiction{redact.Sprintf("%s: labelSelector: not a valid selector: %s", name,
				redact.Quotes(err.Error()))})
		}
		return r
	}
	r.selector = selector
	if granted := s.options.Granted[c.key]; granted != nil {
		requirements, selectable := granted.Requirements()
		if r.wide, r.selector = selector, selector.Add(requirements...); !selectable {
			r.selector = labels.Nothing()
		}
	}
	return r
}

// role returns the cluster's role of a name, nil if there is none.
func (c *cluster) role(name string) *role {
	for _, r := range c.roles {
		if r.name == name {
			return r
		}
	}
	return nil
}

// priority returns the spec's priority, 0 without a spec.
func (c *cluster) priority() int32 {
	if c.spec == nil {
		return 0
	}
	return c.spec.Spec.Priority
}

// sortByTurn sorts clusters and roles in the order in which they are served: priority (highest first), those that run
// before new ones, namespace, name; ControlPlane, Worker, other roles by name.
func (s *planner) sortByTurn() {
	slices.SortFunc(s.clusters, func(a, b *cluster) int {
		return cmp.Or(cmp.Compare(b.priority(), a.priority()), order.Bool(s.running[b.key], s.running[a.key]),
			compareClusters(a, b))
	})
	rank := func(r *role) int {
		switch r.name {
		case v1.RoleControlPlane:
			return 0
		case v1.RoleWorker:
			return 1
		}
		return 2
	}
	for _, c := range s.clusters {
		slices.SortFunc(c.roles, func(a, b *role) int {
			return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.name, b.name))
		})
		for _, r := range c.roles {
			r.index = int32(len(s.roles))
			s.roles = append(s.roles, r)
		}
	}
}

// compareClusters orders by priority (highest first), namespace, name.
func compareClusters(a, b *cluster) int {
	return cmp.Or(cmp.Compare(b.priority(), a.priority()),
		strings.Compare(a.key.Namespace, b.key.Namespace), strings.Compare(a.key.Name, b.key.Name))
}

// specOf returns the spec of a cluster, nil if there is none.
func (s *planner) specOf(key ClusterKey) *v1.SIPCluster {
	if c := s.byKey[key]; c != nil {
		return c.spec
	}
	return nil
}
