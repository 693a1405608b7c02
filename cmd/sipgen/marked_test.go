package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// mark is in every value of every Secret.
var mark = canary{text: "MARKED7f3e9dQwZx"}

// markedSecrets are those that a site with every service has, by the keys that they are made with. That there is no
// other, and that each of them is named by something, the tree says.
func markedSecrets(engineNamespace string) map[string][]string {
	return map[string][]string{
		"baremetal-operator-system/ironic-database-root":   {"password"},
		"baremetal-operator-system/ironic-database":        {"username", "password"},
		"baremetal-operator-system/ironic-api-credentials": {"username", "password", "htpasswd"},
		"baremetal-operator-system/ironic-tls":             {"tls.crt", "tls.key"},
		engineNamespace + "/vino-bmc":                      {"bmc_username", "bmc_password"},
		"vino/network-data":                                {"template"},
		"openstack/placement-secret":                       {"PlacementPassword", "PlacementDatabasePassword"},
		engineNamespace + "/fleet-git":                     {"username", "password", "identity"},
		engineNamespace + "/status-git":                    {"token"},
		"red/red-node-ssh":                                 {"ssh-privatekey"},
		"red/red-jump-keys":                                {"ssh_host_ed25519_key"},
		"red/red-dex-tls":                                  {"tls.crt", "tls.key"},
		"red/red-ldap":                                     {"password"},
	}
}

// runner is the part of a Site that has sipgen run in the cluster.
const runner = "  runner: {schedule: \"*/10 * * * *\", image: registry.example.org/sipgen:1, secret: fleet-git, status: {schedule: \"*/15 * * * *\", secret: status-git}}\n"

// markedSite writes the whole site's inputs, with every service that names a Secret, and every Secret beside the hosts
// and beside the specs.
func markedSite(t *testing.T, change ...string) (dir string, secrets map[string][]string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../examples/whole-site")))
	const grants = "    namespaces: [red]\n"
	edits := append([]string{
		grants, grants + "    issuerDomains: [red.example.org]\n    images: [registry.example.org]\n",
		"  services:\n", "  images: {jumpHost: registry.example.org/jump-host:1}\n" + runner +
			"  services:\n    placement:\n    - {name: placement, namespace: openstack, spec: {databaseInstance: openstack, secret: placement-secret}}\n",
		"secretName: whole-site-git", "secretName: fleet-git", "    specs: [tenants]\n", "    specs: [cluster]\n",
		"    inventory: hosts.yaml\n", "    inventory: cluster\n",
	}, change...)
	site := read(t, filepath.Join(dir, "site.yaml"))
	for i := 0; i < len(edits); i += 2 {
		require.Truef(t, strings.Contains(site, edits[i]), "the Site has no %q", edits[i])
		site = strings.Replace(site, edits[i], edits[i+1], 1)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "site.yaml"), []byte(site), 0o600))
	engine := "flux-system"
	if strings.Contains(site, "engine: argocd") {
		engine = "argocd"
	}
	secrets = markedSecrets(engine)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tenants/red.yaml"),
		[]byte(read(t, filepath.Join(dir, "tenants/red.yaml"))+`    jumpHost:
    - nodeInterfaceId: management
      nodePort: 30022
      sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO/U3rjtwvmtGX2eLm0ewdPD/UWr+X9vypuJN2A5pqvV operator@example.org]
      nodeSSHPrivateKeys: red-node-ssh
      hostKeys: red-jump-keys
    dex:
    - issuer: https://dex.red.example.org:30056
      nodePort: 30056
      tls: {secretName: red-dex-tls}
      env: [{name: BIND_PW, secretRef: {name: red-ldap, key: password}}]
      connectors:
      - {type: ldap, id: staff, name: Staff, config: {host: "ldap.example.org:636", bindDN: cn=dex, bindPW: $BIND_PW,
          userSearch: {baseDN: dc=example, username: uid, idAttr: uid, emailAttr: mail, nameAttr: cn}}}
      staticClients: [{id: kubernetes, name: Kubernetes, public: true, redirectURIs: ["http://localhost:8000"]}]
`), 0o600))
	hosts := read(t, filepath.Join(dir, "hosts.yaml"))
	hosts = strings.ReplaceAll(hosts, "      link: management\n",
		"      link: management\n      password: "+mark.text+"\n")
	hosts = strings.ReplaceAll(hosts, "stringData:\n", "stringData:\n  password: "+mark.text+"\n")
	credentials := regexp.MustCompile(`(?m)^    credentialsName: (.*)$`).FindAllStringSubmatch(hosts, -1)
	if len(credentials) < 12 || strings.Count(hosts, mark.text) < 24 {
		t.Fatalf("%d hosts have credentials, %d marks", len(credentials), strings.Count(hosts, mark.text))
	}
	for _, found := range credentials {
		secrets["vino-system/"+found[1]] = []string{"username", "password"}
	}
	beside := ""
	for key, names := range secrets { // in any order: nothing depends on it
		namespace, name, _ := strings.Cut(key, "/")
		object := map[string]any{
			"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
			"metadata": map[string]any{"namespace": namespace, "name": name,
				"annotations": map[string]any{"kubectl.kubernetes.io/last-applied-configuration": mark.text}},
		}
		values, plain := map[string]any{}, map[string]any{}
		for _, name := range names {
			values[name], plain["plain-"+name] = []byte(mark.text+" "+key), mark.text
		}
		object["data"], object["stringData"] = values, plain
		text := need.Value(yaml.Marshal(object))(t)
		hosts += "---\n" + string(text)
		if namespace == "red" {
			beside += "---\n" + string(text)
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hosts.yaml"), []byte(hosts), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tenants/secrets.yaml"), []byte(beside), 0o600))
	return dir, secrets
}

// secretNames are the names of Secrets in an object: whatever a field says that is called after Secrets, credentials or
// certificates.
func secretNames(value any, each func(name string)) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			secretNames(item, each)
		}
	case map[string]any:
		if name, ok := v["name"].(string); ok && v["kind"] == "Secret" {
			each(name)
		}
		for key, inner := range v {
			lower := strings.ToLower(key)
			if strings.Contains(lower, "secret") || strings.Contains(lower, "credentials") ||
				lower == "certificatename" || lower == "networkdatatemplate" {
				switch named := inner.(type) {
				case string:
					each(named)
				case map[string]any:
					if name, ok := named["name"].(string); ok {
						each(name)
					}
				}
			}
			secretNames(inner, each)
		}
	}
}

// wantMarked wants every Secret that the tree names to be one of those that are marked, and each of those that no host
// names to be named by it.
func wantMarked(t *testing.T, tree string, secrets map[string][]string) {
	t.Helper()
	known, named := map[string]bool{}, map[string]bool{}
	for key := range secrets {
		_, name, _ := strings.Cut(key, "/")
		known[name] = true
	}
	for _, path := range filesBelow(t, tree) {
		if filepath.Ext(path) != ".yaml" {
			continue
		}
		docs := need.Value(manifest.Parse(path, []byte(read(t, path))))(t)
		for i := range docs {
			assert.Truef(t, docs[i].Kind != "Secret", "%s: a Secret is rendered", path)
			var object any
			require.NoError(t, json.Unmarshal(docs[i].JSON, &object))
			secretNames(object, func(name string) {
				named[name] = true
				assert.Truef(t, known[name], "%s: names the Secret %q, which is not marked: add it to markedSecrets",
					path, name)
			})
		}
	}
	for _, found := range regexp.MustCompile(`(?m)^- Secret ([^ :]+)`).FindAllStringSubmatch(read(t,
		filepath.Join(tree, "PLAN.md")), -1) {
		_, name, _ := strings.Cut(found[1], "/")
		named[name] = true
		if secrets[found[1]] == nil {
			t.Errorf("PLAN.md names the Secret %s, which is not marked: add it to markedSecrets", found[1])
		}
	}
	for key := range secrets {
		if _, name, _ := strings.Cut(key, "/"); !named[name] && !strings.HasPrefix(key, "vino-system/") {
			t.Errorf("Secret %s is marked, and nothing in the tree names it", key)
		}
	}
}

func filesBelow(t *testing.T, dir string) (paths []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}

// formats are those of a command's --output, as the shell completes them: none is forgotten.
func formats(t *testing.T, name string) []string {
	t.Helper()
	command, _, err := newRoot(&terminal.UI{}).Find([]string{name})
	require.NoError(t, err)
	complete, found := command.GetFlagCompletionFunc("output")
	require.Truef(t, found, "%s has no --output", name)
	names, _ := complete(command, nil, "")
	require.Truef(t, len(names) >= 2, "%s has the formats %v", name, names)
	return names
}

// TestMarkedSecretsLeaveNoTrace: every Secret that anything of a site names is there, beside the hosts, beside the
// specs and on the API server, with a mark in every value, and the mark comes out nowhere: not in the tree, not in git,
// not in any format of what is printed, not in an error.
func TestMarkedSecretsLeaveNoTrace(t *testing.T) {
	argo := []string{"  engine: flux\n", "  engine: argocd\n  argocd: {order: none}\n",
		"      credentialsSecret: vino-bmc\n", ""}
	whole := read(t, "../../examples/whole-site/site.yaml")
	inGit := []string{runner, "", "    namespaces: [vino-system]\n",
		"    namespaces: [vino-system]\n    apply: overlay\n    base: metal\n",
		whole[strings.Index(whole, "    virtualHosts:\n"):], ""}
	for _, mode := range []struct {
		name   string
		change []string
		live   bool
		// all formats of all commands, and not only one of each kind.
		all bool
		// without are Secrets that nothing names in the mode.
		without []string
	}{
		{"flux, files", nil, false, true, nil},
		{"flux, live", nil, true, true, nil},
		{"argocd, live", argo, true, false, []string{"argocd/vino-bmc"}},
		{"argocd, snapshot", argo, true, false, []string{"argocd/vino-bmc"}},
		{"hosts in git", inGit, false, false,
			[]string{"flux-system/status-git", "flux-system/vino-bmc", "vino/network-data"}},
	} {
		t.Run(mode.name, func(t *testing.T) {
			dir, secrets := markedSite(t, mode.change...)
			for _, key := range mode.without {
				delete(secrets, key)
			}
			require.Truef(t,
				mark.seen(read(t, filepath.Join(dir, "hosts.yaml"))) != "" &&
					mark.seen(read(t, filepath.Join(dir, "tenants/secrets.yaml"))) != "",
				"there is no mark to be seen")
			m := &marked{t: t, dir: dir,
				in: []string{"--site", dir + "/site.yaml", "-f", dir + "/tenants", "--inventory", dir + "/hosts.yaml"}}
			m.hosts = m.in[4:]
			var cluster *markedCluster
			var config string
			if mode.live {
				cluster = newMarkedCluster(t, dir+"/hosts.yaml", dir+"/tenants")
				config = cluster.kubeconfig(t)
				m.hosts = []string{"--inventory", "cluster", "--kubeconfig", config}
				m.in = append(append(slices.Clone(m.in[:2]), "-f", "cluster"), m.hosts...)
			}
			if mode.name == "argocd, snapshot" {
				code, snapshot, said := ran(t,
					append([]string{"inventory", "--site", dir + "/site.yaml"}, m.hosts[2:]...)...)
				require.Truef(t, code == 0, "%s", said)
				m.unseen("snapshot", snapshot)
				require.NoError(t, os.WriteFile(dir+"/snapshot.yaml", []byte(snapshot), 0o600))
				m.in = []string{"--site", dir + "/site.yaml", "-f", dir + "/tenants", "--inventory",
					dir + "/snapshot.yaml"}
				m.hosts = m.in[4:]
			}
			m.everything(mode.all, secrets)
			if cluster == nil {
				return
			}
			live := []string{"--site", dir + "/site.yaml", "--kubeconfig", config}
			m.run(0, "inventory", live...)
			cluster.mu.Lock()
			defer cluster.mu.Unlock()
			assert.Truef(t, len(cluster.read) != 0, "no network data was read")
			for key := range cluster.read {
				assert.Truef(t, secrets[key] == nil && strings.HasSuffix(key, "-network-data"), "Secret %s was read",
					key)
			}
		})
	}
}

// marked is a site whose Secrets are marked.
type marked struct {
	t         *testing.T
	dir       string
	in, hosts []string
}

// run runs a command, wants one of two exit codes, the second being one higher, and no mark.
func (m *marked) run(code int, command string, args ...string) string {
	m.t.Helper()
	found, out, said := ran(m.t, append([]string{command}, args...)...)
	said = out + said
	if found != code && found != code+1 || said == "" {
		m.t.Errorf("%s %q: exit code %d, want %d or %d\n%s", command, args, found, code, code+1, said)
	}
	m.unseen(command+" "+strings.Join(args, " "), said)
	return said
}

func (m *marked) unseen(where, text string) {
	m.t.Helper()
	if part := mark.seen(text); part != "" {
		m.t.Errorf("%s: %q is seen", where, part)
	}
}

func (m *marked) with(args ...string) []string { return append(slices.Clone(m.in), args...) }

// everything runs all commands, and looks through all that they make.
func (m *marked) everything(all bool, secrets map[string][]string) {
	t := m.t
	some := func(command string) []string {
		names := formats(t, command)
		if !all {
			return names[len(names)-1:]
		}
		return names
	}
	tree := filepath.Join(m.dir, "tree")
	for _, format := range some("plan") {
		m.run(0, "plan", m.with("--previous", "none", "-o", format)...)
	}
	m.run(0, "plan", m.with("--previous", "none", "--without", "airshipit.org/rack=r3")...)
	for _, format := range some("diff") {
		m.run(1, "diff", m.with("--out", tree, "-o", format)...)
	}
	m.run(0, "render", m.with("--out", tree)...)
	wantMarked(t, tree, secrets)
	for _, path := range filesBelow(t, tree) {
		m.unseen(path, read(t, path))
	}
	for _, what := range []string{"red/edge", "vino-system/vino-subclusters-metal-1-master-0"} {
		for _, format := range some("explain") {
			m.run(0, "explain", m.with("--previous", tree, "-o", format, what)...)
		}
	}
	for _, format := range some("lint") {
		m.run(0, "lint", m.with("-o", format)...)
	}
	for _, format := range some("status") {
		m.run(0, "status", append([]string{"--site", m.dir + "/site.yaml", "--previous", tree, "-o", format},
			m.hosts...)...)
	}
	m.run(0, "tenants", m.with("--previous", tree)...)
	m.run(0, "tenants", m.with("--previous", tree, "--suggest")...)
	m.run(0, "init", append([]string{filepath.Join(m.dir, "new"), "--repo", "https://git.example.org/x.git", "--engine",
		"flux"}, m.hosts...)...)
	fleet := filepath.Join(m.dir, "fleet.git")
	git(t, "init", "-q", "--bare", "-b", "main", fleet)
	author := []string{"--repo", fleet, "--author", "Ada <ada@example.org>"}
	m.run(0, "publish", m.with(append(author, "--dry-run")...)...)
	m.run(0, "publish", m.with(author...)...)
	objects := git(t, "-C", fleet, "cat-file", "--batch-all-objects", "--batch")
	assert.Truef(t, strings.Contains(objects, "red-node-ssh"), "the services are not in git")
	m.unseen("git", objects)

	// What is wrong with inputs is said without a word of what stands in them.
	site := read(t, filepath.Join(m.dir, "site.yaml"))
	require.NoError(t,
		os.WriteFile(filepath.Join(m.dir, "site.yaml"),
			[]byte(strings.Replace(site, "secret: placement-secret", "secret: {placement-secret: "+mark.text+"}", 1)),
			0o600))
	for _, command := range []string{"plan", "lint"} {
		m.run(2, command, m.in...)
	}
	require.NoError(t, os.WriteFile(filepath.Join(m.dir, "site.yaml"), []byte(site), 0o600))
	if slices.Contains(m.in, m.dir+"/hosts.yaml") {
		hosts := read(t, filepath.Join(m.dir, "hosts.yaml"))
		for _, broken := range []string{"stringData: [" + mark.text + "]\nother:\n",
			"data: {networkData: " + mark.text + "}\nother:\n",
			"stringData:\n  networkData: '[" + mark.text + "'\nother:\n"} {
			require.NoError(t,
				os.WriteFile(filepath.Join(m.dir, "hosts.yaml"),
					[]byte(strings.Replace(hosts, "stringData:\n", broken, 1)), 0o600))
			m.run(1, "plan", m.with("--previous", "none", "-o", "wide")...)
			m.run(0, "lint", m.with("-o", "json")...)
		}
	}
}
