package v1alpha1

// ArgoCD is the settings of the Argo CD objects.
type ArgoCD struct {
	// Namespace of the Applications. Default argocd.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// AppProject of the root Application. Default sipgen-SITE.
	// +optional
	Project string `json:"project,omitempty"`
	// API server of the hosts, as in Argo CD's cluster Secret. Default https://kubernetes.default.svc; another
	// server requires identity.
	// +optional
	Server string `json:"server,omitempty"`
	// Argo CD's user on server (kubectl auth whoami), for the sync guard. Default:
	// system:serviceaccount:<namespace>:argocd-application-controller; none with another server.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Identity string `json:"identity,omitempty"`
	// none labels hosts without waiting for services. waves lets hosts and the tenant's newer commits wait for
	// healthy services, and needs apply: merge. Required with Argo CD.
	// +kubebuilder:validation:Enum=none;waves
	// +optional
	Order string `json:"order,omitempty"`
	// cluster (default) names a cluster's Applications and AppProjects NAMESPACE.NAME.PART; site names them
	// SITE.NAMESPACE.NAME.PART, for several sites with one Argo CD. A change needs another folder, as another engine does.
	// +kubebuilder:validation:Enum=cluster;site
	// +optional
	Names string `json:"names,omitempty"`
}

// The values of spec.argocd.order.
const (
	OrderNone  = "none"
	OrderWaves = "waves"
)

// What the names of Applications begin with.
const (
	NamesCluster = "cluster"
	NamesSite    = "site"
)

// ArgoCDInCluster is the cluster that Argo CD runs in, as every Argo CD knows it. Applications live there, wherever
// the hosts are.
const ArgoCDInCluster = "https://kubernetes.default.svc"

const ServiceAccountPrefix = "system:serviceaccount:"

// identityDefault sets the account of Argo CD's application controller, as Argo CD's installation names it, if Argo
// CD runs in the cluster of the hosts.
func (a *ArgoCD) identityDefault() {
	if a.Server == ArgoCDInCluster {
		set(&a.Identity, ServiceAccountPrefix+a.Namespace+":argocd-application-controller")
	}
}

// InNames returns the site's name if the names of its clusters' sync objects begin with it, else "".
func (s *Site) InNames() string {
	if s.Spec.Engine == EngineArgoCD && s.Spec.ArgoCD.Names == NamesSite {
		return s.Name
	}
	return ""
}
