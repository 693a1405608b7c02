package sentence

import (
	"strings"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/schedule"
)

// Holding describes why a cluster cannot have a host or, for a held or leaving host, its trouble and its use. It is
// empty for a host that is eligible, or held and idle.
func Holding(h *holdings.Holding) string {
	about := func(why holdings.Why) string {
		of := schedule.Condition{Why: why}
		switch why.Code {
		case "":
			return ""
		case holdings.Faulty:
			of.Fault = h.Host.Faults[0].Kind
		case holdings.InError, holdings.Unhealthy:
			of.Message = h.Host.State.ErrorMessage
		}
		return condition(&of)
	}
	var words []string
	switch h.State {
	case holdings.Held, holdings.Leaving:
		switch {
		case h.State == holdings.Held:
		case h.Why.Code == holdings.Recreated || h.Why.Code == holdings.KeptForReuse:
			words = append(words, about(h.Why))
		default:
			words = append(words, Reason(schedule.ReleasedBefore{}))
		}
		if cordoned := h.Host.State.Cordoned; cordoned != "" {
			words = append(words, about(holdings.Why{Code: holdings.Cordoned, Detail: cordoned}))
		}
		words = append(words, about(holdings.Failed(h.Host)), about(holdings.InUseBy(h.Host)))
	default:
		words = append(words, about(h.Why))
	}
	kept := words[:0]
	for _, word := range words {
		if word != "" {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, "; ")
}
