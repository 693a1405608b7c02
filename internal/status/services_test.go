package status

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/schedule"
)

func TestServices(t *testing.T) {
	for _, row := range []struct {
		why, kind, object string
		ready, stuck      bool
		what              string
	}{
		{"nothing there", "Ironic", "", false, false, "not synced: there is no such object"},
		{"an Ironic that is ready", "Ironic", `"metadata": {"generation": 2}, "status": {"installedVersion": "35.0", "conditions": [{"type": "Ready", "status": "True", "observedGeneration": 2}]}`, true, false, "version 35.0"},
		{"one that is not", "Ironic", `"metadata": {"generation": 2}, "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "DeploymentInProgress", "message": "waiting", "observedGeneration": 2}]}`, false, false, "Ready False: DeploymentInProgress: waiting"},
		{"one of an earlier spec", "Ironic", `"metadata": {"generation": 3}, "status": {"conditions": [{"type": "Ready", "status": "True", "observedGeneration": 2}]}`, false, false, "its operator has not seen this spec yet"},
		{"a Vino without conditions", "Vino", `"status": {}`, false, false, "its operator has not reported yet"},
		{"a PlacementAPI of an earlier spec", "PlacementAPI", `"metadata": {"generation": 3}, "status": {"observedGeneration": 2, "conditions": [{"type": "Ready", "status": "True"}]}`, false, false, "its operator has not seen this spec yet"},
		{"a PlacementAPI that waits", "PlacementAPI", `"status": {"conditions": [{"type": "Ready", "status": "Unknown", "reason": "Requested", "message": "Setup started"}, {"type": "DBReady", "status": "False", "reason": "Error"}]}`, false, false, "Ready Unknown: Requested: Setup started; DBReady False: Error"},
		{"a rollout that is complete", "Deployment", `"metadata": {"generation": 1}, "spec": {"replicas": 2}, "status": {"observedGeneration": 1, "updatedReplicas": 2, "availableReplicas": 2}`, true, false, "2 of 2 pods available, 2 of this version"},
		{"a rollout under way", "Deployment", `"metadata": {"generation": 2}, "spec": {"replicas": 2}, "status": {"observedGeneration": 2, "updatedReplicas": 1, "availableReplicas": 2}`, false, false, "2 of 2 pods available, 1 of this version"},
		{"a rollout not begun", "Deployment", `"metadata": {"generation": 2}, "status": {"observedGeneration": 1, "updatedReplicas": 1, "availableReplicas": 1}`, false, false, "1 of 1 pods available, 1 of this version"},
		{"a rollout that failed", "Deployment", `"status": {"conditions": [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "timed out"}]}`, false, true, "0 of 1 pods available, 0 of this version: timed out"},
		{"pods that are refused", "Deployment", `"status": {"conditions": [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "timed out"}, {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "exceeded quota"}]}`, false, true, "0 of 1 pods available, 0 of this version: timed out: exceeded quota"},
		{"pods that were refused", "Deployment", `"metadata": {"generation": 1}, "status": {"observedGeneration": 1, "updatedReplicas": 1, "availableReplicas": 1, "conditions": [{"type": "ReplicaFailure", "status": "True", "message": "exceeded quota"}]}`, true, false, "1 of 1 pods available, 1 of this version"},
		{"no status at all", "Deployment", `"status": "x"`, false, false, "its status cannot be read"},
	} {
		var docs []manifest.Document
		if row.object != "" {
			docs = []manifest.Document{{Kind: row.kind, Namespace: "n", Name: "x", JSON: []byte("{" + row.object + "}")}}
		}
		s := Services([]Wanted{{Kind: row.kind, Namespace: "n", Name: "x"}}, docs, "")[0]
		if s.Ready != row.ready || s.Stuck != row.stuck || s.What != row.what || s.Service != row.kind+" n/x" {
			t.Errorf("%s: found %+v\nwant %v %v %s", row.why, s, row.ready, row.stuck, row.what)
		}
	}
}

// TestServicesOfTenants: a tenant's SIPCluster has a condition of its own services and of those of the site; Ready is about its hosts.
func TestServicesOfTenants(t *testing.T) {
	key := schedule.ClusterKey{Namespace: "red", Name: "a"}
	tenants := &Tenants{
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{{Key: key}}},
		Services:  []Service{{Service: "Kustomization flux-system/x", What: "suspended"}, {Service: "Ironic m/i", What: "Ready False: X"}, {Service: "Deployment red/lb", Cluster: "red/a", Ready: true}, {Service: "Deployment blue/lb", Cluster: "blue/b", What: "of others"}},
	}
	live := &v1.SIPCluster{}
	live.Namespace, live.Name = key.Namespace, key.Name
	found := func() *metav1.Condition {
		status, _ := tenants.Of(live, metav1.Now())
		for i := range status.Conditions {
			if status.Conditions[i].Type == v1.ConditionServices {
				return &status.Conditions[i]
			}
		}
		return nil
	}
	if c := found(); c == nil || c.Status != metav1.ConditionFalse || !strings.Contains(c.Message, "Ironic m/i: Ready False: X") || strings.Contains(c.Message, "others") {
		t.Errorf("found %+v", c)
	}
	tenants.Services[1].Ready = true
	if c := found(); c == nil || c.Status != metav1.ConditionTrue || c.Message != "2 services: 2 ready" {
		t.Errorf("found %+v", c)
	}
	if tenants.Services = nil; found() != nil {
		t.Error("services that were not read are in the status")
	}
}
