package schedule

import "github.com/airshipit/sipgen/internal/holdings"

// ineligible is why a free host may not be handed out, nil if it may.
func ineligible(is *holdings.Holding) Reason {
	h := is.Host
	switch is.Why.Code {
	case holdings.Faulty:
		return Faulty{h.Faults[0].Kind, is.Why.Detail}
	case holdings.Deleting:
		return Deleting{}
	case holdings.Paused:
		return Paused{}
	case holdings.Detached:
		return Detached{}
	case holdings.Unhealthy:
		return Unhealthy{}
	case holdings.Retired:
		return Retired{}
	case holdings.InError:
		return InError{h.State.ErrorType, h.State.ErrorMessage}
	case holdings.InUse:
		return InUse{is.Why.Detail}
	case holdings.KeptForReuse:
		return KeptForReuse{is.Why.Detail}
	case holdings.ExternallyProvisioned:
		return ExternallyProvisioned{}
	case holdings.HasImage:
		return UnclaimedImage{}
	case holdings.OperationalStatus:
		return OperationalStatus{is.Why.Detail}
	case holdings.NoProvisioningState:
		return NoProvisioningState{}
	case holdings.ProvisioningState:
		return ProvisioningState{is.Why.Detail}
	}
	return nil
}

// failed is why a held host is to be replaced, nil if it is not: it is being deleted, Cluster API's
// provider marked it unhealthy, it is retired, or metal3 reports an error. The mark comes before the error, which
// alone takes no slot from a host that serves. Paused and detached hosts are someone's work in
// progress, not failures.
func failed(h *host) Reason {
	switch {
	case h.State.Deleting:
		return Deleting{}
	case h.State.Unhealthy:
		return Unhealthy{reportedError(h)}
	case h.State.Retired:
		return Retired{}
	}
	return reportedError(h)
}

// reportedError is what metal3 says that is wrong with a host, nil for nothing.
func reportedError(h *host) Reason {
	if h.State.InError() {
		return InError{h.State.ErrorType, h.State.ErrorMessage}
	}
	return nil
}

// serves: what is wrong with a host is only that metal3 reports an error, and something runs on it. A BMC that does not answer says nothing
// about that, so the host keeps its slot until it is being deleted, marked unhealthy, retired, or named for removal.
func (s *site) serves(r *role, i int32) bool {
	h := &s.hosts[i]
	return failed(h) != nil && !h.State.Deleting && !h.State.Unhealthy && !h.State.Retired && !r.cluster.marked[i] && inUse(h) != nil
}

// provisioned: a system is on the host, goes on to it or comes off it.
func provisioned(h *host) bool {
	return h.State.Provisioned()
}

// inUse is what keeps a held host from being released without approval, nil if nothing does.
func inUse(h *host) Reason {
	switch {
	case h.Unsure():
		return Unsure{}
	case h.State.Consumer != nil:
		return InUse{h.State.Consumer.String()}
	case provisioned(h):
		if h.State.Provisioning == "" {
			return HasImage{}
		}
		return ProvisioningState{h.State.Provisioning}
	}
	return nil
}

// withoutStatus warns of hosts without a status.
func (s *site) withoutStatus() {
	unknown := 0
	for i := range s.hosts {
		if h := &s.hosts[i]; !h.State.Known && !h.Unsure() {
			unknown++
		}
	}
	if unknown > 0 {
		s.warn(WithoutStatus{unknown})
	}
}
