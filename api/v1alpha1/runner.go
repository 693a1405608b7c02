package v1alpha1

import "cmp"

// Runner is a CronJob that runs sipgen publish --inventory cluster, in the engine's namespace, with the site's
// reader account. Site and credentials are in a ConfigMap and a Secret outside the tree: whoever can push there
// cannot change the Site's grants.
type Runner struct {
	// Schedule of the CronJob, for example "*/10 * * * *".
	Schedule string `json:"schedule"`
	// Image of sipgen (make image). The Site's registryMirror does not apply.
	Image string `json:"image"`
	// ConfigMap in the engine's namespace with site.yaml and the files of spec.inputs.specs. Default
	// sipgen-SITE-config.
	// +optional
	ConfigMap string `json:"configMap,omitempty"`
	// Secret in the engine's namespace, with the keys of spec.flux.secretName. Default sipgen-SITE-git.
	// +optional
	Secret string `json:"secret,omitempty"`
	// Branch for pull requests. Default: none; the runner pushes to the synced branch.
	// +optional
	Propose string `json:"propose,omitempty"`
	// Variables by name, for example SIPGEN_FORGE_TOKEN_FILE: /etc/sipgen/git/KEY for a key of the Secret. The
	// tree is in git: use no secret values. Default: none.
	// +kubebuilder:validation:MaxProperties=100
	// +optional
	Env map[string]string `json:"env,omitempty"`
	// TCP ports for egress besides DNS, 443, 6443 and the repository's. Default: none.
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:Minimum=1
	// +kubebuilder:validation:items:Maximum=65535
	// +optional
	EgressPorts []int32 `json:"egressPorts,omitempty"`
	// CronJob that writes the status of SIPClusters, with an account of its own. Default: none.
	// +optional
	Status *RunnerStatus `json:"status,omitempty"`
}

// RunnerStatus is a CronJob that writes the status of SIPClusters for tenants.
type RunnerStatus struct {
	// Schedule of the CronJob, for example "*/5 * * * *".
	Schedule string `json:"schedule"`
	// Secret with the keys of the runner's Secret; read access suffices. Default: the runner's.
	// +optional
	Secret string `json:"secret,omitempty"`
}

// ConfigName returns the ConfigMap with the Site for the runner.
func (s *Site) ConfigName() string {
	return cmp.Or(s.Spec.Runner.ConfigMap, "sipgen-"+s.Name+"-config")
}

// GitSecretName returns the Secret with the credentials for pushes of the runner.
func (s *Site) GitSecretName() string {
	return cmp.Or(s.Spec.Runner.Secret, "sipgen-"+s.Name+"-git")
}

// StatusSecretName returns the Secret with the credentials for reads of the status CronJob.
func (s *Site) StatusSecretName() string {
	return cmp.Or(s.Spec.Runner.Status.Secret, s.GitSecretName())
}
