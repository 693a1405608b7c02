package report

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
)

// TestExplainUnavailable: hosts that a role matches and cannot have are counted, and if there are none, no line says
// so.
func TestExplainUnavailable(t *testing.T) {
	paused := func(s *inventory.State) { s.Paused = true }
	for state, want := range map[string]bool{"available": false, "paused": true} {
		hosts := []inventory.Host{host("a1", nil, nil)}
		if want {
			hosts = append(hosts, host("a2", nil, paused))
		}
		p := need.Value(schedule.Plan([]v1.SIPCluster{cluster("a", 1)}, hosts, schedule.Previous{},
			schedule.Options{Keys: keys}))(t)
		words, ok := ExplainCluster(p, schedule.ClusterKey{Namespace: "t", Name: "a"})
		assert.True(t, ok)
		if want {
			assert.Regexp(t, `matched but unavailable: .*1`, words, state)
		} else {
			assert.NotContains(t, words, "unavailable", state)
		}
	}
}

// TestExplainFirstHost: each host of the list has its own explanation, the first one too.
func TestExplainFirstHost(t *testing.T) {
	clusters := []v1.SIPCluster{cluster("a", 2)}
	p := need.Value(schedule.Plan(clusters, []inventory.Host{host("a1", nil, nil), host("a2", nil, nil)},
		schedule.Previous{}, schedule.Options{Keys: keys}))(t)
	plan := Of("dc1", clusters, p)
	for _, name := range []string{"metal3/a1", "metal3/a2"} {
		if out := Explain(plan, p, "", name); assert.NotNil(t, out.Host, name) {
			assert.Equal(t, name, out.Host.Host)
		}
	}
	assert.Nil(t, Explain(plan, p, "", "metal3/a3").Host)
}

// TestExplainEmptied: the danger is the first line about a host whose spec was lost, with the cluster and the role that
// have it, and no other host has that line.
func TestExplainEmptied(t *testing.T) {
	lost := func(s *inventory.State) { s.Provisioning = "provisioned" }
	for _, row := range []struct {
		host inventory.Host
		want string
	}{
		{host("h", held("a"), lost), "danger: the spec of metal3/h (t/a Worker) is EMPTY"},
		{host("h", nil, lost), "danger: the spec of metal3/h (no cluster's) is EMPTY"},
		{host("h", held("a"), nil), ""},
	} {
		p := need.Value(schedule.Plan([]v1.SIPCluster{cluster("a", 1)}, []inventory.Host{row.host},
			schedule.Previous{}, schedule.Options{Keys: keys}))(t)
		words, ok := ExplainHost(p, schedule.HostKey{Namespace: "metal3", Name: "h"})
		assert.True(t, ok)
		if row.want == "" {
			assert.NotContains(t, words, "danger")
			continue
		}
		assert.True(t, strings.HasPrefix(words, row.want), words)
	}
}
