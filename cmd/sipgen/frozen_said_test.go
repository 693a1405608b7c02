package main

import (
	"testing"

	"github.com/airshipit/sipgen/internal/lint"
	"github.com/airshipit/sipgen/internal/report"
)

// Only what the run has said of the same cluster is left out.
func TestSaidFrozen(t *testing.T) {
	d := &decided{report: &report.Plan{Clusters: []report.Cluster{{Namespace: "a", Name: "x", Frozen: []string{"x.yaml: spec.nodes: too many"}}, {Namespace: "a", Name: "y"}}}}
	for _, row := range []struct {
		object, message string
		want            bool
	}{
		{"SIPCluster a/x", "too many", true},
		{"SIPCluster a/x", "an image whose contents change", false},
		{"SIPCluster a/y", "too many", false},
	} {
		if found := d.saidFrozen(&lint.Finding{Object: row.object, Message: row.message}); found != row.want {
			t.Errorf("%s: %s: found %t, want %t", row.object, row.message, found, row.want)
		}
	}
}
