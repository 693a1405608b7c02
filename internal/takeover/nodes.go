package takeover

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// The labels that SIP compared where a spec said per-rack or per-node: topology keys were not the spec's to choose then.
const (
	rackLabel   = "sip.airshipit.org/rack"
	serverLabel = "sip.airshipit.org/server"
)

// roleNames are what the roles were called.
var roleNames = map[string]string{
	"master": v1.RoleControlPlane, "Master": v1.RoleControlPlane, v1.RoleControlPlane: v1.RoleControlPlane,
	"worker": v1.RoleWorker, v1.RoleWorker: v1.RoleWorker,
}

// nodes converts the roles: a map by role, or a list of sets that name their role, or one such set.
func (c *converter) nodes(value any) map[string]any {
	out := map[string]any{}
	add := func(path, role string, set any) {
		name, known := roleNames[role]
		switch {
		case role == "":
			c.note(path, "names no role: left out")
			return
		case !known:
			name = role
		case name != role:
			c.note(path, "the role is called %s now", name)
		}
		if out[name] != nil {
			c.note(path, "a second %s: left out", name)
			return
		}
		out[name] = c.nodeSet(path, set)
	}
	object, isMap := value.(map[string]any)
	if _, single := object["vm-role"]; isMap && !single {
		for _, role := range slices.Sorted(maps.Keys(object)) {
			add("spec.nodes."+role, role, object[role])
		}
		return out
	}
	for i, item := range c.items("spec.nodes", value) {
		path := fmt.Sprintf("spec.nodes[%d]", i)
		if isMap {
			path = "spec.nodes"
		}
		set, _ := item.(map[string]any)
		role, _ := set["vm-role"].(string)
		add(path, role, item)
	}
	return out
}

// nodeSet converts what one role asks for.
func (c *converter) nodeSet(path string, value any) map[string]any {
	from := c.fields(path, value)
	from.take("vm-role")
	out := map[string]any{}
	c.selector(from, out)
	c.topology(from, out)
	for _, name := range []string{"count", "maxPerDomain", "spread", "unlabelled"} {
		if value, found := from.take(name); found != "" {
			out[name] = value
		}
	}
	from.rest()
	return out
}

func (c *converter) selector(from *fields, out map[string]any) {
	flavor, flavorField := from.take("vmFlavor", "vm-flavor")
	if value, name := from.take("labelSelector"); name != "" {
		selector := c.fields(from.path+"."+name, value)
		kept := map[string]any{}
		for _, name := range []string{"matchLabels", "matchExpressions"} {
			if value, found := selector.take(name); found != "" {
				kept[name] = value
			}
		}
		for _, key := range slices.Sorted(maps.Keys(selector.left)) {
			text, is := selector.left[key].(string)
			switch {
			case is && key == "topologyKey":
				if from.left[key] == nil {
					from.left[key] = text
				}
				selector.note(key, "SIP ignored it here: it is the role's topologyKey now")
			case is && kept["matchLabels"] == nil:
				labels, _ := kept["matchLabels"].(map[string]any)
				if labels == nil {
					labels = map[string]any{}
				}
				labels[key] = text
				kept["matchLabels"] = labels
				selector.note(key, "SIP ignored it outside of matchLabels, and took any host: it is in matchLabels now")
			default:
				selector.note(key, "no counterpart: left out")
			}
		}
		out["labelSelector"] = kept
	}
	text, is := flavor.(string)
	if flavorField == "" {
		return
	}
	key, value, isLabel := label(text)
	switch {
	case !is || !isLabel:
		from.note(flavorField, "is not a label as in key=value: left out, and without labelSelector the role takes any host")
	case out["labelSelector"] != nil:
		from.note(flavorField, "stands beside labelSelector: left out")
	default:
		out["labelSelector"] = map[string]any{"matchLabels": map[string]any{key: value}}
	}
}

// topology converts what keeps the hosts of a role apart.
func (c *converter) topology(from *fields, out map[string]any) {
	value, field := from.take("spreadTopology", "scheduling-constraints")
	for _, name := range []string{"topologyKey", "topologyKeys"} {
		if value, found := from.take(name); found != "" {
			out[name] = value
		}
	}
	if field == "" {
		return
	}
	words, isList := value.([]any)
	if !isList {
		words = []any{value}
	}
	rack, server := false, false
	for _, word := range words {
		switch text, _ := word.(string); strings.ToLower(strings.ReplaceAll(text, "-", "")) {
		case "perrack", "rack":
			rack = true
		case "pernode", "perhost", "server":
			server = true
		default:
			from.note(field, "has a word that SIP did not know: left out")
		}
	}
	var keys []any
	for _, known := range []struct {
		is  bool
		key string
	}{{rack, rackLabel}, {server, serverLabel}} {
		if known.is {
			keys = append(keys, known.key)
		}
	}
	switch {
	case out["topologyKey"] != nil || out["topologyKeys"] != nil:
		from.note(field, "stands beside topologyKey: left out")
	case len(keys) == 1:
		out["topologyKey"] = keys[0]
	case len(keys) > 1:
		out["topologyKeys"] = keys
	}
	if len(keys) > 0 {
		from.note(field, "SIP compared %s: name the labels that the hosts carry, if they are others", strings.Trim(fmt.Sprint(keys), "[]"))
	}
}
