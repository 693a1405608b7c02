package lint

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
)

// role is a role that asks for hosts.
type role struct {
	cluster  *v1.SIPCluster
	name     string
	set      v1.NodeSet
	selector labels.Selector
}

func (r *role) field(name string) string { return "spec.nodes." + r.name + name }

// wanting lists the roles that ask for hosts, by cluster and name.
func (c *checker) wanting() []role {
	var out []role
	for i := range c.Clusters {
		cluster := &c.Clusters[i]
		if c.leaves(cluster) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(cluster.Spec.Nodes)) {
			set := cluster.Spec.Nodes[name]
			selector, err := set.HostSelector()
			if active, standby := set.Want(); err != nil || active+standby == 0 {
				continue
			}
			out = append(out, role{cluster: cluster, name: name, set: set, selector: selector})
		}
	}
	return out
}

// roles finds selectors without a match, and hosts without a topology label.
func (c *checker) roles() {
	wanting, index := c.wanting(), v1.IndexHosts(labelsOf(c.Hosts))
	known, held := map[string][]int32{}, 0 // many roles share a selector
	for i := range wanting {
		r := &wanting[i]
		c.hardware(r)
		if r.selectsByAccident() {
			c.cluster(finding.NoSelector, finding.Warning, r.cluster, r.field(".labelSelector"),
				fmt.Sprintf("missing: the role takes any of %s", text.Count(len(c.Hosts), "host")),
				"name the labels of the hosts, or write {} if any host will do")
		}
		chosen, found := known[r.selector.String()]
		if !found {
			chosen = index.Match(r.selector)
			if held += len(chosen); held < mostHeld {
				known[r.selector.String()] = chosen
			}
		}
		if len(chosen) == 0 {
			if c.noMeeting(r) {
				continue
			}
			c.matchesNone(r, index)
			continue
		}
		c.unlabelled(r, chosen)
	}
}

// selectsByAccident reports whether nothing narrows which hosts the role takes, and nothing says that this is meant.
func (r *role) selectsByAccident() bool {
	if !r.selector.Empty() || r.set.Hardware != nil || r.cluster.Document == nil {
		return false
	}
	var written struct {
		Spec struct {
			Nodes map[string]map[string]json.RawMessage `json:"nodes"`
		} `json:"spec"`
	}
	return json.Unmarshal(r.cluster.Document.JSON, &written) == nil && written.Spec.Nodes[r.name] != nil &&
		written.Spec.Nodes[r.name]["labelSelector"] == nil
}

// mostHeld is how many hosts of selectors are kept: thousands of roles may each select nearly all hosts differently.
const mostHeld = 1 << 20

// labelsOf returns the labels of hosts, for selectors.
func labelsOf(hosts []inventory.Host) []v1.HostLabels {
	out := make([]v1.HostLabels, len(hosts))
	for i := range hosts {
		out[i] = v1.HostLabels{Namespace: hosts[i].Namespace, Labels: hosts[i].Labels}
	}
	return out
}

// matchesNone reports a selector without a host. The labels of unreadable hosts are unknown, so it may match those.
func (c *checker) matchesNone(r *role, index *v1.HostIndex) {
	unread := c.unreadHosts()
	switch read := len(c.Hosts) - unread; {
	case len(c.Hosts) == 0 && len(c.LeftOut) > 0: // each object that no host was made of has a finding
	case unread == 0:
		c.cluster(finding.NoHost, finding.Error, r.cluster, r.field(".labelSelector"),
			fmt.Sprintf("matches none of %s%s", text.Count(read, "host"), c.nearest(index, r.selector)),
			"correct the selector, or label the hosts")
	case read > 0:
		c.cluster(finding.NoHost, finding.Warning, r.cluster, r.field(".labelSelector"),
			fmt.Sprintf("matches none of the %s that can be read; the labels of %s are unknown, because they cannot be read (%s)",
				text.Count(read, "host"), text.Count(unread, "host"), finding.Object),
			"first correct the objects that cannot be read")
	}
}

// unreadHosts counts the hosts that cannot be read, whose labels and networks are unknown.
func (c *checker) unreadHosts() int {
	unread := 0
	for i := range c.Hosts {
		if unreadable(&c.Hosts[i]) {
			unread++
		}
	}
	return unread
}

// shown is how many hosts a message names.
const shown = 3

// unlabelled are hosts of a role that lack its topology keys.
func (c *checker) unlabelled(r *role, chosen []int32) {
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
	for _, i := range chosen {
		host := &c.Hosts[i]
		lacks := func(key string) bool { return host.Labels[key] == "" }
		carries := func(key string) bool { return !lacks(key) }
		if allow && slices.ContainsFunc(keys, carries) || !allow && !slices.ContainsFunc(keys, lacks) {
			continue
		}
		if c.silences(hostName(host), finding.NoDomain) {
			continue
		}
		if lack++; lack <= shown {
			names = append(names, host.Key())
		}
	}
	if lack == 0 || lack == len(chosen) { // the plan reports a key that no host has
		return
	}
	list := strings.Join(names, ", ") + text.More(lack-shown)
	c.cluster(finding.NoDomain, finding.Warning, r.cluster, r.field(field),
		fmt.Sprintf("%d of the %d hosts that the role selects lack label %s and %s: %s", lack, len(chosen),
			strings.Join(keys, " or "), effect, list),
		"label the hosts")
}

// nearest names the requirement that alone leaves no host, if there is one, with a similar value or key of hosts.
func (c *checker) nearest(index *v1.HostIndex, selector labels.Selector) string {
	requirements, _ := selector.Requirements()
	for _, q := range requirements {
		if len(index.Match(labels.NewSelector().Add(q))) > 0 {
			continue
		}
		words := fmt.Sprintf(": no host has %s", q.String())
		if values := q.Values().UnsortedList(); len(values) == 1 && c.guess() {
			if near := c.meant(q.Key(), values[0]); near != "" {
				words += fmt.Sprintf(", did you mean %s?", near)
			}
		}
		return words
	}
	return ""
}

// mostGuesses is how many findings of a run have a suggestion: each looks through the labels of all hosts.
const mostGuesses = 200

// guess reports whether a finding may have a suggestion, and counts it.
func (c *checker) guess() bool {
	c.guesses++
	return c.guesses <= mostGuesses
}

// meant returns the label of hosts that is most similar to one that no host has.
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
	if near := manifest.NearestKey(key, slices.Sorted(maps.Keys(keys))); near != "" {
		return near + "=" + value
	}
	return ""
}

// widerRoles finds roles that select hosts which a reservation keeps for their tenants, and others.
func (c *checker) widerRoles() {
	if c.Placement == nil {
		return
	}
	for i := range c.Placement.Kept {
		kept := &c.Placement.Kept[i]
		for _, role := range kept.Wider {
			if cluster := c.find(role.Cluster); cluster != nil {
				c.cluster(finding.WiderRole, finding.Warning, cluster, "spec.nodes."+role.Role+".labelSelector",
					fmt.Sprintf("selects hosts of reservation %s, and others: it gets reserved ones only if its cluster finds "+
						"no place otherwise", kept.Name),
					"if the role is to get them, write the labels of the reservation into its labelSelector")
			}
		}
	}
}
