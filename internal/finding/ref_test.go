package finding

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The words of an object are the same on a terminal and in JSON.
func TestRef(t *testing.T) {
	for _, row := range []struct {
		ref                 Ref
		want, key, sentence string
	}{
		{Ref{}, "", "", ""},
		{To("SIPCluster", "tenants", "a"), "SIPCluster tenants/a", "tenants/a", "SIPCluster tenants/a"},
		{To("Site", "", "s"), "Site s", "s", "Site s"},
		{To(KindHost, "", ""), "BareMetalHost", "", "BareMetalHost"},
		{To(KindHost, "metal3", "n1"), "BareMetalHost metal3/n1", "metal3/n1", "host metal3/n1"},
		{Ref{KindHost, "metal3", "n1", 1}, "BareMetalHost metal3/n1 and 1 other host", "metal3/n1",
			"host metal3/n1 and 1 other host"},
		{Ref{KindHost, "metal3", "n1", 2}, "BareMetalHost metal3/n1 and 2 other hosts", "metal3/n1",
			"host metal3/n1 and 2 other hosts"},
		{Ref{Name: "main/hosts/n1.yaml"}, "main/hosts/n1.yaml", "main/hosts/n1.yaml", "main/hosts/n1.yaml"},
		{Ref{Others: 3}, "3 more", "", "3 more"},
	} {
		assert.Equal(t, row.want, row.ref.String(), "the words")
		assert.Equal(t, row.key, row.ref.Key(), "the key")
		assert.Equal(t, row.sentence, row.ref.words(), "the words of a sentence")
		data, err := json.Marshal(row.ref)
		require.NoError(t, err)
		assert.Equal(t, `"`+row.want+`"`, string(data), "JSON")
	}
}

// TestReason: a terminal has the file with its line, and the tree the file as the tenant's repository has it.
func TestReason(t *testing.T) {
	at := Place{File: "/home/me/tenants/a.yaml", Document: 2, Line: 7, Written: "tenants/a.yaml"}
	unnamed, read := at, Place{Source: "cluster", Written: "a"}
	unnamed.Written = ""
	for _, row := range []struct {
		why          string
		found        Finding
		here, inTree string
	}{
		{"a field", Finding{Object: To("SIPCluster", "t", "a"), Place: at, Field: "spec.x", Message: "missing"},
			"/home/me/tenants/a.yaml: document 2: line 7: spec.x: missing", "tenants/a.yaml: spec.x: missing"},
		{"a file of an unknown base", Finding{Place: unnamed, Message: "missing"},
			"/home/me/tenants/a.yaml: document 2: line 7: missing", "a.yaml: missing"},
		{"an object of the cluster",
			Finding{Object: To("SIPCluster", "t", "a"), Place: read, Field: "spec.x", Message: "missing"},
			"cluster: spec.x: missing", "cluster: spec.x: missing"},
		{"no place", Finding{Object: To("SIPCluster", "t", "a"), Message: "missing"}, "missing", "missing"},
		{"a hint", Finding{Message: "missing", Hint: "; put it back"},
			"missing; put it back", "missing"},
		{"a second place", Finding{Place: at}.Naming("/home/me/b.yaml: line 3", "b.yaml",
			func(place string) string { return "first at " + place + ": delete it" }),
			"/home/me/tenants/a.yaml: document 2: line 7: first at /home/me/b.yaml: line 3: delete it",
			"tenants/a.yaml: first at b.yaml: delete it"},
	} {
		assert.Equal(t, row.here, row.found.Reason(), row.why)
		assert.Equal(t, row.inTree, row.found.InTree(), row.why)
	}
}

// TestSorted: what is printed alike is printed once.
func TestSorted(t *testing.T) {
	a := Finding{Code: "SIP001", Place: Place{File: "a.yaml"}, Message: "m"}
	b := a
	b.Place.Written, b.Hint, b.inTree = "a.yaml", "h", "t"
	c := a
	c.Cluster = "t/a"
	assert.Len(t, Sorted([]Finding{b, c, a}), 2, "findings")
}
