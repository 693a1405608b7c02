package holdings

import (
	"github.com/airshipit/sipgen/inventory"
)

// Why is a reason, with its subject: a consumer, a state, a cluster. The zero value is no reason.
type Why struct {
	Code   Code
	Detail string
}

// Code is a reason in one word. Package internal/report/sentence turns it into a sentence.
type Code string

// Why hosts leave, and why they are left alone.
const (
	Released        Code = "Released"
	ReleaseApproved Code = "ReleaseApproved"
	// UnknownCluster: the labels name one that is in neither the specs nor the tree.
	UnknownCluster   Code = "UnknownCluster"
	IncompleteLabels Code = "IncompleteLabels"
	InvalidRole      Code = "InvalidRole"
	// SIPLabels: labels that the SIP operator wrote before April 2021, by other keys than today's.
	SIPLabels Code = "SIPLabels"
	// OldLabels: they were read before the tree was committed, and the tree does not have the host.
	OldLabels Code = "OldLabels"
)

// Why free hosts are not eligible, in the order of the checks.
const (
	Faulty                Code = "Faulty"
	Deleting              Code = "Deleting"
	Unhealthy             Code = "Unhealthy"
	Retired               Code = "Retired"
	Paused                Code = "Paused"
	Detached              Code = "Detached"
	Cordoned              Code = "Cordoned"
	InUse                 Code = "InUse"
	InError               Code = "InError"
	KeptForReuse          Code = "KeptForReuse"
	ExternallyProvisioned Code = "ExternallyProvisioned"
	HasImage              Code = "HasImage"
	OperationalStatus     Code = "OperationalStatus"
	NoProvisioningState   Code = "NoProvisioningState"
	ProvisioningState     Code = "ProvisioningState"
)

// Further findings about a host: unknown whether it is in use; an image is on it; in the tree but not in the
// inventory, not in the site's namespaces, or with another uid there. Recreated is also why a host leaves.
const (
	Unsure    Code = "Unsure"
	Installed Code = "Installed"
	Gone      Code = "Gone"
	Outside   Code = "Outside"
	Recreated Code = "Recreated"
)

// ineligible returns the first reason why a free host may not be assigned.
func ineligible(h *inventory.Host) Why {
	s := &h.State
	switch {
	case len(h.Faults) > 0:
		return Why{Faulty, h.Faults[0].String()}
	case s.Deleting:
		return Why{Code: Deleting}
	case s.Unhealthy:
		return Why{Code: Unhealthy}
	case s.Retired != "":
		return Why{Retired, s.Retired}
	}
	why := withheld(s)
	switch {
	case why != Why{}:
		return why
	case s.InError():
		return Why{InError, s.ErrorType}
	case s.NodeReuse != "":
		return Why{KeptForReuse, s.NodeReuse}
	}
	return busy(s)
}

// withheld returns why no machine can take a host, by who keeps it: a person, or its consumer.
func withheld(s *inventory.State) Why {
	switch {
	case s.Paused:
		return Why{Code: Paused}
	case s.Detached:
		return Why{Code: Detached}
	case s.Cordoned != "":
		return Why{Cordoned, s.Cordoned}
	case s.Consumer != nil:
		return Why{InUse, s.Consumer.String()}
	}
	return Why{}
}

// busy returns why no machine can take a host that has no consumer, by what is on it or is done to it.
func busy(s *inventory.State) Why {
	switch {
	case s.ExternallyProvisioned:
		return Why{Code: ExternallyProvisioned}
	case s.Image:
		return Why{Code: HasImage}
	case !s.Known:
		return Why{}
	case s.Operational != "" && s.Operational != "OK":
		return Why{OperationalStatus, s.Operational}
	case s.Provisioning == "":
		return Why{Code: NoProvisioningState}
	// Older releases of metal3 call an available host ready.
	case s.Provisioning != "available" && s.Provisioning != "ready":
		return Why{ProvisioningState, s.Provisioning}
	}
	return Why{}
}

// Failed returns why a held host is to be replaced, the zero Why for a healthy one. The mark of Cluster API's provider
// comes before an error, which alone takes no slot from a host that serves. Paused, detached and cordoned hosts are
// under maintenance, and not failed.
func Failed(h *inventory.Host) Why {
	s := &h.State
	switch {
	case s.Deleting:
		return Why{Code: Deleting}
	case s.Unhealthy:
		return Why{Unhealthy, s.ErrorType}
	case s.Retired != "":
		return Why{Retired, s.Retired}
	case s.InError():
		return Why{InError, s.ErrorType}
	}
	return Why{}
}

// Unfit returns why a held host can serve no machine of its cluster, the zero Why for one that can: a machine uses it,
// or nothing does, and it is not paused, detached, cordoned or busy. Cluster API's mark for reuse is no reason: its
// cluster's next machine takes the host. Failed has other reasons.
func Unfit(h *inventory.Host) Why {
	s := &h.State
	if c := s.Consumer; c != nil && (c.Kind == inventory.MachineKind || c.Kind == inventory.ClusterKind) {
		return Why{}
	}
	if why := withheld(s); why != (Why{}) {
		return why
	}
	return busy(s)
}

// InUseBy returns what keeps a held host from being released without approval, the zero Why for nothing.
func InUseBy(h *inventory.Host) Why {
	s := &h.State
	switch {
	case h.Unsure():
		return Why{Code: Unsure}
	case s.Consumer != nil:
		return Why{InUse, s.Consumer.String()}
	case !s.Provisioned():
		return Why{}
	case s.Provisioning == "":
		return Why{Code: Installed}
	}
	return Why{ProvisioningState, s.Provisioning}
}

// Use returns what uses a host: "kind/namespace/name" of its consumer, else its image, else its provisioning state.
// It is empty for an unused host, and differs from one use to the next. Example: "Metal3Machine/metal/cp-0".
func Use(h *inventory.Host) string {
	switch c := h.State.Consumer; {
	case c != nil:
		return c.Kind + "/" + c.Namespace + "/" + c.Name
	case h.State.ImageName != "":
		return h.State.ImageName
	case h.State.InUse():
		return h.State.Provisioning
	}
	return ""
}

// Approved reports whether a release was approved for the host's present use.
func (c *Claim) Approved(h *inventory.Host) bool { return c.Use != "" && c.Use == Use(h) }
