package engine

import (
	"fmt"
	"strings"
	"testing"
)

// lastPolicy denies what nobody does but WaitPolicies.
const lastPolicy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: last-of-NAMESPACE}
spec:
  failurePolicy: Fail
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAMESPACE}}
    resourceRules: [{apiGroups: [''], apiVersions: [v1], resources: [configmaps], operations: [CREATE], resourceNames: [last-policy]}]
  validations: [{expression: 'false', message: the last policy is known}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: last-of-NAMESPACE}
spec: {policyName: last-of-NAMESPACE, validationActions: [Deny]}
`

// WaitPolicies waits until the API server, which learns of admission policies and their bindings a little later, holds
// to all those that were applied until now. It learns of them in the order in which they were written, and so it waits
// for one more, whatever the others say. Once in a namespace.
func (a *APIServer) WaitPolicies(t testing.TB, namespace string) {
	t.Helper()
	a.Apply(t, "e2e", strings.ReplaceAll(lastPolicy, "NAMESPACE", namespace))
	probe := Objects(t, []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: last-policy, namespace: "+namespace+"}\n"))[0]
	Wait(t, "the admission policies", SyncTimeout, func() error {
		if err := a.TryApply(probe, "e2e", true); err == nil || !strings.Contains(err.Error(), "the last policy is known") {
			return fmt.Errorf("the last one gives %v", err)
		}
		return nil
	})
}
