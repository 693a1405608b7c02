package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/bmh"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// TestHostsThatTheEngineMade: why sipgen never creates a BareMetalHost, with the real baremetal-operator and kustomize-controller. Whatever the
// arrangement, preflight refuses a host whose spec the engine owns before anything is written, and the sync guard denies what would harm it
// after; a host that another manager made is taken as it is.
func TestHostsThatTheEngineMade(t *testing.T) {
	api := engine.StartAPIServer(t, engine.Options{})
	api.InstallCRDs(t, engine.HostCRDs(t)...)
	m := &maker{api: api, operator: engine.StartOperator(t, api), flux: engine.StartFlux(t, api)}
	t.Run("labels beside it", m.labelsBeside)
	t.Run("labels in it", m.labelsIn)
	t.Run("an identity that may create", m.mayCreate)
}

// maker has hosts made.
type maker struct {
	api      *engine.APIServer
	operator *engine.Operator
	flux     *engine.Flux
	made     int
}

// host is the manifest of a new host with a BMC of its own, in a namespace that is made for it with the BMC's credentials.
func (m *maker) host(t *testing.T, ns, labels, annotations string) string {
	t.Helper()
	m.made++
	m.api.Namespaces(t, ns)
	m.api.Apply(t, "e2e", engine.BMCSecret(ns, "node-1-bmc"))
	return fmt.Sprintf(`apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {namespace: %s, name: node-1, labels: {rack: r1%s}, annotations: {kustomize.toolkit.fluxcd.io/prune: disabled%s}}
spec: {online: true, bootMACAddress: "52:54:00:00:%02x:01", bmc: {address: "redfish+http://192.0.2.%d:8000/redfish/v1/Systems/1", credentialsName: node-1-bmc}}
`, ns, labels, annotations, m.made, 10+m.made)
}

// kustomization has a folder of the same name synced, as an account if one is given.
func (m *maker) kustomization(t *testing.T, ns, name, account string) {
	t.Helper()
	if account != "" {
		account = ", serviceAccountName: " + account
	}
	m.api.Apply(t, "e2e", fmt.Sprintf("apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {namespace: %s, name: %s}\n"+
		"spec: {interval: 1h, retryInterval: 2s, path: ./%[2]s, prune: false, force: false, deletionPolicy: Orphan, sourceRef: {kind: GitRepository, name: site}%[3]s}\n", ns, name, account))
}

// whole has Flux make the host, with its own rights, and gives the revision.
func (m *maker) whole(t *testing.T, ns string, repo *engine.Repo, files map[string][]byte, host string) string {
	t.Helper()
	files["whole/host.yaml"] = []byte(host)
	repo.Commit(t, "a whole host", files)
	revision := m.flux.Publish(t, ns, "site", repo)
	m.kustomization(t, ns, "whole", "")
	m.flux.WaitApplied(t, ns, "whole", revision)
	return revision
}

// preflight wants the words in what preflight says of a live host, or nothing if there are none.
func (m *maker) preflight(t *testing.T, live *unstructured.Unstructured, words string) {
	t.Helper()
	findings := preflight.Check(v1alpha1.EngineFlux, v1alpha1.ApplyMerge, []inventory.Host{hostOf(t, live)}, func(*inventory.Host) bool { return true })
	var said []string
	for _, f := range findings {
		if f.Severity != finding.Warning {
			said = append(said, f.Sentence())
		}
	}
	need.That(t, (len(said) > 0) == (words != "") && strings.Contains(strings.Join(said, "\n"), words),
		"preflight says %q, want %q in it", said, words)
}

func (m *maker) spec(t *testing.T, ns string) map[string]any {
	t.Helper()
	spec, _, _ := unstructured.NestedMap(m.api.Get(t, engine.Hosts, ns, "node-1").Object, "spec")
	return spec
}

// labelsBeside: sipgen's patch stands beside a host that the engine made, or another manager. All Kustomizations share one field manager, so a
// patch without a spec takes the spec away that the same engine applied elsewhere.
func (m *maker) labelsBeside(t *testing.T) {
	for i, row := range []struct {
		name string
		// annotation of the whole host, which a Kustomization has; without one kubectl makes it, as another manager.
		annotation string
		guarded    bool
		// refused is what preflight says of the live host. wiped: its spec loses its BMC.
		refused string
		wiped   bool
	}{
		{"by the engine, once", ", kustomize.toolkit.fluxcd.io/ssa: IfNotPresent", false, "spec", true},
		{"by the engine, once, with the sync guard", ", kustomize.toolkit.fluxcd.io/ssa: IfNotPresent", true, "spec", false},
		{"by another manager, with the sync guard", "", true, "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			ns := fmt.Sprintf("made-%d", i)
			host := m.host(t, ns, "", row.annotation)
			repo := engine.NewRepo(t)
			m.flux.Source(t, ns, "site", repo)
			files := map[string][]byte{}
			if row.annotation != "" {
				m.whole(t, ns, repo, files, host)
			} else {
				m.api.Kubectl(t, host, "apply", "--server-side", "--field-manager=sipgen", "-f", "-")
			}
			m.operator.WaitState(t, "available", ns, "node-1")
			// As Cluster API does, somebody else sets online too: else the API server refuses the patch because that is required, and by accident
			// nothing happens.
			m.api.Kubectl(t, fmt.Sprintf("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: %s, name: node-1}\nspec: {online: true}\n", ns),
				"apply", "--server-side", "--field-manager=capm3", "-f", "-")
			live := m.api.Get(t, engine.Hosts, ns, "node-1")
			before := m.spec(t, ns)

			// Before anything is written.
			m.preflight(t, live, row.refused)

			// And what would come of it.
			account := ""
			if row.guarded {
				account = guardOf(t, m.api, ns)
			}
			files["labels/host.yaml"] = []byte(fmt.Sprintf("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: %s, name: node-1, uid: %s, labels: {%s: a},"+
				" annotations: {kustomize.toolkit.fluxcd.io/ssa: Merge, kustomize.toolkit.fluxcd.io/prune: disabled}}\n", ns, live.GetUID(), clusterName))
			repo.Commit(t, "labels", files)
			revision := m.flux.Publish(t, ns, "site", repo)
			m.kustomization(t, ns, "labels", account)
			switch {
			case row.wiped:
				engine.Wait(t, "the host's end", engine.SyncTimeout, func() error {
					is := m.spec(t, ns)
					k := m.api.Get(t, engine.Kustomizations, ns, "labels")
					_, bmc, _ := unstructured.NestedString(is, "bmc", "address")
					if !bmc {
						t.Logf("spec is %v, was %v", is, before)
						return nil
					}
					return fmt.Errorf("spec is still %v; %s", is, engine.Condition(k, "Ready"))
				})
				return
			case row.refused != "":
				m.flux.WaitFailed(t, ns, "labels", revision, "denied")
			default:
				m.flux.WaitApplied(t, ns, "labels", revision)
				need.Equal(t, "label", m.api.OurLabels(t, ns, "node-1")[clusterName], "a")
			}
			need.Deep(t, "the spec", m.spec(t, ns), before)
		})
	}
}

// labelsIn: a Kustomization has the whole host with sipgen's labels in it. A person gives the host an image and Cluster API takes it and switches
// it off, as it does with a machine that is to be healed; then the same commit is synced once more.
func (m *maker) labelsIn(t *testing.T) {
	for i, row := range []struct {
		name, ssa string
		guarded   bool
		// harm says which fields of the spec the sync sets back, by the value that they have then; nil is one that is gone.
		harm map[string]any
	}{
		{"ssa Merge", "Merge", false, map[string]any{"online": true}},
		{"ssa Merge, with the sync guard", "Merge", true, map[string]any{}},
		{"ssa Override", "Override", false, map[string]any{"online": true, "image": nil}},
		{"ssa Override, with the sync guard", "Override", true, map[string]any{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			ns := fmt.Sprintf("in-%d", i)
			host := m.host(t, ns, fmt.Sprintf(", %s: a", clusterName), ", kustomize.toolkit.fluxcd.io/ssa: "+row.ssa)
			repo := engine.NewRepo(t)
			m.flux.Source(t, ns, "site", repo)
			revision := m.whole(t, ns, repo, map[string][]byte{}, host)
			m.operator.WaitState(t, "available", ns, "node-1")
			m.preflight(t, m.api.Get(t, engine.Hosts, ns, "node-1"), "spec")

			m.api.Kubectl(t, "", "-n", ns, "patch", "baremetalhost", "node-1", "--type=merge", "-p",
				`{"spec":{"image":{"url":"http://192.0.2.1/image.qcow2","checksum":"http://192.0.2.1/image.qcow2.sum","checksumType":"sha256"}}}`)
			m.operator.WaitState(t, "provisioned", ns, "node-1")
			consumer := map[string]any{"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "kind": "Metal3Machine", "namespace": ns, "name": "machine-1"}
			m.api.Edit(t, "manager", engine.Hosts, ns, "node-1", "", func(o map[string]any) {
				_ = unstructured.SetNestedMap(o, consumer, "spec", "consumerRef")
				_ = unstructured.SetNestedField(o, false, "spec", "online")
			})
			want := m.spec(t, ns)

			if row.guarded {
				m.kustomization(t, ns, "whole", guardOf(t, m.api, ns))
			}
			m.flux.Reconcile(t, ns, "whole")
			if row.guarded {
				m.flux.WaitFailed(t, ns, "whole", revision, "denied")
			} else {
				m.flux.WaitApplied(t, ns, "whole", revision)
			}
			for field, value := range row.harm {
				if want[field] = value; value == nil {
					delete(want, field)
				}
			}
			need.Deep(t, "the spec", m.spec(t, ns), want)
			if _, deprovisioned := row.harm["image"]; deprovisioned {
				m.operator.WaitState(t, "available", ns, "node-1")
			} else {
				m.operator.WaitState(t, "provisioned", ns, "node-1")
			}
			need.Equal(t, "label", m.api.OurLabels(t, ns, "node-1")[clusterName], "a")
		})
	}
}

// mayCreate: an identity that, unlike sipgen's, may do all with hosts, since it makes them. A guard for it could let it create hosts that nobody uses
// yet. sipgen renders no such guard: its own one lets whom it guards create none at all, and as little else.
func (m *maker) mayCreate(t *testing.T) {
	const ns, everything = "may-create", "makers-of-hosts"
	host := m.host(t, ns, "", "")
	m.api.Kubectl(t, host, "apply", "--server-side", "--field-manager=kustomize-controller", "-f", "-")
	m.operator.WaitState(t, "available", ns, "node-1")
	account := guardOf(t, m.api, ns)
	m.api.AllRights(t, everything)
	change := func(name string, change func(o map[string]any)) *unstructured.Unstructured {
		o := engine.Objects(t, []byte(host))[0]
		o.SetName(name)
		change(o.Object)
		return o
	}
	set := func(value any, path ...string) func(map[string]any) {
		return func(o map[string]any) { _ = unstructured.SetNestedField(o, value, path...) }
	}
	apply := func(o *unstructured.Unstructured) func(*engine.Client) error {
		return func(c *engine.Client) error { return c.TryApply(o, "kustomize-controller", true) }
	}
	const onlyUpdate = "may only update"
	for _, row := range []struct {
		name, denied string
		try          func(*engine.Client) error
	}{
		{"creates one that nobody uses", onlyUpdate, apply(change("node-2", func(map[string]any) {}))},
		{"creates one with an image", onlyUpdate, apply(change("node-2", set(map[string]any{"url": "http://192.0.2.1/i"}, "spec", "image")))},
		{"creates one with a deployment of its own", onlyUpdate, apply(change("node-2", set(map[string]any{"method": "install"}, "spec", "customDeploy")))},
		{"creates one with a consumer", onlyUpdate, apply(change("node-2", set(map[string]any{"name": "machine-1"}, "spec", "consumerRef")))},
		{"deletes", onlyUpdate, func(c *engine.Client) error { return c.TryDelete(engine.Hosts, ns, "node-1", true) }},
		{"changes the spec", "change a BareMetalHost's spec", apply(change("node-1", set(false, "spec", "online")))},
		{"labels, with the spec as it is", "", apply(change("node-1", set("a", "metadata", "labels", clusterName)))},
	} {
		t.Run(row.name, func(t *testing.T) {
			wantDenied(t, "with the guard", row.try(engine.NewClient(t, m.api.As("system:serviceaccount:"+ns+":"+account, everything))), row.denied)
			// As anybody else with these rights it passes: it is the guard that denies.
			wantDenied(t, "without it", row.try(engine.NewClient(t, m.api.As("somebody", everything))), "")
		})
	}
}

// guardOf puts the policies of a site for the namespace into force, after the changes, and gives the account that syncs its hosts, in that namespace.
func guardOf(t *testing.T, api *engine.APIServer, ns string, change ...func(render.Tree)) string {
	t.Helper()
	site := &v1alpha1.Site{}
	site.Name = ns
	site.Spec.Repository.URL = "https://git.example.org/site.git"
	site.Spec.Hosts.Namespaces = []string{ns}
	site.Spec.Flux.Namespace = ns
	site.Default()
	tree, _, err := render.Site(render.Input{Site: site, Placement: &schedule.Placement{}})
	need.OK(t, err)
	for _, edit := range change {
		edit(tree)
	}
	for name, content := range tree {
		if strings.HasPrefix(name, "policy/") && !strings.HasSuffix(name, "kustomization.yaml") {
			api.Apply(t, "kubectl", string(content))
		}
	}
	api.WaitPolicies(t, ns)
	return "sipgen-" + ns + "-hosts"
}

func hostOf(t *testing.T, live *unstructured.Unstructured) inventory.Host {
	t.Helper()
	var object metal3.BareMetalHost
	need.OK(t, runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, &object))
	return bmh.FromObject(&object)
}
