package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/internal/manifest"
)

// TestServiceOwners renders from a stand-in of an API server that has SIP's tenant: it is refused over SIP's objects, and without the right to
// look at them there is a warning. So it is with diff, though the tree is there and as it would be rendered: before the objects are handed
// over, 0 would say that the sync is done.
func TestServiceOwners(t *testing.T) {
	const inputs = "../../testdata/inputs/sip-operator"
	docs, err := manifest.Read([]string{inputs + "/hosts.yaml"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	hosts, secrets := []json.RawMessage{}, map[string]json.RawMessage{}
	for _, doc := range docs {
		if doc.Kind == "Secret" {
			// An API server gives as data what was written as stringData.
			var written struct {
				StringData map[string]string `json:"stringData"`
			}
			if err := json.Unmarshal(doc.JSON, &written); err != nil {
				t.Fatal(err)
			}
			data := map[string][]byte{}
			for key, value := range written.StringData {
				data[key] = []byte(value)
			}
			if secrets[doc.Name], err = json.Marshal(map[string]any{"data": data}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		hosts = append(hosts, doc.JSON)
	}
	deployment := func(manager, operation string) []json.RawMessage {
		return []json.RawMessage{[]byte(`{"metadata":{"namespace":"lma-infra","name":"jumphost-lma","managedFields":[{"manager":"` + manager + `","operation":"` + operation +
			`","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"jumphost\"}":{".":{}}}}}}}}]}}`)}
	}
	synced := func(objects []json.RawMessage) []json.RawMessage {
		return []json.RawMessage{bytes.Replace(objects[0], []byte(`"managedFields"`), []byte(`"labels":{"app.kubernetes.io/managed-by":"sipgen"},"managedFields"`), 1)}
	}
	spec, err := os.ReadFile(inputs + "/spec.yaml")
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
		"SIP's":               {string(spec), deployment("manager", "Update"), 2, "refused: Deployment lma-infra/jumphost-lma: its fields are owned by manager (Update)", "was not checked"},
		"SIP's, without keys": {string(spec), deployment("manager", "Update"), 2, missing, "was not checked"},
		"handed over":         {string(spec), deployment("kustomize-controller", "Apply"), 0, missing, "was not checked"},
		"the engine's":        {string(spec), synced(deployment("kustomize-controller", "Apply")), 0, finalizer, "host-keys"},
		"not allowed":         {string(spec), nil, 0, "field ownership of services was not checked: the account may not list deployments", "policy folder grants"},
		"without service":     {bare, nil, 0, finalizer, "was not checked"},
	} {
		t.Run(name, func(t *testing.T) {
			looked, deployments := false, row.deployments
			api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				answer := any(map[string]any{"metadata": map[string]any{"resourceVersion": "7"}, "items": []any{}})
				list := func(items []json.RawMessage) {
					answer = map[string]any{"metadata": map[string]any{"resourceVersion": "7"}, "items": items}
				}
				switch last := filepath.Base(r.URL.Path); {
				case last == "baremetalhosts":
					list(hosts)
				case secrets[last] != nil:
					answer = secrets[last]
				case last == "services": // as a real API server writes an empty list of metadata
					answer = map[string]any{"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": map[string]any{"resourceVersion": "7"}, "items": nil}
				case last == "jumphost-lma-host-keys":
					w.WriteHeader(http.StatusNotFound)
					answer = map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}
				case last == "sipclusters":
					list([]json.RawMessage{[]byte(`{"metadata":{"namespace":"lma-infra","name":"lma","finalizers":["sip.airship.airshipit.org/finalizer"]}}`)})
				case last == "deployments":
					looked = true
					if !strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadataList") {
						t.Errorf("more than metadata is asked for: %s", r.Header.Get("Accept"))
					}
					if deployments == nil {
						w.WriteHeader(http.StatusForbidden)
						answer = map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403}
						break
					}
					list(deployments)
				}
				_ = json.NewEncoder(w).Encode(answer)
			}))
			defer api.Close()
			dir := t.TempDir()
			write := func(name, text string) string {
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return path
			}
			config := write("kubeconfig", `{"current-context":"a","contexts":[{"name":"a","context":{"cluster":"a"}}],"clusters":[{"name":"a","cluster":{"server":"`+api.URL+`"}}]}`)
			specs := write("spec.yaml", row.spec)
			sipgen := func(command string) (code int, text string) {
				var out bytes.Buffer
				code = run(t.Context(), []string{command, "--site", inputs + "/site.yaml", "-f", specs, "--inventory", "cluster",
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
				deployments = []json.RawMessage{}
				if code, text := sipgen("render"); code != 0 {
					t.Fatalf("exit code %d:\n%s", code, text)
				}
				deployments = row.deployments
			}
			wanted("diff")
			if want := row.spec == string(spec); looked != want {
				t.Errorf("looked at Deployments: %t, want %t", looked, want)
			}
		})
	}
}
