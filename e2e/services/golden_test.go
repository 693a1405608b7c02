package services

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
)

// Every overlay of services in the golden trees is taken by the real API server in a strict dry run, and its pods by the
// restricted Pod Security profile. cert-manager's Certificates are left out: its definitions are not here.
func TestGoldenServicesAreAdmitted(t *testing.T) {
	api := server(t)
	var overlays []string
	err := filepath.WalkDir(filepath.Join("..", "..", "golden"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "kustomization.yaml" && filepath.Base(filepath.Dir(path)) == "infra" {
			overlays = append(overlays, filepath.Dir(path))
		}
		return err
	})
	need.OK(t, err)
	if len(overlays) == 0 {
		t.Fatal("no overlay of services in golden/")
	}
	for _, overlay := range overlays {
		built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), overlay)
		if err != nil {
			t.Errorf("%s: %v", overlay, err)
			continue
		}
		for _, r := range built.Resources() {
			o := unstructuredOf(t, r)
			if o.GroupVersionKind().Group == "cert-manager.io" {
				continue
			}
			api.Apply(t, "e2e", `{apiVersion: v1, kind: Namespace, metadata: {name: `+o.GetNamespace()+`, labels: {pod-security.kubernetes.io/enforce: restricted}}}`)
			admit(t, api, overlay, o)
			if o.GetKind() == "Deployment" {
				admitPod(t, api, o)
			}
		}
	}
}

// Every other object of the golden trees is taken in a strict dry run too: sync objects of both engines, policies, rights,
// what a site needs once, and Ironic. MariaDB's operator and ViNO cannot be had, nor their definitions. Host patches are left out: they carry the uid of a host that is not here, which
// the API server refuses as it should; the tests of the circle apply them to hosts that are.
func TestGoldenSyncObjectsAreAdmitted(t *testing.T) {
	api := server(t)
	api.InstallCRDs(t, engine.FluxCRDs(t)...)
	api.InstallCRDs(t, engine.ArgoCRDs(t)...)
	api.InstallCRDs(t, engine.UpstreamCRD("ironics.yaml"), engine.HostDeployPolicyCRD(t))
	for _, namespace := range []string{"flux-system", "argocd"} {
		api.Apply(t, "e2e", `{apiVersion: v1, kind: Namespace, metadata: {name: `+namespace+`}}`)
	}
	checked := map[string]int{}
	for _, pattern := range []string{"flux", "argocd", "policy", "claims", "site", "site/ironic"} {
		kustomizations, err := filepath.Glob(filepath.Join("..", "..", "golden", "*", pattern, "kustomization.yaml"))
		need.OK(t, err)
		for _, kustomization := range kustomizations {
			folder := filepath.Dir(kustomization)
			built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
			if err != nil {
				t.Errorf("%s: %v", folder, err)
				continue
			}
			for _, r := range built.Resources() {
				o := unstructuredOf(t, r)
				if o.GroupVersionKind().Group == "k8s.mariadb.com" {
					continue
				}
				checked[o.GetKind()]++
				// The namespaces of the hosts, where a site names them.
				if ns := o.GetNamespace(); ns != "" {
					api.Apply(t, "e2e", `{apiVersion: v1, kind: Namespace, metadata: {name: `+ns+`}}`)
				}
				admit(t, api, folder, o)
			}
		}
	}
	for _, kind := range []string{"Kustomization", "GitRepository", "Application", "AppProject", "ValidatingAdmissionPolicy", "ClusterRole", "Ironic", "HostDeployPolicy"} {
		if checked[kind] == 0 {
			t.Errorf("no %s in the golden trees", kind)
		}
	}
}

func unstructuredOf(t *testing.T, r interface{ MarshalJSON() ([]byte, error) }) *unstructured.Unstructured {
	t.Helper()
	content, err := r.MarshalJSON()
	need.OK(t, err)
	o := &unstructured.Unstructured{}
	need.OK(t, json.Unmarshal(content, o))
	return o
}

// admit has the API server look at an object in a strict dry run.
func admit(t *testing.T, api *engine.APIServer, where string, o *unstructured.Unstructured) {
	t.Helper()
	if err := api.TryApply(o, "e2e", true); err != nil {
		t.Errorf("%s: %s %s: %v", where, o.GetKind(), o.GetName(), err)
	}
}

// admitPod tries a pod of a Deployment in its namespace.
func admitPod(t *testing.T, api *engine.APIServer, deployment *unstructured.Unstructured) {
	t.Helper()
	template, _, _ := unstructured.NestedMap(deployment.Object, "spec", "template")
	template["apiVersion"], template["kind"] = "v1", "Pod"
	pod := &unstructured.Unstructured{Object: template}
	pod.SetName(deployment.GetName())
	pod.SetNamespace(deployment.GetNamespace())
	admit(t, api, "a pod", pod)
}
