package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/schedule"
)

// noAcceptance is --accept-loss as it stands when it is not given.
const noAcceptance = -1

func acceptLossFlag(command *cobra.Command, accept *int) {
	command.Flags().IntVar(accept, "accept-loss", noAcceptance, "continue although exactly `N` hosts are lost or released, more than the Site's brake allows")
}

// brake refuses a run that takes more from the clusters than the site allows: a lost inventory or a
// deleted folder of specs must not give the fleet away.
func brake(site *v1alpha1.Site, loss schedule.Loss, accept int) error {
	limit := brakeLimit(site, loss)
	switch {
	case accept == noAcceptance && loss.Total() <= limit, accept == loss.Total():
		return nil
	case accept != noAcceptance:
		return fmt.Errorf("--accept-loss: found %d, but %d hosts are lost or released (%s)", accept, loss.Total(), describeLoss(loss))
	}
	return errors.Join(
		fmt.Errorf("refused: %d of %d claimed hosts would be lost or released, the site allows %d: %s", loss.Total(), loss.Claimed, limit, describeLoss(loss)),
		fmt.Errorf("refused: if this is intended, use --accept-loss %d", loss.Total()),
	)
}

// brakeLimit is how many hosts a run may take from the clusters.
func brakeLimit(site *v1alpha1.Site, loss schedule.Loss) int {
	return max(*site.Spec.Brake.MaxHosts, loss.Claimed**site.Spec.Brake.MaxPercent/100)
}

// giveTooMuch are the clusters of the tenant that gives back most hosts, where the run takes more from the clusters than the site allows: with
// --keep-going that tenant is frozen, so that nobody who drops all specs stops the others. Hosts that are lost otherwise are nobody's to give
// back, and evicted tenants are not asked: where those alone are too many, nobody is frozen, and the run is refused.
func (d *decided) giveTooMuch() []finding {
	limit := brakeLimit(d.site, d.loss)
	if d.loss.Total() <= limit {
		return nil
	}
	released, clusters := map[string]int{}, map[string][]schedule.ClusterKey{} // by tenant
	for i := range d.placement.Clusters {
		c := &d.placement.Clusters[i]
		n := 0
		for _, role := range c.Roles {
			for _, r := range role.Releasing {
				if r.Since == schedule.New {
					n++
				}
			}
		}
		if n == 0 || d.evicted[c.Key.Namespace] || len(d.settled.frozen[c.Key]) > 0 {
			continue
		}
		tenant := c.Key.Namespace
		if t := d.tenants.Of(tenant); t != nil {
			tenant = t.Name
		}
		released[tenant] += n
		clusters[tenant] = append(clusters[tenant], c.Key)
	}
	most, given := "", 0
	for _, n := range released {
		given += n
	}
	if d.loss.Total()-given > limit {
		return nil // it is too much without them
	}
	for _, tenant := range slices.Sorted(maps.Keys(released)) {
		if most == "" || released[tenant] > released[most] {
			most = tenant
		}
	}
	var out []finding
	for _, key := range clusters[most] {
		out = append(out, finding{cluster: key, err: fmt.Errorf(
			"%s: %d of %d claimed hosts would be lost or released, the site allows %d, and most of them are tenant %s's, %d: its clusters keep theirs until somebody gives --accept-loss",
			key, d.loss.Total(), d.loss.Claimed, limit, most, released[most])})
	}
	return out
}

func describeLoss(loss schedule.Loss) string {
	var parts []string
	for _, part := range []struct {
		what  string
		hosts []schedule.HostKey
	}{{"no longer in the inventory", loss.Missing}, {"labelled for a cluster that is not this site's", loss.Foreign}, {"taken over by another cluster or role that uses them under its labels", loss.Moved},
		{"failed, and another host gets their active slot", loss.Swapped}, {"released", loss.Released},
		{"virtual machines that ViNO is asked for no more", loss.Virtual}, {"virtual machines that ViNO makes anew", loss.Remade}} {
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
