package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// noAcceptance is --accept-loss as it stands when it is not given.
const noAcceptance = -1

func acceptLossFlag(command *cobra.Command, accept *int) {
	command.Flags().IntVar(accept, "accept-loss", noAcceptance, "continue even though exactly `N` hosts are lost or released, more than the Site's brake allows")
}

// brake refuses a run that takes more from the clusters than the site allows: a lost inventory or a
// deleted folder of specs must not give the fleet away.
func brake(site *v1alpha1.Site, loss schedule.Loss, accept int) error {
	limit := brakeLimit(site, loss)
	switch {
	case accept == noAcceptance && loss.Total() <= limit, accept == loss.Total():
		return nil
	case accept != noAcceptance:
		return fmt.Errorf("--accept-loss is %d, but this run would lose or release %s (%s)", accept, text.Count(loss.Total(), "host"), describeLoss(loss))
	}
	return errors.Join(
		fmt.Errorf("refused: %d of %d claimed hosts would be lost or released, but the site allows only %d: %s", loss.Total(), loss.Claimed, limit, describeLoss(loss)),
		fmt.Errorf("refused: if every one of these hosts is meant to go, repeat with --accept-loss %d", loss.Total()),
	)
}

// brakeLimit is how many hosts a run may take from the clusters.
func brakeLimit(site *v1alpha1.Site, loss schedule.Loss) int {
	return max(*site.Spec.Brake.MaxHosts, loss.Claimed**site.Spec.Brake.MaxPercent/100)
}

// giveTooMuch are the clusters of the tenant whose specs take most hosts from clusters, where the run takes more than the site allows: with
// --keep-going that tenant is frozen, so that nobody who drops all specs stops the others. Hosts that are lost otherwise are nobody's to give
// back, and evicted tenants are not asked: where those alone are too many, nobody is frozen, and the run is refused.
func (d *decided) giveTooMuch() []finding {
	limit := brakeLimit(d.site, d.loss)
	if d.loss.Total() <= limit {
		return nil
	}
	given, taken := 0, d.takenBy()
	byTenant, clusters := map[string]int{}, map[string][]schedule.ClusterKey{}
	for i := range d.placement.Clusters {
		key := d.placement.Clusters[i].Key
		n := taken[key]
		if n == 0 || d.evicted[key.Namespace] || len(d.settled.frozen[key]) > 0 {
			continue
		}
		tenant := key.Namespace
		if t := d.tenants.Of(tenant); t != nil {
			tenant = t.Name
		}
		given += n
		byTenant[tenant] += n
		clusters[tenant] = append(clusters[tenant], key)
	}
	if d.loss.Total()-given > limit {
		return nil // it is too much without them
	}
	most := ""
	for _, tenant := range slices.Sorted(maps.Keys(byTenant)) {
		if most == "" || byTenant[tenant] > byTenant[most] {
			most = tenant
		}
	}
	var out []finding
	for _, key := range clusters[most] {
		out = append(out, finding{cluster: key, err: fmt.Errorf(
			"%d of %d claimed hosts would be lost or released, but the site allows only %d; the specs of %s account for %d of them, so its clusters keep what they have until a run is given --accept-loss",
			d.loss.Total(), d.loss.Claimed, limit, most, byTenant[most])})
	}
	return out
}

// takenBy counts the hosts that the run takes from clusters, by the cluster whose spec has it do so: those that it gives back, those of its own that it has
// replaced, and those that others give up for it.
func (d *decided) takenBy() map[schedule.ClusterKey]int {
	taken := map[schedule.ClusterKey]int{}
	for i := range d.placement.Clusters {
		c := &d.placement.Clusters[i]
		for _, role := range c.Roles {
			for _, r := range role.Releasing {
				switch why := r.Reason.(type) {
				case schedule.MovesTo:
					taken[why.Role.Cluster]++
				default:
					if r.Since == schedule.New {
						taken[c.Key]++
					}
				}
			}
			for j := range role.Assigned {
				a := &role.Assigned[j]
				if _, marked := a.Trouble.(schedule.MarkedForRemoval); marked && a.Swapped() {
					taken[c.Key]++
				}
			}
		}
	}
	return taken
}

func describeLoss(loss schedule.Loss) string {
	var parts []string
	for _, part := range []struct {
		what  string
		hosts []schedule.HostKey
	}{{"no longer in the inventory", loss.Missing}, {"created anew, with another uid", loss.Anew}, {"labelled for a cluster that is not this site's", loss.Foreign}, {"taken over by another cluster or role that uses them under its labels", loss.Moved},
		{"failed, and another host gets their active slot", loss.Swapped}, {"released", loss.Released},
		{"virtual machines that ViNO is no longer asked for", loss.Virtual}, {"virtual machines that ViNO re-creates", loss.Remade}} {
		if len(part.hosts) == 0 {
			continue
		}
		names := make([]string, 0, len(part.hosts))
		for _, host := range part.hosts {
			names = append(names, host.String())
		}
		const most = 20
		more := ""
		if len(names) > most {
			more = fmt.Sprintf(" and %d more", len(names)-most)
			names = names[:most]
		}
		parts = append(parts, fmt.Sprintf("%d %s: %s%s", len(part.hosts), part.what, strings.Join(names, ", "), more))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, "; ")
}
