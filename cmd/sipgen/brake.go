package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/order"
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
	//guard: twice what the site allows is taken, in two ways at once
	case accept == noAcceptance && loss.Total() <= limit, accept == loss.Total():
		return nil
	case accept != noAcceptance:
		return fmt.Errorf("--accept-loss is %d, but this run would lose or release %s (%s)", accept, text.Count(loss.Total(), "host"), describeLoss(loss))
	}
	return errors.Join(
		fmt.Errorf("%s: %s", brakeWords(site, loss), describeLoss(loss)),
		fmt.Errorf(`refused: check the specs and the inventory first; if every one of these hosts is meant to go, repeat publish (or render) with --accept-loss %d`, loss.Total()),
	)
}

func brakeWords(site *v1alpha1.Site, loss schedule.Loss) string {
	return fmt.Sprintf("refused: %d of %d claimed hosts would be lost or released, but the site allows only %d (spec.brake: the smaller of %s and %d %%, at least 1)",
		loss.Total(), loss.Claimed, brakeLimit(site, loss), text.Count(*site.Spec.Brake.MaxHosts, "host"), *site.Spec.Brake.MaxPercent)
}

// brakeLimit is how many hosts a run may take from the clusters: the smaller of the Site's two numbers, and one in any case.
func brakeLimit(site *v1alpha1.Site, loss schedule.Loss) int {
	//guard: the brake allows any part of the fleet
	return max(1, min(*site.Spec.Brake.MaxHosts, loss.Claimed**site.Spec.Brake.MaxPercent/100))
}

// giver is a tenant whose specs take hosts from clusters.
type giver struct {
	tenant   string
	hosts    int
	place    int // among those that were held back in the run before, 0: it was not
	clusters []schedule.ClusterKey
}

// giveTooMuch are the clusters of tenants whose specs take hosts from clusters, where the run takes more than the site allows: with --keep-going
// those tenants are frozen, so that nobody who drops all specs stops the others. As many tenants as the limit has room for go on. Those that were held back
// before come first, in their order, so that whoever asks for no more than the limit gets a turn, however often others give back a few hosts; then
// those that take least. One for which there is no room holds nobody up, and one that asks for more than the limit has no turn to wait for. Hosts that are
// lost otherwise are nobody's to give back, and evicted tenants are not asked: where those alone are too many, nobody is frozen, and the run is refused.
func (d *decided) giveTooMuch() (frozen []finding) {
	limit := brakeLimit(d.site, d.loss)
	if d.loss.Total() <= limit {
		return nil
	}
	givers := d.givers()
	most := limit - d.loss.Total()
	for _, g := range givers {
		most += g.hosts
	}
	if most < 0 {
		return nil // it is too much without them
	}
	room, place := most, 0
	for _, f := range d.findings {
		place = max(place, f.place)
	}
	for _, g := range givers {
		//guard: one tenant gives back too much, and nobody may give back anything
		if g.hosts <= room {
			room -= g.hosts
			continue
		}
		until, turn := "until a run is given --accept-loss", 0
		//guard: a tenant waits for a turn that cannot come
		if g.hosts <= limit {
			place++
			until, turn = "until a later run, in which the tenants held back now go first, or until a run is given --accept-loss", place
		}
		for _, key := range g.clusters {
			frozen = append(frozen, finding{cluster: key, place: turn, err: fmt.Errorf(
				"%d of %d claimed hosts would be lost or released, but the site allows only %d; the specs of %s account for %d of them, so its clusters keep what they have %s",
				d.loss.Total(), d.loss.Claimed, limit, g.tenant, g.hosts, until)})
		}
	}
	return frozen
}

// givers are the tenants whose specs take hosts from clusters, in the order in which they get their turn.
func (d *decided) givers() []giver {
	taken, byTenant := d.takenBy(), map[string]*giver{}
	for i := range d.placement.Clusters {
		key := d.placement.Clusters[i].Key
		n := taken[key]
		//guard: a tenant that drops its specs stops every run
		if n == 0 || d.evicted[key.Namespace] || len(d.settled.frozen[key]) > 0 {
			continue
		}
		tenant := key.Namespace
		if t := d.tenants.Of(tenant); t != nil {
			tenant = t.Name
		}
		g := byTenant[tenant]
		if g == nil {
			g = &giver{tenant: tenant}
			byTenant[tenant] = g
		}
		g.hosts += n
		g.clusters = append(g.clusters, key)
		if place := d.claims.HeldBack[key]; place > 0 && (g.place == 0 || place < g.place) {
			g.place = place
		}
	}
	var out []giver
	for _, tenant := range slices.Sorted(maps.Keys(byTenant)) {
		g := byTenant[tenant]
		slices.SortFunc(g.clusters, func(a, b schedule.ClusterKey) int { return strings.Compare(a.String(), b.String()) })
		out = append(out, *g)
	}
	slices.SortStableFunc(out, func(a, b giver) int {
		//guard: a tenant that gives back a host in every run holds off for ever a tenant that gives back no more than the limit
		return cmp.Or(order.Bool(a.place == 0, b.place == 0), cmp.Compare(a.place, b.place), cmp.Compare(a.hosts, b.hosts))
	})
	return out
}

// heldBack are the clusters whose tenants the brake holds back, with their places.
func (l *loaded) heldBack() map[schedule.ClusterKey]int {
	out := map[schedule.ClusterKey]int{}
	for _, f := range l.findings {
		if f.place > 0 {
			out[f.cluster] = f.place
		}
	}
	return out
}

// takenBy counts the hosts that the run takes from clusters, by the cluster whose spec has it do so: those that it gives back, and those of its own that it
// has replaced.
func (d *decided) takenBy() map[schedule.ClusterKey]int {
	taken := map[schedule.ClusterKey]int{}
	for i := range d.placement.Clusters {
		c := &d.placement.Clusters[i]
		for _, role := range c.Roles {
			for _, r := range role.Releasing {
				if r.Since == schedule.New {
					taken[c.Key]++
				}
			}
			for j := range role.Assigned {
				a := &role.Assigned[j]
				//guard: a tenant has three hosts replaced, and everybody's run is refused
				if _, marked := a.Trouble.(schedule.MarkedForRemoval); marked && a.Replaced {
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
		{"failed and in use, and another host gets their slot", loss.Replaced}, {"released", loss.Released},
		{"virtual machines that ViNO is no longer asked for", loss.Virtual}, {"virtual machines that ViNO re-creates", loss.Remade}} {
		if len(part.hosts) == 0 {
			continue
		}
		names := make([]string, 0, len(part.hosts))
		for _, host := range part.hosts {
			names = append(names, host.String())
		}
		const most = 10
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
