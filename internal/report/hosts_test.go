package report

import (
	"testing"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
)

// TestHostState: only of a free host it matters why no cluster can have it.
func TestHostState(t *testing.T) {
	for _, row := range []struct {
		state holdings.State
		why   holdings.Code
		want  string
	}{
		{holdings.Free, "", "free"},
		{holdings.Free, holdings.Cordoned, "cordoned"},
		{holdings.Free, "other", "not eligible"},
		{holdings.Held, "", string(holdings.Held)},
		{holdings.Held, holdings.Cordoned, string(holdings.Held)},
		{holdings.Leaving, "other", string(holdings.Leaving)},
	} {
		h := &holdings.Holding{State: row.state}
		h.Why.Code = row.why
		assert.Equal(t, row.want, HostState(h), "%s, %q", row.state, row.why)
	}
}

// TestClassOf: a host without known hardware has a class, too, and its labels come first.
func TestClassOf(t *testing.T) {
	known := &inventory.Hardware{Vendor: "v", Model: "m"}
	labels := map[string]string{ByVendor: "label", "": "none", "kind": "large"}
	for _, row := range []struct {
		labels   map[string]string
		hardware *inventory.Hardware
		by, want string
	}{
		{nil, known, ByVendor, "v"},
		{nil, known, ByModel, "m"},
		{nil, &inventory.Hardware{}, ByVendor, "no known vendor"},
		{nil, &inventory.Hardware{}, ByModel, "no known model"},
		{nil, nil, ByVendor, "not inspected"},
		{nil, nil, ByModel, "not inspected"},
		{labels, known, ByVendor, "label"},
		{labels, nil, "kind", "large"},
		{labels, nil, "", "not inspected"},
		{nil, nil, "kind", "no label kind"},
	} {
		host := &inventory.Host{Labels: row.labels, Hardware: row.hardware}
		assert.Equal(t, row.want, ClassOf(host, row.by), "%s of %v, %v", row.by, row.labels, row.hardware)
	}
}
