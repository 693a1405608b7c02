package inventory

import rbacv1 "k8s.io/api/rbac/v1"

// The kinds that a live inventory is read from.
const (
	Group            = "metal3.io"
	Version          = "v1alpha1"
	HostResource     = "baremetalhosts"
	HardwareResource = "hardwaredata"
	GuardGroup       = "admissionregistration.k8s.io"
	GuardResource    = "validatingadmissionpolicybindings"
)

// ReaderRules returns the permissions that reading a live inventory needs, and no more: hosts, inspection results and
// guard bindings are listed; Secrets are only fetched by name, those that hosts name as network data. RBAC cannot
// limit that to these Secrets: an account with the rules can fetch every Secret of the namespaces where it is bound.
// So bind it in the hosts' namespaces, and keep BMC credentials elsewhere, or protect the account.
func ReaderRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		{APIGroups: []string{Group}, Resources: []string{HostResource, HardwareResource}, Verbs: []string{"list"}},
		{APIGroups: []string{GuardGroup}, Resources: []string{GuardResource}, Verbs: []string{"list"}},
		{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}},
	}
}
