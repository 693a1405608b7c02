package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/airshipit/sipgen/internal/manifest"
)

// markedCluster is a stand-in of an API server that has the objects of files, Secrets with all of their values, whatever is asked for. It notes
// which Secrets somebody reads: with values, and with their metadata alone.
type markedCluster struct {
	*httptest.Server
	mu   sync.Mutex
	read map[string]bool
}

func newMarkedCluster(t *testing.T, paths ...string) *markedCluster {
	t.Helper()
	docs, err := manifest.Read(paths, nil)
	check(t, err)
	lists, secrets := map[string][]json.RawMessage{}, map[string]json.RawMessage{}
	for i := range docs {
		doc := &docs[i]
		switch doc.Kind {
		case "BareMetalHost":
			lists["baremetalhosts"] = append(lists["baremetalhosts"], doc.JSON)
		case "SIPCluster":
			lists["sipclusters"] = append(lists["sipclusters"], doc.JSON)
		case "Secret":
			// An API server gives as data what was written as stringData.
			var written struct {
				Data       map[string][]byte `json:"data"`
				StringData map[string]string `json:"stringData"`
			}
			check(t, json.Unmarshal(doc.JSON, &written))
			if written.Data == nil {
				written.Data = map[string][]byte{}
			}
			for key, value := range written.StringData {
				written.Data[key] = []byte(value)
			}
			secrets[doc.Namespace+"/"+doc.Name], err = json.Marshal(map[string]any{"kind": "Secret", "apiVersion": "v1", "metadata": map[string]any{"namespace": doc.Namespace, "name": doc.Name}, "data": written.Data})
			check(t, err)
		}
	}
	c := &markedCluster{read: map[string]bool{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		parts := strings.Split(r.URL.Path, "/")
		last := parts[len(parts)-1]
		if len(parts) > 3 && parts[len(parts)-2] == "secrets" {
			key := parts[len(parts)-3] + "/" + last
			c.mu.Lock()
			c.read[key] = true
			c.mu.Unlock()
			if secrets[key] == nil {
				w.WriteHeader(http.StatusNotFound)
				_, _ = fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
				return
			}
			_, _ = w.Write(secrets[key])
			return
		}
		if last == "secrets" {
			t.Error("Secrets are listed")
		}
		kind := "List"
		if strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadataList") {
			kind = "PartialObjectMetadataList"
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"kind": kind, "apiVersion": "v1", "metadata": map[string]any{"resourceVersion": "7"}, "items": append([]json.RawMessage{}, lists[last]...)})
	}))
	t.Cleanup(c.Close)
	return c
}
