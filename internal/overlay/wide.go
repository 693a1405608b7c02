package overlay

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// wide are the fields that a patch may change besides where the Site grants the tenant any patches. What the pod may and whom it is stays
// protected all the same: accounts, Secrets, names, selectors, addresses; and the profile "restricted" holds for what comes out.
var wide = map[string]map[string]rule{
	"Deployment": {
		"spec.template.spec.tolerations":                         plain,
		"spec.template.spec.priorityClassName":                   notOfSystem,
		"spec.template.spec.dnsConfig":                           plain,
		"spec.template.spec.dnsPolicy":                           plain,
		"spec.template.spec.hostAliases":                         plain,
		"spec.template.spec.preemptionPolicy":                    plain,
		"spec.template.spec.schedulerName":                       plain,
		"spec.template.spec.volumes":                             plainVolumes,
		"spec.template.spec.containers[].command":                anything,
		"spec.template.spec.containers[].args":                   anything,
		"spec.template.spec.containers[].lifecycle":              anything,
		"spec.template.spec.containers[].workingDir":             plain,
		"spec.template.spec.containers[].volumeMounts":           plain,
		"spec.template.spec.containers[].terminationMessagePath": plain,
	},
}

// rulesFor gives the rules for the fields of a kind.
func rulesFor(kind string, granted bool) map[string]rule {
	if !granted {
		return changeable[kind]
	}
	return merged(changeable[kind], wide[kind])
}

func merged(a, b map[string]rule) map[string]rule {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]rule{}
	}
	maps.Copy(all, b)
	return all
}

// notOfSystem is the rule for a priority class. Kubernetes' own push out what the cluster lives by.
func notOfSystem(_, is any) string {
	if name, isText := is.(string); is == nil || isText && !strings.HasPrefix(name, "system-") {
		return ""
	}
	return "want a class of the site's, and none of Kubernetes' own"
}

// plainVolumes is the rule for volumes: those that sipgen renders stay as they are, and what is added mounts no Secret, no token and nothing
// of the node.
func plainVolumes(was, is any) string {
	old, _ := named(was)
	volumes, unique := named(is)
	if !unique {
		return "want volumes, each with a name of its own"
	}
	for _, name := range slices.Sorted(maps.Keys(union(old, volumes))) {
		before, had := old[name]
		volume, has := volumes[name]
		switch {
		case had && has && reflect.DeepEqual(before, volume):
			continue
		case had:
			return fmt.Sprintf("%s is rendered from spec.services, and is not for a patch to change", quoted(name))
		}
		for _, source := range slices.Sorted(maps.Keys(asMap(volume))) {
			if !slices.Contains([]string{"name", "emptyDir", "configMap", "downwardAPI"}, source) {
				return fmt.Sprintf("%s: want an emptyDir, a configMap or a downwardAPI: no Secret, no token and nothing of the node", quoted(name))
			}
		}
	}
	return ""
}
