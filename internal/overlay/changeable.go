package overlay

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// rule says what is wrong with a field that a patch changed from was to is, empty if nothing is. nil is a field that is not there.
type rule func(was, is any) string

// changeable are the fields that a patch may change, by kind and path; "[]" is every item of a list whose items have names. All others are protected:
// a field that nobody thought of is not a tenant's. docs/services.md has the table in words.
var changeable = map[string]map[string]rule{
	"Deployment": {
		"metadata.labels":                                    ownLabels,
		"metadata.annotations":                               ownKeys,
		"spec.replicas":                                      number(0, 100),
		"spec.minReadySeconds":                               number(0, 3600),
		"spec.progressDeadlineSeconds":                       number(1, 86_400),
		"spec.revisionHistoryLimit":                          number(0, 100),
		"spec.strategy":                                      boundedSurge,
		"spec.template.metadata.labels":                      ownLabels,
		"spec.template.metadata.annotations":                 ownKeys,
		"spec.template.spec.affinity":                        ownPods,
		"spec.template.spec.nodeSelector":                    plain,
		"spec.template.spec.topologySpreadConstraints":       plain,
		"spec.template.spec.terminationGracePeriodSeconds":   number(0, 3600),
		"spec.template.spec.containers[].env":                noSecrets,
		"spec.template.spec.containers[].image":              imageReference,
		"spec.template.spec.containers[].imagePullPolicy":    oneOf("Always", "IfNotPresent", "Never"),
		"spec.template.spec.containers[].resources.limits":   plainResources,
		"spec.template.spec.containers[].resources.requests": plainResources,
		"spec.template.spec.containers[].livenessProbe":      ownProbe,
		"spec.template.spec.containers[].readinessProbe":     ownProbe,
		"spec.template.spec.containers[].startupProbe":       ownProbe,
	},
	"Service": {
		"metadata.labels":               ownLabels,
		"metadata.annotations":          ownKeys,
		"spec.externalTrafficPolicy":    oneOf("Cluster", "Local"),
		"spec.internalTrafficPolicy":    oneOf("Cluster", "Local"),
		"spec.ipFamilyPolicy":           oneOf("SingleStack", "PreferDualStack", "RequireDualStack"),
		"spec.loadBalancerSourceRanges": networks,
		"spec.ports[].appProtocol":      protocol,
		"spec.publishNotReadyAddresses": flag,
		"spec.sessionAffinity":          oneOf("None", "ClientIP"),
		"spec.sessionAffinityConfig":    plain,
		"spec.trafficDistribution":      oneOf("PreferClose", "PreferSameZone", "PreferSameNode"),
	},
	"PodDisruptionBudget": {
		"metadata.labels":                 ownLabels,
		"metadata.annotations":            ownKeys,
		"spec.maxUnavailable":             atLeastOne,
		"spec.unhealthyPodEvictionPolicy": oneOf("AlwaysAllow"), // otherwise pods that never get ready keep their node from being drained
	},
	"NetworkPolicy": {
		"metadata.labels":      ownLabels,
		"metadata.annotations": ownKeys,
	},
	"ConfigMap": {
		"metadata.labels":      ownLabels,
		"metadata.annotations": ownKeys,
	},
	"Certificate": {
		"metadata.labels":      ownLabels,
		"metadata.annotations": ownKeys,
	},
}

// reason says why the fields below a path are protected.
type reason struct{ kind, path, why string }

// protected are the reasons for the fields that people ask for most. The first that matches counts.
var protected = []reason{
	{"Deployment", "spec.selector", "a patch may not change which pods belong to the service"},
	{"Deployment", "spec.template.spec.serviceAccount", "a patch may not change the pod's rights"},
	{"Deployment", "spec.template.spec.automountServiceAccountToken", "a patch may not change the pod's rights"},
	{"Deployment", "spec.template.spec.volumes", "a patch may not change what the pod mounts, including Secrets"},
	{"Deployment", "spec.template.spec.imagePullSecrets", "a patch may not change what the pod mounts, including Secrets"},
	{"Deployment", "spec.template.spec.containers[].volumeMounts", "a patch may not change what the pod mounts, including Secrets"},
	{"Deployment", "spec.template.spec.containers[].volumeDevices", "a patch may not change what the pod mounts, including Secrets"},
	{"Deployment", "spec.template.spec.containers[].envFrom", "a patch may bring no Secret; env takes plain values and fields"},
	{"Deployment", "spec.template.spec.containers[].command", "what runs is the image's; a patch changes neither command nor arguments"},
	{"Deployment", "spec.template.spec.containers[].args", "what runs is the image's; a patch changes neither command nor arguments"},
	{"Deployment", "spec.template.spec.containers[].lifecycle", "what runs is the image's; a patch changes neither command nor arguments"},
	{"Deployment", "spec.template.spec.containers[].ports", "a patch may not change the pod's ports"},
	{"Deployment", "spec.template.spec.containers[]", "a patch may change the container's image, resources, env and probes, and nothing else"},
	{"Deployment", "spec.template.spec.containers", "a patch may not add, remove or rename containers"},
	{"Deployment", "spec.template.spec.initContainers", "a patch brings no containers"},
	{"Deployment", "spec.template.spec.ephemeralContainers", "a patch brings no containers"},
	{"Deployment", "spec.template.spec.host", "the pod is kept apart from its node, and a patch cannot change that"},
	{"Deployment", "spec.template.spec.securityContext", "the pod is kept apart from its node, and a patch cannot change that"},
	{"Deployment", "spec.template.spec.tolerations", "only the site decides which taints the pod tolerates, and its priority"},
	{"Deployment", "spec.template.spec.priority", "only the site decides which taints the pod tolerates, and its priority"},
	{"Deployment", "spec.template.spec.nodeName", "only the site decides which taints the pod tolerates, and its priority"},
	{"Service", "spec.selector", "a patch may not change which pods belong to the service"},
	{"Service", "spec.", "addresses and ports are given in spec.services, where they are checked against the other clusters'"},
	{"PodDisruptionBudget", "spec.selector", "a patch may not change which pods belong to the service"},
	{"PodDisruptionBudget", "spec.minAvailable", "it could keep a node from ever being drained; use maxUnavailable"},
	{"NetworkPolicy", "", "a patch may not change who may connect to the pods: that follows from their ports and from the Site"},
	{"ConfigMap", "", "configuration is rendered from spec.services, and no patch changes it"},
	{"Certificate", "", "what a certificate is for is rendered from spec.services, and no patch changes it"},
	{"ServiceAccount", "", "a patch may not change rights"},
	{"Role", "", "a patch may not change rights"},
	{"RoleBinding", "", "a patch may not change rights"},
}

func whyNot(kind, pattern string) string {
	for _, r := range protected {
		if r.kind == kind && strings.HasPrefix(pattern, r.path) {
			return r.why
		}
	}
	return "it is not among the fields that a patch may change"
}

func anything(_, _ any) string { return "" }

// number is a rule for a whole number, or none.
func number(low, high int64) rule {
	return func(_, is any) string {
		if is == nil {
			return ""
		}
		if n, isNumber := is.(json.Number); isNumber {
			if i, err := n.Int64(); err == nil && i >= low && i <= high {
				return ""
			}
		}
		return fmt.Sprintf("want a number, %d to %d", low, high)
	}
}

var surge = regexp.MustCompile(`^(100|[1-9]?[0-9])%?$`)

// boundedSurge is the rule for the strategy of a Deployment. Of maxSurge the API server takes any number of pods: no more come at once than replicas may
// say. What the tenant is granted is looked at where the whole Deployment is there.
func boundedSurge(_, is any) string {
	switch value := asMap(asMap(is)["rollingUpdate"])["maxSurge"].(type) {
	case nil:
		return ""
	case json.Number:
		if text := value.String(); surge.MatchString(text) {
			return ""
		}
	case string:
		if strings.HasSuffix(value, "%") && surge.MatchString(value) {
			return ""
		}
	}
	return "rollingUpdate.maxSurge: want 0 to 100, or 0% to 100%"
}

// ownKeys is the rule for labels and annotations: reserved ones stay as they are.
func ownKeys(was, is any) string {
	old, _ := was.(map[string]any)
	keys, isMap := is.(map[string]any)
	if is != nil && !isMap {
		return "want keys and values"
	}
	for _, key := range slices.Sorted(maps.Keys(union(old, keys))) {
		value, has := keys[key]
		if before, had := old[key]; had == has && reflect.DeepEqual(before, value) {
			continue
		}
		if whose := v1.ReservedKey(key); whose != "" {
			return fmt.Sprintf("%s %s, and is not for a patch to change", quoted(key), whose)
		}
		if problems := validation.IsQualifiedName(strings.ToLower(key)); has && len(problems) > 0 {
			return fmt.Sprintf("%s: the API server takes no such key: %s", quoted(key), problems[0])
		}
	}
	return ""
}

// ownLabels is ownKeys with values that the API server takes: else all syncs of the cluster fail.
func ownLabels(was, is any) string {
	if problem := ownKeys(was, is); problem != "" {
		return problem
	}
	labels, _ := is.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		text, isText := labels[key].(string)
		if problems := validation.IsValidLabelValue(text); isText && len(problems) > 0 {
			return fmt.Sprintf("%s: the API server takes no such value: %s", quoted(key), problems[0])
		}
	}
	return ""
}

// secretName is how variables that hold secrets are called.
var secretName = regexp.MustCompile(`(?i)passw|passphrase|secret|token|credential|private_?key|api_?key|(^|_)pwd?($|_)`)

// noSecrets is the rule for a container's environment: what sipgen renders stays, and what is added reads no Secret.
func noSecrets(was, is any) string {
	old, _ := named(was)
	entries, unique := named(is)
	if !unique && is != nil {
		return "want entries, each with a name of its own"
	}
	for _, name := range slices.Sorted(maps.Keys(union(old, entries))) {
		before, had := old[name]
		entry, has := entries[name]
		switch {
		case had && has && reflect.DeepEqual(before, entry):
		case had:
			return fmt.Sprintf("%s is rendered from spec.services, and is not for a patch to change", quoted(name))
		case secretName.MatchString(name) && asMap(entry)["value"] != nil:
			return fmt.Sprintf("%s: its name says that it is a secret, and its value would be in git: want it from a Secret, by spec.services", quoted(name))
		default:
			from, _ := entry.(map[string]any)["valueFrom"].(map[string]any)
			for _, source := range slices.Sorted(maps.Keys(from)) {
				if !slices.Contains([]string{"fieldRef", "resourceFieldRef", "configMapKeyRef"}, source) {
					return fmt.Sprintf("%s: a patch may bring no Secret and no file: want value, or valueFrom a field or a ConfigMap", quoted(name))
				}
			}
		}
	}
	return ""
}

// plainResources is the rule for limits and requests. Other resources are devices: GPUs, functions of network cards, and what else plugins hand out.
// Whether a request is above its limit is seen where both are there, in Valid.
func plainResources(_, is any) string {
	for _, name := range slices.Sorted(maps.Keys(asMap(is))) {
		if !slices.Contains([]string{"cpu", "memory", "ephemeral-storage"}, name) {
			return "want cpu, memory and ephemeral-storage, and no devices"
		}
	}
	return ""
}

// ownProbe is the rule for probes. A host makes the kubelet send requests from the node's network, and a command is one that runs in the pod.
func ownProbe(was, is any) string {
	probe := asMap(is)
	switch {
	case probe["exec"] != nil && !reflect.DeepEqual(probe["exec"], asMap(was)["exec"]):
		return "exec: what runs is the image's; a patch changes neither command nor arguments"
	case asMap(probe["httpGet"])["host"] != nil, asMap(probe["tcpSocket"])["host"] != nil:
		return "host: a probe is of the pod itself"
	}
	if complaint := number(0, 3600)(nil, probe["terminationGracePeriodSeconds"]); complaint != "" {
		return "terminationGracePeriodSeconds: " + complaint
	}
	return ""
}

// ownPods is the rule for affinity. A required anti-affinity counts both ways: with pods of other namespaces in it, it keeps those off the
// nodes, and with a zone for its topology off all of them.
func ownPods(_, is any) string {
	// A field of a node is its name: it takes the pod to the one node that holds what somebody wants.
	if within(asMap(is)["nodeAffinity"], "matchFields") != "" {
		return "nodeAffinity: matchFields: nodes are chosen by their labels, and not by name"
	}
	for _, kind := range []string{"podAffinity", "podAntiAffinity"} {
		if found := within(asMap(is)[kind], "namespaces", "namespaceSelector"); found != "" {
			return kind + ": " + found + ": it concerns pods of its own namespace only"
		}
	}
	return ""
}

// within is the first of the keys that is anywhere below a value.
func within(value any, keys ...string) string {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if slices.Contains(keys, key) {
				return key
			}
			if found := within(value[key], keys...); found != "" {
				return found
			}
		}
	case []any:
		for _, item := range value {
			if found := within(item, keys...); found != "" {
				return found
			}
		}
	}
	return ""
}

// imageReference is the rule for an image. kustomize reads names of images as regular expressions.
func imageReference(_, is any) string {
	if text, isText := is.(string); isText && v1.IsImage(text) {
		return ""
	}
	return "want an image reference, as in registry.example/haproxy:3.2"
}

// atLeastOne is the rule for maxUnavailable. None at all keeps a node from ever being drained.
func atLeastOne(_, is any) string {
	switch value := is.(type) {
	case json.Number:
		if n, err := value.Int64(); err == nil && n >= 1 {
			return ""
		}
	case string:
		if regexp.MustCompile(`^(100|[1-9][0-9]?)%$`).MatchString(value) {
			return ""
		}
	}
	return "want 1 or more, or 1% or more: with none a node could never be drained"
}

func asMap(value any) map[string]any {
	fields, _ := value.(map[string]any)
	return fields
}
