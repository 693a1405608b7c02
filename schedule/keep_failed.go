package schedule

import (
	"slices"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
)

// condition returns why a host cannot be assigned, nil for an eligible one.
func condition(h *inventory.Host, why holdings.Why) Reason {
	out := Condition{Why: why}
	switch why.Code {
	case "":
		return nil
	case holdings.Faulty:
		out.Fault = h.Faults[0].Kind
	case holdings.InError, holdings.Unhealthy:
		out.Message = h.State.ErrorMessage
	}
	return out
}

// failed returns why a held host is to be replaced, nil if it is not.
func failed(h *candidate) Reason { return condition(h.Host, holdings.Failed(h.Host)) }

// inError reports whether a host's only trouble is an error that metal3 reports.
func inError(trouble Reason) bool {
	found, ok := trouble.(Condition)
	return ok && found.Code == holdings.InError
}

// serves reports whether something still runs on a host whose only trouble is an error that metal3 reports. An
// unreachable BMC proves nothing about the system, so the host keeps its slot until it is deleted, marked unhealthy,
// retired, or named for removal.
func (s *planner) serves(r *role, i int32) bool {
	h := &s.hosts[i]
	return inError(failed(h)) && !r.cluster.marked[i] && inUse(h) != nil
}

// inUse returns what keeps a held host from being released without approval, nil for nothing.
func inUse(h *candidate) Reason {
	return condition(h.Host, holdings.InUseBy(h.Host))
}

// unpatchable returns why no patch of a host may be written.
func unpatchable(h *candidate) Reason {
	n := slices.IndexFunc(h.Faults, func(f inventory.Fault) bool { return f.Kind == inventory.FaultPatch })
	return Condition{Why: holdings.Why{Code: holdings.Faulty, Detail: h.Faults[n].String()}, Fault: inventory.FaultPatch}
}

// warnWithoutStatus warns of hosts without a status. Those in use are a danger, and not assumed to be available.
func (s *planner) warnWithoutStatus() {
	unknown := 0
	for i := range s.hosts {
		if h := &s.hosts[i]; !h.State.Known && !h.Unsure() && !h.Forgotten() {
			unknown++
		}
	}
	if unknown > 0 {
		s.warn(WithoutStatus{unknown})
	}
}
