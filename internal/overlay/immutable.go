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
	return out
}
