package overlay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/render/object"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	kustomize "sigs.k8s.io/kustomize/api/types"
)

// bank is the folder of a tenant that has every service, as it is rendered, without its own patch.
func bank(t testing.TB) Folder {
	t.Helper()
	f, err := Parse(bankFiles(t))
	require.NoError(t, err)
	f.Kustomization.Patches = nil
	return f
}

func bankFiles(t testing.TB) map[string][]byte {
	t.Helper()
	const root = "../../golden/full-service/clusters/bank/bank/infra"
	files := map[string][]byte{}
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files[name], err = fs.ReadFile(os.DirFS(root), name)
		}
		return err
	}))
	// The rights of the services as they are among them for one commit of a site that had them there.
	for _, name := range []string{"jumphost-bank", "dex-bank"} {
		text := need.Read(t, "../../golden/full-service/rights/bank/bank/"+name+".yaml")
		files[name+".yaml"] = slices.Concat(files[name+".yaml"], []byte("---\n"), text)
	}
	return files
}

// Targets of the rows.
var (
	balancer = &v1.PatchTarget{Kind: "Deployment", Name: "loadbalancer-controlplane-bank"}
	jump     = &v1.PatchTarget{Kind: "Deployment", Name: "jumphost-bank"}
	dex      = &v1.PatchTarget{Kind: "Deployment", Name: "dex-bank"}
	service  = &v1.PatchTarget{Kind: "Service", Name: "loadbalancer-controlplane-bank"}
	budget   = &v1.PatchTarget{Kind: "PodDisruptionBudget", Name: "loadbalancer-controlplane-bank"}
)

// merge is a strategic merge patch for whatever the target is.
func merge(target *v1.PatchTarget, fields string) v1.Patch {
	apiVersion := map[string]string{"Deployment": "apps/v1", "PodDisruptionBudget": "policy/v1",
		"NetworkPolicy": "networking.k8s.io/v1", "Certificate": "cert-manager.io/v1"}[target.Kind]
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
	require.NoError(t, err)
	for _, err := range Valid(built) {
		t.Error(err)
	}
	kinds := map[string]bool{}
	for i := range built {
		kinds[built[i].APIVersion+"/"+built[i].Kind] = true
	}
	assert.Equal(t, len(types), len(kinds), "the tenant has")
}

// TestPatches is contract 25: what patches may change of an overlay, and what they may not.
func TestPatches(t *testing.T) {
	for _, row := range []struct {
		why   string
		patch v1.Patch
		want  string // "" where it may
	}{
		{"more pods", operations(balancer, `[{"op": "replace", "path": "/spec/replicas", "value": 3}]`), ""},
		{"all of one kind", operations(&v1.PatchTarget{Kind: "Deployment"},
			`[{"op": "add", "path": "/spec/minReadySeconds", "value": 5}]`), ""},
		{"without a target", v1.Patch{Patch: "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: jumphost-bank, namespace: bank}\nspec: {revisionHistoryLimit: 1}\n"}, ""},
		{"a tainted node", pod(jump, "tolerations: [{operator: Exists}]"), ""},
		{"another command", container(jump, "command: [sh, -c, 'exec sshd -D']"), ""},
		{"a volume", pod(jump, "volumes: [{name: scratch, emptyDir: {sizeLimit: 1Gi}}], containers: [{name: jumphost, volumeMounts: [{name: scratch, mountPath: /scratch}]}]"), ""},
		{"local traffic", merge(service, "spec: {externalTrafficPolicy: Local, healthCheckNodePort: 30001, sessionAffinity: ClientIP}"), ""},
		{"local traffic of a node port",
			operations(service, `[{"op": "replace", "path": "/spec/type", "value": "NodePort"}, {"op": "add", "path": "/spec/ports/0/nodePort", "value": 30000}, {"op": "add", "path": "/spec/externalTrafficPolicy", "value": "Local"}]`), ""},
		{"local traffic, and a port for its checks that the API server chooses",
			merge(service, "spec: {externalTrafficPolicy: Local}"),
			"Service loadbalancer-controlplane-bank: spec.healthCheckNodePort: missing: the API server would choose a node port for it"},
		{"a port for checks of number 0", merge(service, "spec: {externalTrafficPolicy: Local, healthCheckNodePort: 0}"),
			"spec.healthCheckNodePort: missing"},

		{"a load balancer without node ports",
			merge(service, "spec: {type: LoadBalancer, allocateLoadBalancerNodePorts: false}"), ""},
		{"a load balancer whose node port has a number",
			operations(service, `[{"op": "replace", "path": "/spec/allocateLoadBalancerNodePorts", "value": true}, {"op": "add", "path": "/spec/ports/0/nodePort", "value": 30000}]`), ""},
		{"a node port that the API server chooses",
			operations(service, `[{"op": "replace", "path": "/spec/type", "value": "NodePort"}]`),
			"Service loadbalancer-controlplane-bank: spec.ports: the API server would choose 1 node port for it: want a granted nodePort for each"},
		{"node ports of a load balancer that the API server chooses",
			merge(service, "spec: {type: LoadBalancer, allocateLoadBalancerNodePorts: true}"),
			"the API server would choose 1 node port for it"},
		{"a node port of number 0", operations(service,
			`[{"op": "replace", "path": "/spec/type", "value": "NodePort"}, {"op": "add", "path": "/spec/ports/0/nodePort", "value": 0}]`),
			"the API server would choose 1 node port for it"},
		{"one port more", operations(service,
			`[{"op": "replace", "path": "/spec/type", "value": "NodePort"}, {"op": "add", "path": "/spec/ports/-", "value": {"name": "x", "port": 1}}]`),
			"the API server would choose 2 node ports for it"},

		{"the node's network", pod(balancer, "hostNetwork: true"),
			"spec.patches: Deployment loadbalancer-controlplane-bank: spec.template: the Pod Security profile restricted"},
		{"the node's files", pod(balancer, "volumes: [{name: root, hostPath: {path: /}}]"), "hostPath"},
		{"privileged", container(balancer, "securityContext: {privileged: true}"), "privileged"},
		{"a number that no decoder is done with", container(balancer, "resources: {limits: {memory: 1E999999999999}}"),
			"out of range"},
		{"a field that there is not", merge(balancer, "spec: {replica: 3}"), `unknown field "spec.replica"`},
		{"a value of another type", merge(balancer, "spec: {replicas: two}"),
			"spec.replicas: found a string, want int32"},
		{"another account", pod(balancer, "serviceAccountName: kustomize-controller"),
			"may not change the pod's account"},
		{"the account's old name", pod(balancer, "serviceAccount: dex-bank"), "may not change the pod's account"},
		{"a token of its account", pod(balancer, "automountServiceAccountToken: true"),
			"may not change the pod's account"},
		{"what steers the engine", merge(balancer,
			"metadata: {name: x, annotations: {kustomize.toolkit.fluxcd.io/force: enabled}}"),
			"steers the GitOps engine, and is not for a patch to change"},
		{"what injects into pods", merge(balancer,
			"spec: {template: {metadata: {annotations: {io.kubernetes.cri-o.Devices: /dev/mem}}}}"),
			"steers the container runtime"},
		{"a label of one's own", merge(balancer, "spec: {template: {metadata: {labels: {team: net}}}}"), ""},
		{"another name", operations(balancer, `[{"op": "replace", "path": "/metadata/name", "value": "other"}]`),
			"a patch may not change apiVersion, kind, namespace or name"},
		{"one name for two", operations(&v1.PatchTarget{Kind: "Service"},
			`[{"op": "replace", "path": "/metadata/name", "value": "api"}]`),
			"spec.patches[0]: kustomize reads it neither"},
		{"another namespace", operations(balancer,
			`[{"op": "replace", "path": "/metadata/namespace", "value": "kube-system"}]`),
			"a patch may not change apiVersion, kind, namespace or name"},
		{"a host", operations(balancer, `[{"op": "replace", "path": "/kind", "value": "BareMetalHost"}, {"op": "replace", "path": "/apiVersion", "value": "metal3.io/v1alpha1"}]`), "BareMetalHost loadbalancer-controlplane-bank is another object"},
		{"an object less", merge(budget, "$patch: delete"),
			"PodDisruptionBudget loadbalancer-controlplane-bank is removed"},
		{"an object that is not there", v1.Patch{Patch: "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: nobody, namespace: bank}\nspec: {replicas: 1}\n"}, "spec.patches[0]: it names an object that is not in the overlay"},
		{"a kind that is not there", operations(&v1.PatchTarget{Kind: "Deploymnt"}, `[]`),
			"spec.patches[0]: its target matches no object of the overlay"},
		{"a name that is not there", operations(&v1.PatchTarget{Kind: "Deployment", Name: "loadbalancer"}, `[]`),
			"its target matches no object of the overlay"},
		{"a generated name", operations(&v1.PatchTarget{Version: "v1", Kind: "ConfigMap",
			Name: "loadbalancer-worker-.*"}, `[]`), ""},
		{"no regular expression", operations(&v1.PatchTarget{Name: "("}, `[]`),
			"spec.patches[0]: target: want regular expressions that are valid"},
		{"a place that is not there", operations(balancer, `[{"op": "remove", "path": "/spec/nothing"}]`),
			"spec.patches[0]: remove does not apply"},
		{"a test that fails", operations(balancer, `[{"op": "test", "path": "/spec/replicas", "value": 77}]`),
			"spec.patches[0]: the test of /spec/replicas finds another value"},
	} {
		found := errors.Join(checked(t, bank(t), row.patch)...)
		if (found == nil) != (row.want == "") || found != nil && !strings.Contains(found.Error(), row.want) {
			t.Errorf("%s: got %v, want %q", row.why, found, row.want)
		}
	}
}

// TestRightsStay: no patch changes a kind of rights, though the object stays the same one.
func TestRightsStay(t *testing.T) {
	for _, kind := range rights {
		was := Built{Objects: []Object{{Kind: kind, Name: "a", Fields: map[string]any{"rules": "few"}}}}
		is := Built{Objects: []Object{{Kind: kind, Name: "a", Fields: map[string]any{"rules": "many"}}}}
		assert.ErrorContains(t, errors.Join(compare(was, is)...), "may not change rights", kind)
		assert.ErrorContains(t, errors.Join(compare(was, Built{})...), kind+" a is removed", kind)
	}
}

// The profile is checked in what is built, wherever it comes from.
func TestPodsThatTheProfileRefuses(t *testing.T) {
	for _, row := range []struct{ old, new, want string }{
		{"allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true", "allowPrivilegeEscalation != false"},
		{"runAsNonRoot: true", "runAsNonRoot: false", "runAsNonRoot != true"},
		{"type: RuntimeDefault", "type: Unconfined", "seccompProfile"},
		{"drop: [ALL]", "drop: [NET_RAW]", "unrestricted capabilities"},
		{"containerPort: 6443", "containerPort: 6443\n          hostPort: 6443", "hostPort"},
		{"path: /healthz", "host: 169.254.169.254\n            path: /healthz", "host"},
		{"replicas: 3", "replicas: two", "Deployment loadbalancer-controlplane-bank: "},
		{"kind: PodDisruptionBudget", "kind: PodDisruptionBudgets", "which no service has"},
	} {
		f := bank(t)
		const name = "loadbalancer-controlplane-bank.yaml"
		text := strings.Replace(string(f.Files[name]), row.old, row.new, 1)
		require.Truef(t, text != string(f.Files[name]), "no %q in %s", row.old, name)
		// This file alone.
		f.Kustomization.Resources = []string{name}
		f.Kustomization.ConfigMapGenerator, f.Kustomization.Images = nil, nil
		f.Files[name] = []byte(text)
		built, err := f.Build()
		require.NoError(t, err)
		said := errors.Join(Valid(built)...)
		assert.Truef(t,
			said != nil && strings.Contains(said.Error(), row.want) && !strings.Contains(said.Error(), `"two"`),
			"%s: got %v, want %q in it", row.new, said, row.want)
	}
}

// One port merged into a thousand takes kustomize 11 seconds, here and at each of the engine's syncs.
func TestMergesIntoLongLists(t *testing.T) {
	f := bank(t)
	const name = "loadbalancer-worker-bank.yaml"
	f.Files[name] = widened(f.Files[name])
	target := &v1.PatchTarget{Kind: "Service", Name: "loadbalancer-worker-bank"}
	errs := checked(t, f,
		merge(target, "spec: {ports: [{port: 30001, protocol: TCP, appProtocol: x}]}"),
		operations(target, `[{"op": "add", "path": "/spec/ports/7/appProtocol", "value": "x"}]`),
	)
	assert.Truef(t,
		len(errs) == 1 && strings.Contains(errs[0].Error(),
			"spec.patches[0]: line 4: a merge of lists with 1001 items"),
		"got %v", errs)
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
	_, errs := Check(written(t, f.with(validation.JoinPatches(patches)...)), patches, "")
	return errs
}

// written is the folder as files.
func written(t testing.TB, f Folder) map[string][]byte {
	t.Helper()
	files := maps.Clone(f.Files)
	var err error
	files[kustomizationFile], err = object.Marshal(f.Kustomization)
	require.NoError(t, err)
	return files
}

// TestPatchesOfLargeObjects: patches of many large objects are refused before they are tried, and as many of small ones
// are not.
func TestPatchesOfLargeObjects(t *testing.T) {
	everything := operations(&v1.PatchTarget{Name: ".*"},
		`[{"op": "add", "path": "/metadata/labels/team", "value": "net"}]`)
	one := operations(balancer, `[{"op": "replace", "path": "/spec/replicas", "value": 3}]`)
	for _, row := range []struct {
		why     string
		large   int
		patches []v1.Patch
		want    string
	}{
		{"as many patches as there may be, of every service", 0,
			slices.Repeat([]v1.Patch{operations(&v1.PatchTarget{Kind: "Deployment"}, one.Patch)}, 32), ""},
		{"of all of them, by a selector", 16,
			slices.Repeat([]v1.Patch{operations(&v1.PatchTarget{LabelSelector: "a!=b"}, everything.Patch)}, 32),
			"put several changes into one"},
		{"of one object by many documents", 0,
			slices.Repeat([]v1.Patch{{Patch: strings.Repeat("---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: jumphost-bank, labels: {a: b}}\n", 50)}}, 32), "put several changes into one"},
		{"of all of them, by two targets in turn", 16, slices.Repeat([]v1.Patch{everything,
			operations(&v1.PatchTarget{Kind: ".*"}, everything.Patch)}, 16), "put several changes into one"},
	} {
		f := bank(t)
		for i := range row.large {
			name := fmt.Sprintf("large-%d.yaml", i)
			text := strings.ReplaceAll(string(widened(f.Files["loadbalancer-worker-bank.yaml"])),
				"loadbalancer-worker-bank", fmt.Sprintf("large-%d", i))
			f.Files[name] = []byte(text)
			f.Kustomization.Resources = append(f.Kustomization.Resources, name)
		}
		if row.want != "" { // nothing builds it, so that it is the count alone that refuses it
			f.Files["broken.yaml"] = []byte("kind: [")
			f.Kustomization.Resources = append(f.Kustomization.Resources, "broken.yaml")
		}
		errs := checked(t, f, row.patches...)
		if err := errors.Join(errs...); (err == nil) != (row.want == "") ||
			err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %.300v, want %q", row.why, err, row.want)
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
		{v1.Patch{Patch: "apiVersion: apps/v1\nkind: DeploymentList\nitems: []\n"}, false},
	} {
		errs := checked(t, bank(t), row.patch)
		assert.Truef(t, (len(errs) == 0) == row.right, "%s: got %v, want it right: %t", row.patch.Patch, errs,
			row.right)
	}
}

// widened is the load balancer's file with a thousand ports.
func widened(text []byte) []byte {
	head, rest, _ := strings.Cut(string(text), "  ports:\n  - name: port-")
	_, tail, _ := strings.Cut(rest, "  selector:\n")
	var out strings.Builder
	out.WriteString(head + "  ports:\n")
	for i := range 1000 {
		fmt.Fprintf(&out, "  - {name: port-%[1]d, port: %[1]d, protocol: TCP, targetPort: %[1]d, nodePort: %[1]d}\n",
			30000+i)
	}
	out.WriteString("  selector:\n" + tail)
	return []byte(out.String())
}
