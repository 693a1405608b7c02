package v1alpha1

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/manifest"
)

func parse(t *testing.T, spec string) (*Site, error) {
	t.Helper()
	docs, err := manifest.Parse("site.yaml", []byte("apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: dc1}\nspec:\n"+spec))
	if err != nil {
		t.Fatal(err)
	}
	return FromDocuments(docs)
}

func TestEverythingHasADefaultButTheRepository(t *testing.T) {
	site, err := parse(t, "  repository: {url: 'https://git.example.org/a.git'}\n")
	if err != nil {
		t.Fatal(err)
	}
	s := site.Spec
	if s.Engine != EngineFlux || s.Hosts.Apply != ApplyMerge || s.Repository.Branch != "main" ||
		s.LabelKeys.ClusterName != "sip.airshipit.org/cluster-name" || *s.Brake.MaxPercent != 10 || *s.Brake.MaxHosts != 2 || s.NodePorts.Start != 30000 {
		t.Errorf("found %+v", s)
	}
}

func TestBadSites(t *testing.T) {
	const repository = "  repository: {url: 'https://git.example.org/a.git'}\n"
	for name, c := range map[string]struct{ spec, want string }{
		"no repository":                     {"  engine: flux\n", "site.yaml: document 1: line 4: spec.repository.url: missing"},
		"a password in the URL":             {"  repository: {url: 'ssh://git:hunter2@git.example.org/a.git'}\n", "spec.repository.url: carries user or password"},
		"a token in the URL":                {"  repository: {url: 'https://hunter2@git.example.org/a.git'}\n", "spec.repository.url: carries user or password"},
		"a URL that is none":                {"  repository: {url: 'git.example.org'}\n", "spec.repository.url: found \"git.example.org\", want ssh://"},
		"a URL with a line end":             {"  repository: {url: \"https://git.example.org/a\\nb\"}\n", "spec.repository.url: "},
		"a path out of the repository":      {"  repository: {url: 'file:///a', path: ../b}\n", `spec.repository.path: found "../b"`},
		"an absolute path":                  {"  repository: {url: 'file:///a', path: /b}\n", `spec.repository.path: found "/b"`},
		"git's own folder":                  {"  repository: {url: 'file:///a', path: .git/hooks}\n", `spec.repository.path: found ".git/hooks"`},
		"a branch that is an option":        {"  repository: {url: 'file:///a', branch: --upload-pack=x}\n", `spec.repository.branch: found "--upload-pack=x"`},
		"an order that Argo CD cannot keep": {repository + "  engine: argocd\n", `spec.argocd.order: missing: Argo CD does not wait with a host's labels`},
		"an order that nobody knows":        {repository + "  engine: argocd\n  argocd: {order: waves}\n", `spec.argocd.order: found "waves", want none`},
		"an engine not known":               {repository + "  engine: argo-cd\n", `spec.engine: found "argo-cd", want flux or argocd, did you mean "argocd"?`},
		"overlay without its base":          {repository + "  hosts: {apply: overlay}\n", "spec.hosts.base: missing"},
		"a label key that is none":          {repository + "  labelKeys: {nodeType: a b}\n", `spec.labelKeys.nodeType: found "a b"`},
		"a label key twice":                 {repository + "  labelKeys: {nodeType: x, standby: x}\n", "spec.labelKeys.standby: the same key as nodeType"},
		"somebody else's label key":         {repository + "  labelKeys: {nodeType: infrastructure.cluster.x-k8s.io/node-reuse}\n", "spec.labelKeys.nodeType: found \"infrastructure.cluster.x-k8s.io/node-reuse\": keys of x-k8s.io belong to others"},
		"everybody breaks the glass":        {repository + "  breakGlassGroups: ['system:authenticated']\n", "spec.breakGlassGroups[0]: found \"system:authenticated\": nearly everybody"},
		"Flux and a file URL":               {"  repository: {url: 'file:///a'}\n", "spec.repository.url: found a file URL"},
		"node ports upside down":            {repository + "  nodePorts: {start: 32000, end: 31000}\n", "spec.nodePorts: found 32000 to 31000"},
		"an unknown field":                  {repository + "  hosts: {namespace: [a]}\n", `spec.hosts.namespace: unknown field, did you mean "namespaces"?`},
		"a default label that is none":      {repository + "  defaults: {labels: {a: 'b c'}}\n", "spec.defaults.labels"},
		"a brake above a hundred":           {repository + "  brake: {maxPercent: 101}\n", "spec.brake.maxPercent: found 101, want 0 to 100"},
		"an interval of nothing":            {repository + "  flux: {interval: 0s}\n", "spec.flux.interval: found 0s"},
		"a scheduling choice not known":     {repository + "  scheduling: {moves: yes}\n", "spec.scheduling.moves"},
		"a namespace that is none":          {repository + "  hosts: {namespaces: [a, B]}\n", `spec.hosts.namespaces[1]: found "B"`},
		"another document in the file":      {repository + "---\nkind: ConfigMap\napiVersion: v1\n", "found v1 ConfigMap, want sipgen.airshipit.org/v1alpha1 Site"},
		"a second site in the same file":    {repository + "---\nkind: Site\napiVersion: sipgen.airshipit.org/v1alpha1\nspec:\n" + repository, "a second Site, want one"},
	} {
		t.Run(name, func(t *testing.T) {
			site, err := parse(t, c.spec)
			if site != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("found %v\nwant  %s", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the message repeats the credential: %v", err)
			}
		})
	}
}
