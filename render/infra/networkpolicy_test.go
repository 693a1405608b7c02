package infra

import (
	"maps"
	"slices"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// admits says by the words of networking.k8s.io/v1 whether a policy lets somebody connect to a port: from outside of
// the cluster where namespace is empty, and from a pod of that namespace otherwise.
func admits(t *testing.T, policy *networkingv1.NetworkPolicy, namespace string, port int32) bool {
	t.Helper()
	for _, rule := range policy.Spec.Ingress {
		open := len(rule.Ports) == 0
		for _, p := range rule.Ports {
			last := p.Port.IntVal
			if p.EndPort != nil {
				last = *p.EndPort
			}
			open = open || *p.Protocol == corev1.ProtocolTCP && p.Port.IntVal <= port && port <= last
		}
		if !open {
			continue
		}
		if len(rule.From) == 0 {
			return true
		}
		for _, peer := range rule.From {
			require.Truef(t, peer.IPBlock == nil && peer.PodSelector == nil, "%s: a peer of another sort: %v",
				policy.Name, peer)
			selector, err := metav1.LabelSelectorAsSelector(peer.NamespaceSelector)
			require.NoError(t, err)
			if namespace != "" && selector.Matches(labels.Set{"kubernetes.io/metadata.name": namespace}) {
				return true
			}
		}
	}
	return false
}

// The pods of the SIP operator have the labels that the Services select by, and its jump host listens on port 22: while
// they are replaced, no policy is about them.
func TestNetworkPoliciesSpareSIPsPods(t *testing.T) {
	files := render(t, tenant())
	services := ofKind[corev1.Service](t, files, "Service")
	for name, policy := range ofKind[networkingv1.NetworkPolicy](t, files, "NetworkPolicy") {
		selector, err := metav1.LabelSelectorAsSelector(&policy.Spec.PodSelector)
		require.NoError(t, err)
		assert.Truef(t, !selector.Matches(labels.Set(services[name].Spec.Selector)),
			"%s: selects pods that sipgen did not render", name)
	}
}

// Every pod has one policy. What its Service sends to it is open to everybody, what else it listens on to those who may
// read figures, and the rest to nobody.
func TestNetworkPolicies(t *testing.T) {
	for name, row := range map[string]struct {
		metrics *v1alpha1.Metrics
		may     []string
	}{
		"a site that says nothing": {nil, nil},
		"one namespace":            {&v1alpha1.Metrics{Namespaces: []string{"monitoring"}}, []string{"monitoring"}},
		"nobody":                   {&v1alpha1.Metrics{Namespaces: []string{}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			in := tenant()
			in.Site.Spec.Metrics = row.metrics
			files := render(t, in)
			policies := ofKind[networkingv1.NetworkPolicy](t, files, "NetworkPolicy")
			services := ofKind[corev1.Service](t, files, "Service")
			deployments := ofKind[appsv1.Deployment](t, files, "Deployment")
			assert.Equal(t, slices.Sorted(maps.Keys(deployments)), slices.Sorted(maps.Keys(policies)), "policies")
			require.Truef(t, len(deployments) >= 4, "only %d Deployments", len(deployments))
			for name, deployment := range deployments {
				policy, pod := policies[name], labels.Set(deployment.Spec.Template.Labels)
				assert.Equal(t, deployment.Namespace, policy.Namespace, name)
				for other := range policies {
					selector, err := metav1.LabelSelectorAsSelector(new(policies[other].Spec.PodSelector))
					require.NoError(t, err)
					assert.Truef(t, selector.Matches(pod) == (other == name), "policy %s: selects pods of %s: %t",
						other, name, selector.Matches(pod))
				}
				public := map[int32]bool{}
				ports := deployment.Spec.Template.Spec.Containers[0].Ports
				for _, p := range services[name].Spec.Ports {
					target := p.TargetPort.IntVal
					if i := slices.IndexFunc(ports,
						func(c corev1.ContainerPort) bool { return c.Name == p.TargetPort.StrVal }); i >= 0 {
						target = ports[i].ContainerPort
					}
					public[target] = true
				}
				figures := map[int32]bool{}
				for _, p := range ports {
					if !public[p.ContainerPort] {
						figures[p.ContainerPort] = true
					}
				}
				assert.Equal(t,
					map[bool]int{true: 0, false: 1}[deployment.Labels["app.kubernetes.io/component"] == "jumphost"],
					len(figures), name)
				for port := int32(1); port < 65535; port++ {
					for _, from := range []string{"", "monitoring", "other"} {
						want := public[port] || figures[port] && slices.Contains(row.may, from)
						got := admits(t, policy, from, port)
						require.Truef(t, got == want, "%s: port %d from %q: found %t, want %t", name, port, from, got,
							want)
					}
				}
			}
		})
	}
}
