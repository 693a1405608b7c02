package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/airshipit/sipgen/hack/need"
)

// SetUID gives an object of a custom resource another uid, as a restored etcd does: the API server itself gives every
// object that it creates a uid of its own, and lets nobody choose. Nothing that acts on the object may have seen it
// before.
func (a *APIServer) SetUID(t testing.TB, resource schema.GroupVersionResource, namespace, name, uid string) {
	t.Helper()
	key := []byte("/registry/" + resource.Group + "/" + resource.Resource + "/" + namespace + "/" + name)
	var found struct {
		Kvs []struct{ Value []byte }
	}
	a.callEtcd(t, "range", map[string]any{"key": key}, &found)
	if len(found.Kvs) != 1 {
		t.Fatalf("etcd: %s: found %d values, want one", key, len(found.Kvs))
	}
	var object map[string]any
	if err := json.Unmarshal(found.Kvs[0].Value, &object); err != nil {
		t.Fatalf("etcd: %s: %v", key, err)
	}
	object["metadata"].(map[string]any)["uid"] = uid
	value, err := json.Marshal(object)
	need.OK(t, err)
	a.callEtcd(t, "put", map[string]any{"key": key, "value": value}, &struct{}{})
	Wait(t, "the uid of "+string(key), 10*time.Second, func() error {
		if got := string(a.Get(t, resource, namespace, name).GetUID()); got != uid {
			return fmt.Errorf("it is %s, want %s", got, uid)
		}
		return nil
	})
}

// callEtcd calls the JSON form of etcd's API, in which bytes are base64, as encoding/json has them.
func (a *APIServer) callEtcd(t testing.TB, what string, request, response any) {
	t.Helper()
	body, err := json.Marshal(request)
	need.OK(t, err)
	client := http.Client{Timeout: 10 * time.Second}
	answer, err := client.Post(a.etcd+"/v3/kv/"+what, "application/json", bytes.NewReader(body))
	need.OK(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("etcd: %s: %s: %v: %s", what, answer.Status, err, text)
	}
	need.OK(t, json.Unmarshal(text, response))
}
