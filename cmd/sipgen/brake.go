package main

import (
	"errors"
	"fmt"
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
	limit := max(*site.Spec.Brake.MaxHosts, loss.Claimed**site.Spec.Brake.MaxPercent/100)
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

func describeLoss(loss schedule.Loss) string {
	var parts []string
	for _, part := range []struct {
		what  string
		hosts []schedule.HostKey
	}{{"no longer in the inventory", loss.Missing}, {"labelled for a cluster that is not this site's", loss.Foreign}, {"released", loss.Released}} {
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
