package guard

import (
	"fmt"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
)

// ReleaseOf is the annotation with which the patch of a host in use shows that its release was approved. The engine
// applies any commit, including old ones, and leaves annotations behind when a patch is dropped. So the value names
// the host by its uid, and its use at the approval: for the next use the approval is void.
const ReleaseOf = inventory.ReleaseOfAnnotation

// ReleaseToken returns the value of ReleaseOf: "<uid>/<consumer's kind>/<namespace>/<name>", or without a consumer
// "<uid>/<image>".
func ReleaseToken(host *inventory.Host) string {
	use := host.State.ImageName
	if c := host.State.Consumer; c != nil {
		use = c.Kind + "/" + c.Namespace + "/" + c.Name
	}
	return host.UID + "/" + use
}

// claimKeys returns the labels that name the owner of a host. Standby is not among them: it changes while a host is
// in use.
func claimKeys(keys v1alpha1.LabelKeys) []string {
	return []string{keys.ClusterNamespace, keys.ClusterName, keys.NodeType}
}

// The parts of a host that say what uses it.
const (
	hostConsumer = "oldObject.spec.consumerRef"
	hostImage    = "oldObject.spec.image"
)

// usedVariables returns "used": whether the host is in use before the change. The other variables are its parts. An
// absent part of an object is asked for with has(), level by level.
func usedVariables() []admissionv1.Variable {
	const state = "oldObject.status.provisioning.state"
	return []admissionv1.Variable{
		{Name: "hasSpec", Expression: "oldObject != null && has(oldObject.spec)"},
		{Name: "consumed", Expression: "variables.hasSpec && has(" + hostConsumer + ")"},
		{Name: "provisioned", Expression: "oldObject != null && has(oldObject.status) && has(oldObject.status.provisioning) &&\n" +
			"has(" + state + ") &&\n" + state + " in " + celList(inventory.ProvisionedStates())},
		// metal3 takes an image without a URL for none: it is a way to have a host deprovisioned.
		{Name: "imageURL", Expression: "variables.hasSpec && has(" + hostImage + ") ? " +
			part(hostImage, "url") + " : ''"},
		{Name: "used", Expression: "variables.consumed || variables.provisioned || variables.imageURL != '' ||\n" +
			"variables.hasSpec && (has(oldObject.spec.customDeploy) ||\n" +
			"  has(oldObject.spec.externallyProvisioned) && oldObject.spec.externallyProvisioned)"},
	}
}

// part is an expression for a string in an object, the empty string if it is not there.
func part(of, field string) string {
	return fmt.Sprintf("(has(%[1]s.%[2]s) ? %[1]s.%[2]s : '')", of, field)
}

// inUseVariables returns what inUseValidations need, of a policy that has the variables of metadataVariables. A claim
// label without a value claims nothing.
func inUseVariables(keys v1alpha1.LabelKeys) []admissionv1.Variable {
	return slices.Concat([]admissionv1.Variable{
		{Name: "claimLabels", Expression: celList(claimKeys(keys))},
		{Name: "moved", Expression: "variables.claimLabels.exists(k, k in variables.oldLabels && variables.oldLabels[k] != '' &&\n" +
			"  (!(k in variables.newLabels) || variables.newLabels[k] != variables.oldLabels[k]))"},
	}, usedVariables(), []admissionv1.Variable{
		{Name: "imagePath", Expression: "isURL(variables.imageURL) ? url(variables.imageURL).getHostname() + url(variables.imageURL).getEscapedPath() : ''"},
		{Name: "use", Expression: "variables.consumed ? " + part(hostConsumer, "kind") + " + '/' +\n  " +
			part(hostConsumer, "namespace") + " + '/' +\n  " +
			part(hostConsumer, "name") + " :\n" +
			"variables.imageURL != '' ? 'image/' + variables.imagePath :\n" +
			"variables.hasSpec && has(oldObject.spec.customDeploy) ? 'customDeploy/' +\n  " +
			part("oldObject.spec.customDeploy", "method") + " : ''"},
		{Name: "approved", Expression: fmt.Sprintf("'%[1]s' in variables.newAnnotations &&\n"+
			"variables.newAnnotations['%[1]s'] == oldObject.metadata.uid + '/' + variables.use", ReleaseOf)},
	})
}

// inUseValidations hold hosts in use against git itself: a branch that is rolled back, reverted or force-pushed asks
// for claims as they were.
func inUseValidations(update string) []admissionv1.Validation {
	return []admissionv1.Validation{
		{Expression: update + "!variables.moved || !variables.used || variables.approved",
			Message: "this BareMetalHost is in use: the labels that assign it can be changed or removed only by a release " +
				"that was approved for what uses it now (" + ReleaseOf + ")"},
		{Expression: update + "!variables.moved || !variables.consumed ||\n" +
			"!has(oldObject.spec.consumerRef.kind) || oldObject.spec.consumerRef.kind != '" + inventory.ClusterKind + "'",
			Message: "this BareMetalHost is kept for its cluster's next machine: no approval can release it; Cluster API has to free it first"},
	}
}
