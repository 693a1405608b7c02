package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/status"
	"github.com/airshipit/sipgen/inventory/live"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"k8s.io/client-go/rest"
)

// TestWriteStatusMeetsOthers: where somebody else writes to the SIPCluster between reading and writing, the status is
// computed anew from what is there then; who keeps doing so is given way to, and what is right already is not written.
func TestWriteStatusMeetsOthers(t *testing.T) {
	for _, row := range []struct {
		why       string
		conflicts int
		// meanwhile is the status that the other one wrote.
		meanwhile string
		written   bool
		fails     bool
		patches   int
	}{
		{"nobody", 0, "", true, false, 1},
		{"one who adds a condition of his own", 1,
			`{"conditions":[{"type":"Paid","status":"True","reason":"Bill","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}`, true, false, 2},
		{"one who never ends", 99, `{}`, false, true, statusTries},
	} {
		version, patches, last := 1, 0, ""
		state := `{}`
		object := func() string {
			return fmt.Sprintf(`{"apiVersion":"airship.airshipit.org/v1","kind":"SIPCluster","metadata":{"namespace":"t","name":"a","generation":2,"resourceVersion":"%d"},"spec":{},"status":%s}`, version, state)
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if r.Method == http.MethodPatch {
				patches++
				body, _ := io.ReadAll(r.Body)
				last = string(body)
				if patches <= row.conflicts {
					version, state = version+1, row.meanwhile
					w.WriteHeader(http.StatusConflict)
					fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409}`)
					return
				}
				var sent struct{ Status json.RawMessage }
				assert.NoError(t, json.Unmarshal(body, &sent))
				version, state = version+1, string(sent.Status)
			}
			fmt.Fprint(w, object())
		}))
		defer server.Close()
		writer := need.Value(live.NewStatusWriter(&rest.Config{Host: server.URL}, app.SIPClusters))(t)
		spec := v1.SIPCluster{}
		spec.Namespace, spec.Name = "t", "a"
		tenants := &status.Tenants{Specs: []v1.SIPCluster{spec},
			Placement: &schedule.Placement{Clusters: []schedule.Cluster{{Key: schedule.ClusterKey{Namespace: "t",
				Name: "a"}}}}}
		written, err := writeStatus(context.Background(), writer, tenants, json.RawMessage(object()))
		assert.Truef(t, written == row.written && (err != nil) == row.fails && patches == row.patches,
			"%s: written %v, %v, %d patches", row.why, written, err, patches)
		if row.fails {
			continue
		}
		var sent struct {
			Metadata struct{ ResourceVersion string }
			Status   v1.SIPClusterStatus
		}
		if err := json.Unmarshal([]byte(last), &sent); err != nil ||
			sent.Metadata.ResourceVersion != fmt.Sprint(row.conflicts+1) ||
			len(sent.Status.Conditions) != row.conflicts+1 {
			t.Errorf("%s: sent %s", row.why, last)
		}
		if written, err = writeStatus(context.Background(), writer, tenants, json.RawMessage(object())); written ||
			err != nil || patches != row.patches {
			t.Errorf("%s: what is right was written: %v, %v", row.why, written, err)
		}
	}
}

// TestLiveClusterOfAnotherShape: what is in a live object is anybody's. A status that is none is no status, and the
// spec counts all the same.
func TestLiveClusterOfAnotherShape(t *testing.T) {
	const rest = `"metadata":{"namespace":"t","name":"a","generation":2,"resourceVersion":"7"},`
	for _, row := range []struct {
		object         string
		priority, most int // most conditions
	}{
		{`{` + rest + `"spec":{"priority":3},"status":{"conditions":[{"type":"Paid","status":"True"}]}}`, 3, 1},
		{`{` + rest + `"spec":{"priority":3},"status":"x"}`, 3, 0},
		{`{` + rest + `"spec":{"priority":3},"status":{"assigned":"x","short":1}}`, 3, 0},
		{`{` + rest + `"spec":"x","status":{"conditions":[{"type":"Paid","status":"True"}]}}`, 0, 1},
		{`{` + rest + `"spec":"x"}`, 0, 0},
	} {
		c, err := liveCluster(json.RawMessage(row.object))
		if err != nil {
			t.Errorf("%s: %v", row.object, err)
			continue
		}
		assert.Equal(t, "t/a", c.Key(), row.object)
		assert.Equal(t, "7", c.ResourceVersion, row.object)
		assert.EqualValues(t, 2, c.Generation, row.object)
		assert.EqualValues(t, row.priority, c.Spec.Priority, row.object)
		assert.Len(t, c.Status.Conditions, row.most, row.object)
		assert.Nil(t, c.Status.Short, row.object)
	}
	assert.Truef(t, need.Err(liveCluster(json.RawMessage(`{"metadata":"x"}`))) != nil,
		"an object without a name is a cluster")
}
