// Package preflight checks live hosts before their patches are committed, for anything that makes a GitOps engine do
// harm with a patch. docs/safety.md has the reasons. It is pure.
package preflight

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
)

// onHost returns a finding that keeps a host from being patched: what was found, and why it matters. fix is a
// command, "" if another object has to be changed.
func onHost(host *inventory.Host, found, why, fix string) finding.Finding {
	return finding.Finding{
		Code: finding.Unpatchable, Severity: finding.Error, Place: finding.At(host.Source),
		Object: finding.To(finding.KindHost, host.Namespace, host.Name), Message: found + ": " + why, Fix: fix,
	}
}

// The field managers of the engines and of kubectl apply, and the keys by which they track their objects.
const (
	fluxManager        = "kustomize-controller"
	argoManager        = "argocd-controller"
	clientSideApply    = "kubectl-client-side-apply"
	lastApplied        = "kubectl.kubernetes.io/last-applied-configuration"
	fluxName           = "kustomize.toolkit.fluxcd.io/name"
	fluxNamespace      = "kustomize.toolkit.fluxcd.io/namespace"
	fluxForce          = "kustomize.toolkit.fluxcd.io/force"
	argoTracking       = "argocd.argoproj.io/tracking-id"
	argoSync           = "argocd.argoproj.io/sync-options"
	hostResource       = "baremetalhosts.metal3.io/"
	blindWords         = "Argo CD would empty the spec of a host that was made with kubectl apply, and without managedFields sipgen cannot tell which hosts were; refused with hosts.apply merge"
	managedFieldsWords = "the inventory has no managedFields (read it from the cluster, from a snapshot of it, or by kubectl get -o yaml --show-managed-fields)"
)

// Synced reports whether Flux or Argo CD has set the host's cluster labels, or tracks it as an object of that
// cluster. The Application may have the name of the site in front, whatever the Site says today.
func Synced(site string, keys holdings.LabelKeys, host *inventory.Host) bool {
	labels := holdings.LabelsOf(host, keys)
	if !labels.NameCluster() {
		return false
	}
	namespace, name := labels.Cluster.Namespace, labels.Cluster.Name
	application, _, _ := strings.Cut(host.Engine[argoTracking], ":")
	for _, part := range []string{"hosts", "infra"} { // with spec.argocd.order waves they are one Application
		if sync := v1.SyncName(namespace, name, part); host.Engine[fluxName] == sync || application == sync ||
			application == v1.SyncNameOf(site, namespace, name, part) {
			return true
		}
	}
	return slices.ContainsFunc(host.Managers, func(m inventory.Manager) bool {
		return (m.Name == fluxManager || m.Name == argoManager) &&
			slices.ContainsFunc(keys.Claim(), func(key string) bool { return slices.Contains(m.Labels, key) })
	})
}

// Check checks the hosts for which patched is true. The findings are sorted by host, and for one host in the order in
// which they are to be fixed.
//
// With apply merge it looks for a spec that the engine's own field manager owns, by Apply or Update, because an apply
// without a spec then removes it (Flux and Argo CD). It also looks for other fields that only the engine's last apply
// owns: the next one would remove them, which the sync guard denies. For Argo CD it also looks for kubectl's
// last-applied annotation, from which its apply takes over the spec, and for a client-side-apply manager, from which a
// sync with other options would. With any apply mode, it looks for an owner from another app, and for annotations that
// make an engine delete and recreate a host.
func Check(site *v1alpha1.Site, hosts []inventory.Host, patched func(*inventory.Host) bool) []finding.Finding {
	var (
		out     []finding.Finding
		unknown []string
	)
	sorted := make([]*inventory.Host, 0, len(hosts))
	for i := range hosts {
		if patched(&hosts[i]) {
			sorted = append(sorted, &hosts[i])
		}
	}
	slices.SortFunc(sorted, func(a, b *inventory.Host) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, host := range sorted {
		if merges(site) && host.Managers == nil {
			unknown = append(unknown, host.Key())
		}
		out = append(out, marks(site, host)...)
	}
	if len(unknown) > 0 {
		out = append([]finding.Finding{blind(site.Spec.Engine, unknown)}, out...)
	}
	return out
}

func merges(site *v1alpha1.Site) bool { return site.Spec.Hosts.Apply == v1alpha1.ApplyMerge }

// marks returns the findings on a host itself, in the order in which they are to be fixed.
func marks(site *v1alpha1.Site, host *inventory.Host) []finding.Finding {
	// Another app that is still there would undo all other fixes with its next sync.
	out := otherApps(site, host)
	if merges(site) {
		out = append(out, ownership(site, host)...)
	}
	return append(out, force(host)...)
}

// Unpatchable returns why no patch of a host may be written, by host, for a run that continues with the others: the
// findings of Check, and hosts without a uid. A lack of all hosts of the inventory is no single host's fault, and is
// left out.
func Unpatchable(site *v1alpha1.Site, hosts []inventory.Host) map[string][]finding.Finding {
	var managed, known bool
	for i := range hosts {
		managed, known = managed || hosts[i].Managers != nil, known || hosts[i].UID != ""
	}
	out := map[string][]finding.Finding{}
	for i := range hosts {
		host := &hosts[i]
		found := marks(site, host)
		if merges(site) {
			if managed && host.Managers == nil && site.Spec.Engine == v1alpha1.EngineArgoCD {
				found = append(found, onHost(host, managedFieldsWords, blindWords, ""))
			}
			// Of one that cannot be read the tree may know the uid.
			if known && host.UID == "" && !host.Unsure() {
				found = append(found, onHost(host, "no metadata.uid, want one (read it from the cluster or from a snapshot)",
					"a patch without it would create a host that does not exist", ""))
			}
		}
		if len(found) > 0 {
			out[host.Key()] = found
		}
	}
	return out
}

// blind returns the finding that the owners of the hosts' specs are unknown.
func blind(engine v1alpha1.Engine, hosts []string) finding.Finding {
	found := "host " + hosts[0]
	if len(hosts) > 1 {
		found = fmt.Sprintf("%d hosts, %s the first", len(hosts), hosts[0])
	}
	found += ": " + managedFieldsWords
	if engine == v1alpha1.EngineArgoCD {
		return finding.Finding{Code: finding.Unpatchable, Severity: finding.Error, Message: found + ": " + blindWords}
	}
	return finding.Finding{
		Code: finding.Blind, Severity: finding.Warning, Message: found +
			": preflight could not run: field ownership was not checked",
	}
}

// jsonPatch is one operation of RFC 6902.
type jsonPatch struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// ownership finds all managers from which the engine has or would inherit fields that are not sipgen's. One command
// fixes them: it removes these from the managers' fields, and leaves them the rest. It names entries by index, and
// tests that they are unchanged.
func ownership(site *v1alpha1.Site, host *inventory.Host) []finding.Finding {
	argo := site.Spec.Engine == v1alpha1.EngineArgoCD
	manager, name := Manager(site.Spec.Engine), "Flux"
	if argo {
		name = "Argo CD"
	}
	var (
		found, owners, own []string
		patch              []jsonPatch
		owned              bool
		applied            = argo && host.Engine[lastApplied] != ""
	)
	for i := range host.Managers {
		m := &host.Managers[i]
		mine, entry := m.Name == manager, fmt.Sprintf("/metadata/managedFields/%d/", i)
		var changes []jsonPatch
		if m.OwnsSpec && (mine || argo && m.Name == clientSideApply) {
			owned = owned || mine
			owners = append(owners, fmt.Sprintf("%s (%s)", m.Name, m.Operation))
			changes = append(changes, jsonPatch{"remove", entry + "fieldsV1/f:spec", nil})
		}
		if mine && m.Operation == "Apply" {
			foreign, kept := metadataOf(site, host, i)
			own = append(own, foreign...)
			switch metadata := entry + "fieldsV1/f:metadata"; {
			case len(foreign) == 0:
			case len(kept) == 0:
				changes = append(changes, jsonPatch{"remove", metadata, nil})
			default:
				changes = append(changes, jsonPatch{"replace", metadata, kept})
			}
		}
		if len(changes) > 0 {
			patch = append(append(patch, jsonPatch{"test", entry + "manager", m.Name},
				jsonPatch{"test", entry + "operation", m.Operation}), changes...)
		}
	}
	if len(owners) > 0 {
		found = append(found, "its spec is owned by "+strings.Join(owners, " and "))
	}
	if len(own) > 0 {
		found = append(found, redact.Sprintf("%s alone owns its %s", manager, text.Some(own, shownFields)))
	}
	if applied {
		found = append(found, "it has the annotation "+lastApplied)
		patch = append(patch, jsonPatch{"remove", "/metadata/annotations/" + strings.ReplaceAll(lastApplied, "/", "~1"),
			nil})
	}
	var why string
	switch {
	case len(found) == 0:
		return nil
	case owned:
		why = "the next sync of a patch without a spec would remove the spec, and the server would be deprovisioned"
	case applied:
		why = name + " takes over what kubectl apply owned, and would remove the spec with its next apply"
	case len(owners) > 0:
		why = "in a sync without ClientSideApplyMigration=false (for example by hand), " + name +
			" takes over what kubectl apply owned, and would then remove the spec"
	default:
		why = "each sync of the cluster's hosts would remove what the patch does not have, and the sync guard denies that"
	}
	patches, _ := json.Marshal(patch) // strings marshal
	// A key from a file can be any text: a quote must not end the shell's.
	return []finding.Finding{onHost(host, strings.Join(found, ", and "), why,
		command("patch", host, "--type=json", "-p", "'"+strings.ReplaceAll(string(patches), "'", `\u0027`)+"'"))}
}

// shownFields is how many of a host's fields are named.
const shownFields = 5

// metadataOf returns the fields of metadata that only one entry of managedFields owns, and that the sync guard does not
// let the engine change: an apply of sipgen's patch, which does not have them, would remove them. kept is what the
// entry may go on to own, as FieldsV1: an entry that keeps an emptied map of annotations would own all of them.
func metadataOf(site *v1alpha1.Site, host *inventory.Host, entry int) (foreign []string,
	kept map[string]map[string]struct{}) {
	keys := holdings.LabelKeys(site.Spec.LabelKeys)
	kept = map[string]map[string]struct{}{}
	for _, kind := range []struct {
		what, field string
		keys        func(m *inventory.Manager) []string
		ours        []string
	}{
		{"label ", "f:labels", func(m *inventory.Manager) []string { return m.Labels },
			append(keys.All(), inventory.EngineLabel)},
		{"annotation ", "f:annotations", func(m *inventory.Manager) []string { return m.Annotations },
			[]string{inventory.ReleaseOfAnnotation}},
		{"", "", func(m *inventory.Manager) []string { return m.Metadata }, nil},
	} {
		for _, key := range kind.keys(&host.Managers[entry]) {
			if slices.Contains(kind.ours, key) || slices.ContainsFunc(inventory.EnginePrefixes(),
				func(prefix string) bool { return strings.HasPrefix(key, prefix) }) {
				if kept[kind.field] == nil {
					kept[kind.field] = map[string]struct{}{}
				}
				kept[kind.field]["f:"+key] = struct{}{}
				continue
			}
			shared := false
			for i := range host.Managers {
				shared = shared || i != entry && slices.Contains(kind.keys(&host.Managers[i]), key)
			}
			// Argo CD's finding says of this annotation that it is there, and its fix removes it.
			said := key == lastApplied && site.Spec.Engine == v1alpha1.EngineArgoCD
			if !shared && !said {
				foreign = append(foreign, kind.what+text.Line(key))
			}
		}
	}
	return foreign, kept
}

// otherApps finds the marks of a Kustomization or an Application that is not sipgen's.
func otherApps(site *v1alpha1.Site, host *inventory.Host) []finding.Finding {
	var out []finding.Finding
	if name := host.Engine[fluxName]; name != "" && !ours(name) {
		out = append(out, onHost(host, fmt.Sprintf("it belongs to the Kustomization %s/%s", host.Engine[fluxNamespace],
			name),
			"two Kustomizations with one host undo each other's labels and may remove its spec"+
				stopFirst("kustomizations.kustomize.toolkit.fluxcd.io", host.Engine[fluxNamespace], name,
					`{"spec":{"suspend":true,"prune":false,"deletionPolicy":"Orphan"}}`),
			command("label", host, fluxName+"-", fluxNamespace+"-")))
	}
	if id := host.Engine[argoTracking]; id != "" {
		app, _, _ := strings.Cut(id, ":")
		// An Application outside Argo CD's own namespace is "namespace_name".
		namespace := site.Spec.ArgoCD.Namespace
		if in, name, found := strings.Cut(app, "_"); found {
			namespace, app = in, name
		}
		if !ours(app) && !inWaves(app) {
			out = append(out, onHost(host, redact.Sprintf("it belongs to the Application %q", app),
				"two Applications with one host undo each other's labels"+
					stopFirst("applications.argoproj.io", namespace, app, `{"spec":{"syncPolicy":{"automated":null}}}`),
				command("annotate", host, argoTracking+"-")))
		}
	}
	return out
}

// stopFirst returns what comes before the fix: the guards, and the command that stops another app, whose next sync
// would undo the fix.
func stopFirst(kind, namespace, name, patch string) string {
	words := "; first apply the guards, then stop it and take it away, see docs/applied-hosts.md"
	if len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 || redact.Plain(name) != name {
		return words // no name for a command
	}
	return words + ": kubectl -n " + namespace + " patch " + kind + " " + name + " --field-manager=oncall --type=merge -p '" +
		patch + "'"
}

// inWaves reports whether sipgen gives such names to Applications with both a cluster's hosts and its services.
func inWaves(app string) bool {
	cluster, found := strings.CutSuffix(app, ".infra")
	return found && strings.Contains(cluster, ".")
}

// ours reports whether sipgen gives such names to what syncs hosts: "namespace.cluster.hosts", with the site in front
// or in a digest behind it, or for the overlay of a site "sipgen-site-hosts". Only the form is checked, because the
// cluster in the name of a moved host may be gone.
func ours(name string) bool {
	cluster, found := strings.CutSuffix(name, ".hosts")
	if found && (strings.Contains(cluster, ".") || v1.IsSyncDigest(cluster)) {
		return true
	}
	return strings.HasPrefix(name, "sipgen-") && strings.HasSuffix(name, "-hosts")
}

// force finds annotations by which an engine deletes and recreates what it cannot patch.
func force(host *inventory.Host) []finding.Finding {
	const why = "on a conflict the engine would delete the host and recreate it, without a spec"
	var out []finding.Finding
	add := func(key string, fix string) {
		out = append(out, onHost(host, redact.Sprintf("it has the annotation %s: %q", key, host.Engine[key]), why,
			command("annotate", host, fix)))
	}
	// Flux takes enabled in any case.
	if strings.EqualFold(host.Engine[fluxForce], "enabled") || strings.EqualFold(host.Engine[fluxForce], "true") {
		add(fluxForce, fluxForce+"-")
	}
	for _, option := range strings.Split(host.Engine[argoSync], ",") {
		if option = strings.ReplaceAll(strings.TrimSpace(option), " ", ""); strings.EqualFold(option, "Force=true") ||
			strings.EqualFold(option, "Replace=true") {
			add(argoSync, argoSync+"-")
			break
		}
	}
	return out
}

// command returns a command line for an operator.
func command(verb string, host *inventory.Host, args ...string) string {
	return strings.Join(append([]string{"kubectl", verb, target(host.Namespace, host.Name)}, args...), " ")
}

// target returns the arguments of kubectl for hosts of one namespace. Names of hosts are DNS names, without any
// character that is special to a shell.
func target(namespace string, names ...string) string {
	if len(names) == 1 {
		return "-n " + namespace + " " + hostResource + names[0]
	}
	return "-n " + namespace + " " + strings.TrimSuffix(hostResource, "/") + " " + strings.Join(names, " ")
}
