package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// role is a role that wants hosts.
type role struct {
	cluster *v1.SIPCluster
	name    string
	set     v1.NodeSet
	// selector of the hosts that it can get; asked is as the spec has it, where the tenant's grant is narrower.
	selector labels.Selector
	asked    labels.Selector
}

func (r *role) field(name string) string { return "spec.nodes." + r.name + name }

// wanting lists the roles that want hosts, by cluster and name.
func (c *checker) wanting() []role {
	var out []role
	for i := range c.Clusters {
		cluster := &c.Clusters[i]
		if cluster.DeletionTimestamp != nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(cluster.Spec.Nodes)) {
			set := cluster.Spec.Nodes[name]
			selector, err := set.HostSelector()
			if active, standby := set.Want(); err != nil || active+standby == 0 {
				continue
			}
			r := role{cluster: cluster, name: name, set: set, selector: selector}
			key := schedule.RoleKey{Cluster: schedule.ClusterKey{Namespace: cluster.Namespace, Name: cluster.Name}, Role: name}
			if granted := c.Granted[key]; granted != nil {
				r.selector, r.asked = granted, selector
			}
			out = append(out, r)
		}
	}
	return out
}

// roles are selectors that match nothing, and hosts that a topology key says nothing about.
func (c *checker) roles() {
	wanting := c.wanting()
	match := newMatcher(wanting, c.Hosts)
	for i := range wanting {
		r := &wanting[i]
		hosts := match.hosts(r.selector)
		if len(hosts) == 0 {
			asked := r.selector
			if r.asked != nil {
				asked = r.asked
			}
			if matched := len(match.hosts(asked)); matched > 0 {
				c.cluster(codeGrant, Error, r.cluster, r.field(".labelSelector"),
					fmt.Sprintf("matches %s, and its tenant is granted none of them", text.Count(matched, "host")),
					"correct the selector, or the tenant's hosts.selector and hosts.namespaces in the Site")
				continue
			}
			if c.noMeeting(r) {
				continue
			}
			c.cluster(codeNoHost, Error, r.cluster, r.field(".labelSelector"),
				fmt.Sprintf("matches none of %s%s", text.Count(len(c.Hosts), "host"), c.nearest(match, asked)),
				"correct the selector, or label the hosts")
			continue
		}
		if !c.unknownKeys(r, hosts) {
			c.unlabelled(r, hosts)
		}
	}
}

// unknownKeys are topology keys that none of the hosts carries: sipgen does not place the cluster then.
func (c *checker) unknownKeys(r *role, hosts []int) bool {
	carried := map[string]bool{}
	for _, i := range hosts {
		for key, value := range c.Hosts[i].Labels {
			carried[key] = carried[key] || value != ""
		}
	}
	maps.DeleteFunc(carried, func(_ string, is bool) bool { return !is })
	found := false
	check := func(field, key string) {
		if key == "" || carried[key] {
			return
		}
		found = true
		message := fmt.Sprintf("none of the %d hosts that the role selects has a label %s", len(hosts), key)
		if near := manifest.Nearest(key, slices.Sorted(maps.Keys(carried))); near != "" {
			message += fmt.Sprintf(", did you mean %q?", near)
		}
		c.cluster(codeUnknownKey, Error, r.cluster, r.field(field), message, "correct the key, or label the hosts")
	}
	check(".topologyKey", r.set.TopologyKey)
	for i, key := range r.set.TopologyKeys {
		check(fmt.Sprintf(".topologyKeys[%d]", i), key)
	}
	if r.set.Spread != nil {
		check(".spread.topologyKey", r.set.Spread.TopologyKey)
	}
	return found
}

// shown is how many hosts a message names.
const shown = 3

func (c *checker) unlabelled(r *role, hosts []int) {
	keys, field := r.set.TopologyKeys, ".topologyKeys"
	if r.set.TopologyKey != "" {
		keys, field = []string{r.set.TopologyKey}, ".topologyKey"
	}
	if len(keys) == 0 {
		return
	}
	allow, effect := r.set.Unlabelled == v1.UnlabelledAllow, "take no slot of it"
	if allow {
		effect = "may share a failure domain"
	}
	var names []string
	lack := 0
	for _, i := range hosts {
		host := &c.Hosts[i]
		carries := func(key string) bool { return host.Labels[key] != "" }
		lacks := func(key string) bool { return !carries(key) }
		if allow && slices.ContainsFunc(keys, carries) || !slices.ContainsFunc(keys, lacks) || c.silences(hostName(host), codeNoDomain) {
			continue
		}
		if lack++; lack <= shown {
			names = append(names, host.Key())
		}
	}
	if lack == 0 {
		return
	}
	list := strings.Join(names, ", ")
	if lack > shown {
		list += fmt.Sprintf(" and %d more", lack-shown)
	}
	c.cluster(codeNoDomain, Warning, r.cluster, r.field(field),
		fmt.Sprintf("%d of the %d hosts that the role selects lack label %s and %s: %s", lack, len(hosts), strings.Join(keys, " or "), effect, list),
		"label the hosts")
}

// matcher finds the hosts of selectors. Hosts that are equal in every label that a selector looks at are looked at once.
type matcher struct {
	kinds []kind
	known map[string][]int
}

type kind struct {
	labels labels.Set
	hosts  []int
}

func newMatcher(roles []role, hosts []inventory.Host) *matcher {
	keys := map[string]bool{}
	for i := range roles {
		requirements, _ := roles[i].selector.Requirements()
		for _, q := range requirements {
			keys[q.Key()] = true
		}
	}
	sorted := slices.Sorted(maps.Keys(keys))
	m := &matcher{known: map[string][]int{}}
	index := map[string]int{}
	for i := range hosts {
		var id strings.Builder
		set, seen := labels.Set{}, v1.HostLabels{Namespace: hosts[i].Namespace, Labels: hosts[i].Labels}
		for _, key := range sorted {
			if value, has := seen.Lookup(key); has {
				set[key] = value
				id.WriteString("=" + value)
			}
			id.WriteString("\n")
		}
		k, known := index[id.String()]
		if !known {
			k = len(m.kinds)
			index[id.String()] = k
			m.kinds = append(m.kinds, kind{labels: set})
		}
		m.kinds[k].hosts = append(m.kinds[k].hosts, i)
	}
	return m
}

// hosts that the selector matches, by index, in order.
func (m *matcher) hosts(selector labels.Selector) []int {
	id := selector.String()
	out, known := m.known[id]
	if known {
		return out
	}
	for i := range m.kinds {
		if selector.Matches(m.kinds[i].labels) {
			out = append(out, m.kinds[i].hosts...)
		}
	}
	slices.Sort(out)
	m.known[id] = out
	return out
}

// nearest says which requirement by itself leaves no host, if there is one, and what may have been meant: a value that hosts have for the key, or a
// key that hosts have.
func (c *checker) nearest(m *matcher, selector labels.Selector) string {
	requirements, _ := selector.Requirements()
	for _, q := range requirements {
		if slices.ContainsFunc(m.kinds, func(k kind) bool { return q.Matches(k.labels) }) {
			continue
		}
		words := fmt.Sprintf(": no host has %s", q.String())
		if values := q.Values().UnsortedList(); len(values) == 1 {
			if near := c.meant(q.Key(), values[0]); near != "" {
				words += fmt.Sprintf(", did you mean %s?", near)
			}
		}
		return words
	}
	return ""
}

// meant is the label of hosts that looks like one that none has.
func (c *checker) meant(key, value string) string {
	values, keys := map[string]bool{}, map[string]bool{}
	for i := range c.Hosts {
		if found, has := c.Hosts[i].Labels[key]; has {
			values[found] = true
		}
		for other := range c.Hosts[i].Labels {
			keys[other] = true
		}
	}
	if len(values) > 0 {
		if near := manifest.Nearest(value, slices.Sorted(maps.Keys(values))); near != "" {
			return key + "=" + near
		}
		return ""
	}
	if near := manifest.Nearest(key, slices.Sorted(maps.Keys(keys))); near != "" {
		return near + "=" + value
	}
	return ""
}

// beyond is what clusters ask for that their tenants are not granted.
func (c *checker) beyond() {
	for _, e := range c.Beyond {
		c.cluster(codeGrant, Error, e.Cluster, e.Path, e.Message, "ask for less, or grant it in the Site's spec.tenants (sipgen tenants --suggest)")
	}
}
