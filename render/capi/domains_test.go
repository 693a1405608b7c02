package capi

import (
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFailureDomains(t *testing.T) {
	for _, row := range []struct {
		why     string
		set     v1.NodeSet
		domains []string
		want    map[string]string
	}{
		{"the key that metal3's provider knows", v1.NodeSet{TopologyKey: FailureDomainLabel},
			[]string{"r2", "r1", "", "r2"},
			map[string]string{v1beta1: "r1:\n  controlPlane: true\nr2:\n  controlPlane: true",
				v1beta2: "- controlPlane: true\n  name: r1\n- controlPlane: true\n  name: r2"}},
		{"one of several keys", v1.NodeSet{TopologyKeys: []string{"row", FailureDomainLabel}}, []string{"r1"},
			map[string]string{v1beta1: "r1:\n  controlPlane: true", v1beta2: "- controlPlane: true\n  name: r1"}},
		{"another key, by which it cannot choose", v1.NodeSet{TopologyKey: "rack"}, []string{"r1"}, nil},
		{"no host yet", v1.NodeSet{TopologyKey: FailureDomainLabel}, nil, nil},
	} {
		c := cluster("t", "c")
		row.set.Count = &v1.NodeCount{Active: 3}
		c.Spec.Nodes[v1.RoleControlPlane] = row.set
		in := input(c)
		in.Domains = row.domains
		for _, version := range []string{v1beta1, v1beta2} {
			built, err := build(t, templates(version), in)
			require.NoError(t, err)
			assert.Equal(t, row.want[version], at(t, built, "Metal3Cluster", "mine", "spec", "failureDomains"), row.why)
		}
	}
}

// A control plane of one machine cannot go down first: Cluster API refuses it.
func TestSmallControlPlaneKeepsItsRollout(t *testing.T) {
	for active, want := range map[int]string{1: "", 2: "", 3: "rollingUpdate:\n  maxSurge: 0\ntype: RollingUpdate"} {
		c := cluster("t", "c")
		c.Spec.Nodes[v1.RoleControlPlane] = v1.NodeSet{Count: &v1.NodeCount{Active: active}}
		built, err := build(t, templates(v1beta1), input(c))
		require.NoError(t, err)
		assert.Equal(t, want, at(t, built, "KubeadmControlPlane", "mine", "spec", "rolloutStrategy"), active)
	}
}
