package schedule

import (
	"strconv"
)

// States of status.provisioning.state (metal3 BareMetalHost) in which a host may be handed out.
const (
	stateAvailable = "available"
	stateReady     = "ready" // what older metal3 releases call it
)

// reject says why an unclaimed host may not be handed out, in words that can be counted, and in
// more detail. Both are empty if it may. The first reason that holds is the one.
func reject(h *host) (reason, detail string) {
	s := &h.State
	same := func(reason string) (string, string) { return reason, reason }
	switch {
	case s.Deleting:
		return same("being deleted")
	case s.Paused:
		return same("paused")
	case s.Detached:
		return same("detached")
	case s.Unhealthy:
		return same("marked unhealthy")
	case s.Operational == "error" || s.ErrorMessage != "" || s.ErrorType != "":
		return "in error", errorDetail(h)
	case s.Consumer != nil:
		return "in use", "in use by " + s.Consumer.String()
	case s.NodeReuse != "":
		return "kept for reuse", "kept for reuse by " + s.NodeReuse
	case s.ExternallyProvisioned:
		return same("externally provisioned")
	case s.Image:
		return same("has an image, but no claim")
	case !s.Known:
		return "", ""
	case s.Operational != "" && s.Operational != "OK":
		return same("operational status " + s.Operational)
	case s.Provisioning == "":
		return same("no provisioning state yet")
	case s.Provisioning != stateAvailable && s.Provisioning != stateReady:
		return same("provisioning state " + s.Provisioning)
	}
	return "", ""
}

func errorDetail(h *host) string {
	text := "in error"
	if h.State.ErrorType != "" {
		text += " (" + h.State.ErrorType + ")"
	}
	if h.State.ErrorMessage != "" {
		text += ": " + h.State.ErrorMessage
	}
	return text
}

// failed says why a held host is to be replaced, "" if it is not: it is being deleted, metal3
// reports an error, or Cluster API's provider marked it unhealthy. Paused and detached hosts are
// someone's work in progress, not failures.
func failed(h *host) string {
	switch {
	case h.State.Deleting:
		return "being deleted"
	case h.State.Operational == "error" || h.State.ErrorMessage != "" || h.State.ErrorType != "":
		return errorDetail(h)
	case h.State.Unhealthy:
		return "marked unhealthy"
	}
	return ""
}

// provisioned: a system is on the host, goes on to it or comes off it.
func provisioned(h *host) bool {
	if h.State.Image || h.State.ExternallyProvisioned {
		return true
	}
	switch h.State.Provisioning {
	case "provisioning", "provisioned", "externally provisioned", "deprovisioning":
		return true
	}
	return false
}

// inUse says what keeps a held host from being released without approval, "" if nothing does.
func inUse(h *host) string {
	switch {
	case h.State.Consumer != nil:
		return "in use by " + h.State.Consumer.String()
	case provisioned(h):
		if h.State.Provisioning == "" {
			return "it has an image"
		}
		return "provisioning state " + h.State.Provisioning
	}
	return ""
}

// eligible fills in reject for every host that nobody holds.
func (s *site) eligible() {
	unknown := 0
	for i := range s.hosts {
		h := &s.hosts[i]
		if !h.State.Known {
			unknown++
		}
		if h.role != nil || h.reject != "" {
			continue
		}
		h.reject, h.detail = reject(h)
	}
	if unknown > 0 {
		s.warn("%s without status: taken to be available", count(unknown, "host"))
	}
}

// count is "1 host", "2 hosts".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
