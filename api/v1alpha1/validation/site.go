// Package validation validates a Site: every field by itself, and what fields say against each other. Package api
// reads the Site and fills in its defaults before.
package validation

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/fields"
)

// What may stand in a git URL and a branch that end up in YAML, commit messages and argument lists.
var (
	branchName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]*$`)
	pathName   = regexp.MustCompile(`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$`)
)

// minInterval bounds how often Flux builds and compares all of a tree.
const minInterval = 10 * time.Second

// Report reports a problem of a field of the Site.
type Report func(path, format string, args ...any)

// ValidateSite reports the problems of a Site that has its defaults.
func ValidateSite(s *v1alpha1.Site, add Report) {
	spec := &s.Spec
	if !withinBounds(s, add) {
		return // nothing is computed from a list that is too long
	}
	checkSiteName(s, add)
	validateRepository(&spec.Repository, add)
	checkOrder(&spec.ArgoCD, spec.Engine, spec.Hosts.Apply, add)
	validateArgoCD(s, add)
	validateRunner(s, add)
	validateInputs(&spec.Inputs, add)
	validateImages(&spec.Images, add)
	validateHosts(&spec.Hosts, add)
	validateReserved(s, add)
	validateDecommission(s, add)
	if inside := BaseInside(s, spec.Repository.Path); inside != "" {
		add("spec.hosts.base", "%s", inside)
	}
	validateLabelKeys(&spec.LabelKeys, add)
	checkGroups(spec.BreakGlassGroups, add)
	validateLabelGuard(&spec.LabelGuard, add)
	validateMetrics(spec.Metrics, add)
	validateFluxIdentity(&spec.Flux, spec.Hosts.Apply, add)
	checkName("spec.flux.namespace", spec.Flux.Namespace, add)
	validateRootAccount(s, add)
	validateFluxProvider(s, add)
	checkName("spec.argocd.namespace", spec.ArgoCD.Namespace, add)
	if spec.ArgoCD.Project != namePrefix+s.Name {
		checkName("spec.argocd.project", spec.ArgoCD.Project, add)
	}
	if spec.Flux.Interval.Duration < minInterval {
		add("spec.flux.interval", "found %s, want %s or more", spec.Flux.Interval.Duration, minInterval)
	}
	if p := spec.NodePorts; p.Start > p.End {
		add("spec.nodePorts", "found %d to %d, want the first port first", p.Start, p.End)
	}
	checkMeta(spec.Defaults, add)
	validateTenants(spec, add)
	validateClaimants(spec, add)
	validateServices(s, add)
}

// withinBounds reports the values beyond the bounds of the definition, and returns whether no list is too long.
func withinBounds(s *v1alpha1.Site, add Report) bool {
	var object []byte
	if s.Document != nil {
		object = s.Document.JSON
	} else {
		object, _ = json.Marshal(s) // types that have no error
	}
	found, err := fields.Bounds(v1alpha1.Kind, object)
	if err != nil {
		add("spec", "%s", err)
	}
	for _, one := range found {
		add(one.Path, "%s", one.Message)
	}
	return !slices.ContainsFunc(found, func(one fields.Violation) bool { return one.List })
}

// isBranch reports whether a name is a valid branch without refs/heads/, which sipgen puts in front.
func isBranch(name string) bool {
	return branchName.MatchString(name) && !strings.Contains(name, "..") && !strings.HasSuffix(name, "/") &&
		!strings.HasSuffix(name, ".lock") &&
		name != "HEAD" && !strings.HasPrefix(name, "refs/")
}

func validateRepository(r *v1alpha1.Repository, add Report) {
	checkURL(r.URL, add)
	if !isBranch(r.Branch) {
		add("spec.repository.branch", "found %q, want a branch name", r.Branch)
	}
	checkFolder("spec.repository.path", r.Path, add)
}

func validateLabelKeys(k *v1alpha1.LabelKeys, add Report) {
	keys := map[string]string{}
	for _, key := range []struct{ field, value string }{
		{"clusterNamespace", k.ClusterNamespace}, {"clusterName", k.ClusterName},
		{"nodeType", k.NodeType}, {"standby", k.Standby},
	} {
		path := "spec.labelKeys." + key.field
		for _, message := range validation.IsQualifiedName(key.value) {
			add(path, "found %q: %s", key.value, message)
		}
		if domain := reservedDomainOf(key.value); domain != "" {
			add(path, "found %q: keys of %s belong to other programs, which would read or change them", key.value,
				domain)
		}
		if other, twice := keys[key.value]; twice {
			add(path, "the same key as %s", other)
		}
		keys[key.value] = key.field
	}
}

// checkGroups refuses groups that nearly everybody is in.
func checkGroups(groups []string, add Report) {
	for i, group := range groups {
		switch {
		case group == "" || strings.ContainsAny(group, "\r\n"):
			add(fmt.Sprintf("spec.breakGlassGroups[%d]", i), "found %q, want the name of a group", group)
		case group == "system:authenticated" || group == "system:unauthenticated" || strings.HasPrefix(group,
			"system:serviceaccounts"):
			add(fmt.Sprintf("spec.breakGlassGroups[%d]", i),
				"found %q: nearly everybody is in it, and nothing would be guarded", group)
		}
	}
}

func validateMetrics(m *v1alpha1.Metrics, add Report) {
	if m == nil {
		return
	}
	checkNamespaces("spec.metrics.namespaces", m.Namespaces, add)
}

// namePrefix begins the names of a site's objects. One of them is the Site's name behind it.
const namePrefix = "sipgen-"

// checkSiteName checks the name of a Site. Flux writes names that begin with it into labels, and the project has such
// a name unless the Site names another one.
func checkSiteName(s *v1alpha1.Site, add Report) {
	const most = validation.DNS1123LabelMaxLength - len(namePrefix)
	limited := s.Spec.Engine != v1alpha1.EngineArgoCD || s.Spec.ArgoCD.Project == namePrefix+s.Name
	if limited && len(s.Name) > most {
		add("metadata.name", "found %d characters, want at most %d: names of objects begin with it", len(s.Name), most)
		return
	}
	checkName("metadata.name", s.Name, add)
}

func checkName(path, name string, add Report) {
	for _, message := range validation.IsDNS1123Label(name) {
		add(path, "found %q: %s", name, message)
	}
}

// reservedDomains are those of label keys that Kubernetes, metal3, Cluster API and the engines use.
var reservedDomains = []string{"kubernetes.io", "k8s.io", "x-k8s.io", "metal3.io", "fluxcd.io", "argoproj.io"}

// reservedDomainOf returns the reserved domain of a label key, empty for none.
func reservedDomainOf(key string) string {
	prefix, _, found := strings.Cut(key, "/")
	for _, domain := range reservedDomains {
		if found && (prefix == domain || strings.HasSuffix(prefix, "."+domain)) {
			return domain
		}
	}
	return ""
}

const repositoryURL = "spec.repository.url"

func checkURL(raw string, add Report) {
	const field = repositoryURL
	if raw == "" {
		add(field, "missing: where the tree is published to")
		return
	}
	if (&v1alpha1.Repository{URL: raw}).SCP() {
		return
	}
	parsed, err := url.Parse(raw)
	switch {
	case err != nil:
		add(field, "not a URL")
	case parsed.User != nil && parsed.Scheme != "ssh" || hasPassword(parsed):
		// The URL is not repeated: it carries a credential.
		add(field, "carries user or password, which would be committed: give credentials by environment or file")
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

// hasQuery reports whether a URL has a query or a fragment, where forges take tokens (?private_token=).
func hasQuery(u *url.URL) bool { return u.RawQuery != "" || u.ForceQuery || u.Fragment != "" }

func hasPassword(u *url.URL) bool {
	if u.User == nil {
		return false
	}
	_, set := u.User.Password()
	return set
}

// IsFolder reports whether a text names a folder of a repository.
func IsFolder(folder string) bool {
	return pathName.MatchString(folder) && path.Clean(folder) == folder && !strings.HasPrefix(folder, "..") &&
		folder != ".git" && !strings.HasPrefix(folder, ".git/")
}

func checkFolder(field, folder string, add Report) {
	if folder == "" {
		return
	}
	if !IsFolder(folder) {
		add(field, "found %q, want a folder inside the repository, as in \"sites/dc1\"", folder)
	}
}

func checkMeta(d v1alpha1.Defaults, add Report) {
	checkLabels("spec.defaults.labels", d.Labels, add)
	for _, key := range slices.Sorted(maps.Keys(d.Annotations)) {
		for _, message := range validation.IsQualifiedName(strings.ToLower(key)) {
			add("spec.defaults.annotations", "%q: %s", key, message)
		}
	}
}
