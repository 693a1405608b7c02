package tenancy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/internal/redact"
)

// Bounded says that the namespace's tenant has a quota or a limit range, so that what its services ask for is to be built and counted.
func (t *Tenants) Bounded(namespace string) bool {
	tenant := t.Of(namespace)
	return tenant != nil && (len(tenant.Quota) > 0 || tenant.LimitRange != nil)
}

// Use is what the objects of one cluster's services take of the quota of its namespace, as the API server counts: with the pods that
// replace others, and what containers get by the tenant's limit range. The errors say what the API server would refuse
// whatever else is in the namespace; they begin with the object and the field.
func (t *Tenants) Use(namespace string, built []overlay.Object) (corev1.ResourceList, []error) {
	tenant := t.Of(namespace)
	use := corev1.ResourceList{}
	if tenant == nil {
		return use, nil
	}
	var errs []error
	for i := range built {
		o := &built[i]
		c := useOf{builtCheck: builtCheck{asked: asked{tenant: tenant, site: t.site}}, use: use}
		switch o.Kind {
		case "Deployment":
			var d appsv1.Deployment
			if c.decode(o, &d) {
				c.deployment(&d)
			}
		case "Service":
			var s corev1.Service
			if c.decode(o, &s) {
				c.service(&s)
			}
		}
		for _, e := range c.errs {
			errs = append(errs, fmt.Errorf("%s: %w", o, e))
		}
	}
	return use, errs
}

type useOf struct {
	builtCheck
	use corev1.ResourceList
}

func (u *useOf) take(name corev1.ResourceName, amount resource.Quantity, times int64) {
	sum := u.use[name]
	amount.Mul(times)
	sum.Add(amount)
	u.use[name] = sum
}

// service counts as the API server's quota does: a load balancer has node ports unless it says otherwise.
func (u *useOf) service(s *corev1.Service) {
	one := *resource.NewQuantity(1, resource.DecimalSI)
	u.take(corev1.ResourceServices, one, 1)
	ports := int64(0)
	switch allocates := s.Spec.AllocateLoadBalancerNodePorts; {
	case s.Spec.Type == corev1.ServiceTypeLoadBalancer && allocates != nil && !*allocates:
		for i := range s.Spec.Ports {
			if s.Spec.Ports[i].NodePort != 0 {
				ports++
			}
		}
	case s.Spec.Type == corev1.ServiceTypeLoadBalancer, s.Spec.Type == corev1.ServiceTypeNodePort:
		ports = int64(len(s.Spec.Ports))
	}
	u.take(corev1.ResourceServicesNodePorts, one, ports)
	if s.Spec.Type == corev1.ServiceTypeLoadBalancer {
		u.take(corev1.ResourceServicesLoadBalancers, one, 1)
	}
}

func (u *useOf) deployment(d *appsv1.Deployment) {
	pods := podsOf(d)
	u.take(corev1.ResourcePods, *resource.NewQuantity(1, resource.DecimalSI), pods)
	containers := d.Spec.Template.Spec.Containers
	for i := range containers {
		path := fmt.Sprintf("spec.template.spec.containers[%d].resources", i)
		r := u.tenant.admitted(containers[i].Resources)
		u.ranged(path, &r)
		for _, list := range []struct {
			prefix string
			found  corev1.ResourceList
		}{{"requests.", r.Requests}, {"limits.", r.Limits}} {
			for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage} {
				amount, found := list.found[name]
				bounded := corev1.ResourceName(list.prefix) + name
				if _, has := u.tenant.Quota[bounded]; has && !found && name != corev1.ResourceEphemeralStorage {
					u.add(path+"."+string(bounded), "missing: because of the quota of %s, the API server admits no pod without it; set it in the entry's resources, in the Site's spec.defaults.resources or in the tenant's limitRange.default",
						u.tenant.where("quota"))
				}
				u.take(bounded, amount, pods)
			}
		}
	}
}

// podsOf is how many pods of a Deployment there are at most while it is rolled out.
func podsOf(d *appsv1.Deployment) int64 {
	replicas := 1
	if d.Spec.Replicas != nil {
		replicas = int(*d.Spec.Replicas)
	}
	if replicas == 0 || d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		return int64(replicas)
	}
	surge := intstr.FromString("25%") // the API server's default
	if r := d.Spec.Strategy.RollingUpdate; r != nil && r.MaxSurge != nil {
		surge = *r.MaxSurge
	}
	more, err := intstr.GetScaledValueFromIntOrPercent(&surge, replicas, true)
	if err != nil {
		more = replicas
	}
	//guard: services that fit a quota to the last pod can never be rolled out
	return int64(replicas + more)
}

// admitted are a container's resources as they are once the API server has admitted it: what it is limited to and does not request it requests,
// and what it does not say the limit range says.
func (t *Tenant) admitted(r corev1.ResourceRequirements) corev1.ResourceRequirements {
	out := corev1.ResourceRequirements{Requests: maps.Clone(r.Limits), Limits: maps.Clone(r.Limits)}
	if out.Requests == nil {
		out.Requests, out.Limits = corev1.ResourceList{}, corev1.ResourceList{}
	}
	maps.Copy(out.Requests, r.Requests)
	if t.LimitRange == nil {
		return out
	}
	item := t.LimitRange.Item()
	for _, list := range []struct{ of, from corev1.ResourceList }{{out.Limits, item.Default}, {out.Requests, item.DefaultRequest}} {
		for name, amount := range list.from {
			if _, found := list.of[name]; !found {
				list.of[name] = amount
			}
		}
	}
	return out
}

// ranged complains about what the limit range does not admit.
func (u *useOf) ranged(path string, r *corev1.ResourceRequirements) {
	if u.tenant.LimitRange == nil {
		return
	}
	for _, list := range []struct {
		field string
		found corev1.ResourceList
	}{{".requests.", r.Requests}, {".limits.", r.Limits}} {
		for _, name := range slices.Sorted(maps.Keys(list.found)) {
			found := list.found[name]
			if most, bounded := u.tenant.LimitRange.Max[name]; bounded && found.Cmp(most) > 0 {
				u.add(path+list.field+string(name), "found %s, but %s may have at most %s", found.String(), u.tenant.where("limitRange.max"), most.String())
			}
			if least, bounded := u.tenant.LimitRange.Min[name]; bounded && found.Cmp(least) < 0 {
				u.add(path+list.field+string(name), "found %s, but %s requires at least %s", found.String(), u.tenant.where("limitRange.min"), least.String())
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(u.tenant.LimitRange.Min)) {
		if _, found := r.Requests[name]; !found { // never so: min is the default of requests
			u.add(path+".requests."+string(name), "missing, but %s has a minimum", u.tenant.where("limitRange.min"))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Requests)) {
		request, limit := r.Requests[name], r.Limits[name]
		if _, limited := r.Limits[name]; limited && request.Cmp(limit) > 0 {
			u.add(path+".requests."+string(name), "found %s, which is more than the limit of %s that the container gets from %s", request.String(), limit.String(), u.tenant.where("limitRange"))
		}
	}
}

// Usage is what a cluster's services take of its namespace's quota.
type Usage struct {
	Cluster v1.SIPCluster
	// Has is what those in the tree take, nil where there are none.
	Has corev1.ResourceList
	// Wants is what they take as they are rendered now, nil where they stay as they are.
	Wants corev1.ResourceList
}

// Quota reports the clusters whose services do not fit into the quota of their namespace. Those that stay as they are come first, then those that
// were there before, then by name: the newcomer goes without, and what was there keeps its place.
func (t *Tenants) Quota(usages []Usage) []v1.ClusterError {
	usages = slices.Clone(usages)
	rank := func(u Usage) int {
		switch {
		case u.Wants == nil:
			return 0
		//guard: a new cluster takes the quota of one that is there
		case u.Has != nil:
			return 1
		}
		return 2
	}
	slices.SortFunc(usages, func(a, b Usage) int {
		return cmp.Or(strings.Compare(a.Cluster.Namespace, b.Cluster.Namespace), rank(a)-rank(b), strings.Compare(a.Cluster.Name, b.Cluster.Name))
	})
	sums := map[string]corev1.ResourceList{}
	var errs []v1.ClusterError
	for i := range usages {
		u := &usages[i]
		tenant := t.Of(u.Cluster.Namespace)
		if tenant == nil {
			continue
		}
		before := sums[u.Cluster.Namespace]
		takes := u.Has
		if u.Wants != nil {
			over := tenant.beyond(before, u.Wants)
			if over == "" {
				takes = u.Wants
			} else {
				errs = append(errs, v1.ClusterError{Cluster: &u.Cluster, FieldError: v1.FieldError{Path: "spec.services", Message: over}})
			}
		}
		sums[u.Cluster.Namespace] = plus(before, takes)
	}
	return errs
}

// beyond says what of a quota is too little, empty if nothing is.
func (t *Tenant) beyond(before, wants corev1.ResourceList) string {
	var over []string
	for _, name := range v1alpha1.QuotaResources {
		most, bounded := t.Quota[name]
		asked, taken := wants[name], before[name]
		if !bounded || asked.Sign() == 0 {
			continue
		}
		sum := asked.DeepCopy()
		sum.Add(taken)
		if sum.Cmp(most) > 0 {
			over = append(over, fmt.Sprintf("%s of %s (the namespace's other clusters take %s, and the quota is %s)", asked.String(), name, taken.String(), most.String()))
		}
	}
	if len(over) == 0 {
		return ""
	}
	return redact.Sprintf("while pods are replaced, they need %s, more than %s is granted", strings.Join(over, " and "), t.where("quota"))
}

func plus(a, b corev1.ResourceList) corev1.ResourceList {
	sum := corev1.ResourceList{}
	for _, list := range []corev1.ResourceList{a, b} {
		for name, amount := range list {
			s := sum[name]
			s.Add(amount)
			sum[name] = s
		}
	}
	return sum
}
