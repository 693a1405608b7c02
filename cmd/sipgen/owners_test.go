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
// look at them there is a warning.
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
	spec, err := os.ReadFile(inputs + "/spec.yaml")
	if err != nil {
		t.Fatal(err)
	}
	bare, _, cut := strings.Cut(string(spec), "  services:\n")
	if !cut || strings.Contains(bare, "jumpHost") {
		t.Fatal("no services to leave out")
	}
	for name, row := range map[string]struct {
		spec        string
		deployments []json.RawMessage // nil: forbidden
		code        int
		says, not   string
	}{
		"SIP's":           {string(spec), deployment("manager", "Update"), 2, "refused: Deployment lma-infra/jumphost-lma: its fields are owned by manager (Update)", "was not checked"},
		"the engine's":    {string(spec), deployment("kustomize-controller", "Apply"), 0, "", "was not checked"},
		"not allowed":     {string(spec), nil, 0, "field ownership of services was not checked: the account may not list deployments", "policy folder grants"},
		"without service": {bare, nil, 0, "", "was not checked"},
	} {
		t.Run(name, func(t *testing.T) {
			looked := false
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
				case last == "deployments":
					looked = true
					if !strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadataList") {
						t.Errorf("more than metadata is asked for: %s", r.Header.Get("Accept"))
					}
					if row.deployments == nil {
						w.WriteHeader(http.StatusForbidden)
						answer = map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403}
						break
					}
					list(row.deployments)
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
			var out bytes.Buffer
			code := run(t.Context(), []string{"render", "--site", inputs + "/site.yaml", "-f", write("spec.yaml", row.spec), "--inventory", "cluster",
				"--kubeconfig", config, "--out", filepath.Join(dir, "tree")}, strings.NewReader(""), &out, &out)
			text := strings.Join(strings.Fields(out.String()), " ")
			if code != row.code || !strings.Contains(text, row.says) || strings.Contains(text, row.not) {
				t.Errorf("exit code %d, want %d, %q and no %q:\n%s", code, row.code, row.says, row.not, text)
			}
			if want := row.spec == string(spec); looked != want {
				t.Errorf("looked at Deployments: %t, want %t", looked, want)
			}
		})
	}
}
