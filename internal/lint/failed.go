package lint

import (
	"fmt"

	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/schedule"
)

// emptied are hosts whose spec was emptied while something runs on them, whoever has them.
func (c *checker) emptied() {
	for i := range c.Hosts {
		if host := &c.Hosts[i]; host.Emptied() {
			c.host(codeEmptied, Error, host, "spec",
				"neither a BMC nor an image, and status.provisioning.state is "+host.State.Provisioning+": metal3 wipes the server as soon as its BMC is put back without its image",
				`pause the host before anything else; sipgen help runbook spec-emptied has the steps`)
		}
	}
}

// failed are hosts that a cluster has and that metal3 or Cluster API says are of no use: they take up a slot, or stand by in vain.
func (c *checker) failed() {
	if c.Placement == nil {
		return
	}
	for i := range c.Placement.Clusters {
		cluster := &c.Placement.Clusters[i]
		for j := range cluster.Roles {
			role := &cluster.Roles[j]
			for k := range role.Assigned {
				a := &role.Assigned[k]
				if a.Trouble == nil || a.Trouble == (schedule.MarkedForRemoval{}) {
					continue
				}
				slot, fix := "active", "fix it, or name it in the annotation sip.airshipit.org/remove of "+cluster.Key.String()+" so that it is replaced"
				if a.Standby {
					slot = "standby"
				}
				switch _, inError := a.Trouble.(schedule.InError); a.Reason.(type) {
				case schedule.StandIn:
					fix = "add a host that can replace it, or fix it"
				default:
					if !inError {
						fix = "add a host that can replace it, or fix it"
					}
				}
				switch {
				case a.Pending && a.Host.State.InUse():
					fix = "delete its machine, which its release waits for"
				case a.Host.State.InUse():
					fix += "; its release waits until its machine is deleted"
				}
				if a.Host.State.InUse() {
					fix += ` (sipgen help runbook free-a-host)`
				}
				c.host(codeFailed, Warning, a.Host, "status",
					fmt.Sprintf("%s host of %s %s: %s", slot, cluster.Key, role.Name, sentence.Reason(a.Trouble)), fix)
			}
		}
	}
}
