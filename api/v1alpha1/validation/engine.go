package validation

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
)

// validateArgoCD checks the API server of the hosts, and Argo CD's user there. Another API server knows Argo CD by
// the credentials of a cluster Secret, so the user has no default.
func validateArgoCD(site *v1alpha1.Site, add func(path, format string, args ...any)) {
	a, engine := &site.Spec.ArgoCD, site.Spec.Engine
	validateServer(a, add)
	checkNames(site, add)
	const field = "spec.argocd.identity"
	switch {
	case a.Identity != "":
		validateIdentity(a.Identity, func(format string, args ...any) { add(field, format, args...) })
	case engine == v1alpha1.EngineArgoCD && a.Server != v1alpha1.ArgoCDInCluster:
		add(field, "missing: on %q Argo CD is a different user from the one in its own cluster, so the guard would "+
			"not apply to it; "+
			"want the user name that kubectl auth whoami prints with the credentials of its cluster Secret, as in "+
			"system:serviceaccount:kube-system:argocd-manager", a.Server)
	}
}

func validateServer(a *v1alpha1.ArgoCD, add func(path, format string, args ...any)) {
	const field = "spec.argocd.server"
	parsed, err := url.Parse(a.Server)
	switch {
	case strings.ContainsFunc(a.Server, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		add(field, "has a blank or a control character")
	case err != nil:
		add(field, "not a URL")
	case parsed.User != nil:
		// The URL is not repeated: it carries a credential.
		add(field, "carries user or password, which would be committed: Argo CD's cluster Secret has the credentials")
	case hasQuery(parsed):
		add(field, "has a query or a fragment, which would be committed and may hold a token: want none")
	case parsed.Scheme != "https" && parsed.Scheme != "http" || parsed.Host == "":
		add(field, "found %q, want the URL of an API server, as in Argo CD's cluster Secret", a.Server)
	}
}

// checkNames refuses a site's name that is too long for the names of its Applications.
func checkNames(site *v1alpha1.Site, add Report) {
	if name := site.InNames(); len(name) > v1.MaxSiteOfSyncName {
		add("spec.argocd.names", "found %s with a Site's name of %d characters, want at most %d: it is in the name of each "+
			"Application", v1alpha1.NamesSite, len(name), v1.MaxSiteOfSyncName)
	}
}

// validateIdentity refuses text that names no user. Certificates, OIDC and clouds have user names of every form.
func validateIdentity(user string, add func(format string, args ...any)) {
	groups := []string{"system:masters", "system:authenticated", "system:unauthenticated", "system:nodes",
		"system:serviceaccounts"}
	account, isAccount := strings.CutPrefix(user, v1alpha1.ServiceAccountPrefix)
	switch {
	case strings.TrimSpace(user) != user || strings.ContainsFunc(user,
		func(r rune) bool { return !unicode.IsPrint(r) }):
		add("found %q, want a user name, without blanks around it and control characters", user)
	case slices.Contains(groups, user) || strings.HasPrefix(user, "system:serviceaccounts:"):
		add("found %q, which is a group: want the user, as kubectl auth whoami prints it", user)
	case user == "system:anonymous":
		add("found %q, the user of requests without a login", user)
	case isAccount:
		namespace, name, _ := strings.Cut(account, ":")
		if len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 {
			add("found %q, want %sNAMESPACE:NAME", user, v1alpha1.ServiceAccountPrefix)
		}
	}
}

func checkOrder(a *v1alpha1.ArgoCD, engine v1alpha1.Engine, apply v1alpha1.ApplyMode, add Report) {
	switch {
	case a.Order == v1alpha1.OrderNone:
	case a.Order == v1alpha1.OrderWaves && engine == v1alpha1.EngineArgoCD && apply == v1alpha1.ApplyOverlay:
		add("spec.argocd.order", "found %s with spec.hosts.apply %s, whose hosts are one overlay for all tenants "+
			"and can wait for no tenant's services: want %s", v1alpha1.OrderWaves, v1alpha1.ApplyOverlay,
			v1alpha1.OrderNone)
	case a.Order == v1alpha1.OrderWaves:
	case a.Order != "": // the definition says so
	case engine == v1alpha1.EngineArgoCD:
		add("spec.argocd.order", "missing: Argo CD does not wait with a host's labels until its tenant's services "+
			"are ready, unless both are one Application; "+
			"want %q, which accepts that, %q, which makes them one, or the engine %s, which waits",
			v1alpha1.OrderNone, v1alpha1.OrderWaves, v1alpha1.EngineFlux)
	}
}

// validateRootAccount refuses an account for the root that the root itself creates.
func validateRootAccount(s *v1alpha1.Site, add Report) {
	const field = "spec.flux.serviceAccountName"
	name := s.Spec.Flux.ServiceAccountName
	if name == "" {
		return
	}
	for _, message := range validation.IsDNS1123Subdomain(name) {
		add(field, "found %q: %s", name, message)
	}
	if prefix := "sipgen-" + s.Name + "-"; strings.HasPrefix(name, prefix) || strings.HasSuffix(name, ".infra") {
		add(field, "found %q, want a name that neither begins with %s nor ends with .infra: those are the accounts "+
			"that the root makes", name, prefix)
	}
}

func validateLabelGuard(g *v1alpha1.LabelGuard, add Report) {
	for i, user := range g.Writers {
		field := fmt.Sprintf("spec.labelGuard.writers[%d]", i)
		if user == "" {
			add(field, "found %q, want a user, as kubectl auth whoami prints it", user)
			continue
		}
		validateIdentity(user, func(format string, args ...any) { add(field, format, args...) })
	}
}

// validateFluxIdentity refuses an identity that guards nothing: with apply merge, the tree brings an account of its
// own.
func validateFluxIdentity(f *v1alpha1.Flux, apply v1alpha1.ApplyMode, add Report) {
	const field = "spec.flux.identity"
	switch {
	case f.Identity == "":
	case apply == v1alpha1.ApplyMerge:
		add(field, "has no meaning with apply: merge, which brings an account of its own for the hosts")
	default:
		validateIdentity(f.Identity, func(format string, args ...any) { add(field, format, args...) })
	}
}

// validateFluxProvider refuses what Flux would not read the repository with.
func validateFluxProvider(s *v1alpha1.Site, add Report) {
	provider := s.Spec.Flux.Provider
	switch provider {
	case v1alpha1.FluxProviderGitHub:
		if s.Spec.Flux.SecretName == "" {
			add("spec.flux.secretName", "missing: the Secret of the GitHub App, which provider github needs")
		}
	case v1alpha1.FluxProviderAzure:
		if s.Spec.Flux.SecretName != "" {
			add("spec.flux.secretName", "found a Secret, want none: with provider azure Flux logs in by workload identity")
		}
	default:
		return
	}
	if ssh, _ := s.Spec.Repository.SSH(); ssh {
		add("spec.flux.provider", "found %s, want a repository by https: Flux reads ssh with a key", provider)
	}
}
