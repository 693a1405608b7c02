package validation_test

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBadRunners: each is refused with the field and what was found, and a secret is not repeated.
func TestBadRunners(t *testing.T) {
	const good = "schedule: '*/5 * * * *', image: 'registry.example.org/sipgen:v1'"
	for _, row := range []struct{ runner, more, want string }{
		{"image: a", "", "spec.runner.schedule: missing: when it runs"},
		{"schedule: '*/5 * * * *'", "", "spec.runner.image: missing"},
		{"schedule: '5 minutes', image: a", "",
			`spec.runner.schedule: found "5 minutes", want five fields as in "*/10 * * * *"`},
		{"schedule: '61 * * * *', image: a", "", `spec.runner.schedule: found "61 * * * *"`},
		{"schedule: 'CRON_TZ=UTC 0 * * * *', image: a", "", "a CronJob takes no time zone"},
		{"schedule: '* * * * *', image: 'a b'", "", `spec.runner.image: found "a b", want an image reference`},
		{good + ", configMap: A_b", "", `spec.runner.configMap: found "A_b"`},
		{good + ", secret: ../git", "", `spec.runner.secret: found a value that is not a valid Secret name (not shown`},
		{good + ", propose: '-x'", "", `spec.runner.propose: found "-x", want a branch name`},
		{good + ", propose: main", "", `spec.runner.propose: found "main", which is the branch that is synced`},
		{good + ", env: {PATH: /tmp}", "", `spec.runner.env: found "PATH", want a variable of sipgen`},
		{good + ", env: {SIPGEN_GIT_TOKEN: hunter2-hunter2}", "",
			"spec.runner.env.SIPGEN_GIT_TOKEN: may be a secret, and would be in git: mount it from sipgen-dc1-git, and set SIPGEN_GIT_TOKEN_FILE"},
		{good + ", env: {SIPGEN_SIGN_PASSPHRASE: hunter2}", "", "set SIPGEN_SIGN_PASSPHRASE_FILE"},
		{good + ", env: {SIPGEN_OF_LATER: hunter2}", "",
			"besides such files the runner takes SIPGEN_GIT_PROXY, SIPGEN_GIT_USERNAME, SIPGEN_SSH_KNOWN_HOSTS"},
		{good + ", env: {SIPGEN_GIT_TOKEN_FILE: hunter2}", "",
			"spec.runner.env.SIPGEN_GIT_TOKEN_FILE: want the absolute path of a file"},
		{good + ", env: {SIPGEN_GIT_TOKEN_FILE: /" + strings.Repeat("hunter2/", 32) + "a}", "",
			"spec.runner.env.SIPGEN_GIT_TOKEN_FILE: want the absolute path of a file"},
		{good + ", env: {SIPGEN_GIT_TOKEN_FILE: /etc/../hunter2}", "",
			"spec.runner.env.SIPGEN_GIT_TOKEN_FILE: want the absolute path of a file"},
		{good + ", env: {SIPGEN_GIT_TOKEN_FILE: '/etc/$(hunter2)'}", "",
			"spec.runner.env.SIPGEN_GIT_TOKEN_FILE: want the absolute path of a file"},
		{good + ", env: {SIPGEN_GIT_PROXY: 'http://bot:hunter2@proxy:3128'}", "", "spec.runner.env.SIPGEN_GIT_PROXY: "},
		{good + ", env: {SIPGEN_GIT_PROXY: 'http://proxy:3128/?k=hunter2'}", "",
			"spec.runner.env.SIPGEN_GIT_PROXY: want http://HOST:PORT, without a login"},
		{good + ", env: {SIPGEN_GIT_USERNAME: 'bot:hunter2'}", "",
			"spec.runner.env.SIPGEN_GIT_USERNAME: want the name of an account"},
		{good + ", env: {SIPGEN_GIT_USERNAME: ghp_" + strings.Repeat("hunter2a", 5) + "}", "",
			"spec.runner.env.SIPGEN_GIT_USERNAME: "},
		{good + ", env: {SIPGEN_SSH_KNOWN_HOSTS: '/etc/a:hunter2'}", "",
			"spec.runner.env.SIPGEN_SSH_KNOWN_HOSTS: want absolute paths"},
		{good, "  inputs: {specs: [tenants]}\n",
			`spec.inputs.specs[0]: found "tenants", which the runner cannot have in its ConfigMap`},
		{good + ", status: {}", "", "spec.runner.status.schedule: missing"},
		{good + ", status: {schedule: hourly}", "", `spec.runner.status.schedule: found "hourly", want five fields`},
		{good + ", status: {schedule: '* * * * *', secret: A/b}", "",
			`spec.runner.status.secret: found a value that is not a valid Secret name (not shown`},
		{good, "  hosts: {apply: overlay, base: hosts}\n", "spec.runner: has no meaning with hosts.apply: overlay"},
		{good, "  engine: argocd\n  argocd: {order: none, server: 'https://other:6443', identity: 'system:serviceaccount:kube-system:argocd-manager'}\n", "spec.runner: Argo CD is in another cluster"},
	} {
		text := "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: dc1}\nspec:\n  repository: {url: 'https://git.example.org/fleet.git'}\n" + row.more + "  runner: {" + row.runner + "}\n"
		_, err := api.ParseSite("site.yaml", []byte(text))
		assert.Truef(t,
			err != nil && strings.Contains(err.Error(), row.want) && !strings.Contains(err.Error(), "hunter2"),
			"%s: found %v, want %s", row.runner, err, row.want)
	}
	_, err := api.ParseSite("site.yaml",
		[]byte("apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: dc1}\nspec:\n  repository: {url: 'https://git.example.org/fleet.git'}\n  runner: {"+good+", propose: sipgen/dc1, env: {SIPGEN_GIT_PROXY: 'http://proxy:3128', SIPGEN_GIT_USERNAME: sipgen-bot, SIPGEN_SSH_KNOWN_HOSTS: '/etc/a:/etc/b', SIPGEN_FORGE_TOKEN_FILE: /etc/sipgen/git/forge-token}}\n"))
	require.NoError(t, err)
}

// TestImages: no node can pull what is no image, and nobody would see before the pods start. A SIPCluster's are
// checked the same way.
func TestImages(t *testing.T) {
	const repository = "  repository: {url: 'https://git.example.org/a.git'}\n"
	bad := []string{"foo bar", "HAPROXY:3", "https://x/haproxy:3", "haproxy:3@sha256:12", "haproxy:", "a/haproxy:3 ",
		".*", strings.Repeat("a", 401)}
	good := []string{"haproxy", "docker.io/library/haproxy:3.2.24-alpine",
		"registry.example:5000/a/b@sha256:" + strings.Repeat("0a", 32)}
	for _, field := range []string{"haproxy", "jumpHost", "dex"} {
		for _, image := range bad {
			if _, err := parse(t, repository+"  images: {"+field+": '"+image+"'}\n"); err == nil ||
				!strings.Contains(err.Error(), "spec.images."+field+": found ") ||
				!strings.Contains(err.Error(), ", want an image reference, as in ") {
				t.Errorf("%s: %q: found %v", field, image, err)
			}
		}
		for _, image := range good {
			_, err := parse(t, repository+"  images: {"+field+": '"+image+"'}\n")
			assert.Truef(t, err == nil, "%s: %q: %v", field, image, err)
		}
	}
	for mirror, fits := range map[string]bool{
		"registry.example": true, "registry.example:5000": true, "registry.example:5000/mirror": true,
		"mirror.example/hub/":      true,
		"https://registry.example": false, "registry.example/a b": false, "registry.example/mirror:3": false,
		"registry.example/mirror@sha256": false, "registry.example//mirror": false, "/": false,
	} {
		_, err := parse(t, repository+"  images: {registryMirror: '"+mirror+"'}\n")
		refused := err != nil && strings.Contains(err.Error(), "spec.images.registryMirror: found ")
		assert.Truef(t, refused != fits, "mirror %q: found %v", mirror, err)
	}
}
