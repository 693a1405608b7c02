package v1alpha1

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/robfig/cron/v3"
	"k8s.io/apimachinery/pkg/util/validation"
)

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

var (
	runnerImage = regexp.MustCompile(`^[a-z0-9][A-Za-z0-9._/:@-]*$`)
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
	switch _, err := cron.ParseStandard(r.Schedule); {
	case r.Schedule == "":
		add(field+".schedule", "missing: when it runs, as in \"*/10 * * * *\"")
	case strings.Contains(r.Schedule, "TZ"):
		add(field+".schedule", "found %q: a CronJob takes no time zone in its schedule", r.Schedule)
	case err != nil:
		add(field+".schedule", "found %q, want five fields as in \"*/10 * * * *\"", r.Schedule)
	}
	switch {
	case r.Image == "":
		add(field+".image", "missing: the image of sipgen")
	case !runnerImage.MatchString(r.Image):
		add(field+".image", "found %q, want the name of an image", r.Image)
	}
	for i, specs := range s.Spec.Inputs.Specs {
		if specs != InputCluster && !configFile.MatchString(specs) {
			add(fmt.Sprintf("spec.inputs.specs[%d]", i), "found %q, which the runner cannot have in its ConfigMap: want cluster, or a file beside the Site as in \"tenants.yaml\"", specs)
		}
	}
	for _, name := range []struct{ field, value string }{{"configMap", r.ConfigMap}, {"secret", r.Secret}} {
		if name.value != "" {
			for _, message := range validation.IsDNS1123Subdomain(name.value) {
				add(field+"."+name.field, "found %q: %s", name.value, message)
			}
		}
	}
	if b := r.Propose; b != "" {
		if !branchName.MatchString(b) || strings.Contains(b, "..") || strings.HasSuffix(b, "/") || strings.HasSuffix(b, ".lock") {
			add(field+".propose", "found %q, want a branch name", b)
		} else if b == s.Spec.Repository.Branch {
			add(field+".propose", "found %q, which is the branch that is synced", b)
		}
	}
	s.validateRunnerEnvironment(field, add)
}

func (s *Site) validateRunnerEnvironment(field string, add problem) {
	r := s.Spec.Runner
	for _, name := range slices.Sorted(maps.Keys(r.Env)) {
		switch {
		case !environment.MatchString(name):
			add(field+".env", "found %q, want a variable of sipgen: SIPGEN_...", name)
		case secretVariables[name]:
			// Its value is not repeated.
			add(field+".env."+name, "is a secret, and would be in git: mount it from %s, and set %s_FILE", s.GitSecretName(), name)
		}
	}
	for i, port := range r.EgressPorts {
		if port < 1 || port > 65535 {
			add(fmt.Sprintf("%s.egressPorts[%d]", field, i), "found %d, want 1 to 65535", port)
		}
	}
}

// secretVariables have values that belong in no tree.
var secretVariables = map[string]bool{
	"SIPGEN_GIT_PASSWORD": true, "SIPGEN_GIT_TOKEN": true, "SIPGEN_FORGE_TOKEN": true, "SIPGEN_SSH_KEY_PASSPHRASE": true,
}
