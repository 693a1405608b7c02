package inventory

import rbacv1 "k8s.io/api/rbac/v1"

// What a live inventory is read from.
const (
	Group            = "metal3.io"
	Version          = "v1alpha1"
	HostResource     = "baremetalhosts"
	HardwareResource = "hardwaredata"
	GuardGroup       = "admissionregistration.k8s.io"
	GuardResource    = "validatingadmissionpolicybindings"
)

// ReaderRules are the rights that reading a live inventory needs, and no more: hosts, what inspection found and what guards are for are listed, and
// Secrets are only ever fetched by name, those that a host names as network data. RBAC cannot say
// "these Secrets": an account with the rules can fetch every Secret of the namespaces it is bound in, so bind
// it in the hosts' namespaces, and keep BMC credentials elsewhere or the account close.
func ReaderRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		{APIGroups: []string{Group}, Resources: []string{HostResource, HardwareResource}, Verbs: []string{"list"}},
		{APIGroups: []string{GuardGroup}, Resources: []string{GuardResource}, Verbs: []string{"list"}},
		//guard(TestRights/sipgen-guards-reader/rights-own/secrets): the account that reads may list Secrets
		{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}},
	}
}
