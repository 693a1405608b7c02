package lint

import (
	"slices"

	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
)

// states finds hosts in a provisioning state that metal3 does not have: one finding for each such state.
func (c *checker) states() {
	known := inventory.ProvisioningStates()
	var unknown []string
	hosts := map[string][]*inventory.Host{}
	for i := range c.Hosts {
		host := &c.Hosts[i]
		state := host.State.Provisioning
		if state == "" || slices.Contains(known, state) || c.silences(hostName(host), finding.UnknownState) {
			continue
		}
		if hosts[state] == nil {
			unknown = append(unknown, state)
		}
		hosts[state] = append(hosts[state], host)
	}
	for _, state := range unknown {
		message := redact.Sprintf("found %q, which is not a state of metal3", state)
		if near := manifest.Nearest(state, known); near != "" {
			message += redact.Sprintf("; did you mean %q?", near)
		}
		if more := len(hosts[state]) - 1; more > 0 {
			message += " (the same of " + text.Plural(more, "more host", "more hosts") + ")"
		}
		c.host(finding.UnknownState, finding.Warning, hosts[state][0], "status.provisioning.state",
			message+": no cluster gets it",
			"correct the manifest, or read the hosts from the cluster, where metal3 writes the state")
	}
}
