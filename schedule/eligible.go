package schedule

// States of status.provisioning.state (metal3 BareMetalHost) in which a host may be handed out.
const (
	stateAvailable = "available"
	stateReady     = "ready" // what older metal3 releases call it
)

// reject is why an unclaimed host may not be handed out, nil if it may. The first reason that holds is the one.
func reject(h *host) Reason {
	s := &h.State
	if len(h.Faults) > 0 {
		return Faulty{h.Faults[0].Kind, h.Faults[0].String()}
	}
	switch {
	case s.Deleting:
		return Deleting{}
	case s.Paused:
		return Paused{}
	case s.Detached:
		return Detached{}
	case s.Unhealthy:
		return Unhealthy{}
	case s.InError():
		return InError{s.ErrorType, s.ErrorMessage}
	case s.Consumer != nil:
		return InUse{s.Consumer.String()}
	case s.NodeReuse != "":
		return KeptForReuse{s.NodeReuse}
	case s.ExternallyProvisioned:
		return ExternallyProvisioned{}
	case s.Image:
		return UnclaimedImage{}
	case !s.Known:
		return nil
	case s.Operational != "" && s.Operational != "OK":
		return OperationalStatus{s.Operational}
	case s.Provisioning == "":
		return NoProvisioningState{}
	case s.Provisioning != stateAvailable && s.Provisioning != stateReady:
		return ProvisioningState{s.Provisioning}
	}
	return nil
}

// failed is why a held host is to be replaced, nil if it is not: it is being deleted, Cluster API's
// provider marked it unhealthy, or metal3 reports an error. The mark comes before the error, which
// alone takes no slot from a host that serves. Paused and detached hosts are someone's work in
// progress, not failures.
func failed(h *host) Reason {
	switch {
	case h.State.Deleting:
		return Deleting{}
	case h.State.Unhealthy:
		return Unhealthy{reportedError(h)}
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
// about that, so the host keeps its slot until it is being deleted, marked unhealthy, or named for removal.
func (s *site) serves(r *role, i int32) bool {
	h := &s.hosts[i]
	return failed(h) != nil && !h.State.Deleting && !h.State.Unhealthy && !r.cluster.marked[i] && inUse(h) != nil
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

// eligible fills in reject for every host that nobody holds.
func (s *site) eligible() {
	unknown := 0
	for i := range s.hosts {
		h := &s.hosts[i]
		if !h.State.Known && !h.Unsure() {
			unknown++
		}
		if h.role != nil || h.reject != nil {
			continue
		}
		h.reject = reject(h)
	}
	if unknown > 0 {
		s.warn(WithoutStatus{unknown})
	}
}
