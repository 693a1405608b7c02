package schedule

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
)

// shownSelector is a selector for a message. One that wants an empty value ends as base64 does, and is no secret for that.
func shownSelector(selector string) string {
	if key, empty := strings.CutSuffix(selector, "="); empty && redact.Plain(key) == key {
		return strconv.Quote(selector)
	}
	return redact.Value(selector)
}

// Without gives the hosts that the selector does not match, and how many it does. A selector that
// matches nothing asks about no site that differs, and is an error.
func Without(hosts []inventory.Host, selector labels.Selector) ([]inventory.Host, int, error) {
	var left []inventory.Host
	for i := range hosts {
		if !matches(selector, &hosts[i]) {
			left = append(left, hosts[i])
		}
	}
	gone := len(hosts) - len(left)
	if gone == 0 {
		return nil, 0, fmt.Errorf("selector %s: matches none of the %s", shownSelector(selector.String()), text.Count(len(hosts), "host"))
	}
	return left, gone, nil
}

// WithCount gives the clusters with another number of active hosts in one role. The input is left
// as it was.
func WithCount(clusters []v1.SIPCluster, cluster ClusterKey, name string, active int) ([]v1.SIPCluster, error) {
	if active < 0 || active > v1.MaxCount {
		return nil, fmt.Errorf("%s %s: found count %d, want 0 to %d", cluster, name, active, v1.MaxCount)
	}
	out := slices.Clone(clusters)
	for i := range out {
		if (ClusterKey{Namespace: out[i].Namespace, Name: out[i].Name}) != cluster {
			continue
		}
		set, is := out[i].Spec.Nodes[name]
		if !is {
			roles := slices.Sorted(maps.Keys(out[i].Spec.Nodes))
			if near := manifest.Nearest(name, roles); near != "" {
				return nil, fmt.Errorf("%s has no role %s, did you mean %s?", cluster, name, near)
			}
			return nil, fmt.Errorf("%s has no role %s, only %s", cluster, name, strings.Join(roles, ", "))
		}
		_, standby := set.Want()
		set.Count = &v1.NodeCount{Active: active, Standby: standby}
		nodes := maps.Clone(out[i].Spec.Nodes)
		nodes[name] = set
		out[i].Spec.Nodes = nodes
		return out, nil
	}
	return nil, fmt.Errorf("%s: no such cluster", cluster)
}
