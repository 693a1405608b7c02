package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestServiceOwners renders from a stand-in of an API server that has SIP's tenant: it is refused over SIP's objects, and without the right to
// look at them there is a warning. So it is with diff, though the tree is there and as it would be rendered: before the objects are handed
// over, 0 would say that the sync is done.
func TestServiceOwners(t *testing.T) {
	synced := func(objects []json.RawMessage) []json.RawMessage {
		return []json.RawMessage{bytes.Replace(objects[0], []byte(`"managedFields"`), []byte(`"labels":{"app.kubernetes.io/managed-by":"sipgen"},"managedFields"`), 1)}
	}
	spec, err := os.ReadFile(sipInputs + "/spec.yaml")
	if err != nil {
		t.Fatal(err)
	}
	bare, _, cut := strings.Cut(string(spec), "  services:\n")
	if !cut || strings.Contains(bare, "jumpHost") {
		t.Fatal("no services to leave out")
	}
	const missing, finalizer = "warning: Deployment lma-infra/jumphost-lma: there is no Secret jumphost-lma-host-keys", "warning: SIPCluster lma-infra/lma: it has the finalizer sip.airship.airshipit.org/finalizer"
	for name, row := range map[string]struct {
		spec        string
		deployments []json.RawMessage // nil: forbidden
		code        int
		says, not   string
	}{
		"SIP's":               {string(spec), sipDeployment("manager", "Update"), 1, "frozen: lma-infra/lma: Deployment lma-infra/jumphost-lma: its fields are owned by manager (Update)", "was not checked"},
		"SIP's, without keys": {string(spec), sipDeployment("manager", "Update"), 1, missing, "was not checked"},
		"handed over":         {string(spec), sipDeployment("kustomize-controller", "Apply"), 0, missing, "was not checked"},
		"the engine's":        {string(spec), synced(sipDeployment("kustomize-controller", "Apply")), 0, finalizer, "host-keys"},
		"not allowed":         {string(spec), nil, 0, "field ownership of services was not checked: the account may not list deployments", "policy folder grants"},
		"without service":     {bare, nil, 0, finalizer, "was not checked"},
	} {
		t.Run(name, func(t *testing.T) {
			api := newSIPOperator(t)
			api.deployments = row.deployments
			dir := t.TempDir()
			write := func(name, text string) string {
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return path
			}
			config := write("kubeconfig", api.kubeconfig())
			specs := write("spec.yaml", row.spec)
			sipgen := func(command string) (code int, text string) {
				var out bytes.Buffer
				code = run(t.Context(), []string{command, "--site", sipInputs + "/site.yaml", "-f", specs, "--inventory", "cluster",
					"--kubeconfig", config, "--out", filepath.Join(dir, "tree")}, strings.NewReader(""), &out, &out)
				return code, strings.Join(strings.Fields(out.String()), " ")
			}
			wanted := func(command string) {
				t.Helper()
				code, text := sipgen(command)
				if code != row.code || !strings.Contains(text, row.says) || strings.Contains(text, row.not) || code == 2 && strings.Contains(text, "no difference") {
					t.Errorf("%s: exit code %d, want %d, %q and no %q:\n%s", command, code, row.code, row.says, row.not, text)
				}
			}
			wanted("render")
			if row.code != 0 { // the tree is there, from a time when nobody owned anything
				api.deployments = []json.RawMessage{}
				if code, text := sipgen("render"); code != 0 {
					t.Fatalf("exit code %d:\n%s", code, text)
				}
				api.deployments = row.deployments
			}
			wanted("diff")
			if want := row.spec == string(spec); api.looked != want {
				t.Errorf("looked at Deployments: %t, want %t", api.looked, want)
			}
		})
	}
}
