package v1

import (
	"fmt"
	"strings"
)

// ReservedNamespaces reports the clusters in namespaces that are not a tenant's: those of Kubernetes itself (kube-*), and
// those that reserved names, with what is there. A cluster's services run in its namespace, and whoever may write its
// objects there may write what else is there.
func ReservedNamespaces(clusters []SIPCluster, reserved map[string]string) []ClusterError {
	var errs []ClusterError
	for i := range clusters {
		c := &clusters[i]
		what := reserved[c.Namespace]
		if strings.HasPrefix(c.Namespace, "kube-") {
			what = "is of Kubernetes itself"
		}
		if what != "" {
			errs = append(errs, ClusterError{c, FieldError{"metadata.namespace", fmt.Sprintf("found %q, which %s: want a namespace of the tenant's own", c.Namespace, what)}})
		}
	}
	return errs
}
