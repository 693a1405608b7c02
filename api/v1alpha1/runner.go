package v1alpha1

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/robfig/cron/v3"
)

// Runner is a CronJob that runs sipgen publish --inventory cluster, in the engine's namespace and as the site's reader account. It reads this Site
// from a ConfigMap and pushes with the credentials in a Secret. The tree has neither of the two: whoever can push there must not be able to change
// what the Site grants.
type Runner struct {
	// Schedule, for example "*/10 * * * *".
	Schedule string `json:"schedule"`
	// Image of sipgen (make image); registryMirror does not apply.
	Image string `json:"image"`
	// ConfigMap in the engine's namespace with site.yaml and the files of spec.inputs.specs. Default
	// sipgen-SITE-config.
	// +optional
	ConfigMap string `json:"configMap,omitempty"`
	// Secret in the engine's namespace, with the same keys as for spec.flux.secretName. Default
	// sipgen-SITE-git.
	// +optional
	Secret string `json:"secret,omitempty"`
	// Branch for pull requests. Default: push to the synced branch.
	// +optional
	Propose string `json:"propose,omitempty"`
	// Variables by name, for example SIPGEN_FORGE_TOKEN_FILE: /etc/sipgen/git/KEY for a key of the Secret. The
	// tree is in git: use no secret values.
	// +optional
	Env map[string]string `json:"env,omitempty"`
	// Egress TCP ports besides DNS, 443, 6443 and the repository's. Default: none.
	// +kubebuilder:validation:MaxItems=20
	// +optional
	EgressPorts []int32 `json:"egressPorts,omitempty"`
	// CronJob for the status of SIPClusters, with its own account. Default: none.
	// +optional
	Status *RunnerStatus `json:"status,omitempty"`
}

// RunnerStatus is the CronJob that reports to tenants: kubectl get sipclusters shows what they have and what is short.
type RunnerStatus struct {
	// Schedule, for example "*/5 * * * *".
	Schedule string `json:"schedule"`
	// Secret with the same keys; read access suffices. Default: the runner's.
	// +optional
	Secret string `json:"secret,omitempty"`
}

// ConfigName is the ConfigMap that the runner reads the Site from.
func (s *Site) ConfigName() string {
	return cmp.Or(s.Spec.Runner.ConfigMap, "sipgen-"+s.Name+"-config")
}

// GitSecretName is the Secret with the credentials that the runner pushes with.
func (s *Site) GitSecretName() string {
	return cmp.Or(s.Spec.Runner.Secret, "sipgen-"+s.Name+"-git")
}

// SSH says whether the repository is reached by ssh, and by which port in any case. The URL is valid.
func (r *Repository) SSH() (ssh bool, port int) {
	parsed, err := url.Parse(r.URL)
	if err != nil || scpURL.MatchString(r.URL) {
		return true, 22
	}
	ssh = parsed.Scheme == "ssh"
	if _, err := fmt.Sscanf(parsed.Port(), "%d", &port); err == nil && port > 0 {
		return ssh, port
	}
	switch parsed.Scheme {
	case "ssh":
		return true, 22
	case "http":
		return false, 80
	}
	return false, 443
}

// FluxURL is the repository's URL as Flux takes it: the definition of its GitRepository refuses git's short form user@host:path, and ssh:// with the same user,
// host and path is what it stands for. The URL is valid.
func (r *Repository) FluxURL() string {
	//guard: the API server refuses Flux's GitRepository with git's short form of a URL, after everything was published
	if !scpURL.MatchString(r.URL) {
		return r.URL
	}
	host, path, _ := strings.Cut(r.URL, ":")
	return "ssh://" + host + "/" + strings.TrimLeft(path, "/")
}

// FluxLacksCredentials says that Flux is to read the repository by ssh, which needs credentials, and that no Secret is named for them.
func (s *Site) FluxLacksCredentials() bool {
	ssh, _ := s.Spec.Repository.SSH()
	return s.Spec.Engine == EngineFlux && ssh && s.Spec.Flux.SecretName == ""
}

// StatusSecretName is the Secret with the credentials that the CronJob of the status reads with.
func (s *Site) StatusSecretName() string {
	return cmp.Or(s.Spec.Runner.Status.Secret, s.GitSecretName())
}

var (
	configFile  = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*\.(ya?ml|json)$`)
	environment = regexp.MustCompile(`^SIPGEN_[A-Z0-9_]+$`)
)

func (s *Site) validateRunner(add problem) {
	r := s.Spec.Runner
	if r == nil {
		return
	}
	const field = "spec.runner"
	if s.Spec.Hosts.Apply == ApplyOverlay {
		add(field, "has no meaning with hosts.apply: overlay: the hosts are read from git there, and the site has no account that reads them")
	}
	if s.Spec.Engine == EngineArgoCD && s.Spec.ArgoCD.Server != ArgoCDInCluster {
		add(field, "Argo CD is in another cluster than the hosts, and the runner would be with it: run sipgen elsewhere, with a kubeconfig")
	}
	validateSchedule(field+".schedule", r.Schedule, add)
	optionalName(field+".configMap", r.ConfigMap, add)
	secretName(field+".secret", r.Secret, add)
	if r.Status != nil {
		validateSchedule(field+".status.schedule", r.Status.Schedule, add)
		secretName(field+".status.secret", r.Status.Secret, add)
	}
	if r.Image == "" {
		add(field+".image", "missing: the image of sipgen")
	}
	checkImage(field+".image", r.Image, add)
	for i, specs := range s.Spec.Inputs.Specs {
		if specs != InputCluster && !configFile.MatchString(specs) {
			add(fmt.Sprintf("spec.inputs.specs[%d]", i), "found %q, which the runner cannot have in its ConfigMap: want cluster, or a file beside the Site as in \"tenants.yaml\"", specs)
		}
	}
	if b := r.Propose; b != "" {
		if !isBranch(b) {
			add(field+".propose", "found %q, want a branch name", b)
		} else if b == s.Spec.Repository.Branch {
			add(field+".propose", "found %q, which is the branch that is synced", b)
		}
	}
	s.validateRunnerEnvironment(field, add)
}

// validateSchedule wants what a CronJob takes.
func validateSchedule(field, schedule string, add problem) {
	switch _, err := cron.ParseStandard(schedule); {
	case schedule == "":
		add(field, "missing: when it runs, as in \"*/10 * * * *\"")
	case strings.Contains(schedule, "TZ"):
		add(field, "found %q: a CronJob takes no time zone in its schedule", schedule)
	case err != nil:
		add(field, "found %q, want five fields as in \"*/10 * * * *\"", schedule)
	}
}

func (s *Site) validateRunnerEnvironment(field string, add problem) {
	r := s.Spec.Runner
	for _, name := range slices.Sorted(maps.Keys(r.Env)) {
		s.validateVariable(field+".env", name, r.Env[name], add)
	}
	for i, port := range r.EgressPorts {
		if port < 1 || port > 65535 {
			add(fmt.Sprintf("%s.egressPorts[%d]", field, i), "found %d, want 1 to 65535", port)
		}
	}
}

// validateVariable allows what cannot hold a secret, and nothing else: files by path, and the three variables that are none. A
// value that is refused is not repeated. Values that look like secrets anywhere in a Site are refused before this.
func (s *Site) validateVariable(field, name, value string, add problem) {
	switch {
	case !environment.MatchString(name):
		add(field, "found %q, want a variable of sipgen: SIPGEN_...", name)
		return
	case strings.HasSuffix(name, "_FILE"):
		//guard: a token in place of its file gets into git
		if !plainPath(value) {
			add(field+"."+name, "want the absolute path of a file, as in /etc/sipgen/git/KEY for a key of %s", s.GitSecretName())
		}
		return
	}
	want := map[string]struct {
		ok   func(string) bool
		says string
	}{
		"SIPGEN_GIT_USERNAME":    {userName.MatchString, "want the name of an account"},
		"SIPGEN_GIT_PROXY":       {plainProxy, "want http://HOST:PORT, without a login"},
		"SIPGEN_SSH_KNOWN_HOSTS": {plainPaths, "want absolute paths, with a colon between them"},
	}
	known, found := want[name]
	switch {
	//guard: a token in the runner's env gets into git
	case !found:
		add(field+"."+name, "may be a secret, and would be in git: mount it from %s, and set %s_FILE; besides such files the runner takes %s",
			s.GitSecretName(), name, strings.Join(slices.Sorted(maps.Keys(want)), ", "))
	//guard: a password that stands beside the user's name gets into git
	case !known.ok(value):
		add(field+"."+name, "%s", known.says)
	}
}

var userName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$`)

// plainPath is an absolute path in which nothing is expanded by anybody.
func plainPath(p string) bool {
	return path.IsAbs(p) && path.Clean(p) == p && p != "/" && plainFile.MatchString(p)
}

var plainFile = regexp.MustCompile(`^[A-Za-z0-9._/-]{2,255}$`)

func plainPaths(list string) bool {
	return !slices.ContainsFunc(strings.Split(list, ":"), func(p string) bool { return !plainPath(p) })
}

func plainProxy(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil &&
		strings.Trim(u.Path, "/") == "" && u.RawQuery == "" && u.Fragment == ""
}
