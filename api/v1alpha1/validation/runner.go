package validation

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/robfig/cron/v3"

	"github.com/airshipit/sipgen/api/v1alpha1"
)

var (
	configFile  = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*\.(ya?ml|json)$`)
	environment = regexp.MustCompile(`^SIPGEN_[A-Z0-9_]+$`)
)

func validateRunner(s *v1alpha1.Site, add Report) {
	r := s.Spec.Runner
	if r == nil {
		return
	}
	const field = "spec.runner"
	if s.Spec.Hosts.Apply == v1alpha1.ApplyOverlay {
		add(field, "has no meaning with hosts.apply: overlay: the hosts are read from git there, and the site has "+
			"no account that reads them")
	}
	if s.Spec.Engine == v1alpha1.EngineArgoCD && s.Spec.ArgoCD.Server != v1alpha1.ArgoCDInCluster {
		add(field, "Argo CD is in another cluster than the hosts, and the runner would be with it: run sipgen "+
			"elsewhere, with a kubeconfig")
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
		if specs != v1alpha1.InputCluster && !configFile.MatchString(specs) {
			add(fmt.Sprintf("spec.inputs.specs[%d]", i),
				"found %q, which the runner cannot have in its ConfigMap: want cluster, or a file beside the Site "+
					"as in \"tenants.yaml\"", specs)
		}
	}
	if b := r.Propose; b != "" {
		if !isBranch(b) {
			add(field+".propose", "found %q, want a branch name", b)
		} else if b == s.Spec.Repository.Branch {
			add(field+".propose", "found %q, which is the branch that is synced", b)
		}
	}
	validateRunnerEnvironment(s, field, add)
}

// validateSchedule wants what a CronJob takes.
func validateSchedule(field, schedule string, add Report) {
	switch _, err := cron.ParseStandard(schedule); {
	case schedule == "":
		add(field, "missing: when it runs, as in \"*/10 * * * *\"")
	case strings.Contains(schedule, "TZ"):
		add(field, "found %q: a CronJob takes no time zone in its schedule", schedule)
	case err != nil:
		add(field, "found %q, want five fields as in \"*/10 * * * *\"", schedule)
	}
}

func validateRunnerEnvironment(s *v1alpha1.Site, field string, add Report) {
	r := s.Spec.Runner
	for _, name := range slices.Sorted(maps.Keys(r.Env)) {
		validateVariable(s, field+".env", name, r.Env[name], add)
	}
}

// validateVariable allows what cannot hold a secret, and nothing else: files by path, and the three variables that are
// none. A value that is refused is not repeated. Values that look like secrets anywhere in a Site are refused before
// this.
func validateVariable(s *v1alpha1.Site, field, name, value string, add Report) {
	switch {
	case !environment.MatchString(name):
		add(field, "found %q, want a variable of sipgen: SIPGEN_...", name)
		return
	case strings.HasSuffix(name, "_FILE"):
		if !isPlainPath(value) {
			add(field+"."+name, "want the absolute path of a file, as in /etc/sipgen/git/KEY for a key of %s",
				s.GitSecretName())
		}
		return
	}
	want := map[string]struct {
		ok   func(string) bool
		says string
	}{
		"SIPGEN_GIT_USERNAME":    {userName.MatchString, "want the name of an account"},
		"SIPGEN_GIT_PROXY":       {isPlainProxy, "want http://HOST:PORT, without a login"},
		"SIPGEN_SSH_KNOWN_HOSTS": {arePlainPaths, "want absolute paths, with a colon between them"},
	}
	known, found := want[name]
	switch {
	case !found:
		add(field+"."+name, "may be a secret, and would be in git: mount it from %s, and set %s_FILE; besides such "+
			"files the runner takes %s",
			s.GitSecretName(), name, strings.Join(slices.Sorted(maps.Keys(want)), ", "))
	case !known.ok(value):
		add(field+"."+name, "%s", known.says)
	}
}

var userName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$`)

// isPlainPath reports whether a text is an absolute path without anything to expand.
func isPlainPath(p string) bool {
	return path.IsAbs(p) && path.Clean(p) == p && p != "/" && len(p) <= 255 && plainFile.MatchString(p)
}

var plainFile = regexp.MustCompile(`^[A-Za-z0-9._/-]+$`)

func arePlainPaths(list string) bool {
	return !slices.ContainsFunc(strings.Split(list, ":"), func(p string) bool { return !isPlainPath(p) })
}

func isPlainProxy(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil &&
		strings.Trim(u.Path, "/") == "" && u.RawQuery == "" && u.Fragment == ""
}
