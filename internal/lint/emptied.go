package lint

import "github.com/airshipit/sipgen/internal/finding"

// emptied finds hosts whose spec was emptied while a system runs on them.
func (c *checker) emptied() {
	for i := range c.Hosts {
		if host := &c.Hosts[i]; host.Emptied() {
			c.host(finding.Emptied, finding.Error, host, "spec",
				"neither a BMC nor an image, and status.provisioning.state is "+host.State.Provisioning+": metal3 wipes the server as soon as its BMC is put back without its image",
				`pause the host before anything else; sipgen help runbook spec-emptied has the steps`)
		}
	}
}
