package overlay

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What anybody may have pushed is built only if it is what sipgen writes: nothing is fetched, run or read from
// elsewhere.
func TestParseRefusesWhatSipgenDoesNotWrite(t *testing.T) {
	for _, row := range []struct{ why, old, new, want string }{
		{"a resource from elsewhere", "resources:\n", "resources:\n- https://evil.example/x.git//y?ref=main\n",
			"want files of the folder"},
		{"a folder above", "resources:\n", "resources:\n- ../../other/infra\n", "want files of the folder"},
		{"a component", "kind: Kustomization", "kind: Component", "fields that sipgen does not write"},
		{"helm charts", "kind: Kustomization",
			"kind: Kustomization\nhelmCharts: [{name: x, repo: 'https://evil.example'}]",
			"fields that sipgen does not write"},
		{"a transformer", "kind: Kustomization", "kind: Kustomization\ntransformers: [x.yaml]",
			"fields that sipgen does not write"},
		{"a generator", "kind: Kustomization", "kind: Kustomization\ngenerators: [x.yaml]",
			"fields that sipgen does not write"},
		{"a schema", "kind: Kustomization", "kind: Kustomization\nopenapi: {path: x.json}",
			"fields that sipgen does not write"},
		{"replacements", "kind: Kustomization", "kind: Kustomization\nreplacements: [{path: x.yaml}]",
			"fields that sipgen does not write"},
		{"a field that kustomize has not", "kind: Kustomization", "kind: Kustomization\nnonsense: 1",
			"not a kustomization"},
		{"a file from elsewhere", "haproxy.cfg=loadbalancer-controlplane-bank.cfg", "haproxy.cfg=/etc/passwd",
			"want files of the folder"},
		{"a patch from a file", "resources:\n", "patches:\n- path: ../x.yaml\nresources:\n",
			"fields that sipgen does not write"},
		{"a patch that may rename", "resources:\n",
			"patches:\n- {patch: 'a: b', options: {allowNameChange: true}}\nresources:\n",
			"fields that sipgen does not write"},
		{"a patch that grows", "resources:\n", "patches:\n- patch: |\n    a: &a [x]\n    b: [*a, *a]\nresources:\n",
			"patches[0]: line 1: a YAML anchor"},
		{"aliases", "kind: Kustomization", "kind: &k Kustomization\nnamePrefix: *k", "a YAML anchor"},
	} {
		files := bankFiles(t)
		text := string(files["kustomization.yaml"])
		files["kustomization.yaml"] = []byte(strings.Replace(text, row.old, row.new, 1))
		require.Truef(t, string(files["kustomization.yaml"]) != text, "%s: nothing is changed", row.why)
		if _, err := Parse(files); err == nil || !strings.Contains(err.Error(), row.want) ||
			strings.Contains(err.Error(), "evil") {
			t.Errorf("%s: got %v, want %q in it", row.why, err, row.want)
		}
	}
	files := bankFiles(t)
	files["dex-bank.yaml"] = []byte("a: &a [x, x]\nb: [*a, *a]\n")
	_, err := Parse(files)
	assert.ErrorContains(t, err, "dex-bank.yaml: line 1: a YAML anchor")
	for why, grow := range map[string]func(map[string][]byte){
		"many files": func(files map[string][]byte) {
			for i := range maxFiles {
				files[fmt.Sprintf("%d.cfg", i)] = nil
			}
		},
		"a large one": func(files map[string][]byte) { files["x.cfg"] = make([]byte, maxBytes) },
	} {
		large := bankFiles(t)
		grow(large)
		_, err := Parse(large)
		assert.ErrorContains(t, err, "want at most 2000 of 16777216", why)
	}
	delete(files, "kustomization.yaml")
	_, err = Parse(files)
	assert.Truef(t, err != nil, "no kustomization, no error")
}

func TestChanges(t *testing.T) {
	before := bank(t)
	same := changes(t, before, bank(t))
	require.Truef(t, len(same) == 0, "got %v of two that are equal", same)
	after := bank(t)
	after.Files["loadbalancer-controlplane-bank.cfg"] = []byte("# another\n")
	after.Files["jumphost-bank/hosts"] = []byte("# none\n") // in a ConfigMap that three volumes mount
	after.Files["jumphost-bank/authorized_keys"] = []byte("# nobody\n")
	after.Files["dex-bank.yaml"] = []byte(strings.Replace(string(after.Files["dex-bank.yaml"]),
		"rotationPolicy: Always", "rotationPolicy: Never", 1))
	after = after.with(
		operations(balancer, `[{"op": "replace", "path": "/spec/replicas", "value": 5}]`),
		container(jump, "image: registry.example.org/bank/jump:2, env: [{name: NOTE, value: s3cret}]"),
	)
	found := changes(t, before, after)
	want := map[string]string{
		"ConfigMap jumphost-bank-keys":              "data.authorized_keys",
		"Deployment loadbalancer-controlplane-bank": "rolls spec.replicas 3 → 5, configuration haproxy.cfg",
		"Deployment jumphost-bank": "rolls spec.template.spec.containers[jumphost].env[NOTE], spec.template.spec.containers[jumphost].image " +
			"registry.example.org/mirror/airshipit/jump-host:sipgen-v1 → registry.example.org/bank/jump:2, configuration hosts",
		"Certificate dex-bank": "spec.privateKey.rotationPolicy",
	}
	for _, c := range found {
		text := strings.Join(c.Fields, ", ")
		if c.Rolls {
			text = "rolls " + text
		}
		assert.Truef(t, want[c.Object] == text && !c.Added && !c.Gone, "%s: got %q, want %q", c.Object, text,
			want[c.Object])
		delete(want, c.Object)
	}
	for object := range want {
		t.Errorf("nothing is said of %s", object)
	}

	less := bank(t)
	less.Kustomization.Resources = less.Kustomization.Resources[1:]
	found = changes(t, before, less)
	gone := 0
	for _, c := range found {
		if c.Gone {
			gone++
		}
	}
	assert.Equal(t, 4, gone, found)
	if found := changes(t, less, before); len(found) != 4 || !found[0].Added {
		t.Errorf("got %v, want four that are added", found)
	}
}

const (
	operatorsKey  = "ssh-ed25519 SHA256:WERnq7mMqNiz5nFshCa9JiNfTBPYeo9QtPDvK6tLl4w"
	aKey          = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBbuXQpDCkJHZ3i6oUq7GzBLxFVnSgPkqFgZqkNdmqYj mallory@example.org"
	notAPublicKey = "a line that is not a plain public key"
)

// Where a cluster's services are reached, and who may log in, is said of those that are new as of those that change: by
// address, port and fingerprint.
func TestChangesOfAccess(t *testing.T) {
	before := bank(t)
	access := func(found []objdiff.Effect) map[string]string {
		out := map[string]string{}
		for _, c := range found {
			if words := strings.Join([]string{c.WasReached, c.Reached, strings.Join(c.Logins, ", "),
				strings.Join(c.NoLogins, ", ")}, "|"); words != "|||" {
				out[c.Object] = words
			}
		}
		return out
	}
	is, err := before.Built()
	require.NoError(t, err)
	if found := access(changed(t, Built{}, is)); !maps.Equal(found, map[string]string{
		"ConfigMap dex-bank":                     "||tokens of https://dex.bank.example.org:30556, users of ldap ldap.example.org:636|",
		"ConfigMap jumphost-bank-keys":           "||" + operatorsKey + "|",
		"Service dex-bank":                       "|every node of the management cluster, port 30556||",
		"Service jumphost-bank":                  "|every node of the management cluster, port 30022||",
		"Service loadbalancer-controlplane-bank": "|load balancer address 203.0.113.20, port 6443||",
		"Service loadbalancer-worker-bank":       "|load balancer address 203.0.113.20, ports 30080-30084||",
	}) {
		t.Errorf("all new: got %q", found)
	}
	assert.Len(t, access(changes(t, before, bank(t))), 0, "nothing changes: got")

	after := bank(t)
	after.Files["jumphost-bank/hosts"] = []byte("# none\n") // in a ConfigMap that three volumes mount
	after.Files["jumphost-bank/authorized_keys"] = []byte("# May log in.\n\n" + aKey + "\ncommand=\"s3cret\" " + aKey +
		"\n-----BEGIN OPENSSH PRIVATE KEY-----\n")
	after.Files["dex-bank.yaml"] = []byte(strings.Replace(string(after.Files["dex-bank.yaml"]), "nodePort: 30556",
		"nodePort: 30557", 1))
	found := access(changes(t, before, after))
	const ports = "every node of the management cluster, port 30556|every node of the management cluster, port 30557||"
	assert.Equal(t, ports, found["Service dex-bank"], "another node port")
	keys := found["ConfigMap jumphost-bank-keys"]
	if want := "||" + notAPublicKey + ", " + validation.KeyFingerprint(aKey) + "|" + operatorsKey; keys != want ||
		strings.Contains(keys, "s3cret") || len(found) != 2 {
		t.Errorf("other keys: got %q, want %q", found, want)
	}
}

func TestWhereAServiceIsReached(t *testing.T) {
	for _, row := range []struct{ fields, want string }{
		{`{"spec": {"ports": [{"port": 22}]}}`, "its name within the management cluster, port 22"},
		{`{"spec": {"clusterIP": "None", "ports": [{"port": 22}]}}`, "its name within the management cluster, port 22"},
		{`{"spec": {"clusterIP": "10.96.0.9", "ports": [{"port": 22}]}}`, "cluster IP 10.96.0.9, port 22"},
		{`{"spec": {"type": "LoadBalancer", "ports": [{"port": 22}, {"port": 23}]}}`,
			"a load balancer address that is not requested by name, ports 22-23; every node of the management " +
				"cluster, at 2 ports that the API server chooses"},
		{`{"spec": {"type": "NodePort", "ports": [{"port": 22}]}}`,
			"every node of the management cluster, at 1 port that the API server chooses"},
		{`{"spec": {"type": "NodePort", "clusterIP": "10.96.0.9", "ports": [{"port": 22, "nodePort": 30022}]}}`,
			"cluster IP 10.96.0.9, port 22; every node of the management cluster, port 30022"},
		{`{"spec": {"type": "LoadBalancer", "allocateLoadBalancerNodePorts": false, "ports": [{"port": 443}, {"port": 80}, {"port": 81}]}}`, "a load balancer address that is not requested by name, ports 80-81, 443"},
		{`{"metadata": {"annotations": {"metallb.universe.tf/loadBalancerIPs": "192.0.2.7"}}, "spec": {"type": "LoadBalancer", "allocateLoadBalancerNodePorts": false, "loadBalancerIP": "192.0.2.8", "ports": [{"port": 80}]}}`,
			"load balancer address 192.0.2.7, 192.0.2.8, port 80"},
		{`{"spec": {"externalIPs": ["192.0.2.7"], "ports": [{"port": 80}]}}`,
			"its name within the management cluster, port 80; external IPs 192.0.2.7, port 80"},
		{`{"spec": {"type": "ExternalName", "externalName": "x.example"}}`, "another name than its own"},
		{`{"spec": {"type": "LoadBalancer", "allocateLoadBalancerNodePorts": false, "loadBalancerIP": "a\n! b", "ports": [{"port": 80}]}}`, "load balancer address that is no IP address, port 80"},
		{`{"spec": {"type": "LoadBalancer", "allocateLoadBalancerNodePorts": false, "loadBalancerIP": "192.0.2.9,2001:db8::9", "clusterIP": "hunter2", "ports": [{"port": 80}]}}`, "load balancer address 192.0.2.9, 2001:db8::9, port 80"},
		{`{"spec": {"clusterIP": "hunter2", "ports": [{"port": 80}]}}`, "cluster IP that is no IP address, port 80"},
		{`{"spec": {"ports": [{"port": 1}, {"port": 3}, {"port": 5}, {"port": 7}, {"port": 9}, {"port": 11}, {"port": 13}, {"port": 15}, {"port": 17}, {"port": 19}]}}`,
			"its name within the management cluster, ports 1, 3, 5, 7, 9, 11, 13, 15 and 2 more ranges"},
	} {
		o := Object{Kind: "Service"}
		decoder := json.NewDecoder(strings.NewReader(row.fields))
		decoder.UseNumber()
		require.NoError(t, decoder.Decode(&o.Fields))
		assert.Equal(t, row.want, reached(&o), row.fields)
	}
}

func changes(t *testing.T, before, after Folder) []objdiff.Effect {
	t.Helper()
	was, err := before.Built()
	require.NoError(t, err)
	is, err := after.Built()
	require.NoError(t, err)
	return changed(t, was, is)
}

// Whoever has a certificate of an authority may log in, too.
func TestLoginsByCertificate(t *testing.T) {
	with := func(data map[string]any) *Object {
		return &Object{Kind: "ConfigMap", Fields: map[string]any{"data": data}}
	}
	more, less := logins(with(map[string]any{"authorized_keys": aKey + "\n"}),
		with(map[string]any{"authorized_keys": aKey + "\n", "trusted_user_ca": aKey + "\n", "hosts": aKey}))
	want := validation.KeyFingerprint(aKey) + " (a certificate authority: every user certificate that it signs)"
	assert.Truef(t, slices.Equal(more, []string{want}) && len(less) <= 0, "got %q and %q, want %q", more, less, want)
	if more, less := logins(with(map[string]any{"trusted_user_ca": aKey}), with(nil)); len(more) > 0 ||
		!slices.Equal(less, []string{want}) {
		t.Errorf("got %q and %q, want %q to go", more, less, want)
	}
}

// changed are the changes between two builds.
func changed(t *testing.T, was, is Built) []objdiff.Effect {
	t.Helper()
	out, err := Changes(was, is)
	require.NoError(t, err)
	return out
}
