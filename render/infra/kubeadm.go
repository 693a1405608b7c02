package infra

import (
	"errors"

	"github.com/airshipit/sipgen/render/object"
)

// kubeadmControlPlane is the kind of Cluster API's objects that the component of a Dex patches, in whatever namespace
// and of whatever name.
const (
	kubeadmGroup = "controlplane.cluster.x-k8s.io"
	kubeadmKind  = "KubeadmControlPlane"
)

// Authentication renders, for each Dex of a cluster, a kustomize component with which the cluster's API servers trust
// it, for Cluster API objects that operators or tools write: paths begin with the name of the Dex. Nothing in the
// tree applies it. It is a separate component, because including it rolls the control plane.
func Authentication(in *Checked) (map[string][]byte, error) {
	o := newOverlay(in)
	var errs []error
	files := map[string][]byte{}
	put := func(name string, content any) {
		text, err := object.Marshal(content)
		errs = append(errs, err)
		files[name] = text
	}
	for i := range o.Cluster.Spec.Services.Dex {
		folder, id := o.dexName(i).name, identityOf(&o.Cluster.Spec.Services.Dex[i])
		config, err := object.Sorted(id.authentication())
		errs = append(errs, err)
		var patches []object.Patch
		for _, version := range []string{"v1beta1", "v1beta2"} {
			file := "kubeadmcontrolplane-" + version + ".yaml"
			put(folder+"/"+file, kubeadmPatchOf(o.Cluster.Name, version, string(config)))
			patches = append(patches, object.Patch{Path: file,
				Target: &object.PatchTarget{Group: kubeadmGroup, Version: version, Kind: kubeadmKind}})
		}
		put(folder+"/kustomization.yaml", object.NewComponent(patches...))
	}
	return files, errors.Join(errs...)
}

type (
	// kubeadmPatch is a merge patch for Cluster API's KubeadmControlPlane. Its target selects the object: kustomize
	// requires a name without comparing it, and would write an apiVersion into the object.
	kubeadmPatch struct {
		Kind     string          `json:"kind"`
		Metadata kubeadmMetadata `json:"metadata"`
		Spec     struct {
			KubeadmConfigSpec kubeadmConfigSpec `json:"kubeadmConfigSpec"`
		} `json:"spec"`
	}
	kubeadmMetadata struct {
		Name string `json:"name"`
	}
	kubeadmConfigSpec struct {
		ClusterConfiguration struct {
			APIServer kubeadmAPIServer `json:"apiServer"`
		} `json:"clusterConfiguration"`
		Files []kubeadmFile `json:"files"`
	}
	kubeadmAPIServer struct {
		// ExtraArgs are an object in v1beta1, and a list since.
		ExtraArgs    any             `json:"extraArgs"`
		ExtraVolumes []kubeadmVolume `json:"extraVolumes"`
	}
	kubeadmArg struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	kubeadmVolume struct {
		Name      string `json:"name"`
		HostPath  string `json:"hostPath"`
		MountPath string `json:"mountPath"`
		ReadOnly  bool   `json:"readOnly"`
		PathType  string `json:"pathType"`
	}
	kubeadmFile struct {
		Path        string `json:"path"`
		Owner       string `json:"owner"`
		Permissions string `json:"permissions"`
		Content     string `json:"content"`
	}
)

// kubeadmPatchOf brings the authentication file to the control plane's hosts and points kube-apiserver at it.
func kubeadmPatchOf(name, version, config string) kubeadmPatch {
	patch := kubeadmPatch{Kind: kubeadmKind, Metadata: kubeadmMetadata{name}}
	spec := &patch.Spec.KubeadmConfigSpec
	spec.ClusterConfiguration.APIServer = kubeadmAPIServer{
		ExtraArgs:    []kubeadmArg{{"authentication-config", authenticationFile}},
		ExtraVolumes: []kubeadmVolume{{"oidc", authenticationFolder, authenticationFolder, true, "Directory"}},
	}
	if version == "v1beta1" {
		spec.ClusterConfiguration.APIServer.ExtraArgs = map[string]string{"authentication-config": authenticationFile}
	}
	spec.Files = []kubeadmFile{{authenticationFile, "root:root", "0644", config}}
	return patch
}
