package overlay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	kustomize "sigs.k8s.io/kustomize/api/types"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/render/object"
)

// bank is the folder of a tenant that has every service, as it is rendered, without its own patch.
func bank(t testing.TB) Folder {
	t.Helper()
	f, err := Parse(bankFiles(t))
	if err != nil {
		t.Fatal(err)
	}
	f.Kustomization.Patches = nil
	return f
}

func bankFiles(t testing.TB) map[string][]byte {
	t.Helper()
	const root = "../../golden/full-service/clusters/bank/bank/infra"
	files := map[string][]byte{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		files[filepath.ToSlash(name)] = text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	// The rights of the services as they are among them for one commit of a site that had them there.
	for _, name := range []string{"jumphost-bank", "dex-bank"} {
		text, err := os.ReadFile("../../golden/full-service/rights/bank/bank/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		files[name+".yaml"] = slices.Concat(files[name+".yaml"], []byte("---\n"), text)
	}
	return files
}

// Targets of the rows.
var (
	balancer  = &v1.PatchTarget{Kind: "Deployment", Name: "loadbalancer-controlplane-bank"}
	jump      = &v1.PatchTarget{Kind: "Deployment", Name: "jumphost-bank"}
	dex       = &v1.PatchTarget{Kind: "Deployment", Name: "dex-bank"}
	service   = &v1.PatchTarget{Kind: "Service", Name: "loadbalancer-controlplane-bank"}
	closed    = &v1.PatchTarget{Kind: "NetworkPolicy", Name: "loadbalancer-controlplane-bank"}
	budget    = &v1.PatchTarget{Kind: "PodDisruptionBudget", Name: "loadbalancer-controlplane-bank"}
	authority = &v1.PatchTarget{Kind: "Certificate"}
)

// merge is a strategic merge patch for whatever the target is.
func merge(target *v1.PatchTarget, fields string) v1.Patch {
	apiVersion := map[string]string{"Deployment": "apps/v1", "PodDisruptionBudget": "policy/v1", "NetworkPolicy": "networking.k8s.io/v1", "Certificate": "cert-manager.io/v1"}[target.Kind]
	if apiVersion == "" {
		apiVersion = "v1"
	}
	if !strings.HasPrefix(fields, "metadata:") {
		fields = "metadata: {name: x}\n" + fields
	}
	return v1.Patch{Target: target, Patch: "apiVersion: " + apiVersion + "\nkind: " + target.Kind + "\n" + fields}
}

func operations(target *v1.PatchTarget, text string) v1.Patch {
	return v1.Patch{Target: target, Patch: text}
}

// pod sets fields of a Deployment's pods, and container those of its container.
func pod(target *v1.PatchTarget, fields string) v1.Patch {
	return merge(target, "spec: {template: {spec: {"+fields+"}}}")
}

func container(target *v1.PatchTarget, fields string) v1.Patch {
	name := map[*v1.PatchTarget]string{balancer: "loadbalancer", jump: "jumphost", dex: "dex"}[target]
	return pod(target, "containers: [{name: "+name+", "+fields+"}]")
}

func TestWhatIsRenderedIsValid(t *testing.T) {
	built, err := bank(t).Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range Valid(built) {
		t.Error(err)
	}
	kinds := map[string]bool{}
	for i := range built {
		kinds[built[i].APIVersion+"/"+built[i].Kind] = true
	}
	if len(kinds) != len(types) {
		t.Errorf("the tenant has %d of the %d kinds there are: a type that nothing decodes into is not tried", len(kinds), len(types))
	}
}

func TestPatchesThatATenantMayHave(t *testing.T) {
	var (
		rows    []string
		patches []v1.Patch
	)
	for _, row := range []struct {
		why   string
		patch v1.Patch
	}{
		{"more pods", operations(balancer, `[{"op": "replace", "path": "/spec/replicas", "value": 3}]`)},
		{"all of one kind", operations(&v1.PatchTarget{Kind: "Deployment"}, `[{"op": "test", "path": "/kind", "value": "Deployment"}, {"op": "add", "path": "/spec/minReadySeconds", "value": 5}]`)},
		{"without a target", v1.Patch{Patch: "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: jumphost-bank, namespace: bank}\nspec: {revisionHistoryLimit: 1}\n"}},
		{"two objects in one patch", v1.Patch{Patch: "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: jumphost-bank, namespace: bank}\nspec: {minReadySeconds: 1}\n---\n" +
			"apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: loadbalancer-worker-bank, namespace: bank}\nspec: {maxUnavailable: 25%}\n"}},
		{"labels and annotations of one's own", merge(balancer, "spec: {template: {metadata: {labels: {team: net}, annotations: {example.org/contact: ops}}}}")},
		{"an image", container(balancer, "image: registry.example.org/bank/haproxy:3.2, imagePullPolicy: Always")},
		{"resources", container(balancer, "resources: {requests: {cpu: 300m}, limits: {memory: 1Gi, ephemeral-storage: 1Gi}}")},
		{"its environment", container(jump, "env: [{name: TZ, value: UTC}, {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]")},
		{"probes", container(balancer, "readinessProbe: {periodSeconds: 1, failureThreshold: 2}, startupProbe: {tcpSocket: {port: status}}")},
		{"nodes of its own", pod(balancer, "nodeSelector: {pool: edge}, affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: gpu, operator: DoesNotExist}]}]}}}")},
		{"apart from its own pods", pod(balancer, "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {team: net}}}]}}")},
		{"local traffic", merge(service, "spec: {externalTrafficPolicy: Local, sessionAffinity: ClientIP}")},
		{"less is let in", merge(service, "spec: {loadBalancerSourceRanges: [192.0.2.0/24]}")},
		{"a pool of MetalLB's", merge(service, "metadata: {name: x, annotations: {metallb.io/address-pool: edge}}")},
		{"what it was before", operations(service, `[{"op": "remove", "path": "/spec/type"}, {"op": "add", "path": "/spec/type", "value": "LoadBalancer"}]`)},
		{"nothing", operations(service, `[]`)},
	} {
		rows = append(rows, row.why)
		patches = append(patches, row.patch)
	}
	f := bank(t)
	for _, err := range append(f.try(entries(patches...), false), checked(t, f, patches...)...) {
		t.Errorf("%v; the rows are %q", err, rows)
	}
}

// The profile is checked in what is built, wherever it comes from.
func TestPodsThatTheProfileRefuses(t *testing.T) {
	for _, row := range []struct{ old, new, want string }{
		{"allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true", "allowPrivilegeEscalation != false"},
		{"readOnlyRootFilesystem: true", "privileged: true", "privileged"},
		{"runAsNonRoot: true", "runAsNonRoot: false", "runAsNonRoot != true"},
		{"type: RuntimeDefault", "type: Unconfined", "seccompProfile"},
		{"enableServiceLinks: false", "hostNetwork: true", "host namespaces"},
		{"- ALL", "- NET_RAW", "unrestricted capabilities"},
		{"- configMap:\n          name: loadbalancer-controlplane-bank", "- hostPath: {path: /}", "hostPath"},
		{"containerPort: 6443", "containerPort: 6443\n          hostPort: 6443", "hostPort"},
		{"path: /healthz", "path: /healthz\n            host: 169.254.169.254", "host"},
		{"revisionHistoryLimit: 3", "revisionHistory: 3", `unknown field "spec.revisionHistory"`},
		{"replicas: 3", "replicas: two", "Deployment loadbalancer-controlplane-bank: "},
		{"kind: PodDisruptionBudget", "kind: PodDisruptionBudgets", "which no service has"},
	} {
		f := bank(t)
		const name = "loadbalancer-controlplane-bank.yaml"
		text := strings.Replace(string(f.Files[name]), row.old, row.new, 1)
		if text == string(f.Files[name]) {
			t.Fatalf("no %q in %s", row.old, name)
		}
		// This file alone.
		f.Kustomization.Resources = []string{name}
		f.Kustomization.ConfigMapGenerator, f.Kustomization.Images = nil, nil
		f.Files[name] = []byte(text)
		built, err := f.Build()
		if err != nil {
			t.Fatal(err)
		}
		said := errors.Join(Valid(built)...)
		if said == nil || !strings.Contains(said.Error(), row.want) || strings.Contains(said.Error(), `"two"`) {
			t.Errorf("%s: got %v, want %q in it", row.new, said, row.want)
		}
	}
}

// One port merged into a thousand takes kustomize 11 seconds, here and at each of the engine's syncs.
func TestMergesIntoLongLists(t *testing.T) {
	f := bank(t)
	const name = "loadbalancer-worker-bank.yaml"
	f.Files[name] = widened(f.Files[name])
	target := &v1.PatchTarget{Kind: "Service", Name: "loadbalancer-worker-bank"}
	errs := f.try(entries(
		merge(target, "spec: {ports: [{port: 30001, protocol: TCP, appProtocol: x}]}"),
		operations(target, `[{"op": "add", "path": "/spec/ports/7/appProtocol", "value": "x"}]`),
	), false)
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "spec.patches[0]: line 4: a merge of lists with 1001 items") {
		t.Errorf("got %v", errs)
	}
}

// entries are patches as a kustomization has them: the fields of both have the same names.
func entries(patches ...v1.Patch) []kustomize.Patch {
	text, err := json.Marshal(patches)
	if err != nil {
		panic(err)
	}
	var out []kustomize.Patch
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}

func (f Folder) with(patches ...v1.Patch) Folder {
	f.Kustomization.Patches = append(slices.Clone(f.Kustomization.Patches), entries(patches...)...)
	return f
}

// checked is what Check says of the folder's files, with patches.
func checked(t testing.TB, f Folder, patches ...v1.Patch) []error {
	t.Helper()
	_, errs := Check(written(t, f.with(patches...)), len(patches), "", false)
	return errs
}

// written is the folder as files.
func written(t testing.TB, f Folder) map[string][]byte {
	t.Helper()
	files := maps.Clone(f.Files)
	var err error
	if files[kustomizationFile], err = object.Marshal(f.Kustomization); err != nil {
		t.Fatal(err)
	}
	return files
}

func compared(t testing.TB, f Folder, patches ...v1.Patch) []error {
	t.Helper()
	built, err := f.with(patches...).Build()
	if err != nil {
		return []error{err}
	}
	return f.compare(built, false)
}

// TestPatchesOfLargeObjects: patches of many large objects are refused before they are tried, and as many of small ones are not.
func TestPatchesOfLargeObjects(t *testing.T) {
	everything := operations(&v1.PatchTarget{Name: ".*"}, `[{"op": "add", "path": "/metadata/labels/team", "value": "net"}]`)
	one := operations(balancer, `[{"op": "replace", "path": "/spec/replicas", "value": 3}]`)
	for _, row := range []struct {
		why     string
		large   int
		patches []v1.Patch
		want    string
	}{
		{"as many patches as there may be, of every service", 0, repeat(operations(&v1.PatchTarget{Kind: "Deployment"}, one.Patch), v1.MaxPatches), ""},
		{"of one object beside large ones", 16, repeat(one, v1.MaxPatches), ""},
		// Counted before labels are looked at: the patches before may have set them.
		{"of all of them, by a selector", 16, repeat(operations(&v1.PatchTarget{LabelSelector: "a!=b"}, everything.Patch), v1.MaxPatches), "more than 2048 KiB of objects"},
		{"of one object by many documents", 0, repeat(v1.Patch{Patch: strings.Repeat("---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: jumphost-bank, labels: {a: b}}\n", 50)}, v1.MaxPatches), "more than 2048 KiB of objects"},
		{"of what the patches before made large", 0, append([]v1.Patch{operations(&v1.PatchTarget{Kind: "Service|NetworkPolicy|Deployment"}, `[{"op": "add", "path": "/metadata/annotations", "value": {"a": "`+strings.Repeat("x", 8000)+`"}}]`)},
			repeat(operations(&v1.PatchTarget{Kind: "Service|NetworkPolicy|Deployment"}, one.Patch), v1.MaxPatches-1)...), "more than 2048 KiB of objects"},
		{"of all of them", 16, repeat(everything, v1.MaxPatches), "with the patches before it, it applies to more than 2048 KiB of objects"},
	} {
		f := bank(t)
		for i := range row.large {
			name := fmt.Sprintf("large-%d.yaml", i)
			text := strings.ReplaceAll(string(widened(f.Files["loadbalancer-worker-bank.yaml"])), "loadbalancer-worker-bank", fmt.Sprintf("large-%d", i))
			f.Files[name] = []byte(text)
			f.Kustomization.Resources = append(f.Kustomization.Resources, name)
		}
		if row.want != "" { // nothing builds it, so that it is the count alone that refuses it
			f.Files["broken.yaml"] = []byte("kind: [")
			f.Kustomization.Resources = append(f.Kustomization.Resources, "broken.yaml")
		}
		errs := checked(t, f, row.patches...)
		if err := errors.Join(errs...); (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %.300v, want %q", row.why, err, row.want)
		}
	}
}

// TestWeight: what patches have to do, as a number.
func TestWeight(t *testing.T) {
	f := Folder{Files: map[string][]byte{"a.yaml": []byte("apiVersion: v1\nkind: Service\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: b}\n"), "c": make([]byte, 1000)}}
	f.Kustomization.Resources = []string{"a.yaml"}
	f.Kustomization.ConfigMapGenerator = []kustomize.ConfigMapArgs{{GeneratorArgs: kustomize.GeneratorArgs{Name: "c", KvPairSources: kustomize.KvPairSources{FileSources: []string{"key=c"}}}}}
	service := f.subjects()[0].bytes
	const patch = "- {op: test, path: /kind, value: Service}"
	at := func(target v1.PatchTarget) v1.Patch { return operations(&target, patch) }
	for _, row := range []struct {
		why     string
		patches []v1.Patch
		want    int
	}{
		{"none", nil, 0},
		{"one object", []v1.Patch{at(v1.PatchTarget{Kind: "Service", Name: "a"})}, service + len(patch)},
		{"both", []v1.Patch{at(v1.PatchTarget{Kind: "Service"})}, 2 * (service + len(patch))},
		{"a regular expression", []v1.Patch{at(v1.PatchTarget{Kind: "Service|ConfigMap", Name: "a|b"})}, 2 * (service + len(patch))},
		{"one object twice", []v1.Patch{at(v1.PatchTarget{Kind: "Service", Name: "a"}), at(v1.PatchTarget{Kind: "Service", Name: "a"})}, 2*service + 3*len(patch)},
		{"another group", []v1.Patch{at(v1.PatchTarget{Group: "apps"})}, 0},
		{"another namespace", []v1.Patch{at(v1.PatchTarget{Namespace: "x"})}, 0},
		{"what is generated", []v1.Patch{at(v1.PatchTarget{Kind: "ConfigMap"})}, perPatched + 1000 + len(patch)},
		{"named", []v1.Patch{{Patch: "kind: Service\nmetadata: {name: b}\n"}}, service + len("kind: Service\nmetadata: {name: b}\n")},
		{"named by two documents", []v1.Patch{{Patch: "kind: Service\nmetadata: {name: b}\n---\nkind: Service\nmetadata: {name: b}\n"}}, 2 * (service + 2*len("kind: Service\nmetadata: {name: b}\n") + len("---\n"))},
		{"no target that there could be", []v1.Patch{at(v1.PatchTarget{Name: "("})}, 0},
	} {
		got, err := Weight(written(t, f.with(row.patches...)), len(row.patches))
		if err != nil || got != row.want {
			t.Errorf("%s: got %d, %v, want %d", row.why, got, err, row.want)
		}
	}
}

// TestPatchesThatAreLists: what kustomize patches is what is in a List, and nothing is in an empty one.
func TestPatchesThatAreLists(t *testing.T) {
	const empty, one = "apiVersion: v1\nkind: List\nitems: []\n", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: jumphost-bank, namespace: bank}\nspec: {revisionHistoryLimit: 2}\n"
	for _, row := range []struct {
		patch v1.Patch
		right bool
	}{
		{v1.Patch{Patch: one}, true},
		{v1.Patch{Patch: one + "---\n" + one}, true},
		{v1.Patch{Patch: empty}, false},
		{v1.Patch{Patch: one + "---\n" + empty}, false},
		{v1.Patch{Patch: empty, Target: &v1.PatchTarget{Kind: "Deployment"}}, false},
		{v1.Patch{Patch: one + "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: nobody, namespace: bank}\n"}, false},
		{v1.Patch{Patch: one + "---\n{}\n"}, false},
		{v1.Patch{Patch: "{}"}, false},
		{v1.Patch{Patch: "apiVersion: apps/v1\nkind: DeploymentList\nitems: []\n"}, false},
	} {
		if errs := checked(t, bank(t), row.patch); (len(errs) == 0) != row.right {
			t.Errorf("%s: got %v, want it right: %t", row.patch.Patch, errs, row.right)
		}
	}
}
