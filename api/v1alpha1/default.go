package v1alpha1

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/internal/release"
)

// Default fills every field that has a default and is not set.
func (s *Site) Default() {
	spec := &s.Spec
	set(&s.Name, "site")
	set(&spec.Engine, EngineFlux)
	set(&spec.Repository.Branch, "main")
	set(&spec.Hosts.Apply, ApplyMerge)
	spec.Images.defaults(release.JumpHost())
	set(&spec.LabelKeys.ClusterNamespace, "sip.airshipit.org/cluster-namespace")
	set(&spec.LabelKeys.ClusterName, "sip.airshipit.org/cluster-name")
	set(&spec.LabelKeys.NodeType, "sip.airshipit.org/node-type")
	set(&spec.LabelKeys.Standby, "sip.airshipit.org/standby")
	set(&spec.Scheduling.Standby, "preferred")
	set(&spec.Flux.Namespace, "flux-system")
	set(&spec.ArgoCD.Namespace, "argocd")
	set(&spec.ArgoCD.Project, "sipgen-"+s.Name)
	set(&spec.ArgoCD.Server, ArgoCDInCluster)
	set(&spec.ArgoCD.Names, NamesCluster)
	spec.ArgoCD.identityDefault()
	if spec.Hosts.Apply == ApplyOverlay {
		set(&spec.Flux.Identity, KustomizeController(spec.Flux.Namespace))
	}
	setPointer(&spec.Brake.MaxPercent, 10)
	setPointer(&spec.Brake.MaxHosts, 2)
	setPointer(&spec.NodePorts, NodePorts{Start: 30000, End: 32767})
	setPointer(&spec.Flux.Interval, metav1.Duration{Duration: 10 * time.Minute})
	setPointer(&spec.MaxHostsPerTenant, 100)
	setPointer(&spec.MaxClustersPerTenant, 100)
	for i := range spec.Tenants {
		spec.Tenants[i].defaults(*spec.MaxHostsPerTenant, *spec.MaxClustersPerTenant)
	}
	for i := range spec.Services.Ironic {
		spec.Services.Ironic[i].defaults()
	}
	for i := range spec.Services.VirtualHosts {
		set(&spec.Services.VirtualHosts[i].HostNamespace, vinoDefaultNamespace)
	}
	if spec.BreakGlassGroups == nil {
		spec.BreakGlassGroups = []string{"system:masters"}
	}
}

// defaults takes the image of jump hosts that was published with this program, empty for none.
func (i *Images) defaults(jumpHost string) {
	set(&i.HAProxy, "docker.io/library/haproxy:3.2.24-alpine")
	set(&i.Dex, "ghcr.io/dexidp/dex:v2.45.0")
	set(&i.JumpHost, jumpHost)
	i.NoJumpHost = i.NoJumpHost || i.JumpHost == ""
	set(&i.JumpHost, "quay.io/airshipit/jump-host:sipgen-v1")
}

func (t *Tenant) defaults(maxHosts, maxClusters int) {
	set(&t.Patches, PatchesNone)
	setPointer(&t.MaxClusters, maxClusters)
	setPointer(&t.Hosts.Max, maxHosts)
	setPointer(&t.Hosts.MaxStandby, *t.Hosts.Max)
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func setPointer[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}
