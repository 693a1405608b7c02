package preflight

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	flux = v1alpha1.EngineFlux
	argo = v1alpha1.EngineArgoCD
)

var (
	people = inventory.Manager{Name: "people", Operation: "Update", OwnsSpec: true}
	labels = inventory.Manager{Name: "kustomize-controller", Operation: "Apply",
		Labels: []string{"sip.airshipit.org/cluster-name"}}
	owner = inventory.Manager{Name: "kustomize-controller", Operation: "Apply", OwnsSpec: true}
	argo1 = inventory.Manager{Name: "argocd-controller", Operation: "Apply", OwnsSpec: true}
	argo2 = inventory.Manager{Name: "argocd-controller", Operation: "Update", OwnsSpec: true}
	habit = inventory.Manager{Name: "argocd-controller", Operation: "Apply",
		Labels:      []string{"example.org/kind", "rack", "sip.airshipit.org/cluster-name"},
		Annotations: []string{"argocd.argoproj.io/tracking-id", "note"}, Metadata: []string{"finalizers"}}
	client = inventory.Manager{Name: "kubectl-client-side-apply", Operation: "Update", OwnsSpec: true}
)

func siteOf(engine v1alpha1.Engine, apply v1alpha1.ApplyMode) *v1alpha1.Site {
	site := &v1alpha1.Site{}
	site.Spec.Engine, site.Spec.Hosts.Apply = engine, apply
	site.Default()
	return site
}

func TestCheck(t *testing.T) {
	const last = "kubectl.kubernetes.io/last-applied-configuration"
	type marks = map[string]string
	for _, row := range []struct {
		why      string
		engine   v1alpha1.Engine
		apply    v1alpha1.ApplyMode
		managers []inventory.Manager
		marks    marks
		// want are words of each finding, in order.
		want []string
	}{
		{"row 10: a host that others made", flux, v1alpha1.ApplyMerge, []inventory.Manager{people, labels}, nil, nil},
		{"row 1: Flux merges into a host by kubectl apply", flux, v1alpha1.ApplyMerge, []inventory.Manager{client},
			marks{last: "present"}, nil},
		{"row 6: Flux owns the spec, the wipe is armed", flux, v1alpha1.ApplyMerge, []inventory.Manager{people, owner},
			nil, []string{"its spec is owned by kustomize-controller (Apply)"}},
		{"another engine's manager is nothing that Flux inherits", flux, v1alpha1.ApplyMerge,
			[]inventory.Manager{argo1}, nil, nil},
		{"Argo CD owns the spec in both ways", argo, v1alpha1.ApplyMerge, []inventory.Manager{argo1, argo2}, nil,
			[]string{"argocd-controller (Apply) and argocd-controller (Update)"}},
		{"row 7: the annotation of kubectl apply", argo, v1alpha1.ApplyMerge, []inventory.Manager{client},
			marks{last: "present"}, []string{"kubectl-client-side-apply (Update), and it has the annotation " + last +
				": Argo CD takes over"}},
		{"row 8: the manager alone, under a sync with migration", argo, v1alpha1.ApplyMerge,
			[]inventory.Manager{client}, nil, []string{"without ClientSideApplyMigration=false"}},
		{"the annotation alone", argo, v1alpha1.ApplyMerge, []inventory.Manager{people}, marks{last: "present"},
			[]string{"it has the annotation"}},
		{"a client-side apply of labels only", argo, v1alpha1.ApplyMerge,
			[]inventory.Manager{{Name: "kubectl-client-side-apply", Operation: "Update"}}, nil, nil},
		{"with an overlay the engine is to own the spec", flux, v1alpha1.ApplyOverlay, []inventory.Manager{owner}, nil,
			nil},
		{"the same with Argo CD", argo, v1alpha1.ApplyOverlay, []inventory.Manager{argo1, client},
			marks{last: "present"}, nil},
		{"an overlay needs no managedFields", argo, v1alpha1.ApplyOverlay, nil, nil, nil},
		{"another Kustomization's host", flux, v1alpha1.ApplyMerge, []inventory.Manager{people},
			marks{"kustomize.toolkit.fluxcd.io/name": "metal", "kustomize.toolkit.fluxcd.io/namespace": "ops"},
			[]string{"the Kustomization ops/metal: two Kustomizations with one host undo each other's labels and " +
				"may remove its spec; first apply the guards, then stop it and take it away, see " +
				"docs/applied-hosts.md: kubectl -n ops patch kustomizations.kustomize.toolkit.fluxcd.io metal " +
				"--field-manager=oncall --type=merge -p '{\"spec\":{\"suspend\":true"}},
		{"our own Kustomization, of this tenant or the one before", flux, v1alpha1.ApplyMerge,
			[]inventory.Manager{labels}, marks{"kustomize.toolkit.fluxcd.io/name": "tenant-a.edge-a.hosts"}, nil},
		{"our own overlay", flux, v1alpha1.ApplyOverlay, nil,
			marks{"kustomize.toolkit.fluxcd.io/name": "sipgen-site-hosts"}, nil},
		{"a name that only ends like ours", flux, v1alpha1.ApplyOverlay, nil,
			marks{"kustomize.toolkit.fluxcd.io/name": "metal.hosts"}, []string{"metal.hosts"}},
		{"another Application's host, whatever the engine", flux, v1alpha1.ApplyOverlay, nil,
			marks{"argocd.argoproj.io/tracking-id": "ops_metal:metal3.io/BareMetalHost:metal/n1"},
			[]string{`the Application "metal": two Applications with one host undo each other's labels; first apply the guards, then stop it and take it away, see docs/applied-hosts.md: kubectl -n ops patch applications.argoproj.io metal --field-manager=oncall --type=merge -p '{"spec":{"syncPolicy":{"automated":null}}}'; fix it with: kubectl annotate`}},
		{"a name that is none", flux, v1alpha1.ApplyOverlay, nil, marks{"argocd.argoproj.io/tracking-id": "x;reboot:"},
			[]string{`the Application a value of 8 characters (not shown): two Applications with one host undo each other's labels; first apply the guards, then stop it and take it away, see docs/applied-hosts.md; fix it`}},
		{"our own Application", argo, v1alpha1.ApplyMerge, []inventory.Manager{people},
			marks{"argocd.argoproj.io/tracking-id": "tenant-a.edge-a.hosts:metal3.io/BareMetalHost:metal/n1"}, nil},
		{"our own Application of services and hosts", argo, v1alpha1.ApplyMerge, []inventory.Manager{people},
			marks{"argocd.argoproj.io/tracking-id": "tenant-a.edge-a.infra:metal3.io/BareMetalHost:metal/n1"}, nil},
		{"another Application of that ending", argo, v1alpha1.ApplyMerge, []inventory.Manager{people},
			marks{"argocd.argoproj.io/tracking-id": "metal.infra:metal3.io/BareMetalHost:metal/n1"},
			[]string{`the Application "metal.infra"`}},
		{"a Kustomization of services", flux, v1alpha1.ApplyMerge, []inventory.Manager{people},
			marks{"kustomize.toolkit.fluxcd.io/name": "tenant-a.edge-a.infra"}, []string{"the Kustomization"}},
		{"Flux deletes what it cannot patch", flux, v1alpha1.ApplyOverlay, nil,
			marks{"kustomize.toolkit.fluxcd.io/force": "Enabled"}, []string{"force"}},
		{"Flux' older word for it", flux, v1alpha1.ApplyOverlay, nil,
			marks{"kustomize.toolkit.fluxcd.io/force": "true"}, []string{"force"}},
		{"force that is off", flux, v1alpha1.ApplyOverlay, nil, marks{"kustomize.toolkit.fluxcd.io/force": "disabled"},
			nil},
		{"and so does Argo CD", argo, v1alpha1.ApplyOverlay, nil,
			marks{"argocd.argoproj.io/sync-options": "Prune=false, Replace=true,Force=true"}, []string{"sync-options"}},
		{"Argo CD, by force alone", argo, v1alpha1.ApplyOverlay, nil,
			marks{"argocd.argoproj.io/sync-options": "Prune=false,Force=true"}, []string{"sync-options"}},
		{"Argo CD, by a replacement alone", argo, v1alpha1.ApplyOverlay, nil,
			marks{"argocd.argoproj.io/sync-options": "Prune=false, replace = True"}, []string{"sync-options"}},
		{"the options that sipgen sets", argo, v1alpha1.ApplyOverlay, nil,
			marks{"argocd.argoproj.io/sync-options": "Prune=false,Delete=false,ServerSideApply=true"}, nil},
		{"without managedFields Argo CD is refused", argo, v1alpha1.ApplyMerge, nil, nil,
			[]string{"refused with hosts.apply merge"}},
		{"and with Flux it is said", flux, v1alpha1.ApplyMerge, nil, nil, []string{"preflight could not run"}},
		{"kubectl apply by habit, and a sync: Argo CD alone owns the site's labels", argo, v1alpha1.ApplyMerge,
			[]inventory.Manager{habit}, nil,
			[]string{"argocd-controller alone owns its label example.org/kind, label rack, annotation note, finalizers: each sync"}},
		{"another owner keeps them", argo, v1alpha1.ApplyMerge,
			[]inventory.Manager{habit, {Name: "sipgen", Operation: "Apply",
				Labels: []string{"example.org/kind", "rack"}, Annotations: []string{"note"},
				Metadata: []string{"finalizers"}}}, nil, nil},
		{"kubectl apply by habit, of a host with another owner", argo, v1alpha1.ApplyMerge,
			[]inventory.Manager{{Name: "argocd-controller", Operation: "Apply", Annotations: []string{last}}},
			marks{last: "present"}, []string{"host metal/n1: it has the annotation " + last + ": "}},
		{"what the engine writes itself", argo, v1alpha1.ApplyMerge,
			[]inventory.Manager{{Name: "argocd-controller", Operation: "Apply",
				Labels: []string{"app.kubernetes.io/instance", "sip.airshipit.org/node-type",
					"sip.airshipit.org/standby"},
				Annotations: []string{"argocd.argoproj.io/sync-options", "sip.airshipit.org/release-of"}}}, nil, nil},
		{"an update takes nothing away again", argo, v1alpha1.ApplyMerge,
			[]inventory.Manager{{Name: "argocd-controller", Operation: "Update", Labels: []string{"rack"}}}, nil, nil},
		{"an overlay has the site's labels", argo, v1alpha1.ApplyOverlay, []inventory.Manager{habit}, nil, nil},
		{"Flux' own Kustomization had the host", flux, v1alpha1.ApplyMerge,
			[]inventory.Manager{{Name: "kustomize-controller", Operation: "Apply", OwnsSpec: true,
				Labels: []string{"rack"}}}, nil,
			[]string{"its spec is owned by kustomize-controller (Apply), and kustomize-controller alone owns its label rack: the next sync"}},
		{"all there is, first what would undo the other fixes", flux, v1alpha1.ApplyMerge, []inventory.Manager{owner},
			marks{"kustomize.toolkit.fluxcd.io/force": "enabled", "argocd.argoproj.io/tracking-id": "x:y"},
			[]string{"Application", "its spec", "force"}},
	} {
		t.Run(row.why, func(t *testing.T) {
			hosts := []inventory.Host{
				{Namespace: "metal", Name: "not-patched", Managers: []inventory.Manager{owner, argo1},
					Engine: marks{last: "present"}},
				{Namespace: "metal", Name: "n1", Managers: row.managers, Engine: row.marks},
			}
			got := Check(siteOf(row.engine, row.apply), hosts, func(h *inventory.Host) bool { return h.Name == "n1" })
			require.Truef(t, len(got) == len(row.want), "got %d findings, want %d: %v", len(got), len(row.want), got)
			for i, f := range got {
				assert.Truef(t,
					strings.Contains(f.Sentence(), row.want[i]) && strings.Contains(f.Sentence(), "metal/n1"),
					"got  %v\nwant %s", f, row.want[i])
				if blind := strings.Contains(f.Message, "no managedFields"); !blind && !strings.HasPrefix(f.Fix,
					"kubectl ") || (f.Severity == finding.Warning) != (blind && row.engine == flux) {
					t.Errorf("fix %q, warning %v", f.Fix, f.Severity)
				}
			}
		})
	}
}

// TestFix: the command tests what it changes, and changes nothing else. The real API server runs it in e2e.
func TestFix(t *testing.T) {
	hosts := []inventory.Host{{Namespace: "metal", Name: "n1", Managers: []inventory.Manager{people, argo1, client},
		Engine: map[string]string{lastApplied: "present"}}}
	got := Check(siteOf(argo, v1alpha1.ApplyMerge), hosts, func(*inventory.Host) bool { return true })
	const want = `kubectl patch -n metal baremetalhosts.metal3.io/n1 --type=json -p '[` +
		`{"op":"test","path":"/metadata/managedFields/1/manager","value":"argocd-controller"},{"op":"test","path":"/metadata/managedFields/1/operation","value":"Apply"},{"op":"remove","path":"/metadata/managedFields/1/fieldsV1/f:spec"},` +
		`{"op":"test","path":"/metadata/managedFields/2/manager","value":"kubectl-client-side-apply"},{"op":"test","path":"/metadata/managedFields/2/operation","value":"Update"},{"op":"remove","path":"/metadata/managedFields/2/fieldsV1/f:spec"},` +
		`{"op":"remove","path":"/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration"}]'`
	assert.Truef(t, len(got) == 1 && got[0].Fix == want, "got  %v\nwant %s", got, want)
}

// TestFixOfMetadata: the command leaves the engine's entry what is sipgen's and the engine's. No key ends the shell's
// quotes.
func TestFixOfMetadata(t *testing.T) {
	for _, row := range []struct {
		manager inventory.Manager
		want    string
	}{
		{inventory.Manager{OwnsSpec: true, Labels: []string{"a/b", "it's~"}, Metadata: []string{"finalizers"}},
			`{"op":"remove","path":"/metadata/managedFields/1/fieldsV1/f:spec"},{"op":"remove","path":"/metadata/managedFields/1/fieldsV1/f:metadata"}`},
		{inventory.Manager{Labels: []string{"rack", "sip.airshipit.org/node-type"},
			Annotations: []string{"argocd.argoproj.io/it's", "note"}},
			`{"op":"replace","path":"/metadata/managedFields/1/fieldsV1/f:metadata","value":{"f:annotations":{"f:argocd.argoproj.io/it\u0027s":{}},"f:labels":{"f:sip.airshipit.org/node-type":{}}}}`},
		{inventory.Manager{Labels: []string{"sip.airshipit.org/node-type"}, Annotations: []string{"note"}},
			`{"op":"replace","path":"/metadata/managedFields/1/fieldsV1/f:metadata","value":{"f:labels":{"f:sip.airshipit.org/node-type":{}}}}`},
	} {
		row.manager.Name, row.manager.Operation = "argocd-controller", "Apply"
		hosts := []inventory.Host{{Namespace: "metal", Name: "n1", Managers: []inventory.Manager{people, row.manager}}}
		got := Check(siteOf(argo, v1alpha1.ApplyMerge), hosts, func(*inventory.Host) bool { return true })
		want := `kubectl patch -n metal baremetalhosts.metal3.io/n1 --type=json -p '[` +
			`{"op":"test","path":"/metadata/managedFields/1/manager","value":"argocd-controller"},{"op":"test","path":"/metadata/managedFields/1/operation","value":"Apply"},` +
			row.want + `]'`
		assert.Truef(t, len(got) == 1 && got[0].Fix == want, "got  %v\nwant %s", got, want)
	}
}

func TestOrderOfHostsDoesNotMatter(t *testing.T) {
	var hosts []inventory.Host
	for _, name := range []string{"c", "a", "b"} {
		hosts = append(hosts, inventory.Host{Namespace: "metal", Name: name, Managers: []inventory.Manager{owner}},
			inventory.Host{Namespace: "other", Name: name})
	}
	all := func(*inventory.Host) bool { return true }
	want := fmt.Sprint(Check(siteOf(flux, v1alpha1.ApplyMerge), hosts, all))
	slices.Reverse(hosts)
	got := fmt.Sprint(Check(siteOf(flux, v1alpha1.ApplyMerge), hosts, all))
	assert.Truef(t, got == want && strings.Contains(got, "3 hosts, other/a the first"), "got  %s\nwant %s", got, want)
}

func TestSynced(t *testing.T) {
	keys := holdings.LabelKeys{ClusterNamespace: "ns", ClusterName: "name"}
	labels := map[string]string{"ns": "a", "name": "b"}
	long := map[string]string{"ns": "a-namespace-with-a-name-that-is-long",
		"name": "and-a-cluster-with-a-long-name-too"}
	by := func(manager string, labels ...string) []inventory.Manager {
		return []inventory.Manager{{Name: "vino", Operation: "Update", OwnsSpec: true},
			{Name: manager, Operation: "Apply", Labels: labels}}
	}
	for what, row := range map[string]struct {
		host inventory.Host
		want bool
	}{
		"Flux set them": {inventory.Host{Labels: labels,
			Managers: by("kustomize-controller", "name", "ns")}, true},
		"Argo CD set them": {inventory.Host{Labels: labels,
			Managers: by("argocd-controller", "name", "ns")}, true},
		"SIP set them": {inventory.Host{Labels: labels, Managers: by("manager", "name", "ns")},
			false},
		"Flux set other labels": {inventory.Host{Labels: labels,
			Managers: by("kustomize-controller", "rack")}, false},
		"Flux knows it as the cluster's": {inventory.Host{Labels: labels,
			Engine: map[string]string{"kustomize.toolkit.fluxcd.io/name": "a.b.hosts"}}, true},
		"Argo CD knows it as the cluster's": {inventory.Host{Labels: labels,
			Engine: map[string]string{"argocd.argoproj.io/tracking-id": "a.b.hosts:metal3.io/BareMetalHost:metal3/n1"}},
			true},
		"Argo CD knows it as the site's and the cluster's": {inventory.Host{Labels: labels,
			Engine: map[string]string{"argocd.argoproj.io/tracking-id": "dc1.a.b.infra:metal3.io/BareMetalHost:metal3/n1"}},
			true},
		"Argo CD knows it as another site's": {inventory.Host{Labels: labels,
			Engine: map[string]string{"argocd.argoproj.io/tracking-id": "dc2.a.b.infra:metal3.io/BareMetalHost:metal3/n1"}},
			false},
		"Flux knows it as the cluster's, whose name is too long": {inventory.Host{Labels: long,
			Engine: map[string]string{"kustomize.toolkit.fluxcd.io/name": "a-namespace-with-a-name-that-is-long.and-a-clust-e07f6287.hosts"}}, true},
		"Flux knows it as another's": {inventory.Host{Labels: labels,
			Engine: map[string]string{"kustomize.toolkit.fluxcd.io/name": "hosts"}}, false},
		"it has none": {inventory.Host{Labels: map[string]string{"ns": "a"},
			Managers: by("kustomize-controller", "name", "ns")}, false},
	} {
		assert.Equal(t, row.want, Synced("dc1", keys, &row.host), what)
	}
}

// TestLeftovers: what an installation of SIP leaves to be seen to is a warning, with the command; once sipgen's
// services are synced there is none.
func TestLeftovers(t *testing.T) {
	cluster := v1.SIPCluster{}
	cluster.Namespace, cluster.Name = "lma-infra", "lma"
	cluster.Spec.Services.JumpHost = []v1.JumpHost{{}, {HostKeys: "keys"}}
	cluster.Spec.Services.LoadBalancerControlPlane = []v1.LoadBalancerControlPlane{{}, {PortName: v1.PortNameSIP},
		{PortName: v1.PortNameHTTPS}}
	clusters := []v1.SIPCluster{cluster}
	sip := inventory.Owner{Manager: "manager", Operation: "Update", Made: true}
	object := func(kind, list string, i int, owners ...inventory.Owner) inventory.ServiceObject {
		return inventory.ServiceObject{Kind: kind, Namespace: "lma-infra", Name: v1.ServiceName(list, i, "lma"),
			Owners: owners}
	}
	service := func(i int, owners ...inventory.Owner) inventory.ServiceObject {
		return object(inventory.KindService, v1.ListControlPlane, i, owners...)
	}
	jump := func(i int, owners ...inventory.Owner) inventory.ServiceObject {
		return object(inventory.KindDeployment, v1.ListJumpHost, i, owners...)
	}
	handed := inventory.Owner{Manager: "kustomize-controller", Operation: "Apply", Made: true}
	synced := func(o inventory.ServiceObject) inventory.ServiceObject { o.Rendered = true; return o }
	missing := []inventory.SecretSeen{{Namespace: "lma-infra", Name: "jumphost-lma-host-keys", Missing: true},
		{Namespace: "lma-infra", Name: "keys", Unread: "the account may not look"}}
	finalized := func(namespace string, index int, deleting bool) []inventory.Finalized {
		return []inventory.Finalized{{Namespace: namespace, Name: "lma", Index: index, Deleting: deleting}}
	}
	for _, row := range []struct {
		why  string
		got  []finding.Finding
		want []string // words of the only finding; none: nothing is found
	}{
		{"SIP's port http becomes https", PortNames(clusters, []inventory.ServiceObject{service(0, sip)}),
			[]string{"Service lma-infra/loadbalancer-controlplane-lma: the SIP operator calls its port http, and lma-infra/lma calls it https", "set spec.services.loadBalancerControlPlane[0].portName to http"}},
		{"the port keeps SIP's name", PortNames(clusters, []inventory.ServiceObject{service(1, sip)}), nil},
		{"the Service is sipgen's", PortNames(clusters, []inventory.ServiceObject{synced(service(0, handed))}), nil},
		{"somebody's by kubectl", PortNames(clusters,
			[]inventory.ServiceObject{service(0,
				inventory.Owner{Manager: "kubectl-create", Operation: "Update", Made: true})}), nil},
		{"nothing is there", PortNames(clusters, nil), nil},

		{"no host keys", MissingHostKeys(clusters, []inventory.ServiceObject{jump(0, sip)}, missing),
			[]string{"Deployment lma-infra/jumphost-lma: there is no Secret jumphost-lma-host-keys: ",
				"no host of the tenant is labeled",
				"kubectl -n lma-infra create secret generic jumphost-lma-host-keys --from-file"}},
		{"nobody may look", MissingHostKeys(clusters, []inventory.ServiceObject{jump(1, handed)}, missing),
			[]string{"could not check whether there is a Secret keys: the account may not look",
				"kubectl -n lma-infra get secret keys"}},
		{"host keys are there", MissingHostKeys(clusters, []inventory.ServiceObject{jump(0, sip)},
			[]inventory.SecretSeen{{Namespace: "lma-infra", Name: "jumphost-lma-host-keys"}}), nil},
		{"the jump host is sipgen's", MissingHostKeys(clusters, []inventory.ServiceObject{synced(jump(0, handed))},
			missing), nil},

		{"a finalizer", Finalizers(clusters, finalized("lma-infra", 2, false)),
			[]string{"SIPCluster lma-infra/lma: it has the finalizer sip.airship.airshipit.org/finalizer: ",
				`--type=json -p '[{"op":"test","path":"/metadata/finalizers/2","value":"sip.airship.airshipit.org/finalizer"},{"op":"remove","path":"/metadata/finalizers/2"}]'`}},
		{"of a cluster that is not taken over yet", Finalizers(clusters, finalized("others", 0, false)), nil},
		{"and that somebody deletes", Finalizers(clusters, finalized("others", 0, true)),
			[]string{"SIPCluster others/lma: it is being deleted"}},
	} {
		switch {
		case len(row.want) == 0 && len(row.got) == 0:
			continue
		case len(row.got) != 1 || len(row.want) == 0 || row.got[0].Severity != finding.Warning:
			t.Errorf("%s: got %v, want %q", row.why, row.got, row.want)
			continue
		}
		text := row.got[0].Sentence()
		for _, word := range row.want {
			assert.Contains(t, text, word, row.why)
		}
	}
	if got := HostKeySecrets(clusters, []inventory.ServiceObject{jump(0, sip),
		synced(jump(1, handed))}); len(got) != 1 || got[0].Name != "jumphost-lma-host-keys" {
		t.Errorf("looked for %v, want the one Secret of the jump host that is SIP's", got)
	}
}
