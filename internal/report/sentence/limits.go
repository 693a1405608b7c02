package sentence

import (
	"fmt"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// Limits returns "at most 2 hosts per row and 1 per rack": how many hosts of the role may lie in one domain of each
// of its topology keys. It is empty for a role with less than two keys.
func Limits(r *schedule.Role) string {
	if len(r.TopologyKeys) < 2 || len(r.PerDomain) != len(r.TopologyKeys) {
		return ""
	}
	words := make([]string, len(r.TopologyKeys))
	for i, key := range r.TopologyKeys {
		words[i] = fmt.Sprintf("%d per %s", r.PerDomain[i], key)
		if i == 0 {
			words[i] = fmt.Sprintf("%s per %s", text.Count(r.PerDomain[i], "host"), key)
		}
	}
	last := len(words) - 1
	return "at most " + strings.Join(words[:last], ", ") + " and " + words[last]
}
