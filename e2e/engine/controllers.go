package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// Controllers is a real kube-controller-manager.
type Controllers struct{ process *process }

// StartControllers starts a real kube-controller-manager with those of its controllers that act on what sipgen
// renders: the garbage collector and the namespace controller, since what is deleted in the foreground, and
// namespaces, go no other way, and the disruption controller. It logs in as system:kube-controller-manager, and each
// controller works as its own service account, as kubeadm sets it up: none of them is an admin, to whom policies do
// not apply.
// more are further controllers; where the Deployment controller is among them, somebody has to play the pods
// (StartPods) and nobody may play the Deployments (StartKubelet).
// The garbage collector knows the kinds that are there when it starts, and others half a minute later.
func StartControllers(t testing.TB, api *APIServer, more ...string) *Controllers {
	t.Helper()
	program := Binary(t, "kube-controller-manager")
	port := need.Port(t)
	p := start(t, "kube-controller-manager", nil, program, "--kubeconfig="+Kubeconfig(t, api.WithToken(controllerToken)),
		"--use-service-account-credentials=true", "--controllers="+strings.Join(append([]string{
			"garbage-collector-controller", "namespace-controller", "disruption-controller"}, more...), ","),
		"--leader-elect=false", "--kube-api-qps=500", "--kube-api-burst=1000",
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port), "--cert-dir="+t.TempDir())
	p.await(t, p.listens(fmt.Sprintf("127.0.0.1:%d", port)))
	return &Controllers{p}
}

// Logs returns the last lines of kube-controller-manager's output that contain all of the words.
func (c *Controllers) Logs(n int, words ...string) string { return c.process.log.last(n, words...) }
