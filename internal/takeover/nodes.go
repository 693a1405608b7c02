package takeover

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// roleNames are today's names of SIP's roles.
var roleNames = map[string]string{"master": v1.RoleControlPlane, "Master": v1.RoleControlPlane,
	"worker": v1.RoleWorker}

// topologyKeys are the labels that SIP compared for its words, which are spelled per-rack, PerRack or rack.
var topologyKeys = map[string]string{
	"perrack": "sip.airshipit.org/rack", "rack": "sip.airshipit.org/rack",
	"pernode": "sip.airshipit.org/server", "perhost": "sip.airshipit.org/server", "server": "sip.airshipit.org/server",
}

// nodes makes a map by role of a list of sets that name their roles, and converts each set.
func (c *converter) nodes(spec map[string]any) {
	if list, ok := spec["nodes"].([]any); ok {
		byRole := map[string]any{}
		for i, item := range list {
			set, _ := item.(map[string]any)
			role, _ := set["vm-role"].(string)
			if role == "" || byRole[role] != nil {
				c.note(fmt.Sprintf("spec.nodes[%d]", i), "names no role, or that of an earlier entry: left out")
				continue
			}
			delete(set, "vm-role")
			byRole[role] = set
		}
		spec["nodes"] = byRole
	}
	nodes := object(spec, "nodes")
	for _, role := range slices.Sorted(maps.Keys(nodes)) {
		path := "spec.nodes." + role
		if set := object(nodes, role); set != nil {
			c.nodeSet(path, set)
		}
		if today := roleNames[role]; today != "" && nodes[today] == nil {
			c.note(path, "the role is called %s now", today)
			nodes[today] = nodes[role]
			delete(nodes, role)
		}
	}
}

// nodeSet converts what one role asks for.
func (c *converter) nodeSet(path string, set map[string]any) {
	for _, name := range []string{"vmFlavor", "vm-flavor"} {
		text, ok := set[name].(string)
		if !ok || set["labelSelector"] != nil {
			continue
		}
		if key, value, ok := strings.Cut(text, "="); ok {
			set["labelSelector"] = map[string]any{"matchLabels": map[string]any{strings.TrimSpace(key): strings.TrimSpace(value)}}
			delete(set, name)
		} else {
			c.drop(path, set, "is not a label as in key=value: left out, and without labelSelector the role takes any host",
				name)
		}
	}
	selector := object(set, "labelSelector")
	loose := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(selector)) {
		value, ok := selector[key].(string)
		switch at := path + ".labelSelector." + key; {
		case !ok: // matchLabels, matchExpressions
			continue
		case key == "topologyKey" && set[key] == nil:
			set[key] = value
			c.note(at, "SIP ignored it here: it is the role's topologyKey now")
		case selector["matchLabels"] == nil && key != "topologyKey":
			loose[key] = value
			c.note(at, "SIP ignored it outside of matchLabels, and took any host: it is in matchLabels now")
		default:
			c.note(at, "SIP ignored it here: left out")
		}
		delete(selector, key)
	}
	if len(loose) > 0 {
		selector["matchLabels"] = loose
	}
	for _, name := range []string{"spreadTopology", "scheduling-constraints"} {
		c.topology(path, set, name)
	}
}

// topology converts SIP's values that keep the hosts of a role apart.
func (c *converter) topology(path string, set map[string]any, name string) {
	value := set[name]
	if value == nil || set["topologyKey"] != nil || set["topologyKeys"] != nil {
		c.drop(path, set, "is next to topologyKey: left out", name)
		return
	}
	words, ok := value.([]any)
	if !ok {
		words = []any{value}
	}
	var keys []string
	for _, word := range words {
		text, _ := word.(string)
		key := topologyKeys[strings.ToLower(strings.ReplaceAll(text, "-", ""))]
		if key == "" {
			c.note(path+"."+name, "has a value that SIP did not accept: left out")
		} else if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	delete(set, name)
	slices.Sort(keys)
	switch len(keys) {
	case 0:
		return
	case 1:
		set["topologyKey"] = keys[0]
	default:
		set["topologyKeys"] = keys
	}
	c.note(path+"."+name, "SIP compared %s: name the labels that the hosts carry, if they are others",
		strings.Join(keys, " "))
}
