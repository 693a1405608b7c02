package overlay

import (
	"reflect"
	"strings"
)

// immutable are the fields, by kind, that the API server lets nobody change, of the kinds that a cluster's services and their rights consist of
// (k8s.io/kubernetes, pkg/apis/core/validation, pkg/apis/apps/validation, pkg/apis/rbac/validation).
var immutable = map[string][][]string{
	"Service":     {{"spec", "clusterIP"}},
	"Deployment":  {{"spec", "selector"}},
	"RoleBinding": {{"roleRef"}},
}

// unchangeable are the fields of an object that differ and that the API server does not change: it has to be deleted, and the engine makes it anew. One
// that leaves the object stays as it is in the cluster.
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
	return out
}
