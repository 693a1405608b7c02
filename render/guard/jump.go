package guard

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
)

// JumpHosts returns the guard of a site's jump hosts, which is applied where a cluster has one with metal3 access.
func JumpHosts(site *v1alpha1.Site) []any {
	s := guards{In{Site: site}}
	policy, binding := s.jumpGuard(), s.binding(jumpGuard, admissionv1.Deny)
	policy.Labels, binding.Labels = inventory.LabelsOf(site.Name), inventory.LabelsOf(site.Name)
	forbid(policy.Spec.Validations)
	return []any{policy, binding}
}

// jumpGuard limits the identities of jump hosts to the annotations with which metal3 is told to reboot, and to the
// hosts with the labels of their own cluster. Their Roles name the hosts, but RBAC cannot limit fields, a changed
// spec may deprovision a host, and a late Role still names a host that another cluster has by now.
func (s guards) jumpGuard() admissionv1.ValidatingAdmissionPolicy {
	const (
		oldNotes = "(has(oldObject.metadata.annotations) ? oldObject.metadata.annotations : {})"
		newNotes = "(has(object.metadata.annotations) ? object.metadata.annotations : {})"
		ours     = "(k == 'reboot.metal3.io' || k.startsWith('reboot.metal3.io/'))"
	)
	same := func(path string) string {
		return "has(object." + path + ") == has(oldObject." + path + ") && (!has(object." + path + ") || object." + path +
			" == oldObject." + path + ")"
	}
	keys := s.Site.Spec.LabelKeys
	policy := s.guard(jumpGuard, admissionv1.Create, admissionv1.Update, admissionv1.Delete)
	policy.Spec.MatchConditions = []admissionv1.MatchCondition{{
		Name:       "jump-host",
		Expression: "request.userInfo.username.matches('^system:serviceaccount:[a-z0-9-]+:jumphost[0-9]*-[a-z0-9-]+$')",
	}}
	policy.Spec.Variables = []admissionv1.Variable{
		{Name: "labels", Expression: "oldObject != null && has(oldObject.metadata.labels) && dyn(oldObject.metadata.labels) != null ? oldObject.metadata.labels : {}"},
		{Name: "clusterNamespace", Expression: jumpLabel(keys.ClusterNamespace)},
		{Name: "clusterName", Expression: jumpLabel(keys.ClusterName)},
		// The account is jumphost-NAME, or of a further entry jumphost2-NAME; see v1.ServiceName.
		{Name: "account", Expression: "request.userInfo.username.split(':')[3]"},
	}
	policy.Spec.Validations = []admissionv1.Validation{
		{Expression: "request.operation == 'UPDATE'", Message: "a jump host neither creates nor deletes hosts"},
		{Expression: "request.operation != 'UPDATE' || (" + same("spec") + ")", Message: "a jump host changes no spec"},
		{
			Expression: "request.operation != 'UPDATE' || (" + same("metadata.labels") + " && " +
				same("metadata.finalizers") + " && " + same("metadata.ownerReferences") + ")",
			Message: "a jump host changes no labels, finalizers or owners",
		},
		{
			Expression: "request.operation != 'UPDATE' || (" + newNotes + ".all(k, " + ours + " || (k in " + oldNotes +
				" && " + newNotes + "[k] == " + oldNotes + "[k])) && " +
				oldNotes + ".all(k, " + ours + " || k in " + newNotes + "))",
			Message: "a jump host changes no annotation but reboot.metal3.io",
		},
		{
			// A host without the labels is nobody's: no account has an empty namespace, and none ends with a dash.
			Expression: "request.operation != 'UPDATE' || (request.userInfo.username.split(':')[2] == variables.clusterNamespace && " +
				"variables.account.endsWith('-' + variables.clusterName) && variables.account.substring(0, size(variables.account) - size(variables.clusterName)).matches('^jumphost[0-9]*-$'))",
			Message: "a jump host has power over the hosts of its own cluster, by their labels",
		},
	}
	return policy
}

// jumpLabel returns the value of a label, "" where there is none. Keys of labels need no quoting.
func jumpLabel(key string) string {
	return "'" + key + "' in variables.labels ? variables.labels['" + key + "'] : ''"
}
