package app

import (
	"testing"

	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
)

// TestHostsOfAPlan: a host that the labels give to a Site, and that the Site releases at once, is another Site's as
// much as one that it assigns (contract 35): the release removes the labels.
func TestHostsOfAPlan(t *testing.T) {
	host := func(uid string) *inventory.Host { return &inventory.Host{Name: uid, UID: uid} }
	role := schedule.Role{
		Assigned:  []schedule.Assignment{{Host: host("assigned")}, {Host: host("pending"), Pending: true}},
		Releasing: []schedule.Release{{Host: host("released"), Since: schedule.New}}}
	p := Planned{Loaded: &Loaded{Hosts: &inventory.Inventory{}},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{{Roles: []schedule.Role{role}}}}}
	uids, _ := p.Hosts()
	assert.Equal(t, []string{"assigned", "pending", "released"}, uids)
}
