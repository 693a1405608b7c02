package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/internal/manifest"
)

// sipInputs has what was recorded of the SIP operator's tenant lma.
const sipInputs = "../../testdata/inputs/sip-operator"

// sipOperator is a stand-in of an API server that has SIP's tenant. Deployments are what lists of them give, nil for a refusal.
type sipOperator struct {
	*httptest.Server
	deployments []json.RawMessage
	// looked: somebody asked for them.
	looked bool
}

func newSIPOperator(t *testing.T) *sipOperator {
	t.Helper()
	docs, err := manifest.Read([]string{sipInputs + "/hosts.yaml"}, nil)
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
	s := &sipOperator{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
			s.looked = true
			if !strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadataList") {
				t.Errorf("more than metadata is asked for: %s", r.Header.Get("Accept"))
			}
			if s.deployments == nil {
				w.WriteHeader(http.StatusForbidden)
				answer = map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403}
				break
			}
			list(s.deployments)
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *sipOperator) kubeconfig() string {
	return `{"current-context":"a","contexts":[{"name":"a","context":{"cluster":"a"}}],"clusters":[{"name":"a","cluster":{"server":"` + s.URL + `"}}]}`
}

// sipDeployment is SIP's Deployment of a jump host, with an owner of its fields.
func sipDeployment(manager, operation string) []json.RawMessage {
	return []json.RawMessage{[]byte(`{"metadata":{"namespace":"lma-infra","name":"jumphost-lma","managedFields":[{"manager":"` + manager + `","operation":"` + operation +
		`","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"jumphost\"}":{".":{}}}}}}}}]}}`)}
}
