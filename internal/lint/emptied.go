package lint

import "github.com/airshipit/sipgen/internal/finding"

// emptied are hosts whose spec was emptied while something runs on them, whoever has them.
func (c *checker) emptied() {
	for i := range c.Hosts {
		if host := &c.Hosts[i]; host.Emptied() {
			c.host(finding.Emptied, finding.Error, host, "spec",
				"neither a BMC nor an image, and status.provisioning.state is "+host.State.Provisioning+": metal3 wipes the server as soon as its BMC is put back without its image",
				`pause the host before anything else; sipgen help runbook spec-emptied has the steps`)
		}
	}
}
