package takeover

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/inventory"
)

// Installation is what was read of an installation of SIP.
type Installation struct {
	Engine v1alpha1.Engine
	Specs  []*Converted
	// Objects are Deployments and Services that have the names of tenants' services. Seen is false where none were read: then nobody knows who
	// owns what.
	Objects []inventory.ServiceObject
	Seen    bool
	Hosts   []inventory.Host
	Keys    holdings.LabelKeys
}

// Plan is the way from SIP to sipgen.
type Plan struct {
	engine  v1alpha1.Engine
	Tenants []Tenant
	// Foreign are clusters that hosts are labelled with and that have no spec here.
	Foreign []string
}

// Tenant is the part of one SIPCluster.
type Tenant struct {
	Spec *Converted
	// Held is how many hosts carry the cluster's labels, by role, as "3 Worker".
	Held []string
	// LabelOwners say who set the labels of those hosts, and what becomes of them, a sentence for each set of owners.
	LabelOwners []string
	// Objects are those of the tenant's services that are there, and Missing those that are not.
	Objects []inventory.ServiceObject
	Missing []string
	// Unknown: it is not known who owns the objects.
	Unknown bool
}

// Of makes the plan.
func Of(in Installation) *Plan {
	p := &Plan{engine: in.Engine}
	byKey := map[string][]inventory.ServiceObject{}
	for _, object := range in.Objects {
		key := object.Namespace + "/" + object.Name
		byKey[key] = append(byKey[key], object)
	}
	known := map[string]bool{}
	specs := slices.Clone(in.Specs)
	slices.SortFunc(specs, func(a, b *Converted) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	for _, spec := range specs {
		known[spec.Key()] = true
		t := Tenant{Spec: spec}
		t.held(in.Hosts, in.Keys)
		t.labelOwners(in.Hosts, in.Keys, in.Engine)
		if spec.Cluster != nil {
			for _, name := range preflight.ServiceNames(spec.Cluster) {
				found := byKey[spec.Namespace+"/"+name]
				if len(found) == 0 {
					t.Missing = append(t.Missing, name)
				}
				for _, object := range found {
					t.Objects = append(t.Objects, object)
					t.Unknown = t.Unknown || object.Owners == nil
				}
			}
			t.Unknown = t.Unknown || !in.Seen
		}
		p.Tenants = append(p.Tenants, t)
	}
	for i := range in.Hosts {
		labels := holdings.LabelsOf(&in.Hosts[i], in.Keys)
		if key := labels.Cluster.String(); labels.Cluster.Name != "" && !known[key] && !slices.Contains(p.Foreign, key) {
			p.Foreign = append(p.Foreign, key)
		}
	}
	slices.Sort(p.Foreign)
	return p
}

func (t *Tenant) key() holdings.ClusterKey {
	return holdings.ClusterKey{Namespace: t.Spec.Namespace, Name: t.Spec.Name}
}

// held counts the hosts that carry the cluster's labels.
func (t *Tenant) held(hosts []inventory.Host, keys holdings.LabelKeys) {
	n := map[string]int{}
	for i := range hosts {
		if labels := holdings.LabelsOf(&hosts[i], keys); labels.Cluster == t.key() {
			n[labels.Role]++
		}
	}
	for role, hosts := range n { // sorted below
		t.Held = append(t.Held, fmt.Sprintf("%d %s", hosts, cmp.Or(role, "without a role")))
	}
	slices.Sort(t.Held)
}

// services are the names of a list of the tenant's services.
func (t *Tenant) services(list string) []string {
	if t.Spec.Cluster == nil {
		return nil
	}
	services, n := &t.Spec.Cluster.Spec.Services, 0
	switch list {
	case v1.ListJumpHost:
		n = len(services.JumpHost)
	case v1.ListControlPlane:
		n = len(services.LoadBalancerControlPlane)
	case v1.ListWorker:
		n = len(services.LoadBalancerWorker)
	}
	var out []string
	for i := range n {
		out = append(out, v1.ServiceName(list, i, t.Spec.Name))
	}
	return out
}

// all are the names of the tenant's services, as SIP made them too.
func (t *Tenant) all() []string {
	return slices.Concat(t.services(v1.ListControlPlane), t.services(v1.ListWorker), t.services(v1.ListJumpHost))
}
