package preflight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/inventory"
)

// takenOver calls each for the live objects of a kind that have names of the clusters' services and were never synced
// by sipgen's engine: the SIP operator's, handed over or not. kubectl's own are skipped.
func takenOver(kind, list string, clusters []v1.SIPCluster, live []inventory.ServiceObject,
	each func(c *v1.SIPCluster, i int, object *inventory.ServiceObject)) {
	byKey := map[string]*inventory.ServiceObject{}
	for i := range live {
		object := &live[i]
		kubectl := slices.ContainsFunc(object.Owners, func(w inventory.Owner) bool {
			return w.Made &&
				strings.HasPrefix(w.Manager, "kubectl")
		})
		if object.Kind == kind && !object.Rendered && !kubectl {
			byKey[object.Namespace+"/"+object.Name] = object
		}
	}
	for c := range clusters {
		cluster := &clusters[c]
		n := len(cluster.Spec.Services.JumpHost)
		if list == v1.ListControlPlane {
			n = len(cluster.Spec.Services.LoadBalancerControlPlane)
		}
		for i := range n {
			if object := byKey[cluster.Namespace+"/"+v1.ServiceName(list, i, cluster.Name)]; object != nil {
				each(cluster, i, object)
			}
		}
	}
}

// PortNames warns of Services whose port is renamed by the first sync. The SIP operator gave the port of every
// control plane one name; after a rename, a Service has no endpoint until new pods run.
func PortNames(clusters []v1.SIPCluster, live []inventory.ServiceObject) []finding.Finding {
	var out []finding.Finding
	takenOver(inventory.KindService, v1.ListControlPlane, clusters, live,
		func(c *v1.SIPCluster, i int, object *inventory.ServiceObject) {
			name := cmp.Or(c.Spec.Services.LoadBalancerControlPlane[i].PortName, v1.PortNameHTTPS)
			if name == v1.PortNameSIP {
				return
			}
			out = append(out, leftover(refTo(object), c.Key(),
				fmt.Sprintf("the SIP operator calls its port %s, and %s calls it %s", v1.PortNameSIP, c.Key(), name),
				fmt.Sprintf("when the port is renamed the Service has no endpoint until new pods are ready, and the tenant's API server cannot be reached; "+
					"set spec.services.%s[%d].portName to %s, and change it later if at all", v1.ListControlPlane, i, v1.PortNameSIP),
				""))
		})
	return sorted(out)
}

func refTo(object *inventory.ServiceObject) finding.Ref {
	return finding.To(object.Kind, object.Namespace, object.Name)
}

// leftover returns a warning about a live object of the SIP operator.
func leftover(object finding.Ref, cluster, found, why, fix string) finding.Finding {
	return finding.Finding{Code: finding.Leftover, Severity: finding.Warning, Object: object, Cluster: cluster,
		Message: found + ": " + why, Fix: fix}
}

// HostKeySecrets returns the Secrets that the first sync over the SIP operator's jump hosts needs, and that the SIP
// operator did not have.
func HostKeySecrets(clusters []v1.SIPCluster, live []inventory.ServiceObject) []inventory.SecretSeen {
	var out []inventory.SecretSeen
	takenOver(inventory.KindDeployment, v1.ListJumpHost, clusters, live,
		func(c *v1.SIPCluster, i int, object *inventory.ServiceObject) {
			out = append(out, inventory.SecretSeen{Namespace: object.Namespace, Name: HostKeysName(c, i)})
		})
	return out
}

// MissingHostKeys warns of jump hosts without host keys: the old pod continues, the new one waits, and so do the
// services and hosts of the tenant.
func MissingHostKeys(clusters []v1.SIPCluster, live []inventory.ServiceObject,
	seen []inventory.SecretSeen) []finding.Finding {
	byKey := map[string]*inventory.SecretSeen{}
	for i := range seen {
		byKey[seen[i].Namespace+"/"+seen[i].Name] = &seen[i]
	}
	var out []finding.Finding
	takenOver(inventory.KindDeployment, v1.ListJumpHost, clusters, live,
		func(c *v1.SIPCluster, i int, object *inventory.ServiceObject) {
			name := HostKeysName(c, i)
			secret := byKey[object.Namespace+"/"+name]
			const why = "without the jump host's own SSH keys its new pod cannot start, so the services do not become ready, and no host of the tenant is labeled"
			switch {
			case secret == nil || !secret.Missing && secret.Unread == "":
			case secret.Missing:
				out = append(out, leftover(refTo(object), c.Key(), "there is no Secret "+name, why,
					HostKeys(object.Namespace, name)))
			default:
				out = append(out, leftover(refTo(object), c.Key(),
					fmt.Sprintf("could not check whether there is a Secret %s: %s", name, secret.Unread),
					fmt.Sprintf("%s; look for it with: kubectl -n %s get secret %s", why, object.Namespace, name), ""))
			}
		})
	return sorted(out)
}

// Finalizers warns of SIPClusters with the SIP operator's finalizer, both rendered and already deleted ones.
func Finalizers(clusters []v1.SIPCluster, live []inventory.Finalized) []finding.Finding {
	rendered := map[string]bool{}
	for i := range clusters {
		rendered[clusters[i].Key()] = true
	}
	var out []finding.Finding
	for _, object := range live {
		found, why := "it has the finalizer "+v1.SIPFinalizer, "once the SIP operator is stopped, nothing removes this finalizer, and kubectl delete waits forever; remove the finalizer after the services have been taken over"
		switch {
		case object.Deleting:
			found, why = "it is being deleted, and has the finalizer "+v1.SIPFinalizer,
				"only the SIP operator removes the finalizer: without the operator, the object stays until the finalizer is removed by hand"
		case !rendered[object.Namespace+"/"+object.Name]:
			continue
		}
		out = append(out, leftover(finding.To(v1.Kind, object.Namespace, object.Name), "", found, why,
			WithoutFinalizer(object.Namespace, object.Name, object.Index)))
	}
	return sorted(out)
}

// WithoutFinalizer returns the command that removes the SIP operator's finalizer from a SIPCluster. It tests that the
// finalizer is still at its index.
func WithoutFinalizer(namespace, name string, index int) string {
	return fmt.Sprintf(`kubectl -n %s patch sipclusters.airship.airshipit.org %s --type=json -p '[{"op":"test","path":"/metadata/finalizers/%d","value":"%s"},{"op":"remove","path":"/metadata/finalizers/%d"}]'`,
		namespace, name, index, v1.SIPFinalizer, index)
}

// HostKeys returns the command that creates the Secret with a jump host's own keys.
func HostKeys(namespace, name string) string {
	return `d=$(mktemp -d) && ssh-keygen -q -t ed25519 -N '' -C ` + name +
		` -f "$d/ssh_host_ed25519_key" && kubectl -n ` + namespace +
		` create secret generic ` + name + ` --from-file="$d/ssh_host_ed25519_key"; rm -rf "$d"`
}

// HostKeysName returns the name of the Secret with the keys of a cluster's jump host of that index.
func HostKeysName(c *v1.SIPCluster, i int) string {
	return cmp.Or(c.Spec.Services.JumpHost[i].HostKeys, v1.ServiceName(v1.ListJumpHost, i, c.Name)+"-host-keys")
}

func sorted(findings []finding.Finding) []finding.Finding {
	slices.SortStableFunc(findings, func(a, b finding.Finding) int {
		return strings.Compare(a.Object.String(), b.Object.String())
	})
	return findings
}
