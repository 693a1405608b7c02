package sentence

import (
	"fmt"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// Refusals returns the sorted sentences of refusals, each once.
func Refusals(refusals []schedule.Refusal) []string {
	var out []string
	for _, r := range refusals {
		out = append(out, text.Line(Refusal(r)))
	}
	slices.SortFunc(out, text.LastMore)
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
	why := refused(r)
	parts := slices.DeleteFunc([]string{why.role, why.field, why.words}, func(part string) bool { return part == "" })
	return strings.Join(parts, ": ")
}

// Refused returns a refusal that the placement found as a finding about a cluster, nil for one that the caller found.
func Refused(cluster schedule.ClusterKey, r schedule.Refusal) *finding.Finding {
	why := refused(r)
	if why.code == "" {
		return nil
	}
	field := strings.TrimSuffix("spec.nodes."+why.role+"."+why.field, ".")
	f := finding.Finding{Code: why.code, Severity: finding.Error, Cluster: cluster.String(), Field: field,
		Object: finding.To(v1.Kind, cluster.Namespace, cluster.Name), Message: why.words,
		Fix: finding.Remedy(why.code)}.OnOneLine()
	return &f
}

// contradicted is a refusal in words, with its code, and the role and its field that it is about.
type contradicted struct{ code, role, field, words string }

// refused returns a refusal in words. Each kind is one case.
func refused(r schedule.Refusal) contradicted {
	switch r := r.(type) {
	case schedule.Contradiction:
		return contradicted{words: r.Problem}
	case schedule.UnknownTopologyKey:
		words := "no host that the role selects has a label " + r.Key
		if r.Near != "" {
			words += fmt.Sprintf(", did you mean %q?", r.Near)
		}
		return contradicted{finding.UnknownKey, r.Role, r.Field, words}
	case schedule.NotNested:
		return contradicted{finding.Crossing, r.Role, "topologyKeys", fmt.Sprintf(
			"%s is not nested in %s: hosts %s and %s share %s=%s, but one %s and the other %s", r.Narrow, r.Wide, r.Hosts[0],
			r.Hosts[1], r.Narrow, r.Value, lies(r.Wide, r.Values[0]), lies(r.Wide, r.Values[1]))}
	case schedule.NoneReachable:
		return contradicted{finding.Crossing, r.Role, "", fmt.Sprintf(
			"none of its hosts has an address on network %s: %s; %s", r.Network, unaddressed(r.Hosts), sayAddress(r.Network))}
	}
	return contradicted{}
}
