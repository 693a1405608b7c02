package validation_test

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/api/v1alpha1/validation"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parse(t *testing.T, spec string) (*v1alpha1.Site, error) {
	t.Helper()
	docs, err := manifest.Parse("site.yaml",
		[]byte("apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: dc1}\nspec:\n"+spec))
	require.NoError(t, err)
	return api.SiteFromDocuments(docs)
}

func TestEverythingHasADefaultButTheRepository(t *testing.T) {
	site, err := parse(t, "  repository: {url: 'https://git.example.org/a.git'}\n")
	require.NoError(t, err)
	s := site.Spec
	if s.Engine != v1alpha1.EngineFlux || s.Hosts.Apply != v1alpha1.ApplyMerge || s.Repository.Branch != "main" ||
		s.LabelKeys.ClusterName != "sip.airshipit.org/cluster-name" || *s.Brake.MaxPercent != 10 ||
		*s.Brake.MaxHosts != 2 || s.NodePorts.Start != 30000 {
		t.Errorf("found %+v", s)
	}
}

// TestGoodSites: what is refused beside it, and warned of, is not where all is well.
func TestGoodSites(t *testing.T) {
	site, err := parse(t, "  repository: {url: 'git@git.example.org:a/b.git', path: sites/dc1}\n  flux: {serviceAccountName: platform}\n  decommission: [bank/a]\n"+
		"  hosts: {namespaces: [metal], claimNamespaces: [claims], networks: [{name: oam, addresses: [10.0.0.0/8]}]}\n  tenants: [{name: bank, namespaces: [bank]}]\n  argocd: {namespace: gitops, project: x}\n")
	require.NoError(t, err)
	assert.Equal(t, "ssh://git@git.example.org/a/b.git", site.Spec.Repository.FluxURL())
	site.Spec.Repository.URL = "https://git.example.org/a/b.git"
	assert.Equal(t, site.Spec.Repository.URL, site.Spec.Repository.FluxURL())
	unused := validation.UnusedFields(site)
	assert.Truef(t, len(unused) == 1 && unused[0].Path == "spec.argocd.project",
		"found %v, want Argo CD's project, as Flux is the engine", unused)
	for namespace, want := range map[string]bool{"kube-public": true, "flux-system": true, "gitops": false,
		"bank": false} {
		whose := site.Reserved(namespace)
		assert.Truef(t, (whose != "") == want, "%s: found %q, want it to be reserved: %t", namespace, whose, want)
	}
	other, err := parse(t, "  repository: {url: 'https://git.example.org/a.git'}\n  engine: argocd\n  argocd: {order: none, project: x}\n  flux: {serviceAccountName: platform}\n")
	require.NoError(t, err)
	unused = validation.UnusedFields(other)
	assert.Truef(t, len(unused) == 1 && unused[0].Path == "spec.flux.serviceAccountName",
		"found %v, want Flux' account", unused)
	const text = "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: dc1}\nspec: {repository: {url: 'https://git.example.org/a.git'}}\n"
	if found, err := api.LoadSite("-", strings.NewReader(text)); err != nil || found.Name != "dc1" {
		t.Errorf("found %v, %v", found, err)
	}
	_, err = api.LoadSite(t.TempDir(), nil)
	assert.ErrorContains(t, err, "a folder, want the Site's file", "a folder")
}

// TestArgoIdentity: the guard of the hosts is for the user that the hosts' API server takes Argo CD for.
func TestArgoIdentity(t *testing.T) {
	const remote = "server: 'https://mgmt.example.org:6443', "
	for _, row := range []struct{ why, fields, want string }{
		{"Argo CD's own cluster", "", "system:serviceaccount:gitops:argocd-application-controller"},
		{"its own cluster, said", "server: 'https://kubernetes.default.svc', ",
			"system:serviceaccount:gitops:argocd-application-controller"},
		{"its own cluster, impersonating", "identity: 'system:serviceaccount:argocd:fleet', ",
			"system:serviceaccount:argocd:fleet"},
		{"a service account of a remote cluster",
			remote + "identity: 'system:serviceaccount:kube-system:argocd-manager', ",
			"system:serviceaccount:kube-system:argocd-manager"},
		{"a certificate's common name", remote + "identity: \"O'Brien \\\\ Ops\", ", `O'Brien \ Ops`},
		{"a cloud's role", remote + "identity: 'arn:aws:iam::123456789012:role/argocd', ",
			"arn:aws:iam::123456789012:role/argocd"},
	} {
		site, err := parse(t, "  repository: {url: 'https://git.example.org/a.git'}\n  engine: argocd\n  argocd: {"+
			row.fields+"namespace: gitops, order: none}\n")
		if err != nil {
			t.Errorf("%s: %v", row.why, err)
			continue
		}
		assert.Equal(t, row.want, site.Spec.ArgoCD.Identity, row.why)
	}
	_, err := parse(t, "  repository: {url: 'https://git.example.org/a.git'}\n  argocd: {"+remote+"}\n")
	assert.NoError(t, err, "with Flux nobody needs Argo CD's identity")
}

func TestBadSites(t *testing.T) {
	const (
		repository = "  repository: {url: 'https://git.example.org/a.git'}\n"
		argocd     = "  engine: argocd\n  argocd: {order: none, "
		remote     = argocd + "server: 'https://mgmt.example.org:6443'"
	)
	for name, c := range map[string]struct{ spec, want string }{
		"no repository": {"  engine: flux\n",
			"site.yaml: document 1: line 4: spec.repository.url: missing"},
		"a password in the URL": {"  repository: {url: 'ssh://git:hunter2@git.example.org/a.git'}\n",
			"spec.repository.url: carries user or password"},
		"a token in the URL": {"  repository: {url: 'https://hunter2@git.example.org/a.git'}\n",
			"spec.repository.url: carries user or password"},
		"a token in the query": {"  repository: {url: 'https://git.example.org/a.git?private_token=hunter2'}\n",
			"spec.repository.url: has a query or a fragment"},
		"a token in the fragment": {"  repository: {url: 'ssh://git@git.example.org/a.git#hunter2'}\n",
			"spec.repository.url: has a query or a fragment"},
		"a token in a server's query": {repository + argocd +
			"server: 'https://mgmt.example.org/?token=hunter2', identity: argocd}\n",
			"spec.argocd.server: has a query or a fragment"},
		"a URL that is none": {"  repository: {url: 'git.example.org'}\n",
			"spec.repository.url: found \"git.example.org\", want ssh://"},
		"a URL with a line end": {"  repository: {url: \"https://git.example.org/a\\nb\"}\n",
			"spec.repository.url: "},
		"a path out of the repository": {"  repository: {url: 'file:///a', path: ../b}\n",
			`spec.repository.path: found "../b"`},
		"an absolute path": {"  repository: {url: 'file:///a', path: /b}\n",
			`spec.repository.path: found "/b"`},
		"git's own folder": {"  repository: {url: 'file:///a', path: .git/hooks}\n",
			`spec.repository.path: found ".git/hooks"`},
		"a branch by its whole name": {"  repository: {url: 'file:///a', branch: refs/heads/main}\n",
			`spec.repository.branch: found "refs/heads/main", want a branch name`},
		"a branch that stands for another": {"  repository: {url: 'file:///a', branch: HEAD}\n",
			`spec.repository.branch: found "HEAD", want a branch name`},
		"a branch that is an option": {"  repository: {url: 'file:///a', branch: --upload-pack=x}\n",
			`spec.repository.branch: found "--upload-pack=x"`},
		"an order that Argo CD cannot keep": {repository + "  engine: argocd\n",
			`spec.argocd.order: missing: Argo CD does not wait with a host's labels`},
		"waves over hosts in git": {repository +
			"  engine: argocd\n  argocd: {order: waves}\n  hosts: {apply: overlay, base: metal}\n",
			`spec.argocd.order: found waves with spec.hosts.apply overlay`},
		"a remote server and no identity": {repository + remote + "}\n",
			"spec.argocd.identity: missing: on \"https://mgmt.example.org:6443\" Argo CD is a different user from the one in its own cluster"},
		"a server that is no URL": {repository + argocd +
			"server: mgmt.example.org, identity: argocd}\n",
			`spec.argocd.server: found "mgmt.example.org", want the URL`},
		"a server with a password": {repository + argocd +
			"server: 'https://a:hunter2@mgmt.example.org', identity: argocd}\n",
			"spec.argocd.server: carries user or password"},
		"a server with a blank": {repository + argocd +
			"server: 'https://mgmt.example.org/ x', identity: argocd}\n", "spec.argocd.server: has a blank"},
		"an identity with a line end": {repository + remote + ", identity: \"argocd\\nadmin\"}\n",
			`spec.argocd.identity: found a value of 12 characters (not shown), want a user name`},
		"an identity with a blank at its end": {repository + remote + ", identity: 'argocd '}\n",
			`spec.argocd.identity: found "argocd "`},
		"a group for an identity": {repository + remote + ", identity: 'system:masters'}\n",
			`spec.argocd.identity: found "system:masters", which is a group`},
		"a namespace's group": {repository + remote +
			", identity: 'system:serviceaccounts:argocd'}\n", "which is a group"},
		"nobody for an identity": {repository + remote + ", identity: 'system:anonymous'}\n",
			`spec.argocd.identity: found "system:anonymous"`},
		"half a service account": {repository + remote +
			", identity: 'system:serviceaccount:argocd-manager'}\n",
			`spec.argocd.identity: found "system:serviceaccount:argocd-manager", want system:serviceaccount:NAMESPACE:NAME`},
		"a bad identity of its own cluster": {repository + argocd +
			"identity: 'system:serviceaccount:argocd:B'}\n",
			`spec.argocd.identity: found "system:serviceaccount:argocd:B"`},
		"an engine not known": {repository + "  engine: argo-cd\n",
			`spec.engine: found "argo-cd", want flux or argocd, did you mean "argocd"?`},
		"overlay without its base": {repository + "  hosts: {apply: overlay}\n",
			"spec.hosts.base: missing"},
		"a label key that is none": {repository + "  labelKeys: {nodeType: a b}\n",
			`spec.labelKeys.nodeType: found "a b"`},
		"a label key twice": {repository + "  labelKeys: {nodeType: x, standby: x}\n",
			"spec.labelKeys.standby: the same key as nodeType"},
		"somebody else's label key": {repository +
			"  labelKeys: {nodeType: infrastructure.cluster.x-k8s.io/node-reuse}\n",
			"spec.labelKeys.nodeType: found \"infrastructure.cluster.x-k8s.io/node-reuse\": keys of x-k8s.io " +
				"belong to other programs"},
		"everybody breaks the glass": {repository + "  breakGlassGroups: ['system:authenticated']\n",
			"spec.breakGlassGroups[0]: found \"system:authenticated\": nearly everybody"},
		"metrics for nobody in particular": {repository + "  metrics:\n",
			"spec.metrics.namespaces: has no value"},
		"metrics with all commented out": {repository +
			"  metrics:\n    namespaces:\n    # - monitoring\n",
			"spec.metrics.namespaces: has no value: list namespaces, write [] for none"},
		"metrics for one namespace twice": {repository + "  metrics: {namespaces: [a, a]}\n",
			`spec.metrics.namespaces[1]: "a" is a duplicate of spec.metrics.namespaces[0]`},
		"a group that writes labels": {repository +
			"  labelGuard: {writers: ['system:serviceaccounts']}\n",
			`spec.labelGuard.writers[0]: found "system:serviceaccounts"`},
		"a writer without a name": {repository + "  labelGuard: {writers: ['']}\n",
			`spec.labelGuard.writers[0]: found ""`},
		"an identity that merge does not use": {repository + "  flux: {identity: me}\n",
			"spec.flux.identity: has no meaning with apply: merge"},
		"a GitHub App without a Secret": {repository + "  flux: {provider: github}\n",
			"spec.flux.secretName: missing: the Secret of the GitHub App"},
		"a workload identity and a Secret": {repository + "  flux: {provider: azure, secretName: a}\n",
			"spec.flux.secretName: found a Secret, want none"},
		"a root's account that is no name": {repository + "  flux: {serviceAccountName: a b}\n",
			`spec.flux.serviceAccountName: found "a b"`},
		"a root that makes its own account": {repository +
			"  flux: {serviceAccountName: sipgen-dc1-policy}\n",
			`spec.flux.serviceAccountName: found "sipgen-dc1-policy", want a name that neither begins with sipgen-dc1-`},
		"a root as a cluster's account": {repository + "  flux: {serviceAccountName: a.b.infra}\n",
			`spec.flux.serviceAccountName: found "a.b.infra"`},
		"a base that is the tree's": {repository + "  hosts: {apply: overlay, base: hosts}\n",
			`spec.hosts.base: found "hosts", want a folder outside the tree, which is at "." (spec.repository.path)`},
		"a base that is the repository": {"  repository: {url: 'file:///a', path: tenants}\n  hosts: {apply: overlay, base: .}\n", `spec.hosts.base: found ".", want a folder outside the tree, which is at "tenants"`},
		"a base below the tree":         {"  repository: {url: 'file:///a', path: sites/dc1}\n  hosts: {apply: overlay, base: sites/dc1/metal}\n", `spec.hosts.base: found "sites/dc1/metal", want a folder outside the tree, which is at "sites/dc1"`},
		"a base around the tree":        {"  repository: {url: 'file:///a', path: sites/dc1}\n  hosts: {apply: overlay, base: sites}\n", `spec.hosts.base: found "sites", want a folder outside the tree, which is at "sites/dc1"`},
		"an overlay by a group": {repository +
			"  hosts: {apply: overlay, base: metal}\n  flux: {identity: 'system:masters'}\n",
			`spec.flux.identity: found "system:masters", which is a group`},
		"node ports upside down": {repository + "  nodePorts: {start: 32000, end: 31000}\n",
			"spec.nodePorts: found 32000 to 31000"},
		"an unknown field": {repository + "  hosts: {namespace: [a]}\n",
			`spec.hosts.namespace: unknown field, did you mean "namespaces"?`},
		"a default label that is none": {repository + "  defaults: {labels: {a: 'b c'}}\n",
			"spec.defaults.labels"},
		"an interval in milliseconds": {repository + "  flux: {interval: 9999ms}\n",
			"spec.flux.interval: found 9.999s, want 10s or more"},
		"a namespace that is none": {repository + "  hosts: {namespaces: [a, B]}\n",
			`spec.hosts.namespaces[1]: found "B"`},
		"a namespace twice": {repository + "  hosts: {namespaces: [metal3, racks, metal3]}\n",
			`spec.hosts.namespaces[2]: "metal3" is a duplicate of spec.hosts.namespaces[0]`},
		"a shared namespace twice": {repository + "  hosts: {sharedNamespaces: [metal3, metal3]}\n",
			`spec.hosts.sharedNamespaces[1]: "metal3" is a duplicate of spec.hosts.sharedNamespaces[0]`},
		"claims without hosts' namespaces": {repository + "  hosts: {claimNamespaces: [platform]}\n",
			"spec.hosts.claimNamespaces: needs spec.hosts.namespaces"},
		"claims of any namespace": {repository +
			"  hosts: {namespaces: [metal3], claimNamespaces: ['*']}\n", `spec.hosts.claimNamespaces[0]: found "*"`},
		"claims of a namespace, twice": {repository +
			"  hosts: {namespaces: [metal3], claimNamespaces: [platform, platform]}\n",
			`spec.hosts.claimNamespaces[1]: "platform" is a duplicate of spec.hosts.claimNamespaces[0]`},
		"claims of a tenant": {repository +
			"  hosts: {namespaces: [metal3], claimNamespaces: [bank]}\n  tenants: [{name: finance, namespaces: [bank]}]\n", `spec.hosts.claimNamespaces[0]: found "bank", a namespace of tenant finance, which could claim every host`},
		"a cluster that leaves without its namespace": {repository + "  decommission: [edge]\n",
			`spec.decommission[0]: found "edge", want NAMESPACE/NAME of a cluster`},
		"a release of every host": {repository + "  hosts: {release: [{cluster: old/edge}]}\n",
			"spec.hosts.release[0].hosts: found none, want hosts by NAMESPACE/NAME or NAME"},
		"a release by a pattern of names": {repository +
			"  hosts: {release: [{cluster: old/edge, hosts: ['*']}]}\n",
			`spec.hosts.release[0].hosts[0]: found "*", want NAMESPACE/NAME of a host, or its NAME`},
		"a release from anybody": {repository +
			"  hosts: {release: [{cluster: '*', hosts: [metal3/n1]}]}\n",
			`spec.hosts.release[0].cluster: found "*", want NAMESPACE/NAME`},
		"a release of another site's host": {repository +
			"  hosts: {namespaces: [metal3], release: [{cluster: old/edge, hosts: [racks/n1]}]}\n",
			`spec.hosts.release[0].hosts[0]: found "racks/n1", which is in none of spec.hosts.namespaces`},
		"one host released from two clusters": {repository +
			"  hosts: {release: [{cluster: old/a, hosts: [metal3/n1]}, {cluster: old/b, hosts: [metal3/n1]}]}\n",
			`spec.hosts.release[1].hosts[0]: "metal3/n1" is a duplicate of spec.hosts.release[0].hosts[0]`},
		"a host network with a line end": {repository +
			"  hosts: {networks: [{name: \"oam\\nx\", addresses: [192.0.2.0/24]}]}\n",
			`spec.hosts.networks[0].name: found`},
		"a host network without a name": {repository +
			"  hosts: {networks: [{addresses: [192.0.2.0/24]}]}\n",
			`spec.hosts.networks[0].name: found "", want a network's id`},
		"a host network of an address": {repository +
			"  hosts: {networks: [{name: oam, addresses: [192.0.2.1]}]}\n",
			`spec.hosts.networks[0].addresses[0]: found "192.0.2.1", want a network in CIDR notation`},
		"a host network of every address": {repository +
			"  hosts: {networks: [{name: oam, addresses: [0.0.0.0/0]}]}\n",
			"spec.hosts.networks[0].addresses[0]: found 0.0.0.0/0, of which 0.0.0.0/8 is in every machine"},
		"a host network of other namespaces": {repository +
			"  hosts: {namespaces: [metal3], networks: [{name: oam, addresses: [192.0.2.0/24], namespaces: [edge]}]}\n",
			`spec.hosts.networks[0].namespaces[0]: found "edge", which is in none of spec.hosts.namespaces`},
		"host networks all commented out": {repository +
			"  hosts:\n    networks:\n    # - {name: oam, addresses: [192.0.2.0/24]}\n",
			"spec.hosts.networks: has no value: list networks, or remove the field, which lets hosts be on any network"},
		"a host network of no namespaces": {repository +
			"  hosts: {networks: [{name: oam, addresses: [192.0.2.0/24], namespaces: []}]}\n",
			"spec.hosts.networks[0].namespaces: has no value: list namespaces, or remove the field, which means all"},
		"reservations all commented out": {repository +
			"  tenants: [{name: red, namespaces: [red]}]\n  hosts: {reserved: null}\n",
			`spec.hosts.reserved: has no value: list reservations, or remove the field, which reserves no host`},
		"a count that is null": {repository +
			"  tenants: [{name: red, namespaces: [red]}]\n  hosts: {reserved: [{name: a, selector: {}, tenants: [red], count: null}]}\n", `spec.hosts.reserved[0].count: has no value: give it one, or remove the field, which means all selected hosts, for the tenants alone`},
		"tenants that are null": {repository +
			"  tenants: [{name: red, namespaces: [red]}]\n  hosts: {reserved: [{name: a, selector: {}, tenants: null, count: 1}]}\n", `spec.hosts.reserved[0].tenants: has no value: give it one, or remove the field, which means spares`},
		"no tenant of those reserved for": {repository +
			"  tenants: [{name: red, namespaces: [red]}]\n  hosts: {reserved: [{name: a, selector: {}, tenants: [], count: 1}]}\n", `spec.hosts.reserved[0].tenants: is empty: fill it in, or remove the field, which means spares`},
		"a reserved selector that is null": {repository +
			"  tenants: [{name: red, namespaces: [red]}]\n  hosts: {reserved: [{name: a, selector: null, count: 1}]}\n",
			`spec.hosts.reserved[0].selector: missing`},
		"reserved labels that are null": {repository +
			"  tenants: [{name: red, namespaces: [red]}]\n  hosts: {reserved: [{name: a, selector: {matchLabels: null}, count: 1}]}\n", `spec.hosts.reserved[0].selector.matchLabels: has no value`},
		"reserved labels without one": {repository +
			"  tenants: [{name: red, namespaces: [red]}]\n  hosts: {reserved: [{name: a, selector: {matchLabels: {}}, count: 1}]}\n", `spec.hosts.reserved[0].selector.matchLabels: is empty`},
		"one tenant twice": {repository +
			"  tenants: [{name: red, namespaces: [red]}]\n  hosts: {reserved: [{name: a, selector: {}, tenants: [red, red], count: 1}]}\n", `spec.hosts.reserved[0].tenants[1]: "red" is a duplicate of spec.hosts.reserved[0].tenants[0]`},
		"another document in the file": {repository + "---\nkind: ConfigMap\napiVersion: v1\n",
			"found v1 ConfigMap, want sipgen.airshipit.org/v1alpha1 Site"},
		"a second site in the same file": {repository +
			"---\nkind: Site\napiVersion: sipgen.airshipit.org/v1alpha1\nspec:\n" + repository,
			"a second Site, want one"},
	} {
		t.Run(name, func(t *testing.T) {
			site, err := parse(t, c.spec)
			assert.Truef(t, site == nil && err != nil && strings.Contains(err.Error(), c.want), "found %v\nwant  %s",
				err, c.want)
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the message repeats the credential: %v", err)
			}
		})
	}
}

// TestSiteNames: names of objects begin with it. Flux writes them into labels, and AppProjects have no longer ones.
func TestSiteNames(t *testing.T) {
	const long = "metadata.name: found 57 characters, want at most 56: names of objects begin with it"
	for _, row := range []struct{ name, more, want string }{
		{strings.Repeat("s", 56), "", ""},
		{strings.Repeat("s", 57), "", long},
		{strings.Repeat("s", 57), ", argocd: {project: tenants}", long},
		{strings.Repeat("s", 57), ", engine: argocd, argocd: {order: none}", long},
		{strings.Repeat("s", 57), ", engine: argocd, argocd: {order: none, project: tenants}", ""},
		{"Dc1", "", `metadata.name: found "Dc1"`},
	} {
		docs, err := manifest.Parse("site.yaml", []byte("apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\n"+
			"metadata: {name: "+row.name+"}\nspec: {repository: {url: 'https://git.example.org/a.git'}"+row.more+"}\n"))
		require.NoError(t, err)
		if _, err = api.SiteFromDocuments(docs); row.want == "" {
			assert.NoError(t, err, row)
			continue
		}
		assert.ErrorContains(t, err, row.want, row)
		assert.NotContains(t, err.Error(), "argocd", row)
	}
}
