package report

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/internal/finding"
	"github.com/stretchr/testify/assert"
)

// full is a plan of the clusters t/mine and t/other with something in every field.
func full() *Plan {
	plan := &Plan{
		APIVersion: "v1", Kind: "Plan", Site: "dc1", Kept: []KeptHosts{{Name: "spares"}}, InputWarnings: []string{"w"},
		Preflight: []string{"w"}, Refusals: []string{"r"}, Dangers: []string{"t/other: d"},
		Changes: []string{"t/other: c"},
		WhatIf:  []string{"w"}, NoTree: "n", Source: "s", HasTree: true, Overlay: true,
		Files:   []File{{Path: "clusters/t/other/x"}},
		Virtual: []string{"v of t/other"}, Tenants: map[string]string{"t": "tenant"}, OneList: true,
		lost: []lostHost{{words: "t/other: lost"}}, left: []string{"t/other"}, leftOut: []finding.Finding{
			{Object: finding.To("SIPCluster", "t", "other"), Message: "wrong",
				Place: finding.Place{File: "/here/other.yaml", Written: "other.yaml"}}},
		Findings: []finding.Finding{{Message: "left out: other.yaml: wrong"}},
	}
	for _, name := range []string{"mine", "other"} {
		key := "t/" + name
		plan.Clusters = append(plan.Clusters,
			ClusterResult{Namespace: "t", Name: name, Frozen: []string{name + ".yaml: no"},
				reasons: []finding.Finding{{Message: "no", Place: finding.Place{File: "/here/" + name + ".yaml"}}}})
		plan.Hosts = append(plan.Hosts, HostResult{Host: "m/" + name, Cluster: key})
		plan.Shortages = append(plan.Shortages, key+" is short")
		plan.shortOf = append(plan.shortOf, []string{key})
		plan.Freed = append(plan.Freed, Freed{Host: "m/" + name, Cluster: key})
		plan.Findings = append(plan.Findings, finding.Finding{Cluster: key, Message: "about " + key})
		plan.Services = append(plan.Services, ServiceChanges{Cluster: key})
		plan.Replicas = append(plan.Replicas, ReplicaChange{Cluster: key})
		plan.Components = append(plan.Components, ComponentChange{Cluster: key})
		plan.relabeled = append(plan.relabeled, relabeled{clusters: []string{key}})
	}
	return plan
}

// fields returns each field of a plan as text, and fails for one that is empty: a field that is added to Plan needs a
// value in full, and with it a decision of what is to become of it in a copy.
func fields(t *testing.T, plan *Plan, mayBeEmpty bool) map[string]string {
	t.Helper()
	out, value := map[string]string{}, reflect.ValueOf(plan).Elem()
	for i := range value.NumField() {
		name := value.Type().Field(i).Name
		assert.Truef(t, mayBeEmpty || !value.Field(i).IsZero(), "%s: want a value in full()", name)
		out[name] = fmt.Sprintf("%+v", value.Field(i))
	}
	return out
}

// TestOnlyOfEveryField: the part of a plan about one cluster has all that is about the cluster or the site, and nothing
// of another cluster.
func TestOnlyOfEveryField(t *testing.T) {
	plan := full()
	whole, part := fields(t, plan, false), fields(t, plan.Only("t/mine"), true)
	for name, is := range part {
		assert.NotContains(t, is, "other", name)
		if !strings.Contains(whole[name], "other") {
			assert.Equal(t, whole[name], is, name)
		}
		assert.Truef(t, strings.Contains(is, "mine") || !strings.Contains(whole[name], "mine"), "%s lacks the cluster",
			name)
	}
	assert.Equal(t, full(), plan, "the plan itself")
}

// TestHereOfEveryField: for a reader on this machine reasons and what is left out have the files as they were given,
// before and after the part about one cluster is taken.
func TestHereOfEveryField(t *testing.T) {
	plan := full()
	whole, here := fields(t, plan, false), fields(t, plan.Here(), false)
	for name, is := range here {
		if name != "Clusters" && name != "Findings" {
			assert.Equal(t, whole[name], is, name)
		}
	}
	assert.Equal(t, []string{"/here/mine.yaml: no"}, plan.Here().Clusters[0].Frozen, "reasons")
	assert.Equal(t, "left out: /here/other.yaml: wrong", plan.Here().Findings[0].Message, "what is left out")
	assert.Equal(t, plan.Findings[1:], plan.Here().Findings[1:], "the other findings")
	assert.Equal(t, fields(t, plan.Here().Only("t/mine"), true), fields(t, plan.Only("t/mine").Here(), true),
		"the part, then the machine's files")
	assert.Equal(t, full(), plan, "the plan itself")
}
