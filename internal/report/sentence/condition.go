package sentence

import (
	"strings"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// conditions are the sentences for the findings of package holdings: without a detail, and with one in place of %.
var conditions = map[holdings.Code]struct{ general, detailed string }{
	holdings.Deleting:              {"being deleted", ""},
	holdings.Paused:                {"paused", ""},
	holdings.Detached:              {"detached", ""},
	holdings.Unhealthy:             {"marked unhealthy", "marked unhealthy, in error (%)"},
	holdings.Retired:               {"retired", "retired (%)"},
	holdings.Cordoned:              {"cordoned", "cordoned (%)"},
	holdings.InError:               {"in error", "in error (%)"},
	holdings.InUse:                 {"in use", "in use by %"},
	holdings.KeptForReuse:          {"kept for reuse", "kept for reuse by %"},
	holdings.ExternallyProvisioned: {"externally provisioned", ""},
	holdings.HasImage:              {"has an image, but no claim", ""},
	holdings.OperationalStatus:     {"operational status", "operational status %"},
	holdings.ProvisioningState:     {"provisioning state", "provisioning state %"},
	holdings.NoProvisioningState:   {"no provisioning state yet", ""},
	holdings.Unsure:                {"cannot tell whether it is in use", ""},
	holdings.Installed:             {"it has an image", ""},
	holdings.Gone:                  {"not in the inventory", ""},
	holdings.Outside:               {"outside the site's namespaces", ""},
	holdings.Recreated:             {"recreated, with another uid", ""},
	holdings.IncompleteLabels:      {"incomplete sipgen labels", "carries some of %, but not a whole claim"},
	holdings.SIPLabels: {"labeled by a SIP operator of before April 2021", "labeled by a SIP operator of before April " +
		"2021: no cluster gets it; if nothing needs the host, run kubectl label %"},
	holdings.InvalidRole: {"claimed for a role without a valid name",
		"claimed for role %, which is no valid name"},
	holdings.OldLabels: {"labeled, and read before the tree was committed, which does not have the host: a new " +
		"snapshot, or the cluster itself, shows whose it is", ""},
	holdings.UnknownCluster: {"labeled for a cluster that is in neither the specs nor the tree",
		"labeled for %, which is in neither the specs nor the tree"},
}

// condition returns the sentence for a finding of package holdings.
func condition(c *schedule.Condition) string {
	words := conditions[c.Code]
	switch {
	case c.Code == holdings.Faulty && c.Detail != "":
		return c.Detail
	case c.Code == holdings.Faulty:
		return faults(c.Fault)
	case c.Detail != "" && words.detailed != "":
		words.general = strings.Replace(words.detailed, "%", c.Detail, 1)
	}
	if c.Message != "" {
		return words.general + ": " + c.Message
	}
	return words.general
}

// faults describes a fault in the objects of hosts.
func faults(kind inventory.FaultKind) string {
	switch kind {
	case inventory.FaultObject:
		return "not readable"
	case inventory.FaultTwice:
		return "defined more than once"
	case inventory.FaultLabel:
		return "with a label that the API server would reject"
	case inventory.FaultName:
		return "with a name that is too long"
	case inventory.FaultPatch:
		return "that no patch may be written for"
	case inventory.FaultOld:
		return "read before the tree was committed"
	case inventory.FaultNetwork:
		return "with the same address as a service"
	case inventory.FaultUID, inventory.FaultBMC, inventory.FaultMAC:
		return "with the " + string(kind) + " of another host"
	}
	return ""
}
