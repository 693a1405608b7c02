package schedule

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var testOptions = Options{Keys: LabelKeys{
	ClusterNamespace: "sip.airshipit.org/cluster-namespace",
	ClusterName:      "sip.airshipit.org/cluster-name",
	NodeType:         "sip.airshipit.org/node-type",
	Standby:          "sip.airshipit.org/standby",
}}

// newHost is an available host, with labels as in "rack=r1 flavor=big".
func newHost(name, labels string) inventory.Host {
	h := inventory.Host{
		Namespace: "metal", Name: name, UID: "uid-" + name, Labels: map[string]string{},
		Addresses: []inventory.Address{{Network: "oam", IP: addressOf(name), Origin: inventory.FromNetworkData}},
		State:     inventory.State{Known: true, Provisioning: "available", Operational: "OK"},
		Source:    manifest.Place{File: name + ".yaml"},
	}
	for word := range strings.FieldsSeq(labels) {
		key, value, _ := strings.Cut(word, "=")
		h.Labels[key] = value
	}
	return h
}

// addressOf is an address that no host of another name has.
func addressOf(name string) netip.Addr {
	hash := fnv.New64a()
	hash.Write([]byte(name))
	bytes := netip.MustParseAddr("2001:db8::").As16()
	binary.BigEndian.PutUint64(bytes[8:], hash.Sum64())
	return netip.AddrFrom16(bytes)
}

// claimed labels a host as a cluster's.
func claimed(h inventory.Host, cluster, role string) inventory.Host {
	h.Labels[testOptions.Keys.ClusterNamespace] = "tenants"
	h.Labels[testOptions.Keys.ClusterName] = cluster
	h.Labels[testOptions.Keys.NodeType] = role
	return h
}

// nodes wants active and standby hosts with one label, spread over racks.
func nodes(selector string, active, standby int) v1.NodeSet {
	set := v1.NodeSet{TopologyKey: "rack", Count: &v1.NodeCount{Active: active, Standby: standby}}
	if selector != "" {
		key, value, _ := strings.Cut(selector, "=")
		set.LabelSelector = metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
	}
	return set
}

func newCluster(name string, roles map[string]v1.NodeSet) v1.SIPCluster {
	return v1.SIPCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: "tenants", Name: name},
		Spec:       v1.SIPClusterSpec{Nodes: roles},
	}
}

func plan(t testing.TB, clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous,
	options Options) *Placement {
	t.Helper()
	p, err := Plan(clusters, hosts, previous, options)
	require.NoError(t, err)
	return p
}

var (
	clusterText = regexp.MustCompile(`^(\w+):(?:cp(\d+),)?(any)?(\d+)(?:\+(\d+))?(?:!(remove|approve|deleted)=?(.*))?$`)
	hostText    = regexp.MustCompile(`^(\w+)/(?:(\w+)/)?(\w+)([!*#~^%&|@+-]*)(?:=(\w+)(?:\.(\w+))?|\?(\w+))?$`)
)

// sited reads a site from words. Clusters are as "a:cp3,2+1!remove=w1": three control planes, two workers and one on
// standby, of any kind with "any" before them; or !approve=w1, or !deleted. A host is NAME/KIND/RACK, NAME/RACK of kind
// w, then ! in use, * in error, # paused, ~ standby, ^ created anew, % without a uid, & unhealthy, - deprovisioning, +
// kept for reuse, | being deleted, @ retired, and =CLUSTER.ROLE for its labels, a worker's without a role; ?CLUSTER for
// a part of them. "w1=a" is a worker of the tree, "-w1=a" leaves, "?w1=a" waits to.
func sited(t *testing.T, specs, inventoried, claims string) (clusters []v1.SIPCluster, hosts []inventory.Host,
	tree Previous) {
	t.Helper()
	read := func(form *regexp.Regexp, word string) []string {
		found := form.FindStringSubmatch(word)
		require.Truef(t, found != nil, "%q is none of %s", word, form)
		return found
	}
	number := func(text string) int { n, _ := strconv.Atoi(text); return n }
	for word := range strings.FieldsSeq(specs) {
		is := read(clusterText, word)
		selector := map[string]string{"": "kind=w"}[is[3]]
		c := newCluster(is[1], map[string]v1.NodeSet{v1.RoleWorker: nodes(selector, number(is[4]), number(is[5]))})
		if is[2] != "" {
			c.Spec.Nodes[v1.RoleControlPlane] = nodes("kind=cp", number(is[2]), 0)
		}
		switch is[6] {
		case "remove":
			c = annotated(c, v1.RemoveAnnotation, is[7])
		case "approve":
			c = annotated(c, v1.ApproveReleaseAnnotation, is[7])
		case "deleted":
			c.DeletionTimestamp = &metav1.Time{}
		}
		clusters = append(clusters, c)
	}
	for word := range strings.FieldsSeq(inventoried) {
		is := read(hostText, word)
		h := host1(is[1], cmp.Or(is[2], "w"), is[3])
		if is[5] != "" {
			h = claimed(h, is[5], cmp.Or(is[6], v1.RoleWorker))
		} else if is[7] != "" {
			h.Labels[testOptions.Keys.ClusterName] = is[7]
		}
		for _, mark := range is[4] {
			switch mark {
			case '!':
				h = provisionedBy(h, "m"+h.Name)
			case '*':
				h = broken(h)
			case '#':
				h.State.Paused = true
			case '~':
				h = standbyOf(h)
			case '^':
				h.UID = "other"
			case '%':
				h.UID = ""
			case '&':
				h.State.Unhealthy = true
			case '+':
				h.State.NodeReuse = "md-0"
			case '-':
				h.State.Image, h.State.Provisioning = false, "deprovisioning"
			case '|':
				h.State.Deleting = true
			case '@':
				h.State.Retired = "disks"
			}
		}
		hosts = append(hosts, h)
	}
	for word := range strings.FieldsSeq(claims) {
		name, cluster, _ := strings.Cut(strings.TrimLeft(word, "-?"), "=")
		claim := inTree(name, cluster, v1.RoleWorker)
		claim.Releasing, claim.Pending = word[0] == '-', word[0] == '?'
		tree.Claims = append(tree.Claims, claim)
	}
	return clusters, hosts, tree
}

// summary is a placement in lines: "a Worker: h1 h2 +h3 (h4) -h5 short 1/0"; + is new, ~ standby,
// () pending, - releasing.
func summary(p *Placement) string {
	var b strings.Builder
	for _, c := range p.Clusters {
		for _, r := range c.Roles {
			fmt.Fprintf(&b, "%s %s:", c.Key.Name, r.Name)
			for _, a := range r.Assigned {
				name := a.Host.Name
				if a.Standby {
					name = "~" + name
				}
				if a.Origin == New {
					name = "+" + name
				}
				if a.Pending {
					name = "(" + name + ")"
				}
				b.WriteString(" " + name)
			}
			for _, a := range r.Releasing {
				b.WriteString(" -" + a.Host.Name)
			}
			if r.ShortActive+r.ShortStandby > 0 {
				fmt.Fprintf(&b, " short %d/%d", r.ShortActive, r.ShortStandby)
			}
			if c.Unschedulable {
				b.WriteString(" unschedulable")
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// wantPlaced fails unless summary says what is wanted.
func wantPlaced(t *testing.T, why string, p *Placement, want string) {
	t.Helper()
	got := summary(p)
	assert.Truef(t, strings.TrimSpace(got) == strings.TrimSpace(want), "%s: got\n%swant\n%s", why, got, want)
}

// tree is what the previous tree says after p was published.
func tree(p *Placement) Previous {
	var prev Previous
	for _, c := range p.Clusters {
		for _, r := range c.Roles {
			file := "clusters/" + c.Key.String() + "/assignments.yaml"
			for _, a := range r.Assigned {
				prev.Claims = append(prev.Claims, PreviousClaim{
					Host: HostKey{Namespace: a.Host.Namespace, Name: a.Host.Name}, UID: a.Host.UID, Cluster: c.Key,
					Role:   r.Name,
					Domain: a.Domain, Standby: a.Standby, Approval: a.Approval, Source: file,
				})
			}
			for _, a := range r.Releasing {
				prev.Claims = append(prev.Claims, PreviousClaim{
					Host: HostKey{Namespace: a.Host.Namespace, Name: a.Host.Name}, UID: a.Host.UID, Cluster: c.Key,
					Role:      r.Name,
					Releasing: true, Use: a.Use, Approval: a.Approval, Source: file,
				})
			}
		}
	}
	return prev
}

// adopt labels the hosts as the placement says.
func adopt(hosts []inventory.Host, p *Placement) {
	index := map[string]*inventory.Host{}
	for i := range hosts {
		index[hosts[i].Key()] = &hosts[i]
	}
	for _, c := range p.Clusters {
		for _, r := range c.Roles {
			for _, a := range r.Assigned {
				labels := index[a.Host.Key()].Labels
				labels[testOptions.Keys.ClusterNamespace] = c.Key.Namespace
				labels[testOptions.Keys.ClusterName] = c.Key.Name
				labels[testOptions.Keys.NodeType] = r.Name
				if a.Standby {
					labels[testOptions.Keys.Standby] = "true"
				} else {
					delete(labels, testOptions.Keys.Standby)
				}
			}
			for _, gone := range r.Releasing {
				labels, keys := index[gone.Host.Key()].Labels, testOptions.Keys
				for _, key := range []string{keys.ClusterNamespace, keys.ClusterName, keys.NodeType, keys.Standby} {
					delete(labels, key)
				}
			}
		}
	}
}
