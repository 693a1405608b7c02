package infra

import (
	"errors"
	rbacv1 "k8s.io/api/rbac/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/render/object"
)

// Rights renders what the accounts of a cluster's services may do, one file per entry: a Dex keeps its state, a jump
// host reboots hosts. They are not in the overlay, which is applied as an account that can give no rights. Every
// problem is reported.
func Rights(in *Checked) (map[string][]byte, error) {
	o := newOverlay(in)
	var errs []error
	files := map[string][]byte{}
	put := func(s service, objects []any) {
		if len(objects) == 0 {
			return
		}
		text, err := object.Marshal(objects...)
		errs = append(errs, err)
		files[s.name+".yaml"] = text
	}
	services := &o.Cluster.Spec.Services
	for i := range services.JumpHost {
		if s := o.jumpName(i); bmcAccess(&services.JumpHost[i]) == v1.BMCMetal3 {
			put(s, o.powerRoles(s))
		}
	}
	for i := range services.Dex {
		s := o.dexName(i)
		put(s, o.dexStorageRole(s))
	}
	return files, errors.Join(errs...)
}

func (o *overlay) jumpName(i int) service {
	return named(v1.ListJumpHost, i, o.Cluster.Name, "jumphost", "jumphost")
}

func (o *overlay) dexName(i int) service {
	return named(v1.ListDex, i, o.Cluster.Name, "dex", "oidc-provider")
}

// OverlayKind is a kind of object that an overlay may have.
type OverlayKind struct{ Group, Kind, Resource string }

// OverlayKinds are all kinds that an overlay may have.
var OverlayKinds = []OverlayKind{
	{"", "ConfigMap", "configmaps"},
	{"", "Service", "services"},
	{"", "ServiceAccount", "serviceaccounts"},
	{"apps", "Deployment", "deployments"},
	{"policy", "PodDisruptionBudget", "poddisruptionbudgets"},
	{"networking.k8s.io", "NetworkPolicy", "networkpolicies"},
	{"cert-manager.io", "Certificate", "certificates"},
}

// GivenRules returns the rights that the site grants to the accounts of clusters, and of their services: an account
// can grant only what it holds.
func GivenRules() []rbacv1.PolicyRule {
	return append(OverlayRules(), powerRules(nil), dexRules())
}

// OverlayRules returns the rights to apply any overlay, in its namespace: for every kind, because removed objects are
// also deleted, and for the objects by which an engine sees that a Deployment is rolled out.
func OverlayRules() []rbacv1.PolicyRule {
	look := []string{"get", "list", "watch"}
	var rules []rbacv1.PolicyRule
	for _, kind := range OverlayKinds {
		rules = append(rules, rbacv1.PolicyRule{
			APIGroups: []string{kind.Group}, Resources: []string{kind.Resource}, Verbs: append(look, "create", "update",
				"patch", "delete"),
		})
	}
	return append(rules,
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: look},
		rbacv1.PolicyRule{APIGroups: []string{"apps"}, Resources: []string{"replicasets"}, Verbs: look})
}
