package report

import (
	"fmt"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/labels"
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

// TestListHosts: a free host says for whom it is reserved. One that is held, or that no tenant can have, says that
// instead.
func TestListHosts(t *testing.T) {
	hosts := []inventory.Host{host("a", nil, nil), host("b", map[string]string{"kind": "y"}, nil),
		host("c", held("red"), nil), host("d", nil, func(s *inventory.State) { s.Paused = true })}
	hosts[0].Hardware = &inventory.Hardware{Vendor: "v", Model: "m"}
	of := need.Value(holdings.Of(holdings.Input{Hosts: hosts, Keys: keys,
		Specs: map[holdings.ClusterKey]bool{{Namespace: "t", Name: "red"}: true}}))(t)
	list := ListHosts("dc1", of, []schedule.Reservation{{Name: "own", Tenants: []string{"blue"},
		Selector: need.Value(labels.Parse("kind=x"))(t)}})
	var got []string
	for _, h := range list.Hosts {
		got = append(got, fmt.Sprintf("%s %s %q: %s", h.Host, h.State, h.Cluster, h.Why))
	}
	assert.Equal(t, []string{
		`metal3/a free "": reserved for tenant blue (own)`, `metal3/b free "": `, `metal3/c held "t/red": `,
		`metal3/d not eligible "": paused`,
	}, got)
	assert.Equal(t, "v m", list.Hosts[0].Hardware)
	assert.Empty(t, list.Hosts[1].Hardware)
}
