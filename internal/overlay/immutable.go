package overlay

import (
	"reflect"
	"strings"
)

// immutable are the fields, by kind, that the API server does not change, for the kinds of a cluster's services and
// their rights (k8s.io/kubernetes, pkg/apis/core/validation, pkg/apis/apps/validation, pkg/apis/rbac/validation).
var immutable = map[string][][]string{
	"Service":     {{"spec", "clusterIP"}},
	"Deployment":  {{"spec", "selector"}},
	"RoleBinding": {{"roleRef"}},
}

// unchangeable returns the differing fields of an object that the API server does not change: the object has to be
// deleted, and the engine recreates it. A field that is removed stays in the live object, and is not among them.
func unchangeable(old, o *Object) []string {
	var out []string
	for _, path := range immutable[o.Kind] {
		var was, is any = old.Fields, o.Fields
		for _, key := range path {
			was, is = asMap(was)[key], asMap(is)[key]
		}
		if is != nil && is != "" && !reflect.DeepEqual(was, is) {
			out = append(out, strings.Join(path, "."))
		}
	}
	if o.Kind == "Service" {
		out = append(out, unchangeableOfService(asMap(old.Fields["spec"]), asMap(o.Fields["spec"]))...)
	}
	return out
}

// unchangeableOfService returns the fields that a Service keeps only together with others: the class, also one that is
// removed, and the port for health checks as long as the type has them, and the first IP family. Without one the API
// server has chosen it, which is not known here. A Service without an address stays so, which other types refuse.
func unchangeableOfService(was, is map[string]any) []string {
	var out []string
	first := func(spec map[string]any) any {
		if families, _ := spec["ipFamilies"].([]any); len(families) > 0 {
			return families[0]
		}
		return nil
	}
	if a, b := first(was), first(is); a != nil && b != nil && !reflect.DeepEqual(a, b) {
		out = append(out, "spec.ipFamilies")
	}
	if was["clusterIP"] == "None" && is["clusterIP"] == nil && is["type"] != "ClusterIP" && is["type"] != nil {
		out = append(out, "spec.clusterIP")
	}
	if was["type"] != "LoadBalancer" || is["type"] != "LoadBalancer" {
		return out
	}
	if !reflect.DeepEqual(was["loadBalancerClass"], is["loadBalancerClass"]) {
		out = append(out, "spec.loadBalancerClass")
	}
	const port = "healthCheckNodePort"
	if was["externalTrafficPolicy"] == "Local" && is["externalTrafficPolicy"] == "Local" && is[port] != nil &&
		!reflect.DeepEqual(was[port], is[port]) {
		out = append(out, "spec."+port)
	}
	return out
}
