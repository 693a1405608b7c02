package v1alpha1

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/util/validation"
)

// ArgoCD sets what the Argo CD objects carry.
type ArgoCD struct {
	// Namespace of the Applications. Default argocd.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// AppProject of the root Application. Default sipgen-SITE.
	// +optional
	Project string `json:"project,omitempty"`
	// API server of the hosts, as in Argo CD's cluster Secret. Default https://kubernetes.default.svc; another
	// requires identity.
	// +optional
	Server string `json:"server,omitempty"`
	// Argo CD's user at the server (kubectl auth whoami), for the sync guard. Default:
	// system:serviceaccount:<namespace>:argocd-application-controller; none with another server.
	// +optional
	Identity string `json:"identity,omitempty"`
	// none: hosts may be labeled before services are ready. waves: hosts and the tenant's newer commits wait
	// for healthy services; needs apply: merge. Required with Argo CD.
	// +kubebuilder:validation:Enum=none;waves
	// +optional
	Order string `json:"order,omitempty"`
}

// The values of spec.argocd.order.
const (
	OrderNone  = "none"
	OrderWaves = "waves"
)

// ArgoCDInCluster is the cluster that Argo CD runs in, as every Argo CD knows it. Applications live there, wherever the hosts are.
const ArgoCDInCluster = "https://kubernetes.default.svc"

// maxIdentity bounds the name of a user, in bytes: a service account's is at most 22+63+1+253, and real ones are a fraction of that.
const maxIdentity = 256

const serviceAccountPrefix = "system:serviceaccount:"

// identityDefault is the account of Argo CD's application controller as its installation names it, in the cluster that it runs in.
func (a *ArgoCD) identityDefault() {
	if a.Server == ArgoCDInCluster {
		set(&a.Identity, serviceAccountPrefix+a.Namespace+":argocd-application-controller")
	}
}

// validate checks where Argo CD finds the hosts, and who it is there. Another API server knows Argo CD by the credentials of a cluster
// Secret, so its user cannot be guessed, and a guard for the wrong user guards nothing.
func (a *ArgoCD) validate(engine Engine, add func(path, format string, args ...any)) {
	a.validateServer(add)
	const field = "spec.argocd.identity"
	switch {
	case a.Identity != "":
		validateIdentity(a.Identity, func(format string, args ...any) { add(field, format, args...) })
	//guard: on another API server the guard is for nobody
	case engine == EngineArgoCD && a.Server != ArgoCDInCluster:
		add(field, "missing: on %q Argo CD is a different user from the one in its own cluster, so the guard would not apply to it; "+
			"want the user name that kubectl auth whoami prints with the credentials of its cluster Secret, as in system:serviceaccount:kube-system:argocd-manager", a.Server)
	}
}

func (a *ArgoCD) validateServer(add func(path, format string, args ...any)) {
	const field = "spec.argocd.server"
	parsed, err := url.Parse(a.Server)
	switch {
	case strings.ContainsFunc(a.Server, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		add(field, "has a blank or a control character")
	case err != nil:
		add(field, "not a URL")
	//guard: a password in the URL of an API server is committed
	case parsed.User != nil:
		// The URL is not repeated: it carries a credential.
		add(field, "carries user or password, which would be committed: Argo CD's cluster Secret has the credentials")
	case hasQuery(parsed):
		add(field, "has a query or a fragment, which would be committed and may hold a token: want none")
	case parsed.Scheme != "https" && parsed.Scheme != "http" || parsed.Host == "":
		add(field, "found %q, want the URL of an API server, as in Argo CD's cluster Secret", a.Server)
	}
}

// validateIdentity refuses what is no user. The rest is anybody's business: certificates, OIDC and clouds have names of every form.
func validateIdentity(user string, add func(format string, args ...any)) {
	groups := []string{"system:masters", "system:authenticated", "system:unauthenticated", "system:nodes", "system:serviceaccounts"}
	account, isAccount := strings.CutPrefix(user, serviceAccountPrefix)
	switch {
	case len(user) > maxIdentity:
		add("found %d bytes, want %d or fewer", len(user), maxIdentity)
	case strings.TrimSpace(user) != user || strings.ContainsFunc(user, func(r rune) bool { return !unicode.IsPrint(r) }):
		add("found %q, want a user name, without blanks around it and control characters", user)
	//guard: the guard is for a group, which is no user: for nobody
	case slices.Contains(groups, user) || strings.HasPrefix(user, "system:serviceaccounts:"):
		add("found %q, which is a group: want the user, as kubectl auth whoami says it", user)
	//guard: the guard is for nobody
	case user == "system:anonymous":
		add("found %q, which means that nobody is logged in", user)
	case isAccount:
		namespace, name, _ := strings.Cut(account, ":")
		//guard: the guard is for an account that there cannot be
		if len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 {
			add("found %q, want %sNAMESPACE:NAME", user, serviceAccountPrefix)
		}
	}
}
