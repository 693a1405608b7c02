package v1alpha1

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// What may stand in a git URL and a branch that end up in YAML, commit messages and argument lists.
var (
	scpURL     = regexp.MustCompile(`^[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:[A-Za-z0-9_./~-]+$`)
	branchName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]*$`)
	pathName   = regexp.MustCompile(`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$`)
)

// minInterval bounds how often Flux builds and compares all of a tree.
const minInterval = 10 * time.Second

// problem notes what is wrong with a field.
type problem func(path, format string, args ...any)

func (s *Site) validate(add problem) {
	spec := &s.Spec
	checkName("metadata.name", s.Name, add)
	spec.Repository.validate(add)
	oneOf(add, "spec.engine", string(spec.Engine), string(EngineFlux), string(EngineArgoCD))
	spec.ArgoCD.checkOrder(spec.Engine, spec.Hosts.Apply, add)
	spec.ArgoCD.validate(spec.Engine, add)
	oneOf(add, "spec.scheduling.standby", spec.Scheduling.Standby, "preferred", "required")
	s.validateRunner(add)
	spec.Inputs.validate(add)
	spec.Images.validate(add)
	spec.Hosts.validate(add)
	s.validateDecommission(add)
	//guard: the overlay of the hosts includes itself, and --adopt replaces the kustomization of their manifests
	if inside := s.BaseInside(spec.Repository.Path); inside != "" {
		add("spec.hosts.base", "%s", inside)
	}
	spec.LabelKeys.validate(add)
	checkGroups(spec.BreakGlassGroups, add)
	spec.LabelGuard.validate(add)
	spec.Metrics.validate(add)
	spec.Flux.validateIdentity(spec.Hosts.Apply, add)
	checkName("spec.flux.namespace", spec.Flux.Namespace, add)
	s.validateRootAccount(add)
	checkName("spec.argocd.namespace", spec.ArgoCD.Namespace, add)
	checkName("spec.argocd.project", spec.ArgoCD.Project, add)
	//guard: Flux is told to build a tree every millisecond
	if spec.Flux.Interval.Duration < minInterval {
		add("spec.flux.interval", "found %s, want %s or more", spec.Flux.Interval.Duration, minInterval)
	}
	if p := spec.NodePorts; p.Start < 1 || p.End > 65535 || p.Start > p.End {
		add("spec.nodePorts", "found %d to %d, want a range within 1 to 65535", p.Start, p.End)
	}
	if n := *spec.Brake.MaxPercent; n < 0 || n > 100 {
		add("spec.brake.maxPercent", "found %d, want 0 to 100", n)
	}
	if n := *spec.Brake.MaxHosts; n < 0 {
		add("spec.brake.maxHosts", "found %d, want 0 or more", n)
	}
	checkMeta(spec.Defaults, add)
	spec.validateTenants(add)
	spec.validateClaimants(add)
	s.validateServices(add)
}

// isBranch: Argo CD and Flux are told the branch by its whole name, refs/heads/ and this.
func isBranch(name string) bool {
	return branchName.MatchString(name) && !strings.Contains(name, "..") && !strings.HasSuffix(name, "/") && !strings.HasSuffix(name, ".lock") &&
		name != "HEAD" && !strings.HasPrefix(name, "refs/")
}

func (r *Repository) validate(add problem) {
	checkURL(r.URL, add)
	if !isBranch(r.Branch) {
		add("spec.repository.branch", "found %q, want a branch name", r.Branch)
	}
	checkFolder("spec.repository.path", r.Path, add)
}

func (a *ArgoCD) checkOrder(engine Engine, apply ApplyMode, add problem) {
	switch {
	case a.Order == OrderNone:
	//guard: a site asks for waves, and its hosts wait for nothing
	case a.Order == OrderWaves && engine == EngineArgoCD && apply == ApplyOverlay:
		add("spec.argocd.order", "found %s with spec.hosts.apply %s, whose hosts are one overlay for all tenants and can wait for no tenant's services: want %s", OrderWaves, ApplyOverlay, OrderNone)
	case a.Order == OrderWaves:
	case a.Order != "":
		add("spec.argocd.order", "found %q, want %s or %s", a.Order, OrderNone, OrderWaves)
	//guard: nobody has said that hosts may get their labels before the services are there
	case engine == EngineArgoCD:
		add("spec.argocd.order", "missing: Argo CD does not wait with a host's labels until its tenant's services are ready, unless both are one Application; "+
			"want %q, which accepts that, %q, which makes them one, or the engine %s, which waits", OrderNone, OrderWaves, EngineFlux)
	}
}

func (h *Hosts) validate(add problem) {
	checkFolder("spec.hosts.base", h.Base, add)
	oneOf(add, "spec.hosts.apply", string(h.Apply), string(ApplyMerge), string(ApplyOverlay))
	if h.Apply == ApplyOverlay && h.Base == "" {
		add("spec.hosts.base", "missing: overlay needs the folder of the hosts' manifests in the repository")
	}
	if h.Apply == ApplyMerge && h.Base != "" {
		add("spec.hosts.base", "has no meaning with apply: merge")
	}
	for i, namespace := range h.Namespaces {
		checkName(fmt.Sprintf("spec.hosts.namespaces[%d]", i), namespace, add)
	}
	for i, namespace := range h.SharedNamespaces {
		checkName(fmt.Sprintf("spec.hosts.sharedNamespaces[%d]", i), namespace, add)
	}
	h.validateRelease(add)
	h.validateClaims(add)
	h.validateNetworks(add)
}

func (k *LabelKeys) validate(add problem) {
	keys := map[string]string{}
	for _, key := range []struct{ field, value string }{
		{"clusterNamespace", k.ClusterNamespace}, {"clusterName", k.ClusterName},
		{"nodeType", k.NodeType}, {"standby", k.Standby},
	} {
		path := "spec.labelKeys." + key.field
		for _, message := range validation.IsQualifiedName(key.value) {
			add(path, "found %q: %s", key.value, message)
		}
		//guard: sipgen writes labels that metal3, Cluster API or an engine obeys
		if domain := reserved(key.value); domain != "" {
			add(path, "found %q: keys of %s belong to others, who would read or change them", key.value, domain)
		}
		//guard: one label says two things
		if other, twice := keys[key.value]; twice {
			add(path, "the same key as %s", other)
		}
		keys[key.value] = key.field
	}
}

// checkGroups refuses groups that nearly everybody is in.
func checkGroups(groups []string, add problem) {
	for i, group := range groups {
		switch {
		case group == "" || strings.ContainsAny(group, "\r\n"):
			add(fmt.Sprintf("spec.breakGlassGroups[%d]", i), "found %q, want the name of a group", group)
		//guard: everybody may break the glass
		case group == "system:authenticated" || group == "system:unauthenticated" || strings.HasPrefix(group, "system:serviceaccounts"):
			add(fmt.Sprintf("spec.breakGlassGroups[%d]", i), "found %q: nearly everybody is in it, and nothing would be guarded", group)
		}
	}
}

func (m *Metrics) validate(add problem) {
	if m == nil {
		return
	}
	if n := len(m.Namespaces); n > 100 {
		add("spec.metrics.namespaces", "found %d, want at most 100", n)
		return
	}
	for i, namespace := range m.Namespaces {
		path := fmt.Sprintf("spec.metrics.namespaces[%d]", i)
		checkName(path, namespace, add)
		if slices.Contains(m.Namespaces[:i], namespace) {
			add(path, "found %q for the second time", namespace)
		}
	}
}

func checkName(path, name string, add problem) {
	for _, message := range validation.IsDNS1123Label(name) {
		add(path, "found %q: %s", name, message)
	}
}

// validateRootAccount: the root has an account that the tree does not make; see render.
func (s *Site) validateRootAccount(add problem) {
	const field = "spec.flux.serviceAccountName"
	name := s.Spec.Flux.ServiceAccountName
	if name == "" {
		return
	}
	for _, message := range validation.IsDNS1123Subdomain(name) {
		add(field, "found %q: %s", name, message)
	}
	//guard: the root is applied as an account that it makes itself
	if prefix := "sipgen-" + s.Name + "-"; strings.HasPrefix(name, prefix) || strings.HasSuffix(name, ".infra") {
		add(field, "found %q, want a name that neither begins with %s nor ends with .infra: those are the accounts that the root makes", name, prefix)
	}
}

// reservedDomains are those of label keys that Kubernetes, metal3, Cluster API and the engines use.
var reservedDomains = []string{"kubernetes.io", "k8s.io", "x-k8s.io", "metal3.io", "fluxcd.io", "argoproj.io"}

// reserved is the reserved domain that a label key lies in, empty for none.
func reserved(key string) string {
	prefix, _, found := strings.Cut(key, "/")
	for _, domain := range reservedDomains {
		if found && (prefix == domain || strings.HasSuffix(prefix, "."+domain)) {
			return domain
		}
	}
	return ""
}

const repositoryURL = "spec.repository.url"

func checkURL(raw string, add problem) {
	const field = repositoryURL
	if raw == "" {
		add(field, "missing: where the tree is published to")
		return
	}
	if scpURL.MatchString(raw) {
		return
	}
	parsed, err := url.Parse(raw)
	switch {
	case err != nil:
		add(field, "not a URL")
	//guard: a token in the repository's URL is committed
	case parsed.User != nil && parsed.Scheme != "ssh" || hasPassword(parsed):
		// The URL is not repeated: it carries a credential.
		add(field, "carries user or password, which would be committed: give credentials by environment or file")
	//guard: a token in the query of the repository's URL is committed
	case hasQuery(parsed):
		add(field, "has a query or a fragment, which would be committed and may hold a token: want none")
	case strings.ContainsAny(raw, " \t\r\n\"'`$\\"):
		add(field, "has a blank, a quote or a control character")
	case parsed.Scheme == "ssh" || parsed.Scheme == "https" || parsed.Scheme == "http":
		if parsed.Host == "" {
			add(field, "found %q, want a host in it", raw)
		}
	case parsed.Scheme == "file" && parsed.Path != "":
	default:
		add(field, "found %q, want ssh://, https:// or user@host:path; sipgen publish --repo takes a path too", raw)
	}
}

// hasQuery: forges take tokens there, as in ?private_token=.
func hasQuery(u *url.URL) bool { return u.RawQuery != "" || u.ForceQuery || u.Fragment != "" }

func hasPassword(u *url.URL) bool {
	if u.User == nil {
		return false
	}
	_, set := u.User.Password()
	return set
}

func checkFolder(field, folder string, add problem) {
	if folder == "" {
		return
	}
	//guard: the tree is written out of its repository, or into git's own files
	if !pathName.MatchString(folder) || path.Clean(folder) != folder || strings.HasPrefix(folder, "..") || folder == ".git" || strings.HasPrefix(folder, ".git/") {
		add(field, "found %q, want a folder inside the repository, as in \"sites/dc1\"", folder)
	}
}

func oneOf(add problem, field, found string, want ...string) {
	for _, w := range want {
		if w == found {
			return
		}
	}
	hint := ""
	if near := manifest.Nearest(found, want); near != "" {
		hint = redact.Sprintf(", did you mean %q?", near)
	}
	add(field, "found %q, want %s%s", found, strings.Join(want, " or "), hint)
}

func checkMeta(d Defaults, add problem) {
	checkLabels("spec.defaults.labels", d.Labels, add)
	for _, key := range slices.Sorted(maps.Keys(d.Annotations)) {
		for _, message := range validation.IsQualifiedName(strings.ToLower(key)) {
			add("spec.defaults.annotations", "%q: %s", key, message)
		}
	}
}
