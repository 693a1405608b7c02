package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const (
	operatorModule    = "github.com/metal3-io/baremetal-operator"
	operatorTestMode  = "pkg/provisioner/fixture/fixture.go"
	operatorNamespace = "baremetal-operator-system"
	operatorAccount   = "baremetal-operator-controller-manager"
)

// OperatorUser is who the baremetal-operator is to the API server.
const OperatorUser = "system:serviceaccount:" + operatorNamespace + ":" + operatorAccount

// Operator is metal3's real baremetal-operator. It runs in its own test mode: the controllers, their state machine and
// their writes are real, and what they would have Ironic do succeeds after some seconds. The test mode has one server
// for all hosts: status.poweredOn of one host is what was done to another, whereas what a host is to be (spec.online)
// is its own; see also ChangeUse.
type Operator struct {
	api     *APIServer
	process *process
	use     sync.Mutex
	ready   func() error
}

// ChangeUse provisions or deprovisions hosts, and waits for the end of it, while nobody else does: the one server
// that the test mode has cannot get an image and lose it at the same time, and would go on with both forever.
func (o *Operator) ChangeUse(do func()) {
	o.use.Lock()
	defer o.use.Unlock()
	do()
}

// StartOperator installs what the operator's own installation brings, its definitions and the rights of its service
// account, and starts it as that account.
func StartOperator(t testing.TB, api *APIServer) *Operator {
	t.Helper()
	program := Binary(t, "baremetal-operator")
	api.Namespaces(t, operatorNamespace)
	crds := []string{}
	for _, o := range operatorInstallation(t) {
		switch o.GetKind() {
		case "CustomResourceDefinition":
			crds = append(crds, o.GetName())
			// There is no webhook here, and no cert-manager to give it a certificate.
			unstructured.RemoveNestedField(o.Object, "spec", "conversion")
			fallthrough
		case "ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding":
			if err := api.TryApply(o, "e2e", false); err != nil {
				t.Fatalf("%s %s: %v", o.GetKind(), o.GetName(), err)
			}
		}
	}
	api.established(t, crds...)
	health := need.Address(t)
	o := &Operator{api: api, ready: func() error { return httpOK("http://" + health + "/readyz") }}
	o.process = start(t, "baremetal-operator", []string{
		"KUBECONFIG=" + Kubeconfig(t, api.ServiceAccount(t, operatorNamespace, operatorAccount)), "POD_NAMESPACE=" +
			operatorNamespace,
	}, program, "-test-mode", "-webhook-port=0", "-metrics-addr=0", "-health-addr="+health, "-kube-api-qps=500",
		"-kube-api-burst=1000", "-controller-concurrency=8")
	api.Operator = o
	o.process.await(t, o.ready)
	return o
}

// Restart kills the operator, whatever it is doing, and starts it again. What it knew of hosts is in their status;
// what Ironic would know, the test mode forgets.
func (o *Operator) Restart(t testing.TB) {
	t.Helper()
	o.process.restart(t, o.ready)
}

// kustomizations are built one at a time: the library keeps state of its own.
var kustomizations sync.Mutex

// operatorInstallation returns the objects that the operator's own installation is made of.
func operatorInstallation(t testing.TB) []*unstructured.Unstructured {
	t.Helper()
	kustomizations.Lock()
	defer kustomizations.Unlock()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(),
		filepath.Join(ModuleDir(t, "kubernetes", operatorModule), "config", "default"))
	require.NoError(t, err)
	text, err := built.AsYaml()
	require.NoError(t, err)
	return Objects(t, text)
}

// Logs returns the last lines of the operator's output that contain all of the words.
func (o *Operator) Logs(n int, words ...string) string { return o.process.log.last(n, words...) }

// WaitState waits until hosts of a namespace are in a provisioning state, such as available, and the operator has
// written to them what it writes: its finalizer and, after the inspection, the architecture.
func (o *Operator) WaitState(t testing.TB, state, namespace string, names ...string) {
	t.Helper()
	for _, name := range names {
		err := Eventually(SyncTimeout, o.process.while(func() error {
			return settled(o.api.Dynamic.Resource(Hosts).Namespace(namespace), name, state)
		}))
		if err != nil {
			t.Fatalf("host %s/%s: waited %s until %s: %v\nlast lines:\n%s", namespace, name, SyncTimeout, state, err,
				o.Logs(15, name))
		}
	}
}

func settled(hosts dynamic.ResourceInterface, name, want string) error {
	host, err := hosts.Get(context.Background(), name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	architecture := nested(host, "spec", "architecture")
	if got := provisioningState(host); got != want || architecture == "" ||
		!slices.Contains(host.GetFinalizers(), "baremetalhost.metal3.io") {
		return fmt.Errorf("%q, architecture %q, finalizers %v, %s", got, architecture, host.GetFinalizers(),
			nested(host, "status", "errorMessage"))
	}
	return nil
}

func provisioningState(host *unstructured.Unstructured) string {
	return nested(host, "status", "provisioning", "state")
}

// nested returns a string in an object, "" where there is none.
func nested(o *unstructured.Unstructured, fields ...string) string {
	text, _, _ := unstructured.NestedString(o.Object, fields...)
	return text
}

// BMCSecret returns a BMC's Secret as the operator reads it; without the label it would have to ask for it once more.
func BMCSecret(namespace, name string) string {
	return strings.NewReplacer("NAMESPACE", namespace, "NAME", name).Replace(`
apiVersion: v1
kind: Secret
metadata: {namespace: NAMESPACE, name: NAME, labels: {environment.metal3.io: baremetal}}
stringData: {username: nobody, password: nothing}
`)
}
