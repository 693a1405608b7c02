package services

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/render/infra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// TestJumpHostGuard: what the site's policy keeps from the identity of a jump host that RBAC would let do anything.
func TestJumpHostGuard(t *testing.T) {
	api := server(t)
	api.Namespaces(t, "guarded")
	api.Create(t, "kubectl-create", bareMetalHost("guarded", "node-1"),
		"apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: guarded, name: free, labels: {rack: r1}}\nspec: {online: true}\n",
		"apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: guarded, name: bare}\nspec: {online: true}\n")
	in := input(jumpHosts(""), v1.RoleWorker, "127.0.15.1")
	site, err := infra.SiteObjects(in.Site, []v1.SIPCluster{*in.Cluster})
	require.NoError(t, err)
	api.Apply(t, "e2e", string(site["jump-host-guard.yaml"]))
	api.AllRights(t, "everybody-here")
	set := func(value any, fields ...string) func(map[string]any) {
		return func(o map[string]any) { _ = unstructured.SetNestedField(o, value, fields...) }
	}
	drop := func(fields ...string) func(map[string]any) {
		return func(o map[string]any) { unstructured.RemoveNestedField(o, fields...) }
	}
	owner := []any{map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "x",
		"uid": "0f39f33a-8310-4dd1-a37d-2ffe8ca77e01"}}
	const jump = "system:serviceaccount:" + namespace + ":" + jumpName
	client := engine.NewClient(t, api.As(jump, "everybody-here"))
	reboot := func(client *engine.Client, host string) func() error {
		return func() error {
			return patchHost(t, client, "guarded", host, set("{}", "metadata", "annotations", "reboot.metal3.io"))
		}
	}
	as := func(account string) func() error {
		return reboot(engine.NewClient(t, api.As("system:serviceaccount:"+account, "everybody-here")), "node-1")
	}
	create := func() error {
		return client.TryApply(engine.Objects(t, []byte(bareMetalHost("guarded", "node-9")))[0], "probe", true)
	}
	spec := func() error { return patchHost(t, client, "guarded", "node-1", set(false, "spec", "online")) }
	api.WaitPolicies(t, "guarded")
	for _, row := range []struct {
		why    string
		do     func() error
		change func(map[string]any)
		denied string
	}{
		{"a host is made", create, nil, "neither creates nor deletes"},
		{"a host is deleted", func() error { return client.TryDelete(engine.Hosts, "guarded", "node-1", true) }, nil,
			"neither creates nor deletes"},
		{"a spec is changed", spec, nil, "no spec"},
		{"a spec is taken away", nil, drop("spec"), "no spec"},
		{"a label of sipgen's is set", nil, set("b", "metadata", "labels", "sip.airshipit.org/cluster-name"),
			"no labels"},
		{"all labels are taken away", nil, drop("metadata", "labels"), "no labels"},
		{"a finalizer is set", nil, set([]any{"example.org/x"}, "metadata", "finalizers"), "finalizers"},
		{"an owner is set", nil, set(owner, "metadata", "ownerReferences"), "owners"},
		{"another annotation is changed", nil, set("x", "metadata", "annotations", "example.org/asset"),
			"no annotation"},
		{"another annotation is taken away", nil, drop("metadata", "annotations", "example.org/asset"),
			"no annotation"},
		{"another annotation is set", nil, set("", "metadata", "annotations", "baremetalhost.metal3.io/detached"),
			"no annotation"},
		{"an annotation that only begins alike", nil, set("x", "metadata", "annotations", "reboot.metal3.iox"),
			"no annotation"},
		{"a reboot", nil, set("{}", "metadata", "annotations", "reboot.metal3.io"), ""},
		{"a power off", nil, set("{}", "metadata", "annotations", "reboot.metal3.io/sip-jump-host"), ""},
		{"a power on", nil, drop("metadata", "annotations", "reboot.metal3.io/sip-jump-host"), ""},
		{"a reboot by the cluster's second jump host", as("tenants:jumphost2-edge-a"), nil, ""},
		{"a reboot by another cluster's", as("tenants:jumphost-edge-b"), nil, "its own cluster"},
		{"a reboot by that of a cluster whose name ends alike", as("tenants:jumphost-an-edge-a"), nil,
			"its own cluster"},
		{"a reboot by that of a cluster whose name begins alike", as("tenants:jumphost-edge-a-b"), nil,
			"its own cluster"},
		{"a reboot by that of a cluster of the same name in another namespace", as("others:jumphost-edge-a"), nil,
			"its own cluster"},
		{"a reboot of a host that is nobody's", reboot(client, "free"), nil, "its own cluster"},
		{"a reboot of a host without labels", reboot(client, "bare"), nil, "its own cluster"},
	} {
		t.Run(row.why, func(t *testing.T) {
			do := row.do
			if do == nil {
				do = func() error { return patchHost(t, client, "guarded", "node-1", row.change) }
			}
			err := do()
			need.Error(t, row.why, err, row.denied)
			assert.Truef(t, err == nil || strings.Contains(err.Error(), "ValidatingAdmissionPolicy"),
				"not by the policy: %v", err)
		})
	}
	person := engine.NewClient(t, api.As("somebody", "everybody-here"))
	assert.NoError(t, patchHost(t, person, "guarded", "node-1", set(true, "spec", "online")), "a person: got")
}

// patchHost changes a host by a merge patch, for an account that may not update.
func patchHost(t *testing.T, client *engine.Client, namespace, name string, change func(map[string]any)) error {
	t.Helper()
	live := client.Get(t, engine.Hosts, namespace, name)
	before, err := json.Marshal(live.Object)
	require.NoError(t, err)
	changed := live.DeepCopy()
	change(changed.Object)
	after, err := json.Marshal(changed.Object)
	require.NoError(t, err)
	patch, err := jsonpatch.CreateMergePatch(before, after)
	require.NoError(t, err)
	_, err = client.Dynamic.Resource(engine.Hosts).Namespace(namespace).Patch(context.Background(), name,
		types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}
