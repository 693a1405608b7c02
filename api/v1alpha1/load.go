package v1alpha1

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/manifest"
	"github.com/airshipit/sipgen/redact"
)

// FromDocuments decodes, defaults and validates the one Site among docs. Other kinds, no Site
// and a second Site are problems, since a site's file is given by name.
func FromDocuments(docs []manifest.Document) (*Site, error) {
	var (
		site     *Site
		problems manifest.Problems
	)
	for i := range docs {
		doc := &docs[i]
		if doc.Kind != Kind || doc.APIVersion != APIVersion {
			problems.Add(doc.Problem("", "found %s %s, want %s %s", redact.Plain(doc.APIVersion), redact.Plain(doc.Kind), APIVersion, Kind))
			continue
		}
		if site != nil {
			problems.Add(doc.Problem("", "a second Site, want one"))
			continue
		}
		site = &Site{}
		if err := doc.Decode(site); err != nil {
			problems.Add(err)
			continue
		}
		open := doc.OpenSecrets()
		// These say by themselves what to do.
		delete(open, repositoryURL)
		delete(open, "spec.argocd.server")
		for _, path := range slices.Sorted(maps.Keys(open)) {
			problems.Add(doc.Problem(path, "%s in the open: it would be in git for ever; want it in the environment, a file or a Secret, and this one replaced where it is used", open[path]))
		}
		site.Default()
		site.validate(func(path, format string, args ...any) {
			if open[path] == "" {
				problems.Add(doc.Problem(path, format, args...))
			}
		})
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	if site == nil {
		return nil, fmt.Errorf("no %s %s in it", APIVersion, Kind)
	}
	return site, nil
}

// What may stand in a git URL and a branch that end up in YAML, commit messages and argument lists.
var (
	scpURL     = regexp.MustCompile(`^[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:[A-Za-z0-9_./~-]+$`)
	branchName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]*$`)
	pathName   = regexp.MustCompile(`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$`)
)

func (s *Site) validate(add func(path, format string, args ...any)) {
	spec := &s.Spec
	for _, message := range validation.IsDNS1123Label(s.Name) {
		add("metadata.name", "found %q: %s", s.Name, message)
	}
	checkURL(spec.Repository.URL, add)
	if spec.Engine == EngineFlux && strings.HasPrefix(spec.Repository.URL, "file:") {
		add("spec.repository.url", "found a file URL, which Flux does not sync: want ssh or https; sipgen publish --repo takes any")
	}
	if b := spec.Repository.Branch; !branchName.MatchString(b) || strings.Contains(b, "..") || strings.HasSuffix(b, "/") || strings.HasSuffix(b, ".lock") {
		add("spec.repository.branch", "found %q, want a branch name", b)
	}
	checkFolder("spec.repository.path", spec.Repository.Path, add)
	checkFolder("spec.hosts.base", spec.Hosts.Base, add)
	oneOf(add, "spec.engine", string(spec.Engine), string(EngineFlux), string(EngineArgoCD))
	switch order := spec.ArgoCD.Order; {
	case order == OrderNone:
	case order != "":
		add("spec.argocd.order", "found %q, want %s", order, OrderNone)
	case spec.Engine == EngineArgoCD:
		add("spec.argocd.order", "missing: Argo CD does not wait with a host's labels until its tenant's services are ready; want %q, which accepts that, or the engine %s, which waits", OrderNone, EngineFlux)
	}
	spec.ArgoCD.validate(spec.Engine, add)
	oneOf(add, "spec.hosts.apply", string(spec.Hosts.Apply), string(ApplyMerge), string(ApplyOverlay))
	oneOf(add, "spec.scheduling.standby", spec.Scheduling.Standby, "preferred", "required")
	oneOf(add, "spec.scheduling.moves", spec.Scheduling.Moves, "forbid", "allow")
	if spec.Hosts.Apply == ApplyOverlay && spec.Hosts.Base == "" {
		add("spec.hosts.base", "missing: overlay needs the folder of the hosts' manifests in the repository")
	}
	if spec.Hosts.Apply == ApplyMerge && spec.Hosts.Base != "" {
		add("spec.hosts.base", "has no meaning with apply: merge")
	}
	for i, namespace := range spec.Hosts.Namespaces {
		for _, message := range validation.IsDNS1123Label(namespace) {
			add(fmt.Sprintf("spec.hosts.namespaces[%d]", i), "found %q: %s", namespace, message)
		}
	}
	for i, namespace := range spec.Hosts.SharedNamespaces {
		for _, message := range validation.IsDNS1123Label(namespace) {
			add(fmt.Sprintf("spec.hosts.sharedNamespaces[%d]", i), "found %q: %s", namespace, message)
		}
	}
	keys := map[string]string{}
	for _, key := range []struct{ field, value string }{
		{"clusterNamespace", spec.LabelKeys.ClusterNamespace}, {"clusterName", spec.LabelKeys.ClusterName},
		{"nodeType", spec.LabelKeys.NodeType}, {"standby", spec.LabelKeys.Standby},
	} {
		path := "spec.labelKeys." + key.field
		for _, message := range validation.IsQualifiedName(key.value) {
			add(path, "found %q: %s", key.value, message)
		}
		if domain := reserved(key.value); domain != "" {
			add(path, "found %q: keys of %s belong to others, who would read or change them", key.value, domain)
		}
		if other, twice := keys[key.value]; twice {
			add(path, "the same key as %s", other)
		}
		keys[key.value] = key.field
	}
	for i, group := range spec.BreakGlassGroups {
		switch {
		case group == "" || strings.ContainsAny(group, "\r\n"):
			add(fmt.Sprintf("spec.breakGlassGroups[%d]", i), "found %q, want the name of a group", group)
		case group == "system:authenticated" || group == "system:unauthenticated" || strings.HasPrefix(group, "system:serviceaccounts"):
			add(fmt.Sprintf("spec.breakGlassGroups[%d]", i), "found %q: nearly everybody is in it, and nothing would be guarded", group)
		}
	}
	for _, name := range []struct{ path, value string }{
		{"spec.flux.namespace", spec.Flux.Namespace}, {"spec.argocd.namespace", spec.ArgoCD.Namespace}, {"spec.argocd.project", spec.ArgoCD.Project},
	} {
		for _, message := range validation.IsDNS1123Label(name.value) {
			add(name.path, "found %q: %s", name.value, message)
		}
	}
	if spec.Flux.Interval.Duration <= 0 {
		add("spec.flux.interval", "found %s, want a time above zero", spec.Flux.Interval.Duration)
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

func checkURL(raw string, add func(path, format string, args ...any)) {
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
	case parsed.User != nil && parsed.Scheme != "ssh" || hasPassword(parsed):
		// The URL is not repeated: it carries a credential.
		add(field, "carries user or password, which would be committed: give credentials by environment or file")
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

func hasPassword(u *url.URL) bool {
	if u.User == nil {
		return false
	}
	_, set := u.User.Password()
	return set
}

func checkFolder(field, folder string, add func(path, format string, args ...any)) {
	if folder == "" {
		return
	}
	if !pathName.MatchString(folder) || path.Clean(folder) != folder || strings.HasPrefix(folder, "..") || folder == ".git" || strings.HasPrefix(folder, ".git/") {
		add(field, "found %q, want a folder inside the repository, as in \"sites/dc1\"", folder)
	}
}

func oneOf(add func(path, format string, args ...any), field, found string, want ...string) {
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

func checkMeta(d Defaults, add func(path, format string, args ...any)) {
	for _, key := range slices.Sorted(maps.Keys(d.Labels)) {
		for _, message := range append(validation.IsQualifiedName(key), validation.IsValidLabelValue(d.Labels[key])...) {
			add("spec.defaults.labels", "%q: %s", key, message)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(d.Annotations)) {
		for _, message := range validation.IsQualifiedName(strings.ToLower(key)) {
			add("spec.defaults.annotations", "%q: %s", key, message)
		}
	}
}
