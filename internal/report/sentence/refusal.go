package sentence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// Refusals returns the sorted sentences of refusals, each once.
func Refusals(refusals []schedule.Refusal) []string {
	var out []string
	for _, r := range refusals {
		out = append(out, text.Line(Refusal(r)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// lies describes the domain of a host.
func lies(key, value string) string {
	if value == "" {
		return "has no label " + key
	}
	return fmt.Sprintf("lies in %s=%q", key, value)
}

// Refusal describes how the spec of a cluster contradicts the hosts.
func Refusal(r schedule.Refusal) string {
	role, field, words := Refused(r)
	parts := slices.DeleteFunc([]string{role, field, words}, func(part string) bool { return part == "" })
	return strings.Join(parts, ": ")
}

// Refused returns the role and its field that a refusal is about, empty for none, and what is wrong there.
func Refused(r schedule.Refusal) (role, field, words string) {
	switch r := r.(type) {
	case schedule.Contradiction:
		return "", "", r.Problem
	case schedule.UnknownTopologyKey:
		words = "no host that the role selects has a label " + r.Key
		if r.Near != "" {
			words += fmt.Sprintf(", did you mean %q?", r.Near)
		}
		return r.Role, r.Field, words
	case schedule.NotNested:
		return r.Role, "topologyKeys", fmt.Sprintf("%s is not nested in %s: hosts %s and %s share %s=%s, but one %s and the other %s",
			r.Narrow, r.Wide, r.Hosts[0], r.Hosts[1], r.Narrow, r.Value, lies(r.Wide, r.Values[0]), lies(r.Wide, r.Values[1]))
	case schedule.NoneReachable:
		return r.Role, "", fmt.Sprintf("none of its hosts has an address on network %s: %s; %s", r.Network,
			unaddressed(r.Hosts), sayAddress(r.Network))
	}
	return "", "", ""
}
